import torch
from torch.autograd import gradcheck, gradgradcheck


class Wrong(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x**2

    @staticmethod
    def backward(ctx, g):
        (x,) = ctx.saved_tensors
        return g * 3 * x


x = torch.tensor([1.0, 2.0], dtype=torch.float64, requires_grad=True)
print(gradcheck(torch.sin, x), gradcheck(lambda x: x**3, (x,)), gradgradcheck(torch.sin, x))
print(gradcheck(Wrong.apply, x, raise_exception=False))
try:
    gradcheck(Wrong.apply, x)
except RuntimeError as e:
    print(type(e).__name__, str(e).splitlines()[0])
for inputs in (x.detach(), x.detach().long(), 3.0):
    try:
        gradcheck(torch.sin, inputs)
    except (ValueError, TypeError, RuntimeError) as e:
        print(type(e).__name__, str(e).splitlines()[0])
print(gradcheck(lambda a, b: a * b, (x, x.detach() + 1)))
