import torch

x = torch.arange(6.0)
m = x.view(2, 3)
for f in (
    lambda: x.view(4),
    lambda: x.reshape(2, 2),
    lambda: x.view(-1, 4),
    lambda: m.t().view(6),
    lambda: m.expand(3, 3),
    lambda: m.permute(0),
    lambda: m.squeeze(0).view(7),
    lambda: torch.stack([x, m]),
    lambda: torch.cat([m, x]),
    lambda: m.repeat(2),
    lambda: m.index_select(0, torch.tensor([2])),
    lambda: m[2],
    lambda: m[:, 3],
    lambda: m[0, 0, 0],
    lambda: x.unfold(0, 7, 1),
    lambda: m.as_strided((9,), (1,)),
    lambda: torch.diag(torch.ones(1, 1, 1)),
    lambda: torch.tril(x),
    lambda: m.t().t().diagonal(0, 0, 2),
    lambda: x.unflatten(0, (4, 2)),
    lambda: m.roll(1, 2),
    lambda: torch.zeros(2, -1),
    lambda: x.view(2, 3).mT.view(-1),
):
    try:
        print(f())
    except (RuntimeError, IndexError, ValueError) as e:
        print(type(e).__name__, e)
