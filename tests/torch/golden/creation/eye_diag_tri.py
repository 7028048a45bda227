import torch

print(torch.eye(3))
print(torch.eye(2, 4, dtype=torch.int64))
print(torch.diag(torch.tensor([1.0, 2.0])))
print(torch.diag(torch.arange(9).view(3, 3)), torch.diag(torch.arange(9).view(3, 3), 1))
print(torch.diagflat(torch.tensor([1, 2]), 1))
print(torch.diag_embed(torch.ones(2, 2)))
m = torch.arange(1, 10).view(3, 3)
print(m.tril(), m.triu(1), m.tril(-1))
print(torch.tril_indices(3, 3), torch.triu_indices(2, 3, 1))
print(torch.vander(torch.tensor([1, 2, 3])))
try:
    torch.eye(-1)
except RuntimeError as e:
    print(e)
x = torch.ones(3, 3, requires_grad=True)
(x.triu() * m).sum().backward()
print(x.grad)
