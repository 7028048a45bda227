import torch


class Split(torch.autograd.Function):
    materialize = True

    @staticmethod
    def forward(ctx, x):
        ctx.set_materialize_grads(Split.materialize)
        return x * 1, x * 10

    @staticmethod
    def backward(ctx, g1, g2):
        print(g1, g2)
        total = torch.zeros(2)
        if g1 is not None:
            total = total + g1
        if g2 is not None:
            total = total + g2 * 10
        return total


x = torch.tensor([1.0, 2.0], requires_grad=True)
for Split.materialize in (True, False):
    x.grad = None
    a, b = Split.apply(x)
    b.sum().backward()
    print(x.grad)
    a, b = Split.apply(x)
    a.sum().backward()
    print(x.grad)
