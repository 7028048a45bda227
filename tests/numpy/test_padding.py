import numpy as np
import pytest

import funcgrad as fg
import funcgrad.numpy as fnp
from funcgrad.testing import check_grads

X = np.array([[1.0, 4.0, 2.0], [3.0, -1.0, 5.5]])
WIDTHS = [1, (2, 0), ((1, 2), (0, 3)), ((5, 4), (7, 6))]
MODES = [
    ("constant", {}),
    ("constant", {"constant_values": 3}),
    ("constant", {"constant_values": ((1, 2), (3, 4))}),
    ("edge", {}),
    ("empty", {}),
    ("linear_ramp", {}),
    ("linear_ramp", {"end_values": ((-1, 2), (3, 4))}),
    ("maximum", {}),
    ("maximum", {"stat_length": 2}),
    ("mean", {}),
    ("mean", {"stat_length": ((1, 2), (2, 9))}),
    ("median", {}),
    ("minimum", {}),
    ("reflect", {}),
    ("reflect", {"reflect_type": "odd"}),
    ("symmetric", {}),
    ("symmetric", {"reflect_type": "odd"}),
    ("wrap", {}),
]
IDS = ["-".join([m, *o, str(i)]) for i, (m, o) in enumerate(MODES)]


@pytest.mark.parametrize("mode, options", MODES, ids=IDS)
@pytest.mark.parametrize("widths", WIDTHS)
@pytest.mark.parametrize(
    "x", [X, X.astype(int), X.astype("float32"), X[:, :1], X + 1j * X], ids=lambda x: f"{x.dtype}{x.shape}"
)
def test_like_numpy(x, widths, mode, options):
    expected = np.pad(x, widths, mode, **options)
    got = fnp.pad(x, widths, mode, **options)
    assert got.shape == expected.shape and got.dtype == expected.dtype
    if mode != "empty":
        np.testing.assert_allclose(np.asarray(got), expected, rtol=1e-6)
        np.testing.assert_array_equal(np.asarray(np.pad(fnp.asarray(x), widths, mode, **options)), np.asarray(got))


@pytest.mark.parametrize("mode, options", MODES, ids=IDS)
def test_derivatives(mode, options):
    check_grads(lambda x: fnp.pad(x, ((3, 1), (0, 4)), mode, **options) ** 2, (X,))


def test_values_in_the_margins_are_differentiated():
    check_grads(lambda x, v: fnp.pad(x, ((1, 2), (0, 3)), constant_values=v) ** 2, (X, np.array([[1.0, 2], [3, 4]])))
    check_grads(lambda x, v: fnp.pad(x, 2, "linear_ramp", end_values=v) ** 2, (X, np.array([1.0, 2.0])))
    assert fg.grad(lambda v: fnp.pad(X, 1, constant_values=v).sum())(2.0) == 14


TIES = [("maximum", [2, 14, 15, 5]), ("minimum", [24, 3, 4, 5]), ("median", [2, 14, 4, 16])]


@pytest.mark.parametrize("mode, expected", TIES)
def test_ties(mode, expected):  # as jax.grad gives it
    g = fg.grad(lambda x: fnp.pad(x, (2, 3), mode) @ np.arange(9.0))(np.array([1.0, 3.0, 3.0, 2.0]))
    assert g.tolist() == expected


def test_widths_by_axis():
    np.testing.assert_array_equal(np.asarray(fnp.pad(X, {-1: (1, 2)})), np.pad(X, ((0, 0), (1, 2))))
    np.testing.assert_array_equal(np.asarray(fnp.pad(X, {0: 1})), np.pad(X, ((1, 1), (0, 0))))
    assert fnp.pad(2.0, 1).tolist() == 2.0
    assert fnp.pad(np.zeros((0, 2)), 1).shape == (2, 4)


@pytest.mark.parametrize(
    "call, error, text",
    [
        (lambda: fnp.pad(X, 1, "mirror"), ValueError, "mode must be one of"),
        (lambda: fnp.pad(X, 1, lambda *a: None), fg.errors.UnsupportedError, "concatenate"),
        (lambda: fnp.pad(X, 1, "edge", constant_values=1), ValueError, "constant_values"),
        (lambda: fnp.pad(X, -1), ValueError, "negative"),
        (lambda: fnp.pad(X, 1.5), TypeError, "integers"),
        (lambda: fnp.pad(X, 1, "reflect", reflect_type="even-odd"), ValueError, "reflect_type"),
        (lambda: fnp.pad(X, 1, "maximum", stat_length=0), ValueError, "stat_length of 0"),
        (lambda: fnp.pad(X, 1, "mean", stat_length=-1), ValueError, "negative"),
        (lambda: fnp.pad(np.zeros((0, 2)), 1, "edge"), ValueError, "axis 0 is empty"),
    ],
)
def test_errors(call, error, text):
    with pytest.raises(error, match=text):
        call()
