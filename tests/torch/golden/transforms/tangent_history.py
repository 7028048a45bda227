import torch
from torch.autograd import forward_ad

# A tangent has the history of PyTorch's formulas: an operand without a tangent counts as one of zeros.


def show(name, t):
    node = t.grad_fn
    behind = [None if n is None else type(n).__name__ for n, _ in node.next_functions] if node else None
    print(name, type(node).__name__, behind, t.requires_grad, tuple(t.shape), t.stride(), t._is_view(), t.tolist())


x = torch.tensor([[1.5, -0.5], [0.25, 2.0]])
h = x.clone().requires_grad_()
c = torch.tensor([[2.0, 1.0], [-1.0, 0.5]])
FUNCTIONS = {
    "x * 2": lambda x: x * 2,
    "x * c": lambda x: x * c,
    "c * x": lambda x: c * x,
    "x * detached": lambda x: x * x.detach(),
    "x * x": lambda x: x * x,
    "x / 2": lambda x: x / 2,
    "x / (x + 3)": lambda x: x / (x + 3),
    "where": lambda x: torch.where(x > 0, x, x * 0.5),
    "where of one": lambda x: torch.where(x > 0, x, 0.0),
    "maximum": lambda x: torch.maximum(x, x * 0.5),
    "minimum": lambda x: torch.minimum(x, c),
    "max": lambda x: x.max(0)[0],
    "max, kept": lambda x: x.max(0, keepdim=True)[0],
    "sort": lambda x: x.sort(0)[0],
    "mode": lambda x: x.mode(0)[0],
    "cummax": lambda x: x.cummax(0)[0],
    "sum": lambda x: x.sum(),
    "sum(0)": lambda x: x.sum(0),
    "mean(0)": lambda x: x.mean(0),
    "transposed": lambda x: x.T,
}
for name, f in FUNCTIONS.items():
    for given in (h, x):
        show(name, torch.func.jvp(f, (given,), (torch.ones(2, 2),))[1])
        show(name, torch.func.jacfwd(f)(given).sum(-1).sum(-1))
        if name == "x / (x + 3)":
            continue
        with forward_ad.dual_level():
            dual = forward_ad.make_dual(given, torch.ones(2, 2))
            show(name, forward_ad.unpack_dual(f(dual)).tangent)
zero = torch.zeros(3, requires_grad=True)
for given in (zero, torch.tensor([3.0, 0.0, 4.0], requires_grad=True)):
    for f in (lambda x: x.norm(), lambda x: x.cumprod(0), lambda x: x.softmax(0), lambda x: x.log_softmax(0)):
        t = torch.func.jvp(f, (given,), (torch.ones(3),))[1]
        print(type(t.grad_fn).__name__, (t * 64).round().tolist())
