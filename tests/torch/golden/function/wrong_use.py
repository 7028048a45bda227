import torch


class NoBackward(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return x * 2


class NoForward(torch.autograd.Function):
    pass


class OldStyle(torch.autograd.Function):
    def forward(self, x):
        return x * 2

    def backward(self, g):
        return g


x = torch.tensor([1.0], requires_grad=True)
y = NoBackward.apply(x)
print(y)
for f in (lambda: y.backward(), lambda: NoForward.apply(x), lambda: OldStyle()(x), lambda: NoBackward()(x)):
    try:
        f()
    except (RuntimeError, NotImplementedError) as e:
        print(type(e).__name__, e)
