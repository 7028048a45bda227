# expect: loss detach params[0], params[1], params[2], params[3]
# check: missing(params[0])
import torch
import torch.nn.functional as F

torch.manual_seed(0)
params = [
    (torch.randn(8, 1) * 0.5).requires_grad_(),
    torch.zeros(8, requires_grad=True),
    (torch.randn(1, 8) * 0.3).requires_grad_(),
    torch.zeros(1, requires_grad=True),
]
meta_opt = torch.optim.Adam(params, lr=1e-2)


def net(x, w):
    return F.linear(torch.tanh(F.linear(x, w[0], w[1])), w[2], w[3])


def adapt(w, x, y, steps=2, lr=0.05):
    for _ in range(steps):
        loss = F.mse_loss(net(x, w), y)
        grads = torch.autograd.grad(loss, w, create_graph=True)
        w = [(p - lr * g).detach().requires_grad_() for p, g in zip(w, grads)]  # <- here
    return w


for it in range(3):
    meta_loss = 0
    for task in range(2):
        a = torch.rand(1) * 3
        xs, xq = torch.randn(6, 1), torch.randn(6, 1)
        fast = adapt(params, xs, a * torch.sin(xs))
        meta_loss = meta_loss + F.mse_loss(net(xq, fast), a * torch.sin(xq))
    meta_opt.zero_grad()
    meta_loss.backward()
    meta_opt.step()
    print(it, meta_loss.item())
