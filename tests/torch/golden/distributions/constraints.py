import torch
from torch.distributions import constraints as c

x = torch.tensor([-1.0, 0.0, 0.5, 1.0, 2.0, float("nan")])
for k in (
    c.boolean, c.real, c.positive, c.nonnegative, c.unit_interval, c.nonnegative_integer, c.positive_integer,
    c.integer_interval(0, 1), c.interval(-1, 0.5), c.half_open_interval(-1, 0.5), c.less_than(0.5), c.greater_than(0),
    c.greater_than_eq(0.5),
):  # fmt: skip
    print(k, k.is_discrete, k.event_dim, k.check(x))
v = torch.tensor([[0.0, 1.0], [0.5, 0.5], [1.0, 1.0], [-1.0, 2.0]])
for k in (c.one_hot, c.simplex, c.real_vector, c.multinomial(2), c.independent(c.positive, 1)):
    print(k, k.is_discrete, k.event_dim, k.check(v))
m = torch.tensor(
    [[[1.0, 0.0], [0.6, 0.8]], [[2.0, 1.0], [1.0, 2.0]], [[-1.0, 0.0], [1.0, 2.0]], [[1.0, 1.0], [1.0, 1.0]]]
)
matrices = (c.lower_triangular, c.lower_cholesky, c.corr_cholesky, c.square, c.symmetric)
for k in (*matrices, c.positive_semidefinite, c.positive_definite):
    print(k, k.event_dim, k.check(m), k.check(m[1:2]))
print(
    c.square.check(torch.zeros(2, 3)), c.symmetric.check(torch.zeros(2, 3)), c.positive_definite.check(torch.ones(2, 3))
)
for k in (
    c.cat([c.positive, c.boolean], 0, [2, 1]),
    c.stack([c.real, c.positive, c.boolean]),
    c.cat([c.simplex, c.real_vector], -2),
):
    print(type(k).__name__, k.is_discrete, k.event_dim)
print(c.cat([c.positive, c.boolean], 0, [2, 1]).check(torch.tensor([1.0, 0.0, 1.0])))
print(c.stack([c.real, c.positive, c.boolean]).check(torch.zeros(3, 2)), c.stack([c.real_vector], -2).event_dim)
mixture = c.MixtureSameFamilyConstraint(c.real_vector)
print(mixture, mixture.event_dim, mixture.is_discrete, mixture.check(torch.zeros(2, 3)))
print(c.dependent(is_discrete=True).is_discrete, c.is_dependent(c.dependent), c.is_dependent(c.real))
for f in (
    lambda: c.Constraint().check(x),
    lambda: c.dependent.check(x),
    lambda: c.dependent.event_dim,
    lambda: c.dependent.is_discrete,
    lambda: c.independent(1, 1),
    lambda: c.independent(c.real, 1.0),
    lambda: c.independent(c.real, -1),
    lambda: c.independent(c.real, 2).check(x),
    lambda: mixture.check(torch.tensor(0.0)),
    lambda: c.cat([1]),
    lambda: c.cat([c.real], 0, [1, 2]),
    lambda: c.cat([c.real], 2).check(x),
    lambda: c.stack([c.real], 2).check(x),
    lambda: c.stack([1]),
):
    try:
        print(f())
    except (ValueError, AssertionError, NotImplementedError, IndexError) as e:
        print(type(e).__name__, e)
