import torch


def saving(f):
    kept = []

    def pack(x):
        kept.append(x)
        return x

    with torch.autograd.graph.saved_tensors_hooks(pack, lambda x: x):
        f()
    return kept


x = torch.tensor([1.0, 4.0], requires_grad=True)
c = torch.tensor([2.0, 3.0])
for name, f in {
    "add": lambda: x + c,
    "mul constant": lambda: x * c,
    "mul number": lambda: x * 2,
    "square": lambda: x * x,
    "pow": lambda: x**3,
    "exp": lambda: x.exp(),
    "log": lambda: x.log(),
    "sqrt": lambda: x.sqrt(),
    "div": lambda: c / x,
    "sum": lambda: x.sum(),
    "view": lambda: x.view(2, 1),
    "relu": lambda: x.relu(),
    "no grad": lambda: c * c,
    "max": lambda: x.max(0),
    "index": lambda: x[torch.tensor([1])],
}.items():
    print(name, [t.detach() for t in saving(f)])
