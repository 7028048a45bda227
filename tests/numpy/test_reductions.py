"""Reductions against NumPy for values and dtypes, against finite differences for derivatives."""

import numpy as np
import pytest
from scipy import special

import funcgrad as fg
import funcgrad.numpy as fnp
from funcgrad.errors import LostTraceError
from funcgrad.testing import check_grads

A = np.array([[1.5, -2.0, 3.0], [0.25, 4.0, -1.0]])
MASK = np.array([[True, False, True], [False, True, True]])
REDUCTIONS = ["sum", "prod", "max", "min", "amax", "amin", "mean", "var", "std", "ptp", "any", "all", "count_nonzero"]
OPTIONS = [{}, {"axis": 0}, {"axis": -1, "keepdims": True}, {"axis": (1, 0)}, {"axis": ()}, {"axis": (0,)}]


def same(ours, theirs):
    assert isinstance(ours, fg.Array)
    assert ours.dtype == np.asarray(theirs).dtype and ours.shape == np.shape(theirs)
    np.testing.assert_allclose(
        np.asarray(ours), theirs, rtol=1e-6 if ours.dtype in (np.float32, np.complex64) else 1e-12
    )


@pytest.mark.parametrize("options", OPTIONS, ids=str)
@pytest.mark.parametrize("name", REDUCTIONS)
@pytest.mark.parametrize("dtype", ["f4", "f8", "c8", "i2", "?", "u1"])
def test_is_numpys(name, options, dtype):
    if name == "ptp" and dtype == "?":
        pytest.skip("NumPy does not subtract booleans")
    x = np.abs(A).astype(dtype) if dtype == "u1" else A.astype(dtype)
    same(getattr(fnp, name)(x, **options), getattr(np, name)(x, **options))
    same(getattr(np, name)(fnp.array(x), **options), getattr(np, name)(x, **options))


@pytest.mark.parametrize("x", [3.0, 2, [1.0, 4.0], [[1, 2], [3, 4]], np.float32(2.5)], ids=str)
@pytest.mark.parametrize("name", ["sum", "prod", "max", "mean", "var", "argmax", "cumsum", "any"])
def test_takes_numbers_and_lists(name, x):
    same(getattr(fnp, name)(x), getattr(np, name)(x))


@pytest.mark.parametrize("name", ["sum", "prod", "mean", "cumsum", "cumprod", "var", "std"])
@pytest.mark.parametrize("dtype", ["f4", "f8", "i1", "c16"])
def test_dtype(name, dtype):
    if name in ("var", "std") and dtype == "i1":
        pytest.skip("NumPy casts to integers half-way")
    for x in (A, A.astype("f4"), A.astype("i2")):
        same(getattr(fnp, name)(x, dtype=dtype), getattr(np, name)(x, dtype=dtype))


@pytest.mark.parametrize("options", [{}, {"axis": 0}, {"axis": 1, "keepdims": True}], ids=str)
@pytest.mark.parametrize("name, initial", [("sum", 2.0), ("prod", 2.0), ("max", 3.5), ("min", -1.5)])
def test_initial_and_where(name, initial, options):
    ours, theirs = getattr(fnp, name), getattr(np, name)
    same(ours(A, initial=initial, **options), theirs(A, initial=initial, **options))
    same(ours(A, initial=initial, where=MASK, **options), theirs(A, initial=initial, where=MASK, **options))
    same(
        ours(A.astype("i4"), initial=2, where=MASK[0], **options),
        theirs(A.astype("i4"), initial=2, where=MASK[0], **options),
    )
    check_grads(lambda x, i: ours(x, initial=i, where=MASK, **options), (A, np.float64(initial)), order=2)


@pytest.mark.parametrize("options", [{}, {"axis": 0}, {"axis": 1, "keepdims": True}, {"axis": 1, "ddof": 1}], ids=str)
@pytest.mark.parametrize("name", ["mean", "var", "std", "any", "all"])
def test_where(name, options):
    if name not in ("var", "std") and "ddof" in options:
        options = {"axis": 1}
    mask = np.array([[True, False, True], [True, True, True]])
    if name in ("var", "std"):
        mask = np.array([[True, False, True], [True, True, True], [True, True, False]])
    x = np.concatenate([A, [[7.0, 0.5, 0.0]]])[: len(mask)]
    same(getattr(fnp, name)(x, where=mask, **options), getattr(np, name)(x, where=mask, **options))
    if name in ("mean", "var"):
        check_grads(lambda x: getattr(fnp, name)(x, where=mask, **options), (x,), order=2)


@pytest.mark.parametrize("name", ["var", "std"])
def test_var_options(name):
    ours, theirs = getattr(fnp, name), getattr(np, name)
    mean = A.mean(1, keepdims=True)
    same(ours(A, 1, mean=mean), theirs(A, 1, mean=mean))
    same(ours(A, 1, correction=1), theirs(A, 1, correction=1))
    with pytest.raises(ValueError, match="simultaneously"):
        ours(A, ddof=1, correction=1)
    check_grads(lambda x, m: ours(x, 1, mean=m), (A, mean + 0.1), order=2)
    check_grads(lambda z: ours(z, 0), (A + 1j * A[::-1],), order=2)


@pytest.mark.parametrize("name", ["sum", "prod", "max", "min", "mean", "var", "std", "ptp", "logsumexp"])
@pytest.mark.parametrize("axis", [None, 0, (-1,), (0, 1)])
def test_derivatives(name, axis):
    check_grads(lambda x: getattr(fnp, name)(x, axis), (A,), order=2)


@pytest.mark.parametrize("name", ["sum", "mean", "var", "std", "prod", "max", "logsumexp", "cumsum", "cumprod"])
def test_single_precision_stays(name):
    g = fg.grad(lambda x: fnp.sum(getattr(fnp, name)(x)))(A.astype("f4"))
    assert g.dtype == np.float32
    assert fg.grad(lambda x: fnp.sum(getattr(fnp, name)(x)))(A[0].astype("f4")).dtype == np.float32


def test_half_precision_adds_up_in_single():
    x = np.full(3000, 1.0, np.float16)
    assert float(fnp.mean(x)) == 1 == float(np.mean(x))


@pytest.mark.parametrize("name", ["max", "min"])
def test_nothing_to_reduce(name):
    ours, theirs = getattr(fnp, name), getattr(np, name)
    empty = np.zeros((0, 2))
    with pytest.raises(ValueError):
        ours(empty)
    with pytest.raises(ValueError, match="initial"):
        ours(A, where=MASK)
    same(ours(empty, axis=0, initial=1.0), theirs(empty, axis=0, initial=1.0))
    np.testing.assert_array_equal(fg.grad(lambda i: ours(empty, axis=0, initial=i).sum())(1.0), 2)


@pytest.mark.parametrize("f, axis", [(fnp.sum, 2), (fnp.max, -3), (fnp.cumsum, 5), (fnp.argmax, 2), (fnp.mean, (0, 2))])
def test_axis_out_of_bounds(f, axis):
    with pytest.raises(np.exceptions.AxisError):
        f(A, axis)


def test_out_is_refused():
    buffer = np.zeros(3)
    for name in ["sum", "prod", "max", "mean", "var", "std", "any", "argmax", "cumsum", "cumulative_sum", "ptp"]:
        with pytest.raises(LostTraceError):
            getattr(fnp, name)(A[0], out=buffer)


@pytest.mark.parametrize("name", ["argmax", "argmin"])
@pytest.mark.parametrize("options", [{}, {"axis": 0}, {"axis": -1, "keepdims": True}, {"keepdims": True}], ids=str)
def test_arg(name, options):
    same(getattr(fnp, name)(A, **options), getattr(np, name)(A, **options))
    assert fg.grad(lambda x: x[0, 0] * getattr(fnp, name)(x, **options).sum())(A).shape == A.shape


@pytest.mark.parametrize("axis", [None, 0, -1])
@pytest.mark.parametrize("name", ["cumsum", "cumprod"])
def test_cumulative(name, axis):
    for x in (A, A.astype("i1"), A > 0, A.astype("c8")):
        same(getattr(fnp, name)(x, axis), getattr(np, name)(x, axis))
    check_grads(lambda x: getattr(fnp, name)(x, axis), (A,), order=2)


@pytest.mark.parametrize("name", ["cumulative_sum", "cumulative_prod"])
@pytest.mark.skipif(not hasattr(np, "cumulative_sum"), reason="new in NumPy 2.1")
def test_array_api_cumulative(name):
    ours, theirs = getattr(fnp, name), getattr(np, name)
    for axis in (0, -1):
        same(ours(A, axis=axis, include_initial=True), theirs(A, axis=axis, include_initial=True))
    same(ours(A[0]), theirs(A[0]))
    same(ours([1, 2], dtype="f4", include_initial=True), theirs([1, 2], dtype="f4", include_initial=True))
    with pytest.raises(ValueError, match="axis"):
        ours(A)
    check_grads(lambda x: ours(x, axis=1, include_initial=True), (A,), order=2)


B = np.array([[0.5, 2.0, -0.25], [1.0, 3.0, 1.5]])


@pytest.mark.parametrize("options", [{}, {"axis": 0}, {"axis": 1, "keepdims": True}, {"axis": (0, 1)}], ids=str)
def test_logsumexp_is_scipys(options):
    same(fnp.logsumexp(A, **options), special.logsumexp(A, **options))
    same(fnp.logsumexp(A.astype("f4"), **options), special.logsumexp(A.astype("f4"), **options))
    same(fnp.logsumexp(A, b=B, **options), special.logsumexp(A, b=B, **options))
    for b in (B, -B, B[0], 2.0):
        ours, theirs = [f(A, b=b, return_sign=True, **options) for f in (fnp.logsumexp, special.logsumexp)]
        same(ours[0], theirs[0])
        same(ours[1], theirs[1])
    check_grads(lambda a, b: fnp.logsumexp(a, b=b, **options), (A, np.abs(B)), order=2)
    check_grads(lambda a, b: fnp.logsumexp(a, b=b, return_sign=True, **options)[0], (A, -B), order=2)


def test_logsumexp_with_factors_far_out():
    a, b = np.array([1000.0, 0.0]), np.array([0.0, 1.0])
    assert float(fnp.logsumexp(a, b=b)) == 0
    assert float(fnp.logsumexp(a, b=b[::-1])) == 1000
    np.testing.assert_allclose(fg.grad(lambda b: fnp.logsumexp(np.zeros(2), b=b))(b), [1, 1])  # b = 0 has a derivative
    assert float(fnp.logsumexp(np.full(2, -np.inf), b=b)) == -np.inf
