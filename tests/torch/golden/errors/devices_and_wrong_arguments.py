import torch

x = torch.tensor([1.0, 2.0], requires_grad=True)
for f in (
    lambda: x + "1",
    lambda: x + None,
    lambda: x @ 2,
    lambda: x[5],
    lambda: x[0, 0],
    lambda: x.sum(3),
    lambda: x.view(3),
    lambda: x + torch.ones(3),
    lambda: x @ torch.ones(3),
    lambda: x.reshape(-1, -1),
    lambda: torch.cat([x, torch.ones(1, 2)]),
    lambda: torch.stack([x, torch.ones(3)]),
    lambda: x.expand(3),
    lambda: x.t().t().view(-1, 3),
    lambda: x.squeeze(2),
    lambda: x.permute(1, 0),
):
    try:
        f()
        print("ran")
    except (RuntimeError, TypeError, IndexError) as e:
        print(type(e).__name__, str(e).splitlines()[0])
