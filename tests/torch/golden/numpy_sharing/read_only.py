import numpy as np
import torch

a = np.array([1.0, 2.0])
a.flags.writeable = False
t = torch.from_numpy(a)
print(t)
print(torch.as_tensor(a))
print(torch.tensor(a))
b = np.broadcast_to(np.array(1.0), (3,))
print(torch.from_numpy(b).stride())
