import torch

x = torch.tensor([[0.5, 0.75, 1.0], [0.25, 1.5, 2.0]])
OPERATIONS = {
    "std": lambda a: a.std(),
    "std of rows": lambda a: a.std(1),
    "norm": lambda a: a.norm(),
    "norm of columns": lambda a: a.norm(dim=0),
    "1-norm": lambda a: a.norm(1),
    "3-norm": lambda a: a.norm(3),
    "prod": lambda a: a.prod(),
    "prod of rows": lambda a: a.prod(1),
    "cumprod": lambda a: a.cumprod(0),
    "logcumsumexp": lambda a: a.logcumsumexp(1),
    "dist": lambda a: a.dist(torch.ones(3)),
    "max": lambda a: a.max(),
    "median": lambda a: a.median(),
}
for name, f in OPERATIONS.items():
    for what in ("operand", "result"):
        a = x.clone().requires_grad_()
        y = f(a)
        (a if what == "operand" else y).data.mul_(2)
        y.sum().backward()
        print(name, "|", what, "|", [round(v, 4) + 0.0 for v in a.grad.flatten().tolist()])
