import torch


class AddOne(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        x.add_(1)
        ctx.mark_dirty(x)
        return x

    @staticmethod
    def backward(ctx, g):
        return g * 100


leaf = torch.tensor([1.0, 2.0], requires_grad=True)
x = leaf * 2
y = AddOne.apply(x)
print(x is y, x, x._version, x.grad_fn.name())
x.sum().backward()
print(leaf.grad)
try:
    AddOne.apply(leaf)
except RuntimeError as e:
    print(type(e).__name__, e)
plain = torch.zeros(2)
print(AddOne.apply(plain) is plain, plain, plain._version)
base = leaf * 1
view = base[:1]
AddOne.apply(view)
print(base, base.grad_fn.name())
