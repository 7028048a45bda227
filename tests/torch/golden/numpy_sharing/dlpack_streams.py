import numpy as np
import torch


def attempt(f):
    try:
        print(f())
    except Exception as e:
        print(type(e).__name__, e)


x = torch.arange(3.0)
for stream in (object(), "1", 1.5, 3):
    attempt(lambda: x.__dlpack__(stream=stream))
attempt(lambda: x.clone().requires_grad_().__dlpack__(stream="1"))
print(np.from_dlpack(x), torch.from_dlpack(np.arange(2)))
