import torch

x = torch.tensor([[0, 3, 0], [5, 0, 6]])
print(x.nonzero(), torch.nonzero(x, as_tuple=True))
print(torch.where(x > 0), torch.where(x > 3, x, -1))
print(x[x.nonzero(as_tuple=True)], torch.argwhere(x), x.count_nonzero(), x.count_nonzero(dim=0))
print(torch.nonzero(torch.tensor(1)), torch.nonzero(torch.tensor([])).shape)
y = torch.tensor([1.0, 4.0], requires_grad=True)
w = torch.where(y > 2, y * 10, y.sqrt())
print(w)
w.sum().backward()
print(y.grad)
print(torch.where(torch.tensor([True, False]), 1.0, torch.tensor(0, dtype=torch.int32)))
print(torch.where(torch.tensor([[True], [False]]), torch.arange(3), torch.tensor(9)))
try:
    torch.where(torch.tensor([1, 0]), 1, 0)
except RuntimeError as e:
    print(e)
