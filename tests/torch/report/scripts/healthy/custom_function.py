# check: losses[-1] < losses[0] and torch.autograd.gradcheck(Cube.apply, torch.randn(3, dtype=torch.float64, requires_grad=True))
import torch


class Cube(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x**3

    @staticmethod
    def backward(ctx, grad):
        (x,) = ctx.saved_tensors
        return 3 * x**2 * grad


class ScaledGradient(torch.autograd.Function):
    """Identity, whose gradient is scaled; the factor gets none."""

    @staticmethod
    def forward(ctx, x, factor):
        ctx.factor = factor
        return x.view_as(x)

    @staticmethod
    def backward(ctx, grad):
        return grad * ctx.factor, None


torch.manual_seed(0)
layer = torch.nn.Linear(2, 1)
opt = torch.optim.SGD(layer.parameters(), lr=0.05)
x = torch.rand(40, 2)
y = (x[:, :1] - 0.3 * x[:, 1:]) ** 3
losses = []
for _ in range(40):
    opt.zero_grad()
    loss = (Cube.apply(ScaledGradient.apply(layer(x), 0.5)) - y).abs().mean()
    loss.backward()
    opt.step()
    losses.append(loss.item())
