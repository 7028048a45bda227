import torch

x = torch.arange(12).view(3, 4)
print(x[torch.tensor([0, 2])], x[[0, 2]], x[[2, 0], [1, -1]])
print(x[:, [3, 0]], x[[[0], [1]], [0, 2]], x[torch.tensor([[0, 1], [2, 0]])].shape)
y = torch.arange(24).view(2, 3, 4)
print(y[:, [0, 1], [2, 3]].shape, y[[0, 1], :, [2, 3]].shape, y[[0], ..., 1].shape)
print(y[0, [1, 2], 1:3], y[None, [0, 1]].shape)
print(x[torch.tensor([], dtype=torch.int64)].shape, x[[]].shape)
for bad in (
    lambda: x[[3]],
    lambda: x[[0, 1], [0, 1, 2]],
    lambda: x[torch.tensor([1.0])],
    lambda: x[[0], [0], [0]],
    lambda: x[[-4]],
):
    try:
        print(bad())
    except (IndexError, RuntimeError) as e:
        print(type(e).__name__, e)
