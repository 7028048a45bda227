"""Autograd takes no note of logic that writes in place: the history and the tangent of what is written into stay."""

import torch
from torch.autograd import forward_ad

a, t, b = torch.tensor([1.0, 0.0, 2.0]), torch.tensor([1.0, 10.0, 200.0]), torch.tensor([1.0, 1.0, 0.0])
for name in ("logical_and_", "logical_or_", "logical_xor_", "logical_not_", "sign_"):
    others = () if name in ("logical_not_", "sign_") else (b,)
    for part in (slice(None), slice(1, None)):

        def f(x):
            y = x * 1
            getattr(y[part], name)(*(o[part] for o in others))
            return y

        def loss(x):
            return (f(x) * f(x) + 3 * f(x)).sum()

        print(name, part.start, torch.func.grad(loss)(a), torch.func.jvp(f, (a,), (t,)))
        print(torch.func.vmap(f)(torch.stack([a, b])), torch.func.vmap(torch.func.grad(loss))(torch.stack([a, b])))
        print(torch.func.grad(lambda x: (torch.func.grad(loss)(x) ** 2).sum())(a))
        print(torch.func.jvp(torch.func.grad(loss), (a,), (t,)))
        with forward_ad.dual_level():
            print(forward_ad.unpack_dual(f(forward_ad.make_dual(a, t))))
        y = f(a.clone().requires_grad_())
        print(y.grad_fn.name(), y._version)
