import torch


class Square(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x * x

    @staticmethod
    def backward(ctx, g):
        (x,) = ctx.saved_tensors
        return 2 * x * g


x = torch.tensor([1.0, 2.0], requires_grad=True)
with torch.autograd.graph.saved_tensors_hooks(lambda t: print("pack", t) or t * 1, lambda t: print("unpack", t) or t):
    y = Square.apply(x)
y.sum().backward()
print(x.grad)
y = Square.apply(x)
print(y.grad_fn.saved_tensors)
print(len(y.grad_fn._raw_saved_tensors))
y.grad_fn._raw_saved_tensors[0].register_hooks(lambda t: t + 1, lambda t: t)
print(y.grad_fn.saved_tensors)
