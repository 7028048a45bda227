import torch

m, a, b = torch.ones(2, 2), torch.arange(6.0).view(2, 3), torch.arange(6.0).view(3, 2)
print(
    torch.addmm(m, a, b),
    torch.addmm(m, a, b, beta=0, alpha=2),
    torch.addmv(m[0], a, b[:, 0]),
    torch.addr(m, a[:, 0], b[0]),
)
print(torch.baddbmm(m[None], a[None], b[None]), torch.addbmm(m, a[None], b[None]), m.addmm(a, b, beta=0.5))
nan = torch.full((2, 2), float("nan"))
print(torch.addmm(nan, a, b, beta=0))
r, p, q = (t.clone().requires_grad_() for t in (m, a, b))
y = torch.addmm(r, p, q, beta=3, alpha=2)
print(y)
y.sum().backward()
print(r.grad, p.grad, q.grad)
for bad in (
    lambda: torch.addmm(m, a, a),
    lambda: torch.addmm(torch.ones(3, 3), a, b),
    lambda: torch.addmv(m[0], a, b[0]),
    lambda: torch.baddbmm(m, a, b),
    lambda: torch.addr(m, a, b),
    lambda: torch.addmm(m, a, b.double()),
    lambda: torch.addmm(m, a[0], b),
):
    try:
        print(bad())
    except (RuntimeError, IndexError) as e:
        print(type(e).__name__, e)
