import torch

x = torch.arange(6).view(2, 3)
print(x.roll(1), x.roll(1, 0), x.roll((1, -1), (0, 1)), torch.roll(x, 4, -1))
print(x.flip(0), x.flip(0, 1), x.flip([1]), x.fliplr(), x.flipud(), x.rot90(), x.rot90(2), torch.rot90(x, -1, (0, 1)))
print(x.flip(0)._is_view(), x.flip(0).stride(), x.rot90().stride())
y = torch.arange(3.0, requires_grad=True)
print(y.flip(0), y.roll(1))
(y.flip(0) * torch.tensor([1.0, 2.0, 3.0])).sum().backward()
print(y.grad)
for bad in (
    lambda: x.roll((1, 2), 0),
    lambda: x.flip(2),
    lambda: x.flip(0, 0),
    lambda: x.rot90(1, (0, 0)),
    lambda: y.fliplr(),
):
    try:
        print(bad())
    except (RuntimeError, IndexError) as e:
        print(type(e).__name__, e)
