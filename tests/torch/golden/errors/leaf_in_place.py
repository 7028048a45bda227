import torch

x = torch.tensor([[1.0, 2.0], [3.0, 4.0]], requires_grad=True)
for f in (
    lambda: x.add_(1),
    lambda: x[0].add_(1),
    lambda: x.view(4).mul_(2),
    lambda: x.__setitem__((0, 0), 1.0),
    lambda: x.t().zero_(),
    lambda: x.t_(),
    lambda: x.copy_(torch.zeros(2, 2)),
    lambda: x.uniform_(),
    lambda: x.unsqueeze_(0),
    lambda: x.clamp_(0, 1),
    lambda: x.unbind()[0].zero_(),
    lambda: x.detach().add_(1),
    lambda: x.data.add_(1),
):
    try:
        print(f().shape)
    except RuntimeError as e:
        print(type(e).__name__, e)
