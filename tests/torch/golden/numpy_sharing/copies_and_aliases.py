import numpy as np
import torch

a = np.array([1.0, 2.0], dtype=np.float32)
for name, make in {
    "from_numpy": torch.from_numpy,
    "as_tensor": torch.as_tensor,
    "asarray": torch.asarray,
    "tensor": torch.tensor,
    "Tensor": torch.Tensor,
    "FloatTensor": torch.FloatTensor,
    "as_tensor float64": lambda a: torch.as_tensor(a, dtype=torch.float64),
    "asarray copy": lambda a: torch.asarray(a, copy=True),
}.items():
    t = make(a)
    t[0] = -1
    print(name, t, t.dtype, "shared" if a[0] == -1 else "copied")
    a[0] = 1
