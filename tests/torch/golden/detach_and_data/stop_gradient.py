import torch

x = torch.tensor(3.0, requires_grad=True)
for f in (
    lambda x: x * x.detach(),
    lambda x: x.detach() * x.detach() + x,
    lambda x: (x * x).detach() * x,
    lambda x: x + (x.round() - x).detach(),
    lambda x: x * x.data,
    lambda x: x * x.clone().detach(),
    lambda x: x * x.item(),
    lambda x: x.detach().clone().requires_grad_() * x,
):
    x.grad = None
    y = f(x)
    y.backward()
    print(y, x.grad)
