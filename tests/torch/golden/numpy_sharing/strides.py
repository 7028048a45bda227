import numpy as np
import torch

a = np.arange(12.0).reshape(3, 4)
for view in (a, a.T, a[::2], a[:, 1:3], a[:, ::2], a[1], a[:, 0], np.broadcast_to(a[0], (2, 4)).copy()):
    t = torch.from_numpy(view)
    print(t.shape, t.stride(), t.storage_offset(), t.is_contiguous(), t.sum().item())
for view in (a[::-1], a[:, ::-1]):
    try:
        torch.from_numpy(view)
    except ValueError as e:
        print(type(e).__name__, e)
print(torch.from_numpy(a[::-1].copy())[0])
try:
    torch.tensor(a[::-1])
except ValueError as e:
    print(type(e).__name__, e)
