# How errors of C++ code show a tensor.
import torch

for t in (
    torch.ones(1, 1),
    torch.tensor([[1.5, -0.25], [100.0, 3.0]]),
    torch.tensor([[1e-5, 2.5]]),
    torch.tensor([[1e10, 2.0]]),
    torch.full((2, 2), 1234567.5),
    torch.full((2, 2, 2), 0.001),
    torch.tensor([[float("inf"), float("nan"), -1.0]]),
    torch.zeros(2, 1, 2, 1),
    torch.ones(2, 30),
    torch.ones(1, 2, 12) * 1.5,
    torch.tensor([[True, False]]),
    torch.tensor([[1 + 2j]]),
    torch.zeros(2, 0),
    torch.ones(1, 2, dtype=torch.float64, requires_grad=True),
):
    try:
        torch.meshgrid(t, t, indexing="ij")
    except RuntimeError as e:
        print(e)
for dtype in (torch.bool, torch.bfloat16, torch.complex64, torch.int8, torch.float16, torch.uint16):
    try:
        torch.zeros(2, 2, dtype=dtype).expand(2)
    except RuntimeError as e:
        print(e)
