import torch
from torch.autograd import Function


class Exp(Function):
    @staticmethod
    def forward(ctx, x):
        print("forward", torch.is_grad_enabled(), x.requires_grad)
        y = x.exp()
        ctx.save_for_backward(y)
        return y

    @staticmethod
    def backward(ctx, g):
        (y,) = ctx.saved_tensors
        print("backward", g, y)
        return g * y


x = torch.tensor([0.0, 1.0], requires_grad=True)
y = Exp.apply(x)
print(y, y.grad_fn.name(), type(y.grad_fn).__name__, y.is_leaf)
y.sum().backward()
print(x.grad)
print(Exp.apply(torch.tensor([0.0])))
with torch.no_grad():
    print(Exp.apply(x))
