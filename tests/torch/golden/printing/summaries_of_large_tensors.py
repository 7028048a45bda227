import torch

print(torch.arange(1000))
print(torch.arange(1001))
print(torch.arange(2000.0).view(40, 50))
print(torch.zeros(11, 11, 11))
print(torch.ones(1, 1001, dtype=torch.bool))
print(torch.arange(1200.0).requires_grad_())
