import torch

print(torch.arange(5))
print(torch.arange(5.0))
print(torch.arange(1, 2.5, 0.5))
print(torch.arange(5, 0, -2))
print(torch.arange(0, 1, 0.25, dtype=torch.float64))
print(torch.arange(3, dtype=torch.float32).dtype, torch.arange(0).shape)
print(torch.arange(2, 2), torch.arange(4, requires_grad=False, dtype=torch.uint8))
print(torch.range(1, 3))
for bad in ((0, 5, 0), (5, 0, 1), (0, float("inf")), (0, float("nan"))):
    try:
        print(torch.arange(*bad))
    except RuntimeError as e:
        print(e)
try:
    torch.arange(3, requires_grad=True)
except RuntimeError as e:
    print(e)
