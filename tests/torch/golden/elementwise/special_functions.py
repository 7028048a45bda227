import torch

x = torch.tensor([0.5, 1.0, 2.0])
for f in (
    torch.lgamma,
    torch.digamma,
    torch.erf,
    torch.erfc,
    torch.sigmoid,
    torch.exp2,
    torch.log2,
    torch.log10,
    torch.sinc,
    torch.i0,
    torch.special.ndtr,
    torch.special.entr,
    torch.sinh,
    torch.cosh,
    torch.rad2deg,
):
    r = x.clone().requires_grad_()
    y = f(r)
    y.sum().backward()
    print(f.__name__, [f"{v:.4f}" for v in y.tolist()], [f"{v:.4f}" for v in r.grad.tolist()], y.grad_fn.name())
print(
    torch.tensor([1, 4]).sqrt(),
    torch.tensor([0, 1]).exp(),
    torch.tensor([True]).sin().dtype,
    torch.logit(torch.tensor([0.5])),
    torch.erfinv(torch.tensor([0.0, 1.0])),
)
print(
    torch.lerp(torch.tensor([0.0, 10.0]), torch.tensor([1.0, 20.0]), 0.5),
    torch.addcmul(x, x, x, value=2),
    torch.addcdiv(x, x, x),
    torch.ldexp(x, torch.tensor([1, 2, 3])),
    torch.frexp(x),
)
print(
    torch.gcd(torch.tensor([12, 7]), torch.tensor([8, 14])),
    torch.lcm(torch.tensor([4]), torch.tensor([6])),
    torch.deg2rad(torch.tensor([180.0])),
    torch.polygamma(1, torch.ones(1)),
)
