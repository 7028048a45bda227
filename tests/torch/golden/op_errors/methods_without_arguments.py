# Arguments that are too many, of the wrong type, or missing.
import numpy as np
import torch

t = torch.ones(2)
s = torch.tensor(1.0)
for f in (
    lambda: t.item(2),
    lambda: t.tolist(1),
    lambda: t.numel(1, 2),
    lambda: t.detach(None),
    lambda: t.data_ptr(1),
    lambda: s.stride(0),
    lambda: s.stride(-1),
    lambda: t.stride(2),
    lambda: t.stride("a"),
    lambda: t.stride(True),
    lambda: t.requires_grad_("a"),
    lambda: t.requires_grad_(1),
    lambda: torch.zeros(2, out=torch.float32),
    lambda: torch.ones(2, out="a"),
    lambda: torch.full((2,), 1, out=3),
    lambda: torch.empty(2, out=[1]),
    lambda: torch.norm(s, p="x"),
    lambda: torch.norm(torch.tensor([1, 2]), p="x"),
    lambda: torch.linalg.eigvals(torch.ones(2, 3, requires_grad=True)),
    lambda: torch.linalg.eigvals(torch.tensor([1])),
    lambda: torch.addmm(torch.tensor(1.0), torch.ones(2) + 0j, torch.ones(2) + 0j),
    lambda: torch.tensordot(s, s, dims=([0], [0])),
    lambda: torch.ones(1, dtype=torch.bfloat16).numpy(force=True),
    lambda: torch.linalg.lstsq(torch.ones(2, 3, 3), torch.ones(3, 1)),
    lambda: torch.linalg.lstsq(torch.ones(2, 2, 3, 3), torch.ones(3, 1)),
    lambda: torch.full((2,), 1e5, dtype=torch.float16),
    lambda: torch.full((1,), 1e5, dtype=torch.float16),
    lambda: np.array(torch.ones(2), copy=False),
):
    try:
        print(f())
    except (TypeError, RuntimeError, IndexError, ValueError) as e:
        print(type(e).__name__, e)
x = torch.ones(2, requires_grad=True)
for node, arguments in ((x.exp().grad_fn, ()), (x.exp().grad_fn, (x, x)), (x.sort()[0].grad_fn, ())):
    try:
        node(*arguments)
    except TypeError as e:
        print(node.name(), e)
