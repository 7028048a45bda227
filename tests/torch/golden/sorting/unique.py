import torch

x = torch.tensor([3, 1, 2, 3, 1])
print(
    x.unique(),
    torch.unique(x, return_counts=True),
    torch.unique(x, return_inverse=True),
    torch.unique(x, return_inverse=True, return_counts=True),
)
print(
    torch.unique_consecutive(torch.tensor([1, 1, 2, 2, 1])),
    torch.unique_consecutive(torch.tensor([1, 1, 2]), return_inverse=True, return_counts=True),
)
print(
    torch.unique(torch.tensor([[1, 2], [1, 2], [0, 5]]), dim=0),
    torch.unique(torch.tensor([[1, 2], [1, 2]]), dim=1, return_counts=True),
)
print(
    torch.tensor([1.0, float("nan"), float("nan")]).unique(),
    torch.tensor([True, False, True]).unique(),
    torch.zeros(0).unique(),
    torch.tensor([[2, 1], [1, 3]]).unique(),
)
r = torch.tensor([2.0, 1.0, 2.0], requires_grad=True)
y = r.unique()
print(y, y.requires_grad)
try:
    y.sum().backward()
except (RuntimeError, NotImplementedError) as e:
    print(type(e).__name__, e)
print(
    torch.isin(torch.tensor([1, 2, 3]), torch.tensor([2, 5])),
    torch.isin(x, 3),
    torch.isin(x, torch.tensor([3]), invert=True),
)
