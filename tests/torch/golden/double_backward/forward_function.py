import torch
import torch.autograd.forward_ad as fwAD


class Cube(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        ctx.save_for_forward(x)
        return x**3

    @staticmethod
    def backward(ctx, g):
        return 3 * g * ctx.saved_tensors[0] ** 2

    @staticmethod
    def jvp(ctx, t):
        print("jvp", t)
        return 3 * t * ctx.saved_tensors[0] ** 2


with fwAD.dual_level():
    d = fwAD.make_dual(torch.tensor(2.0), torch.tensor(1.0))
    print(fwAD.unpack_dual(Cube.apply(d)))
    try:
        with fwAD.dual_level():
            pass
    except RuntimeError as e:
        print(type(e).__name__, e)
x = torch.tensor([1.0, 2.0], dtype=torch.float64, requires_grad=True)
print(torch.autograd.gradcheck(torch.exp, x, check_forward_ad=True))
