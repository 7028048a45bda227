"""Plain NumPy functions on Arrays and tracers."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import funcgrad as fg
import funcgrad.numpy as fnp
from funcgrad.core.primitive import elementwise, registry
from funcgrad.errors import UnsupportedError
from funcgrad.numpy import protocols
from funcgrad.numpy.protocols import functions_by_numpy
from funcgrad.testing import check_grads

A = np.array([[2.0, 0.3, 0.1], [0.2, 1.5, 0.4], [0.1, 0.3, 1.8]])
x3 = np.array([0.3, -0.7, 1.1])

# What fails or loses the gradient in other libraries when written with plain NumPy.
PLAIN = {
    "solve": lambda x: np.linalg.solve(A * x[0], x),
    "qr": lambda x: np.linalg.qr(A + np.outer(x, x))[1],
    "fft": lambda x: np.abs(np.fft.fft(x)) ** 2,
    "interp": lambda x: np.interp(x, np.array([-2.0, 0.0, 2.0]), np.array([0.0, 1.0, 5.0])),
    "median": lambda x: np.median(x),
    "take": lambda x: np.take(x, [2, 0]),
    "cumprod": lambda x: np.cumprod(x),
    "dot": lambda x: np.dot(A, x),
    "sum of squares": lambda x: np.sum(np.sin(x) ** 2),
    "where": lambda x: np.where(x > 0, x**2, -x),
    "concatenate": lambda x: np.concatenate([x, x[::-1], np.ones(2)]),
    "stack of scalars": lambda x: np.stack([x[0] * x[1], x[2]]),
    "einsum": lambda x: np.einsum("i,ij,j->", x, A, x),
    "ndarray @ tracer": lambda x: A @ x,
    "ndarray * tracer": lambda x: A * x,
    "np.float64 * tracer": lambda x: np.float64(3.0) * x,
    "reduce": lambda x: np.multiply.reduce(x) + np.add.reduce(x),
    "accumulate": lambda x: np.add.accumulate(x),
    "outer": lambda x: np.multiply.outer(x, x),
    "linalg.norm": lambda x: np.linalg.norm(x),
    "std": lambda x: np.std(x, ddof=1),
    "sort": lambda x: np.sort(x) * np.arange(3),
    "trapezoid": lambda x: np.trapezoid(x**2, dx=0.1),
    "ufunc with dtype": lambda x: np.exp(x, dtype=np.float64),
}


@pytest.mark.parametrize("name", PLAIN)
def test_plain_numpy_differentiates(name):
    f = PLAIN[name]
    np.testing.assert_allclose(f(fg.Array(x3)), f(x3), rtol=1e-13)
    check_grads(f, (x3,), order=2)


@pytest.mark.parametrize("conversion", [np.atleast_1d, np.atleast_2d, np.atleast_3d, np.copy, np.asarray])
def test_conversions_give_ndarrays_of_the_callers_own(conversion):
    for x in (fg.Array(x3), fg.Array(2.0), fg.grad(np.sum)(x3)):
        before, out = x.tolist(), conversion(x)
        np.testing.assert_array_equal(out, conversion(np.array(before)), strict=True)
        assert type(out) is np.ndarray
        out += 1.0
        assert x.tolist() == before


@pytest.mark.parametrize("conversion", [np.atleast_1d, np.atleast_2d, np.atleast_3d, np.copy])
def test_conversions_differentiate(conversion):
    c = fg.Array(x3)
    check_grads(lambda x: np.sum(conversion(x) * conversion(c)) ** 2, (x3,), order=2)
    inner = lambda x: fg.grad(lambda y: np.sum(conversion(x) * conversion(y) ** 2))(c)  # x is the outer tracer
    np.testing.assert_allclose(fg.jacfwd(inner)(x3), np.diag(2 * x3))


def test_conversions_of_several():
    a, b = np.atleast_1d(fg.Array(1.0), np.zeros(2))
    assert type(a) is type(b) is np.ndarray
    a, b = np.atleast_1d(*[fg.Array(x3), [fg.Array(1.0), 2.0]])
    assert type(a) is np.ndarray and b.tolist() == [1.0, 2.0]
    assert np.copy(fg.Array(A), order="F").flags.f_contiguous


def test_an_extension_that_ignores_the_flag_changes_no_array():
    """f2py hands read-only memory to LAPACK as well, which overwrites it when told to."""
    linalg = pytest.importorskip("scipy.linalg")
    a = fg.Array(A)
    before = a.tolist()
    linalg.lu_factor(np.asarray(a.T), overwrite_a=True)
    linalg.inv(np.asarray(a), overwrite_a=True)
    linalg.inv(np.asarray(a.T), overwrite_a=True)
    assert a.tolist() == before


def test_results_are_arrays():
    x = fg.Array(x3)
    for out in (np.sin(x), np.sum(x), np.add(x, x3), np.linalg.inv(fg.Array(A)), np.fft.fft(x)):
        assert type(out) is fg.Array


def test_every_function_of_the_namespace_has_its_numpy_form():
    table = functions_by_numpy()
    missing = []
    for name in dir(fnp):
        ours, theirs = getattr(fnp, name), getattr(np, name, None)
        if name[0] != "_" and callable(ours) and callable(theirs) and ours is not theirs and table.get(theirs) is None:
            missing.append(name)
    assert not missing


def test_a_function_that_is_missing_is_named():
    with pytest.raises(UnsupportedError, match=r"numpy\.savetxt"):
        fg.make_tape(lambda x: np.savetxt("x", x))(np.array([1.0]))
    with pytest.raises(UnsupportedError, match="counterpart"):
        fg.grad(lambda x: np.frompyfunc(abs, 1, 1)(x))(1.0)


def test_a_primitive_declared_late_is_found():
    special = pytest.importorskip("scipy.special")
    with pytest.raises(UnsupportedError, match=r"scipy\.special\.itstruve0 "):
        fg.grad(lambda x: special.itstruve0(x))(1.0)
    try:
        elementwise(special.itstruve0, lambda g, x: g * special.struve(0, x))
        assert float(fg.grad(lambda x: special.itstruve0(x))(2.0)) == pytest.approx(special.struve(0, 2.0))
    finally:
        registry.pop("itstruve0", None)
        protocols._by_ufunc.pop(special.itstruve0, None)


def test_functions_without_derivatives_work_on_plain_arrays(tmp_path):
    x = fg.Array([1, 2], "u1")
    assert np.packbits(x).tolist() == np.packbits(np.array([1, 2], "u1")).tolist()
    np.save(tmp_path / "x.npy", x)
    assert np.load(tmp_path / "x.npy").tolist() == [1, 2]
    assert np.array2string(x) == "[1 2]"


@given(st.lists(st.floats(-10, 10), min_size=1, max_size=5))
def test_reversed_operators_with_ndarray_on_the_left(values):
    a = np.array(values)
    for op in (np.add, np.subtract, np.multiply, np.maximum, np.arctan2):
        np.testing.assert_array_equal(op(a, fg.Array(a)), op(a, a))
