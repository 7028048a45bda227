import torch

x = torch.tensor([1.0, 2.0], requires_grad=True)
for y in (x + 1, x.view(1, 2), x.detach(), x.clone(), x[0], x.sum(), x.double(), x * 1j, x.unbind()[1], x.new_ones(2)):
    print(y)
y = x * 1
y[0] = 0
print(y, y.grad_fn.name())
print([x.exp(), x.log()])
print({"x": x, "sum": x.sum()})
print(x.sum().grad_fn.next_functions)
empty = torch.empty(0, 3, requires_grad=True)
print(empty, empty * 2)
