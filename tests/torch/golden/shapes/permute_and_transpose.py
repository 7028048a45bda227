import torch

x = torch.zeros(2, 3, 4)
for y in (x.permute(2, 0, 1), x.transpose(0, 2), x.mT, x.movedim(0, 2), torch.swapdims(x, 1, 2), x.permute((-1, 0, 1))):
    print(y.shape, y.stride(), y.is_contiguous())
print(x.moveaxis((0, 1), (-1, 0)).shape, torch.zeros(3).t().shape, torch.tensor(1.0).t().shape)
print(torch.zeros(3).T.shape, x.T.shape)
for bad in (
    lambda: x.permute(0, 1),
    lambda: x.permute(0, 1, 1),
    lambda: x.permute(0, 1, 3),
    lambda: x.transpose(0, 3),
    lambda: x.t(),
    lambda: torch.zeros(3).mT,
    lambda: x.H,
    lambda: x.movedim((0, 0), (1, 2)),
):
    try:
        print(bad().shape)
    except (RuntimeError, IndexError) as e:
        print(type(e).__name__, e)
