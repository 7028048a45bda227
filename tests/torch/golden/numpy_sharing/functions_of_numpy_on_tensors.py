import numpy as np
import torch

t = torch.tensor([1.0, 4.0, 9.0])
print(type(np.sqrt(t)).__name__, np.sqrt(t))
print(type(np.asarray(t)).__name__, np.asarray(t), np.asarray(t, dtype=np.float64).dtype)
print(np.asarray(t).ctypes.data == t.data_ptr())
print(np.add(t, 1), np.allclose(t, [1, 4, 9]), np.concatenate([t, t]))
print(np.stack([t, t]).shape, np.mean(np.asarray(t)), np.isscalar(t))
print(np.dot(np.ones(3, dtype=np.float32), t))
w = t.clone().requires_grad_()
for f in (np.sqrt, np.asarray):
    try:
        f(w)
    except RuntimeError as e:
        print(type(e).__name__, e)
print(np.sqrt(w.detach()))
