import torch

x = torch.tensor([1.0, -2.0, 0.5])
bits = x.view(torch.int32)
print(bits)
bits[0] = 0
print(x, x._version)
print(torch.tensor([1, 256], dtype=torch.int32).view(torch.uint8))
print(torch.arange(8, dtype=torch.uint8).view(torch.int32))
print(torch.arange(4.0).view(torch.float64))
try:
    torch.arange(3.0).view(torch.float64)
except RuntimeError as e:
    print(e)
try:
    torch.arange(8.0).view(2, 4).t().view(torch.float64)
except RuntimeError as e:
    print(e)
print(torch.arange(3.0).to(torch.float32) is x, x.to(torch.float32) is x)
