import torch

x = torch.tensor([1.0, 0.0, 1.0, 0.0, 1.0])
print(
    x.sort(stable=True),
    x.sort(stable=True, descending=True).indices,
    x.argsort(stable=True),
    torch.tensor([0.0, -0.0, 0.0]).sort(stable=True),
)
print(x.max(0), x.min(0), x.argmax(), x.argmin(), x.mode(), x.unique(return_inverse=True)[1], x.median(0).values)
nan = torch.tensor([2.0, float("nan"), 1.0, float("inf")])
print(
    nan.sort(),
    nan.sort(descending=True),
    nan.topk(2),
    nan.argmax(),
    nan.min(0),
    nan.kthvalue(4).values,
    nan.topk(2, largest=False).values,
    nan.cummax(0).values,
)
print(
    torch.sort(torch.tensor([[2, 1], [4, 3]]), dim=1, descending=True),
    torch.sort(torch.tensor([[3, 1], [2, 5]]), 0).values,
    torch.tensor([[3, 1], [2, 5]]).flatten().sort().values.view(2, 2),
)
