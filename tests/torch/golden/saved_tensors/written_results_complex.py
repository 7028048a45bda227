"""Gradients that are computed from the result see what was written into its `.data`, of every dtype."""

import torch

STARTS = {
    torch.complex64: [[1 + 1j, 2.0], [1j, 4.0]],
    torch.bfloat16: [[1.0, 2.0], [0.5, 4.0]],
    torch.float32: [[1.0, 2.0], [0.5, 4.0]],
}
FUNCTIONS = {
    "cumprod": lambda x: x.cumprod(0),
    "prod": lambda x: x.prod(),
    "prod of rows": lambda x: x.prod(1),
    "logcumsumexp": lambda x: x.logcumsumexp(1),
    "logsumexp": lambda x: x.logsumexp(0),
    "norm": lambda x: x.norm(),
    "norm of rows": lambda x: x.norm(2, 1),
}
for name, f in FUNCTIONS.items():
    for dtype, start in STARTS.items():
        for write in (None, 2.0):
            x = torch.tensor(start, dtype=dtype, requires_grad=True)
            y = f(x)
            if write is not None:
                y.data.fill_(write)
            g = torch.autograd.grad(y.sum().abs(), x, create_graph=True)[0]
            numbers = g.detach().to(torch.complex128).reshape(-1).tolist()
            print(name, dtype, write, [[round(z.real, 2) + 0.0, round(z.imag, 2) + 0.0] for z in numbers])
