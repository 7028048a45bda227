import torch

m, v, b = torch.arange(6.0).view(2, 3), torch.tensor([1.0, 0.0, 2.0]), torch.ones(2, 3, 4)
print(
    torch.mm(m, m.T),
    torch.mv(m, v),
    torch.dot(v, v),
    torch.bmm(b, b.mT).shape,
    torch.inner(m, m),
    torch.outer(v, v),
    torch.vdot(v, v),
    torch.ger(v[:1], v),
)
for bad in (
    lambda: torch.mm(m, m),
    lambda: torch.mm(m, v),
    lambda: torch.mv(m, v[:2]),
    lambda: torch.mv(v, v),
    lambda: torch.dot(v, v[:2]),
    lambda: torch.dot(m, m),
    lambda: torch.dot(v, v.double()),
    lambda: torch.bmm(b, b),
    lambda: torch.bmm(m, m),
    lambda: torch.bmm(b, torch.ones(3, 4, 3)),
    lambda: torch.outer(m, v),
    lambda: torch.inner(m, v[:2]),
    lambda: torch.mm(m.long(), m.T),
):
    try:
        print(bad())
    except RuntimeError as e:
        print(e)
