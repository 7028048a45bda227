import torch


class Save(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, c):
        y = x * c
        ctx.save_for_backward(x, None, y)
        ctx.save_for_backward(x, c, None)
        ctx.extra = {"k": 1}
        return y

    @staticmethod
    def backward(ctx, g):
        x, c, nothing = ctx.saved_tensors
        print(x, c, nothing, ctx.extra, type(ctx.saved_tensors).__name__)
        return g * c, None


x = torch.tensor([1.0, 2.0], requires_grad=True)
y = Save.apply(x, torch.tensor([3.0, 4.0]))
print(y.grad_fn.saved_tensors, y.grad_fn.extra)
y.sum().backward()
print(x.grad)
try:
    y.sum().backward()
except RuntimeError as e:
    print(type(e).__name__, e)


class SaveNumber(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(3)
        return x * 2


try:
    SaveNumber.apply(x)
except TypeError as e:
    print(type(e).__name__, e)
