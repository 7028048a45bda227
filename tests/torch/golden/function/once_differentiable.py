import torch
from torch.autograd.function import once_differentiable


class Square(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x * x

    @staticmethod
    @once_differentiable
    def backward(ctx, g):
        (x,) = ctx.saved_tensors
        print(torch.is_grad_enabled())
        return 2 * x * g


x = torch.tensor([1.0, 2.0], requires_grad=True)
print(torch.autograd.grad(Square.apply(x).sum(), x))
(g,) = torch.autograd.grad(Square.apply(x).sum(), x, create_graph=True)
print(g, g.requires_grad)
try:
    torch.autograd.grad(g.sum(), x)
except RuntimeError as e:
    print(type(e).__name__, e)
(g,) = torch.autograd.grad((Square.apply(x) ** 2).sum(), x, create_graph=True)
print(g.requires_grad, g.grad_fn.name(), g)
try:
    g.sum().backward()
except RuntimeError as e:
    print(type(e).__name__, e)
try:
    torch.autograd.grad(g.sum(), x)
except RuntimeError as e:
    print(type(e).__name__, e)
