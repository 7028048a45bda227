import numpy as np
import torch

for value in (
    np.float32(1.5),
    np.float64(1.5),
    np.int32(3),
    np.bool_(True),
    np.array(2.5),
    np.array([1, 2]),
    np.array([1.5]),
    [np.float32(1), np.float64(2)],
    np.array([[1.0, 2.0], [3.0, 4.0]]),
    (np.int8(1), 2.5),
):
    t = torch.tensor(value)
    print(t, t.dtype, t.shape)
print(torch.zeros(3).numpy().dtype, torch.zeros(3).double().numpy().dtype, torch.zeros(3).half().numpy().dtype)
try:
    torch.zeros(3).bfloat16().numpy()
except TypeError as e:
    print(type(e).__name__, e)
