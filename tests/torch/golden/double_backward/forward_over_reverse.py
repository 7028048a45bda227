import torch
import torch.autograd.forward_ad as fwAD

x = torch.tensor([1.0, 2.0], requires_grad=True)
v = torch.tensor([1.0, -1.0])
with fwAD.dual_level():
    d = fwAD.make_dual(x, v)
    y = (d**3).sum()
    print(fwAD.unpack_dual(y))
    (g,) = torch.autograd.grad(y, d)
    print(fwAD.unpack_dual(g))
with fwAD.dual_level():
    d = fwAD.make_dual(x, v)
    tangent = fwAD.unpack_dual((d**3).sum()).tangent
    print(tangent)
    print(torch.autograd.grad(tangent, x))
