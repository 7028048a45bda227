import torch


def function_returning(value):
    class Wrong(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x, y):
            return x * y

        @staticmethod
        def backward(ctx, g):
            return value

    return Wrong


x = torch.tensor([1.0, 2.0], requires_grad=True)
y = torch.tensor([3.0, 4.0], requires_grad=True)
one = torch.ones(2)
for value in (
    (one, one),
    (one, None),
    one,
    (one, one, one),
    (one, one, None),
    (torch.ones(3), one),
    (3.0, one),
    None,
    (one.double(), one),
    (torch.ones(1), one),
):
    x.grad = y.grad = None
    try:
        function_returning(value).apply(x, y).sum().backward()
        print(x.grad, y.grad)
    except (RuntimeError, TypeError) as e:
        print(type(e).__name__, e)
