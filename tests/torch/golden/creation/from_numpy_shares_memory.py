import numpy as np
import torch

a = np.arange(4, dtype=np.float32)
t = torch.from_numpy(a)
t[0] = 100
print(a, t)
a[1] = -1
print(t, t._version)
print(torch.as_tensor(a).data_ptr() == t.data_ptr(), torch.tensor(a).data_ptr() == t.data_ptr())
print(torch.as_tensor(a, dtype=torch.float64))
print(t.numpy() is a, t.numpy().dtype)
m = torch.from_numpy(np.arange(6).reshape(2, 3).T)
print(m, m.stride(), m.dtype)
print(torch.from_numpy(np.array(2.5)), torch.tensor(np.float32(1.5)), torch.tensor(np.int8(3)).dtype)
for bad in (np.arange(3)[::-1], np.array(["a"]), [1, 2]):
    try:
        torch.from_numpy(bad)
    except (ValueError, TypeError) as e:
        print(type(e).__name__, e)
