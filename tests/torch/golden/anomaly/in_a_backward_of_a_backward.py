import torch


class Twice(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x * x

    @staticmethod
    def backward(ctx, g):
        (x,) = ctx.saved_tensors
        return TwiceBackward.apply(g, x)


class TwiceBackward(torch.autograd.Function):
    @staticmethod
    def forward(ctx, g, x):
        return g * 2 * x

    @staticmethod
    def backward(ctx, gg):
        return gg * float("nan"), gg * float("nan")


with torch.autograd.detect_anomaly():
    x = torch.tensor(1.0, requires_grad=True)
    (g,) = torch.autograd.grad(Twice.apply(x), x, create_graph=True)
    print(g)
    try:
        torch.autograd.grad(g, x)
    except RuntimeError as e:
        print(type(e).__name__, e)
