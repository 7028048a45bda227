import torch

x = torch.arange(7)
print(x.split(3), x.chunk(3), torch.chunk(x, 10), x.tensor_split(3))
print(x.split([1, 6]), torch.split(torch.zeros(4, 6), 2, dim=1)[1].shape)
print(torch.zeros(4, 4).hsplit(2)[0].shape, torch.zeros(4, 4).vsplit([1])[1].shape, x.unbind()[3])
print(type(x.split(3)), type(x.chunk(2)), type(x.unbind()), len(x.split(8)))
for bad in (
    lambda: x.split(0),
    lambda: x.split(-1),
    lambda: x.split([3, 3]),
    lambda: x.chunk(0),
    lambda: x.tensor_split(0),
    lambda: x.split(2, dim=1),
    lambda: torch.tensor(1).unbind(),
    lambda: torch.zeros(3, 5).hsplit(2),
    lambda: torch.tensor(1).chunk(1),
):
    try:
        print(bad())
    except (RuntimeError, IndexError) as e:
        print(type(e).__name__, e)
