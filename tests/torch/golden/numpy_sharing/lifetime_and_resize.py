import numpy as np
import torch


def make():
    return torch.from_numpy(np.arange(3.0))


t = make()
print(t)
a = torch.arange(3.0).numpy()
print(a)
t = torch.arange(4.0)
b = t.numpy()
t.resize_(2)
print(t, b)
t = torch.arange(4.0)
b = t.view(2, 2).numpy()
t.zero_()
print(b)
t.data = torch.ones(4)
print(b, t)
b[:] = 3
print(t)
c = np.arange(4)
t = torch.as_tensor(c)
t.unsqueeze_(0)
t[0, 1] = 9
print(t, c)
