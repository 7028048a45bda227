import torch
from torch import distributions as D

torch.set_printoptions(precision=3)
x = torch.tensor([-1.0, 0.25, 2.0])
two = D.AffineTransform(torch.tensor([1.0, 2.0, 3.0]), torch.tensor([2.0, -1.0, 0.5]))
for t in (
    D.ExpTransform(), D.SigmoidTransform(), D.SoftplusTransform(), D.TanhTransform(), D.AbsTransform(), two,
    D.AffineTransform(1.0, -2.0), D.AffineTransform(1.0, 2.0, event_dim=1), D.PowerTransform(torch.tensor(2.0)),
    D.ComposeTransform([D.AffineTransform(0.0, 0.5), D.ExpTransform()]), D.identity_transform,
    D.IndependentTransform(D.ExpTransform(), 1), D.CumulativeDistributionTransform(D.Normal(0.0, 1.0)),
    D.SoftmaxTransform(), D.StickBreakingTransform(), D.CorrCholeskyTransform(),
):  # fmt: skip
    v = x.abs() if isinstance(t, D.PowerTransform) else x
    y = t(v)
    print(t, t.domain, t.codomain, t.bijective)
    print(y, t.inv(y), t.inv, t.inv.inv is t, t.forward_shape(v.shape), t.inverse_shape(y.shape))
    for f in (
        lambda t=t: t.sign,
        lambda t=t, v=v, y=y: (t.log_abs_det_jacobian(v, y), t.inv.log_abs_det_jacobian(y, v)),
    ):
        try:
            print(f())
        except NotImplementedError as e:
            print("none", e)
m = torch.tensor([[1.0, 2.0], [3.0, 4.0]])
for t in (D.LowerCholeskyTransform(), D.PositiveDefiniteTransform(), D.ReshapeTransform((2, 2), (4,))):
    print(t, t(m), t.inv(t(m)).round(decimals=2) + 0.0, t.inv.domain, t.inv.codomain, t.inv.bijective)
r = D.ReshapeTransform((2, 2), (4,))
print(r.log_abs_det_jacobian(m, r(m)), r.forward_shape(torch.Size([3, 2, 2])), r.inv.forward_shape(torch.Size([3, 4])))
cat = D.CatTransform([D.ExpTransform(), D.identity_transform], 0, [1, 2])
stack = D.StackTransform([D.ExpTransform(), D.TanhTransform(), D.AffineTransform(1.0, 2.0)])
for t in (cat, stack):
    y = t(x)
    print(
        t, y, t.inv(y), t.log_abs_det_jacobian(x, y), t.bijective, type(t.domain).__name__, t.with_cache(), t.event_dim
    )
vectors = D.CatTransform([D.IndependentTransform(D.ExpTransform(), 1)], -1, [3])
print(vectors.log_abs_det_jacobian(x, vectors(x)), vectors.codomain.is_discrete)
same = [D.ExpTransform(), D.SigmoidTransform(), D.AbsTransform(), D.SoftmaxTransform(), D.StickBreakingTransform(),
        D.LowerCholeskyTransform(), D.PositiveDefiniteTransform(), two, D.AffineTransform(1.0, 2.0),
        D.PowerTransform(torch.tensor(2.0)), D.identity_transform, D.ExpTransform().inv]  # fmt: skip
for a in same:
    print([a == b for b in same], a != a, a == D.AffineTransform(1.0, 3.0))
