import numpy as np
import torch

for value in (
    np.array(["a"]),
    np.array([None]),
    np.array([1, 2], dtype=">i4"),
    np.array([1.0], dtype=np.longdouble),
    [1, 2],
    3.0,
    np.float32(3),
    None,
):
    try:
        print(torch.from_numpy(value))
    except (TypeError, ValueError) as e:
        print(type(e).__name__, e)
try:
    torch.tensor(np.array(["a"]))
except TypeError as e:
    print(type(e).__name__, e)
for dtype in (np.uint16, np.uint32, np.uint64):
    print(torch.from_numpy(np.array([1], dtype=dtype)))
