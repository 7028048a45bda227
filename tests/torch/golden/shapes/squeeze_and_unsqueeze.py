import torch

x = torch.zeros(1, 3, 1)
print(x.squeeze().shape, x.squeeze(0).shape, x.squeeze(1).shape, x.squeeze((0, 2)).shape, x.squeeze(-1).stride())
print(x.unsqueeze(0).shape, x.unsqueeze(-1).shape, x.unsqueeze(-4).stride(), torch.tensor(3).unsqueeze(0))
print(torch.atleast_1d(torch.tensor(1.0)), torch.atleast_2d(torch.ones(2)), torch.atleast_3d(torch.ones(2)).shape)
print(torch.zeros(1).squeeze(), torch.zeros(1, 1).squeeze().dim())
for bad in (lambda: x.squeeze(3), lambda: x.unsqueeze(4), lambda: x.unsqueeze(-5), lambda: x.squeeze("a")):
    try:
        print(bad())
    except (IndexError, TypeError) as e:
        print(type(e).__name__, str(e).splitlines()[0])
y = torch.ones(2, requires_grad=True)
z = y.unsqueeze(1)
print(z, z.squeeze(), z.squeeze(1).grad_fn.name(), z.grad_fn.name())
