import torch

x = torch.tensor([[0.5, 0.75], [0.25, 1.5]])
OPERATIONS = {
    "div floor": lambda a: torch.div(a, a, rounding_mode="floor"),
    "div trunc by a number": lambda a: torch.div(a, 2, rounding_mode="trunc"),
    "cummax": lambda a: a.cummax(0)[0],
    "cummin": lambda a: a.cummin(0)[0],
    "prod": lambda a: a.prod(),
    "prod of a dimension": lambda a: a.prod(1),
    "det": lambda a: torch.linalg.det(a),
    "angle": lambda a: a.angle(),
    "norm 0": lambda a: a.norm(0),
    "complex": lambda a: torch.complex(a, a),
    "mean": lambda a: a.mean(),
    "max": lambda a: a.max(0)[0],
}


def outcome(f):
    try:
        f()
    except RuntimeError as e:
        return str(e).partition(". ")[0]
    return "fine"


for name, f in OPERATIONS.items():
    for what in ("twice", "operand written", "result written"):
        a = x.clone().requires_grad_()
        y = f(a)
        g = torch.ones_like(y)
        if what == "twice":
            torch.autograd.grad(y, a, g)
        else:
            with torch.no_grad():
                (a if what == "operand written" else y).mul_(2)
        print(name, "|", what, "|", outcome(lambda y=y, a=a, g=g: torch.autograd.grad(y, a, g)))
