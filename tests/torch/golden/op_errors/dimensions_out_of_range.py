import torch

x = torch.ones(2, 3)
for f in (
    lambda: x.sum(2),
    lambda: x.mean(-3),
    lambda: x.max(5),
    lambda: x.softmax(2),
    lambda: x.cumsum(3),
    lambda: x.transpose(0, 2),
    lambda: x.unsqueeze(4),
    lambda: x.squeeze(2),
    lambda: x.select(2, 0),
    lambda: x.select(0, 2),
    lambda: x.narrow(0, 1, 2),
    lambda: x.narrow(0, 0, -1),
    lambda: x.size(2),
    lambda: x.flatten(0, 2),
    lambda: x.unbind(2),
    lambda: x.split(1, 2),
    lambda: torch.cat([x, x], 2),
    lambda: torch.stack([x, x], 3),
    lambda: x.gather(2, torch.zeros(1, 1, dtype=torch.int64)),
    lambda: x.diagonal(0, 0, 0),
    lambda: torch.tensor(1.0).sum(1),
    lambda: x.flip(3),
):
    try:
        print(f())
    except (IndexError, RuntimeError) as e:
        print(type(e).__name__, e)
