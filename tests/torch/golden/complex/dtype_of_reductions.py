import torch


def tried(f):
    try:
        return f()
    except Exception as e:
        return f"{type(e).__name__}: {e}"


# A real tensor reduced in a complex dtype: which gradients come back, and which are refused.
KIND = torch.complex64
for f in (
    lambda x: x.sum(dtype=KIND),
    lambda x: x.sum(0, dtype=KIND),
    lambda x: x.sum((0, 1), dtype=KIND, keepdim=True),
    lambda x: x[0].sum(dtype=KIND),
    lambda x: x.mean(dtype=KIND),
    lambda x: x.mean(0, dtype=KIND),
    lambda x: x.nansum(dtype=KIND),
    lambda x: x.prod(dtype=KIND),
    lambda x: x.prod(0, dtype=KIND),
    lambda x: torch.linalg.vector_norm(x, dtype=KIND),
    lambda x: x.sum(dtype=torch.float64),
):
    for create_graph in (False, True):
        x = torch.tensor([[1.0, 2.0], [3.0, 4.5]], requires_grad=True)
        print(tried(lambda: [g.tolist() for g in torch.autograd.grad(f(x).abs().sum(), x, create_graph=create_graph)]))
        print(tried(lambda: f(x).backward(torch.ones_like(f(x)))), x.grad)
