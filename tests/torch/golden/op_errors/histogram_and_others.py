import torch

inf, nan = float("inf"), float("nan")


def show(f):
    try:
        print(f())
    except Exception as e:
        print(type(e).__name__, e)


v = torch.ones(3)
for r in ((2, 1), (nan, 1), (1, nan), (1, inf), (-inf, inf), (1.0,), (1, 2, 3), (inf, -inf)):
    show(lambda r=r: torch.histogram(v, 2, range=r))
show(lambda: torch.histogram(v * nan, 2))
for bins in (torch.ones(2, 2), torch.ones(0, 2), torch.tensor(2.0), torch.tensor(2.0).double(), torch.empty(0)):
    show(lambda b=bins: torch.histogram(v, b))

x = torch.tensor([8])
show(lambda: torch.nonzero_static(x, size=1, out=torch.empty(1, 1)))
show(lambda: torch.nonzero_static(x, size=2, out=torch.empty(0, dtype=torch.int64)))
