import numpy as np
import torch

a = np.array([1.0, 2.0, 3.0])
t = torch.from_numpy(a)
print(t, t.dtype, t.shape, t.stride(), t.is_leaf, t._version)
a[0] = 10
print(t, t._version)
t[1] = 20
print(a, t._version)
t.mul_(2)
print(a)
t = t * 1
t[0] = 0
print(a)
for dtype in (
    np.float32,
    np.float16,
    np.int64,
    np.int32,
    np.int16,
    np.int8,
    np.uint8,
    np.bool_,
    np.complex64,
    np.complex128,
):
    print(torch.from_numpy(np.zeros(1, dtype=dtype)).dtype)
