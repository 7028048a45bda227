import numpy as np
import torch

t = torch.tensor([1.0, 2.0], dtype=torch.float64)
a = np.array([10.0, 20.0])
for f in (lambda: t + t.new_tensor(a), lambda: t * 2.5, lambda: t * np.float64(2.5), lambda: t + np.int64(1)):
    y = f()
    print(type(y).__name__, y)
for f in (lambda: t + a, lambda: t * a):
    try:
        y = f()
        print(type(y).__name__, y)
    except TypeError as e:
        print(type(e).__name__, e)
print(torch.tensor([1.0]) * np.float64(2.5), (torch.tensor([1.0]) * np.float64(2.5)).dtype)
i = np.array([1, 0])
print(t[i], t[np.int64(1)], t[np.array([True, False])])
t[i] = 5
print(t)
try:
    t[0] = np.float32(7)
except TypeError as e:
    print(type(e).__name__, e)
t[0] = np.float64(7)
print(t)
t[:] = torch.from_numpy(a)
print(t)
