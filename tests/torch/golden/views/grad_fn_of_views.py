import torch

x = torch.arange(24.0).reshape(2, 3, 4).requires_grad_()
views = [
    x.view(6, 4),
    x.reshape(-1),
    x.transpose(0, 1),
    x.permute(2, 0, 1),
    x[0],
    x[:, 1:],
    x[None],
    x[..., 0],
    x.unsqueeze(1),
    x[:1].squeeze(0),
    x.expand(5, 2, 3, 4),
    x.narrow(2, 1, 2),
    x.select(1, 0),
    x.diagonal(dim1=0, dim2=1),
    x.unfold(2, 2, 1),
    x.flatten(),
    x.as_strided((2, 2), (1, 2)),
    x.movedim(0, -1),
    x.swapaxes(0, 1),
    x.view_as(x),
    x.detach(),
]
for v in views:
    print(type(v.grad_fn).__name__, tuple(v.shape), v.stride(), v.is_leaf)
