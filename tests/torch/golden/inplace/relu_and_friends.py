import torch

x = torch.tensor([-1.0, 0.0, 2.0], requires_grad=True)
for f in (
    torch.Tensor.relu_,
    torch.Tensor.abs_,
    torch.Tensor.neg_,
    torch.Tensor.tanh_,
    torch.Tensor.sin_,
    torch.Tensor.zero_,
    lambda t: t.fill_(3),
    lambda t: t.clamp_(min=-0.5),
    lambda t: t.pow_(2),
    lambda t: t.masked_fill_(torch.tensor([True, False, False]), 9),
    lambda t: t.copy_(torch.ones(3)),
    lambda t: t.t_(),
    lambda t: t.unsqueeze_(0),
    lambda t: t.index_add_(0, torch.tensor([0, 0]), torch.ones(2)),
):
    x.grad = None
    y = x.clone()
    f(y)
    y.sum().backward()
    print(type(y.grad_fn).__name__, y, x.grad)
