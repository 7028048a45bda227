import torch

x = torch.zeros(3, 4, dtype=torch.int64)
x[0] = 1
x[1, 2] = 5
x[:, -1] = torch.tensor([7, 8, 9])
x[2, :2] = torch.tensor(3)
print(x, x._version)
x[1:, ::2] += 10
print(x, x._version)
x[[0, 1], [0, 0]] = torch.tensor([-1, -2])
x[None, 2] = 4
x[..., 1] = 1.9
print(x)
for bad in (
    lambda: x.__setitem__(5, 0),
    lambda: x.__setitem__(0, torch.ones(3)),
    lambda: x.__setitem__((slice(None), 0), torch.ones(2, 2)),
    lambda: x.__setitem__(0, "a"),
    lambda: x.__setitem__(0, [1, 2, 3, 4]),
    lambda: x.__setitem__((0, [0, 1]), torch.ones(3, dtype=torch.int64)),
    lambda: x.__setitem__([0], torch.ones(4)),
):
    try:
        bad()
        print(x)
    except (IndexError, RuntimeError, TypeError, ValueError) as e:
        print(type(e).__name__, e)
