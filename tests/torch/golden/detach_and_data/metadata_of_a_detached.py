import torch

x = torch.arange(6.0, requires_grad=True).view(2, 3)
d = x.detach()
for f in (
    lambda: d.resize_(3),
    lambda: d.t_(),
    lambda: d.set_(torch.ones(2)),
    lambda: d.squeeze_(),
    lambda: d.unsqueeze_(0),
):
    try:
        f()
        print(d.shape, d.stride(), x.shape)
    except RuntimeError as e:
        print(type(e).__name__, e)
    d = x.detach()
a = torch.arange(4.0, requires_grad=True).data
a.resize_(2, 2)
print(a)
