import torch


def tried(f):
    try:
        return f()
    except Exception as e:
        return f"{type(e).__name__}: {e}"


OPERATIONS = {
    "x * 2": lambda x: x * 2,
    "sqrt": torch.sqrt,
    "sum(0)": lambda x: x.sum(0),
    "t": torch.t,
    "x[0]": lambda x: x[0],
    "neg": torch.neg,
    "clone": torch.clone,
}
ENDS = {
    "sum": lambda y: y.sum().backward(),
    "y * y": lambda y: (y * y).sum().backward(),
    "sum(0)": lambda y: y.sum(0).sum().backward(),
    "backward(ones_like)": lambda y: y.backward(torch.ones_like(y)),
    "create_graph": lambda y: torch.autograd.grad((y * y).sum(), x, create_graph=True),
}
VALUES = {
    "[4]": torch.ones(4),
    "[5, 2, 3, 2]": torch.ones(5, 2, 3, 2),
    "[]": torch.ones(()),
    "float64": torch.full((2, 3), 2.0, dtype=torch.float64),
}

for name, operation in OPERATIONS.items():
    for end, backward in ENDS.items():
        for kind, value in VALUES.items():
            x = torch.ones(2, 3, requires_grad=True)
            y = operation(x)
            y.data = value.clone()
            failed = tried(lambda: backward(y))
            print("y:", name, "|", end, "|", kind, "|", failed, None if x.grad is None else x.grad.tolist())

# The leaf: what it was when its graph was recorded counts, and a new dtype begins a new AccumulateGrad.
for name in ("x * 2", "sum(0)", "t", "x[0]", "neg"):
    for kind, value in {**VALUES, "[1, 3]": torch.ones(1, 3)}.items():
        x = torch.ones(2, 3, requires_grad=True)
        y = OPERATIONS[name](x)
        x.data = value.clone()
        failed = tried(lambda: y.sum().backward())
        print("x:", name, "|", kind, "|", failed, None if x.grad is None else (x.grad.dtype, x.grad.tolist()))
        print(tried(lambda: torch.autograd.grad(OPERATIONS[name](x * 3).sum(), x)[0].dtype))
x = torch.ones(2, requires_grad=True)
y = x * 2
x.data = x.data.double()
print(tried(lambda: torch.autograd.grad(y.sum(), x)))
for t in (x, x * 2):
    print(tried(lambda: setattr(t, "data", torch.ones(2, dtype=torch.int64))))

# Nodes called as functions.
x = torch.ones(2, requires_grad=True)
for node in ((x * 2).grad_fn, x.unbind(0)[0].grad_fn, x.exp().grad_fn.next_functions[0][0]):
    print(tried(node), tried(lambda: node(1)), tried(lambda: node(None)), tried(lambda: node(x=3)))
node = x.exp().grad_fn.next_functions[0][0]
print(node(torch.ones(2)), x.grad)
