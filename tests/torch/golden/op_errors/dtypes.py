import torch

i, f, b, z = torch.tensor([1, 2]), torch.tensor([1.0, 2.0]), torch.tensor([True, False]), torch.tensor([1j, 2])
for op in (
    lambda: i.mean(),
    lambda: torch.softmax(i, 0),
    lambda: i.std(),
    lambda: b - b,
    lambda: -b,
    lambda: b - 1,
    lambda: 1 - b,
    lambda: f & f,
    lambda: ~f,
    lambda: f << 1,
    lambda: z.max(),
    lambda: z > 1,
    lambda: torch.dot(i, f),
    lambda: torch.mm(f[None], i[:, None]),
    lambda: i.norm(),
    lambda: torch.where(i, f, f),
    lambda: f[f],
    lambda: torch.bernoulli(i),
    lambda: torch.complex(i, i),
    lambda: torch.linalg.inv(torch.eye(2, dtype=torch.int64)),
    lambda: f.to(torch.int64).requires_grad_(),
    lambda: torch.gcd(f, f),
    lambda: torch.frac(i),
    lambda: b.cumsum(0) * b.prod(),
):
    try:
        print(op())
    except (RuntimeError, IndexError, TypeError) as e:
        print(type(e).__name__, e)
