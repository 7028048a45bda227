import torch
from torch import distributions as D

x = torch.tensor([-1.0, 0.25, 30.0])
normal = D.Normal(0.0, 1.0)
for t in (
    D.TanhTransform(cache_size=1), D.ExpTransform().with_cache(), D.AffineTransform(1.0, 2.0, cache_size=1),
    D.PowerTransform(torch.tensor(2.0), cache_size=1), D.ReshapeTransform((3,), (3, 1), cache_size=1),
    D.IndependentTransform(D.TanhTransform(), 1, cache_size=1), D.TanhTransform().inv.with_cache().inv,
    D.CumulativeDistributionTransform(normal).with_cache(), D.ComposeTransform([D.TanhTransform()], cache_size=1),
    D.CatTransform([D.TanhTransform()], 0, [3], cache_size=1), D.StackTransform([D.TanhTransform()], cache_size=1),
):  # fmt: skip
    v = x.reshape(1, 3) if isinstance(t, D.StackTransform) else x
    y = t(v)
    print(type(t).__name__, t(v) is y, t.inv(y) is v, t.with_cache(1) is t, t.with_cache(0) is t, t.inv.inv is t)
t = D.TanhTransform(cache_size=1)
y = t.inv(torch.tensor(0.5))
print(t(y), D.TanhTransform()(x), D.TanhTransform().inv(D.TanhTransform()(x)))


class Own(D.Transform):
    def __init__(self):
        super().__init__()


for f in (
    lambda: D.ExpTransform(cache_size=2),
    lambda: Own().with_cache(),
    lambda: Own()(x),
    lambda: Own().inv(x),
    lambda: Own().sign,
    lambda: Own().log_abs_det_jacobian(x, x),
    lambda: D.StickBreakingTransform().event_dim and D.CorrCholeskyTransform().event_dim,
    lambda: D.ReshapeTransform((2,), (3,)),
    lambda: D.ReshapeTransform((2,), (2, 1)).forward_shape(torch.Size([3])),
    lambda: D.ReshapeTransform((2,), (2, 1)).inverse_shape(torch.Size([3])),
    lambda: D.ReshapeTransform((2,), (2, 1)).inverse_shape(torch.Size([3, 1])),
    lambda: D.IndependentTransform(D.ExpTransform(), 2)(x),
    lambda: D.IndependentTransform(D.ExpTransform(), 2).inv(x),
    lambda: D.SoftmaxTransform().forward_shape(torch.Size([])),
    lambda: D.StickBreakingTransform().forward_shape(torch.Size([])),
    lambda: D.StickBreakingTransform().inverse_shape(torch.Size([])),
    lambda: D.CorrCholeskyTransform().forward_shape(torch.Size([])),
    lambda: D.CorrCholeskyTransform().forward_shape(torch.Size([2])),
    lambda: D.CorrCholeskyTransform().inverse_shape(torch.Size([2])),
    lambda: D.CorrCholeskyTransform().inverse_shape(torch.Size([2, 3])),
    lambda: D.CatTransform([1]),
    lambda: D.CatTransform([D.ExpTransform()], 0, [1, 2]),
    lambda: D.CatTransform([D.ExpTransform()], 1)(x),
    lambda: D.CatTransform([D.ExpTransform()], 0)(x),
    lambda: D.CatTransform([D.ExpTransform()], 0).inv(x),
    lambda: D.CatTransform([D.ExpTransform()], 0).log_abs_det_jacobian(x, x),
    lambda: D.StackTransform([D.ExpTransform()], 1)(x),
    lambda: D.StackTransform([D.ExpTransform()], 0)(x),
    lambda: D.StackTransform([D.ExpTransform()], 0).log_abs_det_jacobian(x, x),
    lambda: hash(D.ExpTransform()),
    lambda: D.utils.vec_to_tril_matrix(torch.zeros(2)),
    lambda: D.utils.tril_matrix_to_vec(torch.zeros(2, 2), 2),
    lambda: D.utils.vec_to_tril_matrix(torch.arange(3.0)),
    lambda: D.utils.tril_matrix_to_vec(torch.ones(2, 2), -1),
):
    try:
        print(f())
    except (ValueError, AssertionError, NotImplementedError, TypeError) as e:
        print(type(e).__name__, e)
