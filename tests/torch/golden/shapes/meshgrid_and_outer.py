import torch

a, b = torch.tensor([1, 2, 3]), torch.tensor([4, 5])
print(torch.meshgrid(a, b, indexing="ij"))
print(torch.meshgrid([a, b], indexing="xy"))
x, y = torch.meshgrid(a, b, indexing="ij")
print(x.stride(), y.stride(), x._is_view())
print(torch.outer(a, b), torch.cartesian_prod(a, b).shape)
print(torch.meshgrid(a, b)[0].shape)
print(torch.meshgrid(a)[0])
for bad in (
    lambda: torch.meshgrid(a, b, indexing="ji"),
    lambda: torch.meshgrid(torch.ones(2, 2), a, indexing="ij"),
    lambda: torch.meshgrid(a, b.float(), indexing="ij"),
):
    try:
        print(bad())
    except RuntimeError as e:
        print(e)
