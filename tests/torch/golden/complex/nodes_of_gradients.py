import torch


def graph(g):
    node = g.grad_fn
    return node and (node.name(), [n and n.name() for n, _ in node.next_functions])


FUNCTIONS = {
    "abs": lambda z: z.abs().sum(),
    "square of abs": lambda z: (z * z.conj()).real.sum(),
    "product": lambda z: (z * z).abs().sum(),
    "quotient": lambda z: (z / (z + 1)).abs().sum(),
    "exp": lambda z: z.exp().abs().sum(),
    "sum": lambda z: z.sum(0).abs().sum(),
    "transpose": lambda z: z.T.abs().sum(),
    "flip": lambda z: z.flip(0).abs().sum(),
}
for name, f in FUNCTIONS.items():
    z = torch.tensor([[3 + 4j, 1j], [2 - 1j, 1 + 1j]], requires_grad=True)
    (g,) = torch.autograd.grad(f(z), z, create_graph=True)
    print(name, graph(g), g.is_conj(), g.dtype)

for dtype in (torch.float16, torch.bfloat16):
    for f in (torch.digamma, torch.erf, torch.sqrt, torch.tanh):
        x = torch.tensor([0.5, 1.0, 2.0], dtype=dtype, requires_grad=True)
        (g,) = torch.autograd.grad(f(x).sum(), x)
        f(x).sum().backward()
        print(f.__name__, g.dtype, x.grad.dtype)

for shape in ((2, 0, 3), (0,)):
    x = torch.zeros(shape, requires_grad=True)
    (x * 3).backward(torch.ones(shape))
    y = torch.zeros(shape, requires_grad=True)
    y.sum().backward()
    print(shape, x.grad._version, y.grad._version)
