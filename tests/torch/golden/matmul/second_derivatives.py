import torch

A = torch.tensor([[2.0, 1.0], [1.0, 3.0]])
x = torch.tensor([1.0, -1.0], requires_grad=True)
q = 0.5 * x @ A @ x
(g,) = torch.autograd.grad(q, x, create_graph=True)
print(q, g, torch.equal(g.detach(), A @ x.detach()))
rows = [torch.autograd.grad(g[i], x, retain_graph=True)[0] for i in range(2)]
print(torch.stack(rows))
W = torch.tensor([[1.0, 2.0], [3.0, 4.0]], requires_grad=True)
y = (W @ W).trace()
(gw,) = torch.autograd.grad(y, W, create_graph=True)
print(y, gw)
(hw,) = torch.autograd.grad(gw.square().sum(), W)
print(hw)
print(torch.autograd.functional.hessian(lambda t: (t @ A).dot(t), x.detach()))
