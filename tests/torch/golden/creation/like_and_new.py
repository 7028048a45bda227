import torch

x = torch.arange(6.0, dtype=torch.float64).view(2, 3).t()
for f in (torch.zeros_like, torch.ones_like, torch.empty_like):
    y = f(x)
    print(y.shape, y.stride(), y.dtype)
print(torch.full_like(x, 3), torch.zeros_like(x, dtype=torch.int32))
print(torch.full_like(torch.ones(2, dtype=torch.int64), 2.7))
print(x.new_zeros(2), x.new_ones(1, 2), x.new_full((2,), 4), x.new_tensor([1, 2]), x.new_empty(0))
print(x.new_tensor([True]), torch.ones(1, dtype=torch.int32).new_tensor([2.7]))
r = torch.ones(2, requires_grad=True)
print(torch.zeros_like(r).requires_grad, torch.ones_like(r, requires_grad=True))
print(torch.zeros_like(x[:1].expand(4, 2)).stride(), torch.zeros_like(x[::2]).stride())
print(r.new_tensor(r))
