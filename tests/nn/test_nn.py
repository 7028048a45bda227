"""funcgrad.nn against formulas in NumPy and SciPy, and against JAX at kinks and for initial values."""

import numpy as np
import pytest
import scipy.special as sp

import funcgrad as fg
import funcgrad.numpy as fnp
from funcgrad import nn
from funcgrad.errors import ArgumentError, ShapeError
from funcgrad.testing import check_grads

X = np.array([-700.0, -3.5, -1.3, -0.3, 0.4, 0.9, 1.7, 4.0, 7.5, 700.0])
A = np.cos(np.arange(24.0)).reshape(2, 3, 4)
MASK = np.arange(24).reshape(A.shape) % 5 != 0

FORMULAS = {
    "relu": lambda x: np.maximum(x, 0),
    "relu6": lambda x: np.clip(x, 0, 6),
    "sigmoid": sp.expit,
    "log_sigmoid": sp.log_expit,
    "softplus": lambda x: np.logaddexp(x, 0),
    "squareplus": lambda x: (x + np.sqrt(x * x + 4)) / 2,
    "soft_sign": lambda x: x / (1 + np.abs(x)),
    "silu": lambda x: x * sp.expit(x),
    "swish": lambda x: x * sp.expit(x),
    "mish": lambda x: x * np.tanh(np.logaddexp(x, 0)),
    "elu": lambda x: np.where(x > 0, x, np.expm1(np.minimum(x, 0))),
    "celu": lambda x: np.where(x > 0, x, np.expm1(np.minimum(x, 0))),
    "selu": lambda x: 1.0507009873554805 * np.where(x > 0, x, 1.6732632423543772 * np.expm1(np.minimum(x, 0))),
    "leaky_relu": lambda x: np.where(x > 0, x, 0.01 * x),
    "hard_tanh": lambda x: np.clip(x, -1, 1),
    "hard_sigmoid": lambda x: np.clip(x / 6 + 0.5, 0, 1),
    "hard_silu": lambda x: x * np.clip(x / 6 + 0.5, 0, 1),
    "sparse_plus": lambda x: np.where(np.abs(x) < 1, (x + 1) ** 2 / 4, np.maximum(x, 0)),
    "sparse_sigmoid": lambda x: np.clip(x / 2 + 0.5, 0, 1),
    "identity": lambda x: x,
    "tanh": np.tanh,
}


@pytest.mark.parametrize("name", FORMULAS)
def test_activations(name):
    f = getattr(nn, name)
    np.testing.assert_allclose(f(X), FORMULAS[name](X), rtol=1e-12)
    assert f(X.astype(np.float32)).dtype == np.float32
    with np.errstate(invalid="ignore"):
        assert np.isnan(f(np.nan))
    check_grads(f, (X[1:-1],), order=2, rtol=1e-5)
    np.testing.assert_allclose(fg.jit(fg.vmap(fg.grad(f)))(X), fg.vmap(fg.grad(f))(X), rtol=1e-12)


def test_gelu():
    np.testing.assert_allclose(nn.gelu(X, approximate=False), X * sp.ndtr(X), rtol=1e-12)
    np.testing.assert_allclose(nn.gelu(X), X * sp.ndtr(X), atol=5e-4)
    check_grads(nn.gelu, (X[1:-1],), order=2, rtol=1e-5)


# Recorded from JAX 0.10.
KINKS = {
    "relu": {0.0: 0.0},
    "relu6": {0.0: 0.0, 6.0: 0.0},
    "elu": {0.0: 1.0},
    "celu": {0.0: 1.0},
    "leaky_relu": {0.0: 1.0},
    "hard_tanh": {-1.0: 1.0, 1.0: 1.0},
    "hard_sigmoid": {-3.0: 0.0, 3.0: 0.0},
    "hard_silu": {-3.0: 0.0, 3.0: 1.0},
    "sparse_plus": {-1.0: 0.0, 1.0: 1.0},
}


@pytest.mark.parametrize("name", KINKS)
def test_derivatives_at_kinks(name):
    for x, slope in KINKS[name].items():
        assert fg.grad(getattr(nn, name))(x) == slope


def test_log1mexp():
    x = np.array([1e-20, 1e-3, 0.5, 0.7, 3.0, 50.0])
    expected = np.concatenate([np.log(-np.expm1(-x[:3])), np.log1p(-np.exp(-x[3:]))])
    np.testing.assert_allclose(nn.log1mexp(x), expected, rtol=1e-13)
    np.testing.assert_allclose(fg.vmap(fg.grad(nn.log1mexp))(x), 1 / np.expm1(x), rtol=1e-12)


def test_glu():
    np.testing.assert_allclose(nn.glu(A), A[..., :2] * sp.expit(A[..., 2:]), rtol=1e-14)
    with pytest.raises(ShapeError, match="axis 1 of float64"):
        nn.glu(A, 1)


@pytest.mark.parametrize("axis", [-1, 0, (0, 2), None])
def test_softmax_and_its_kin(axis):
    np.testing.assert_allclose(nn.softmax(A, axis), sp.softmax(A, axis), rtol=1e-13)
    np.testing.assert_allclose(nn.log_softmax(A, axis), sp.log_softmax(A, axis), rtol=1e-12)
    masked = np.where(MASK, A, -np.inf)
    np.testing.assert_allclose(nn.softmax(A, axis, where=MASK), sp.softmax(masked, axis), rtol=1e-13)
    np.testing.assert_allclose(nn.log_softmax(A, axis, where=MASK), sp.log_softmax(masked, axis), rtol=1e-12)
    np.testing.assert_allclose(nn.logsumexp(A, axis, where=MASK), sp.logsumexp(masked, axis), rtol=1e-12)
    mean = np.log(np.mean(np.exp(A), axis))
    np.testing.assert_allclose(nn.logmeanexp(A, axis), mean, rtol=1e-11, atol=1e-14)
    mean = np.log(np.mean(np.exp(A), axis, where=MASK))
    np.testing.assert_allclose(nn.logmeanexp(A, axis, where=MASK), mean, rtol=1e-11, atol=1e-14)
    for f in (nn.softmax, nn.logsumexp, nn.logmeanexp, nn.standardize):
        check_grads(lambda a, f=f: f(a, axis=axis, where=MASK), (A,), order=1)
        check_grads(lambda a, f=f: f(a, axis=axis), (A,), order=2)


def test_what_takes_no_part_may_be_anything():
    x = np.array([1.0, np.nan, 2.0, np.inf])
    mask = [True, False, True, False]
    np.testing.assert_allclose(nn.softmax(x, where=mask), [sp.expit(-1), 0, sp.expit(1), 0])
    gradient = fg.grad(lambda x: nn.log_softmax(x, where=mask)[0])(x)
    np.testing.assert_allclose(gradient, [sp.expit(1), 0, -sp.expit(1), 0])


def test_standardize():
    found = nn.standardize(A, epsilon=0.0)
    np.testing.assert_allclose(found.mean(-1), 0, atol=1e-15)
    np.testing.assert_allclose(found.std(-1), 1)
    part = np.asarray(nn.standardize(A, epsilon=0.0, where=MASK))
    np.testing.assert_allclose(np.mean(part, -1, where=MASK), 0, atol=1e-14)
    np.testing.assert_allclose(np.std(part, -1, where=MASK), 1)
    np.testing.assert_allclose(nn.standardize(A, mean=1.0, variance=2.0), (A - 1) / np.sqrt(2 + 1e-5))


@pytest.mark.parametrize("axis", [-1, 0, 1])
def test_one_hot(axis):
    x = np.array([[0, 2], [5, -1]])
    rows = np.concatenate([np.eye(3), np.zeros((3, 3))])  # for 0 to 2, and for what is out of range
    np.testing.assert_array_equal(nn.one_hot(x, 3, axis=axis), np.moveaxis(rows[[[0, 2], [5, 5]]], -1, axis))
    assert nn.one_hot(1, 3, dtype=np.int32).dtype == np.int32
    with pytest.raises(ArgumentError, match="num_classes"):
        nn.one_hot(x, None)


Q = np.cos(np.arange(120.0)).reshape(2, 5, 4, 3)
K, V = np.sin(np.arange(72.0)).reshape(2, 6, 2, 3), np.cos(np.arange(72.0) + 1).reshape(2, 6, 2, 3)


def attention(seen, scale=1 / np.sqrt(3), bias=0.0):
    """One query after the other; seen(b, t, s) tells which keys it sees."""
    out = np.zeros(Q.shape)
    for b, t, n in np.ndindex(Q.shape[:3]):
        keys = [s for s in range(6) if seen(b, t, s)]
        if keys:
            logits = np.array([Q[b, t, n] @ K[b, s, n // 2] * scale + bias * s for s in keys])
            out[b, t, n] = sp.softmax(logits) @ V[b, keys, n // 2]
    return out


@pytest.mark.parametrize(
    "options, expected",
    [
        ({}, attention(lambda b, t, s: True)),
        ({"scale": 0.3}, attention(lambda b, t, s: True, scale=0.3)),
        ({"bias": np.arange(6.0)}, attention(lambda b, t, s: True, bias=1.0)),
        ({"is_causal": True}, attention(lambda b, t, s: s <= t)),
        ({"mask": np.arange(5)[:, None] != np.arange(6)}, attention(lambda b, t, s: s != t)),
        ({"local_window_size": (2, 1)}, attention(lambda b, t, s: t - 2 <= s <= t + 1)),
        ({"local_window_size": 1, "is_causal": True}, attention(lambda b, t, s: t - 1 <= s <= t)),
        (
            {"query_seq_lengths": np.array([2, 5]), "key_value_seq_lengths": np.array([3, 6])},
            attention(lambda b, t, s: t < (2, 5)[b] and s < (3, 6)[b]),
        ),
    ],
    ids=str,
)
def test_attention(options, expected):
    np.testing.assert_allclose(nn.dot_product_attention(Q, K, V, **options), expected, rtol=1e-12, atol=1e-14)
    check_grads(lambda q, k, v: nn.dot_product_attention(q, k, v, **options), (Q, K, V), order=1, rtol=1e-5)


def test_attention_without_batch_and_with_wrong_shapes():
    found = nn.dot_product_attention(Q[1], K[1], V[1])
    np.testing.assert_allclose(found, attention(lambda b, t, s: True)[1], rtol=1e-12)
    with pytest.raises(ShapeError, match="query"):
        nn.dot_product_attention(Q, K[..., :2], V)
    with pytest.raises(ShapeError, match="heads"):
        nn.dot_product_attention(Q[:, :, :3], K, V)
    with pytest.raises(ArgumentError, match="GPU"):
        nn.dot_product_attention(Q, K, V, implementation="cudnn")


INITIAL = {
    "zeros": nn.initializers.zeros,
    "ones": nn.initializers.ones,
    "constant": nn.initializers.constant(2.5),
    "uniform": nn.initializers.uniform(0.3),
    "normal": nn.initializers.normal(0.3),
    "truncated_normal": nn.initializers.truncated_normal(0.3, lower=-1.0, upper=3.0),
    "glorot_uniform": nn.initializers.glorot_uniform(),
    "glorot_normal": nn.initializers.glorot_normal(),
    "lecun_normal": nn.initializers.lecun_normal(),
    "he_uniform": nn.initializers.he_uniform(),
    "variance_scaling": nn.initializers.variance_scaling(3.0, "fan_out", "normal", in_axis=0, out_axis=2),
    "geometric": nn.initializers.variance_scaling(3.0, "fan_geo_avg", "uniform"),
    "orthogonal": nn.initializers.orthogonal(2.0),
}
# The sum of f(key(3), (3, 4, 6)), and that with the cosines of 0, 1, … as weights, recorded from JAX 0.10.
RECORDED = {
    "zeros": [0.0, 0.0],
    "ones": [72.0, 1.215935568646778],
    "constant": [180.0, 3.039838921616944],
    "uniform": [10.312084427844855, 0.00686547733715712],
    "normal": [-1.4613739356580269, -1.0488355004414418],
    "truncated_normal": [5.042783668468224, -0.7106671892101036],
    "glorot_uniform": [-1.4546831821594721, -0.5233140188523216],
    "glorot_normal": [-1.3929378673473314, -0.7697825056581212],
    "lecun_normal": [-1.5573518799111086, -0.8606430052708386],
    "he_uniform": [-2.3000560647827752, -0.8274321155348155],
    "variance_scaling": [-1.72224569958844, -1.23606449118555],
    "geometric": [-2.545430461192167, -0.9157041620417672],
    "orthogonal": [-0.2401194210786297, -1.2816472953155522],
}


@pytest.mark.parametrize("name", INITIAL)
def test_initial_values(name):
    x = np.asarray(INITIAL[name](fg.random.key(3), (3, 4, 6)))
    np.testing.assert_allclose([x.sum(), x.ravel() @ np.cos(np.arange(72.0))], RECORDED[name], rtol=1e-9, atol=1e-12)
    assert INITIAL[name](fg.random.key(3), (3, 4, 6), fnp.float32).dtype == np.float32


def test_wrong_initializers():
    with pytest.raises(ArgumentError, match="mode"):
        nn.initializers.variance_scaling(1.0, "fan", "normal")
    with pytest.raises(ArgumentError, match="distribution"):
        nn.initializers.variance_scaling(1.0, "fan_in", "gauss")
    for init in (nn.initializers.he_normal(), nn.initializers.orthogonal()):
        with pytest.raises(ShapeError, match="two axes"):
            init(fg.random.key(0), (3,))
