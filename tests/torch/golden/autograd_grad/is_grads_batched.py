import torch

x = torch.tensor([1.0, 2.0, 3.0], requires_grad=True)
y = x**2
print(torch.autograd.grad(y, x, torch.eye(3), is_grads_batched=True, retain_graph=True))
(rows,) = torch.autograd.grad(y, x, 2 * torch.eye(3)[:2], is_grads_batched=True)
print(rows, rows.shape)
m = torch.tensor([[1.0, 2.0], [3.0, 4.0]])
v = torch.tensor([1.0, -1.0], requires_grad=True)
(j,) = torch.autograd.grad(m @ v, v, torch.eye(2), is_grads_batched=True)
print(j, torch.equal(j, m))
