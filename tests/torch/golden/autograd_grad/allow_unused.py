import torch

x = torch.tensor(2.0, requires_grad=True)
u = torch.tensor([1.0, 1.0], requires_grad=True)
y = x * x
try:
    torch.autograd.grad(y, [x, u], retain_graph=True)
except RuntimeError as e:
    print(type(e).__name__, e)
print(torch.autograd.grad(y, [x, u], allow_unused=True, retain_graph=True))
print(torch.autograd.grad(y, u, allow_unused=True, retain_graph=True))
print(torch.autograd.grad(y, [x, u], materialize_grads=True, retain_graph=True))
try:
    torch.autograd.grad(y, [x, u], allow_unused=False, materialize_grads=True)
except ValueError as e:
    print(type(e).__name__, e)
for t in (torch.tensor(1.0), x.detach(), y.detach()):
    try:
        torch.autograd.grad(y, t, allow_unused=True, retain_graph=True)
    except RuntimeError as e:
        print(type(e).__name__, e)
