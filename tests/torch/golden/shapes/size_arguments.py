import torch

x = torch.zeros(2, 3)
print(x.size(), x.size(1), x.size(-2), x.dim(), x.ndim, x.numel(), x.stride(0), x.stride(-1), x.nelement())
h, w = x.shape
print(
    h,
    w,
    type(x.shape),
    isinstance(x.shape, tuple),
    x.shape == (2, 3),
    x.shape.numel(),
    torch.Size([2]) == torch.zeros(2).shape,
)
print(
    torch.numel(x), x.is_same_size(torch.ones(2, 3)), torch.is_tensor(x), torch.equal(x, x.clone()), x.storage_offset()
)
for bad in (
    lambda: x.size(2),
    lambda: x.stride(-3),
    lambda: x.size("a"),
    lambda: torch.zeros(2).size(1),
    lambda: x.shape[2],
):
    try:
        print(bad())
    except (IndexError, TypeError) as e:
        print(type(e).__name__, str(e).splitlines()[0])
