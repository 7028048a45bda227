import torch

edges = torch.tensor([1.0, 3.0, 5.0])
v = torch.tensor([0.0, 1.0, 2.0, 3.0, 5.0, 9.0])
print(
    torch.searchsorted(edges, v),
    torch.searchsorted(edges, v, right=True),
    torch.bucketize(v, edges),
    torch.bucketize(v, edges, right=True),
    torch.bucketize(4, edges),
)
print(
    torch.searchsorted(edges, 3.0),
    torch.searchsorted(edges, v, out_int32=True).dtype,
    torch.searchsorted(edges, v, side="right"),
)
rows = torch.tensor([[1, 3, 5], [2, 4, 6]])
print(
    torch.searchsorted(rows, torch.tensor([[3], [3]])),
    torch.searchsorted(rows, torch.tensor([[1, 5], [1, 5]])),
    torch.bucketize(torch.tensor([[1, 2], [3, 7]]), rows[0]),
)
print(torch.searchsorted(edges, v).requires_grad, torch.searchsorted(torch.tensor([]), v))
for bad in (
    lambda: torch.searchsorted(rows, torch.tensor([3])),
    lambda: torch.searchsorted(edges, torch.tensor([1])),
    lambda: torch.searchsorted(edges, v, side="up"),
    lambda: torch.bucketize(v, rows),
    lambda: torch.searchsorted(edges, v, right=True, side="left"),
    lambda: torch.bucketize(v, torch.tensor([1])),
):
    try:
        print(bad())
    except RuntimeError as e:
        print(e)
