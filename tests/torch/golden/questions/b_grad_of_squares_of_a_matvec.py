import torch

x = torch.tensor([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]])
w = torch.tensor([1.0, -2.0], requires_grad=True)
y = x @ w
z = y**2
print(y)
print(y.grad_fn.name(), y.shape, y.requires_grad, y.is_leaf)
print(z)
print(z.grad_fn.name(), z.grad_fn.next_functions[0][0].name())
print(y.grad_fn.next_functions[1][0].name() if len(y.grad_fn.next_functions) > 1 else None)
print(z[0])
z[0].backward(retain_graph=True)
print(w.grad, 2 * y[0] * x[0])
print(torch.equal(w.grad, (2 * y[0] * x[0]).detach()))
w.grad = None
z.sum().backward()
print(w.grad, (2 * y.detach()[:, None] * x).sum(0))

row = torch.tensor([[1.0, 2.0]])
y = row @ w
z = y**2
print(y, z)
w.grad = None
z.backward()
print(w.grad, w.grad == 2 * y * row)
