import torch

x = torch.arange(24).view(2, 3, 4)
print(x[1, 2, 3], x[-1, -1], x[0])
print(x[:, 1], x[..., 2], x[1:, :2, ::3])
print(x[0, ..., 1].shape, x[None].shape, x[:, None, 1].shape, x[..., None].shape)
print(x[:, -2:, 1:3].stride(), x[:, -2:, 1:3].storage_offset())
print(x[5:].shape, x[:, 10:].shape, x[1:0].shape, x[()].shape, x[...].shape)
print(x[torch.tensor(1)].shape, x[True].shape, x[False].shape)
for bad in ((2,), (0, 3), (0, 0, 0, 0), (0, -4), (slice(None, None, -1),), ("a",), (1.0,), (..., ...)):
    try:
        print(bad, x[bad].shape)
    except (IndexError, ValueError, TypeError) as e:
        print(type(e).__name__, e)
