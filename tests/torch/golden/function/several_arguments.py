import torch


class MulAdd(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, y, scale, name="n"):
        ctx.save_for_backward(x, y)
        ctx.scale = scale
        return x * y * scale

    @staticmethod
    def backward(ctx, g):
        print(ctx.needs_input_grad, ctx.scale)
        x, y = ctx.saved_tensors
        return g * y * ctx.scale, g * x * ctx.scale, None, None


x = torch.tensor([1.0, 2.0], requires_grad=True)
y = torch.tensor([3.0, 4.0])
MulAdd.apply(x, y, 10.0, "m").sum().backward()
print(x.grad, y.grad)
y.requires_grad_()
out = MulAdd.apply(x, y, 2.0, "m")
print(out, out.grad_fn.next_functions[0][0].name(), len(out.grad_fn.next_functions))
out.sum().backward()
print(x.grad, y.grad)
print(MulAdd.apply(x.detach(), y.detach(), 2.0, "m"))
