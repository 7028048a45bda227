import torch

for dtype in (
    torch.bool,
    torch.uint8,
    torch.int32,
    torch.int64,
    torch.bfloat16,
    torch.float32,
    torch.float64,
):
    x = torch.ones(2, dtype=dtype)
    print(dtype, [(x * s).dtype for s in (True, 2, 2.5, 2j)], (x / 2).dtype, (x // 2).dtype, (x**2).dtype)
x = torch.tensor([200], dtype=torch.uint8)
print(x + 100, x * 2, -x, x - 201)
print(torch.tensor([1, 2]) / 2, torch.tensor([5]) // 2.0, 2 / torch.tensor([4]), 2 ** torch.tensor([3]))
print(torch.tensor([True]) + True, torch.tensor([True]) * 3, torch.tensor([True]) + torch.tensor([True]))
