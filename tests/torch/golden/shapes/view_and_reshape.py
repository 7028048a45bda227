import torch

x = torch.arange(12)
for shape in ((3, 4), (-1, 6), (2, -1, 3), (12, 1)):
    print(x.view(shape).shape, x.reshape(*shape).stride())
print(x.view(2, 6).view(-1), torch.ones(1, 1).reshape(()))
print(x.view(3, 4).view_as(torch.zeros(2, 6)).shape, x.unflatten(0, (3, -1)).shape, x.view(3, 2, 2).flatten(1).shape)
for bad in (
    lambda: x.view(5, 2),
    lambda: x.view(-1, -1),
    lambda: x.view(-1, 5),
    lambda: x.view(-2, 6),
    lambda: x.reshape(7),
    lambda: x.view(3, 4).t().view(-1),
    lambda: x.view(2.0, 6),
    lambda: torch.zeros(0).view(-1, 0),
    lambda: x.unflatten(0, (5, 2)),
    lambda: x.view(3, 4).flatten(1, 0),
):
    try:
        print(bad())
    except (RuntimeError, TypeError) as e:
        print(type(e).__name__, e)
