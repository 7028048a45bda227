import torch


class Identity(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return x

    @staticmethod
    def backward(ctx, g):
        return g * 7


class View(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return x.view(2, 1)

    @staticmethod
    def backward(ctx, g):
        return g.view(2)


x = torch.tensor([1.0, 2.0], requires_grad=True)
y = Identity.apply(x)
print(y is x, y, y.data_ptr() == x.data_ptr(), y.grad_fn.name())
y.sum().backward()
print(x.grad)
y = x * 1
v = View.apply(y)
print(v, v._is_view())
try:
    v.add_(1)
except RuntimeError as e:
    print(type(e).__name__, e)
