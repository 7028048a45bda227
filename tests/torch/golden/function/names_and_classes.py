import torch


class Outer:
    class Inner(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            print(type(ctx).__name__, ctx.name())
            return x * 2

        @staticmethod
        def backward(ctx, g):
            print(type(ctx).__name__, isinstance(ctx, torch.autograd.graph.Node))
            return g * 2


x = torch.ones(1, requires_grad=True)
y = Outer.Inner.apply(x)
print(y, str(y.grad_fn)[:40])
print(y.grad_fn.next_functions[0][0].variable is x)
y.backward()
print(y.grad_fn.needs_input_grad, Outer.Inner.__name__)
y = Outer.Inner.apply(x)
y.grad_fn.register_hook(lambda gi, go: print("hook", gi, go))
y.backward()
