import torch
import torch.autograd.forward_ad as fwAD

x = torch.tensor([1.0, 2.0])
t = torch.tensor([1.0, -1.0])
with fwAD.dual_level():
    d = fwAD.make_dual(x, t)
    print(d)
    y = d**2 + 3 * d
    primal, tangent = fwAD.unpack_dual(y)
    print(primal, tangent)
    print(fwAD.unpack_dual(y).tangent, fwAD.unpack_dual(x).tangent)
    print(fwAD.unpack_dual(d.sum()), fwAD.unpack_dual(d[0]), fwAD.unpack_dual(d.detach()).tangent)
    print(fwAD.unpack_dual(torch.stack([d, x])).tangent)
print(y)
for f in (lambda: fwAD.make_dual(x, t), lambda: fwAD.make_dual(x, torch.ones(3))):
    try:
        f()
    except RuntimeError as e:
        print(type(e).__name__, e)
with fwAD.dual_level():
    for a, b in ((x, torch.ones(3)), (x, t.double()), (torch.tensor([1, 2]), t)):
        try:
            fwAD.make_dual(a, b)
        except (RuntimeError, TypeError, ValueError) as e:
            print(type(e).__name__, e)
