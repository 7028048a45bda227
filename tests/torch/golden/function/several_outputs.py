import torch


class SinCos(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x * 2, x * 3, "text", 7

    @staticmethod
    def backward(ctx, *grads):
        print(grads)
        return grads[0] * 2 + grads[1] * 3


x = torch.tensor([1.0, 2.0], requires_grad=True)
a, b, text, number = SinCos.apply(x)
print(a, b, text, number)
print(a.output_nr, b.output_nr, a.grad_fn is b.grad_fn)
a.sum().backward(retain_graph=True)
print(x.grad)
(a * b).sum().backward()
print(x.grad)
