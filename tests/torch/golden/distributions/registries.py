import torch
from torch import distributions as D
from torch.distributions import constraint_registry
from torch.distributions import constraints as c

for k in (
    c.real, c.positive, c.nonnegative, c.greater_than(2), c.greater_than_eq(torch.tensor(2.0)), c.less_than(3.0),
    c.unit_interval, c.interval(0, 1.0), c.interval(-1.0, 1.0), c.half_open_interval(2.0, 5.0), c.simplex,
    c.corr_cholesky, c.independent(c.positive, 1), c.cat([c.positive, c.real]), c.stack([c.positive, c.real]),
    c.lower_cholesky, c.positive_definite, c.boolean, c.real_vector,
):  # fmt: skip
    for registry in (D.biject_to, D.transform_to):
        try:
            t = registry(k)
            x = torch.zeros(2, 2) if k.event_dim == 2 and k is not c.corr_cholesky else torch.tensor([0.0, 1.0, -1.0])
            x = x[:2] if isinstance(t, D.CatTransform | D.StackTransform) else x
            print(t, t.bijective, k.check(t(x)).all())
        except NotImplementedError as e:
            print("none", e)
own = constraint_registry.ConstraintRegistry()


@own.register(c.interval)
def transform(constraint):
    return D.AffineTransform(constraint.lower_bound, 1)


own.register(c.real, lambda constraint: D.identity_transform)
print(own(c.unit_interval), own(c.real))
try:
    own.register(1, transform)
except TypeError as e:
    print(e)
