import torch

print(torch.arange(24).view(2, 3, 4))
print(torch.arange(40))
print(torch.arange(16).view(2, 2, 2, 2))
print(torch.linspace(0, 1, 30))
print(torch.zeros(3, 1))
print(torch.zeros(1, 1, 1), torch.zeros(2, 1, 2))
print(torch.arange(60.0).view(2, 30) * 1.5)
