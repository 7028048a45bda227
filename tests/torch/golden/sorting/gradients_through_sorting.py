import torch

x = torch.tensor([0.3, -1.0, 2.0, 0.5], requires_grad=True)
for name, f in {
    "sorted weights": lambda: (x.sort().values * torch.arange(4.0)).sum(),
    "ranked by argsort": lambda: (x[x.argsort()] * torch.arange(4.0)).sum(),
    "median": lambda: x.median(),
    "top two": lambda: x.topk(2).values.prod(),
    "middle": lambda: x.kthvalue(2).values ** 2,
    "range": lambda: x.max() - x.min(),
    "pinball": lambda: (x.sort(descending=True)[0][:2] - x.detach().mean()).pow(2).sum(),
    "take": lambda: x.take(x.argsort()[:2]).sum(),
    "msort": lambda: torch.msort(x)[0],
    "cummin": lambda: x.cummin(0)[0].sum(),
}.items():
    (g,) = torch.autograd.grad(f(), x)
    print(name, f().grad_fn.name(), [round(v, 4) for v in g.tolist()])
(g,) = torch.autograd.grad((x.sort().values ** 3).sum(), x, create_graph=True)
print(g.grad_fn.name(), [round(v, 4) for v in torch.autograd.grad(g.sum(), x)[0].tolist()])
