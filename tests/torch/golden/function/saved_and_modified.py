import torch


class Double(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        y = x * 2
        ctx.save_for_backward(x, y)
        return y

    @staticmethod
    def backward(ctx, g):
        return g * 2 + 0 * ctx.saved_tensors[0]


x = torch.tensor([1.0, 2.0], requires_grad=True)
y = Double.apply(x)
y.add_(1)
try:
    y.sum().backward()
except RuntimeError as e:
    print(e)
a = x * 1
y = Double.apply(a)
a.mul_(5)
try:
    y.sum().backward()
except RuntimeError as e:
    print(e)
y = Double.apply(x)
y.sum().backward()
print(x.grad)
