import torch

x = torch.tensor([1.0, 2.0], requires_grad=True)
w = torch.tensor([3.0, -1.0], requires_grad=True)
loss = ((x * w).sum() - 1) ** 2
gx, gw = torch.autograd.grad(loss, [x, w], create_graph=True)
print(gx, gw)
print(torch.autograd.grad(gx.sum(), [x, w], retain_graph=True))
print(torch.autograd.grad(gw.sum(), [x, w], retain_graph=True))
inner = w - 0.5 * gw
outer = ((x * inner).sum()) ** 2
print(inner, outer)
print(torch.autograd.grad(outer, w))
