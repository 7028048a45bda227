"""Complex parts, clip, round and the questions: NumPy's values, JAX's gradients at the bounds."""

import numpy as np
import pytest

import funcgrad as fg
import funcgrad.numpy as fnp
from funcgrad.errors import LostTraceError

REAL = np.array([[1.25, -2.5, 0.0], [np.inf, np.nan, 3.75]])
COMPLEX = np.array([1 + 2j, -3 + 0j, -1j])


def same(got, expected):
    expected = np.asarray(expected)
    assert type(got) is fg.Array
    assert (got.dtype, got.shape) == (expected.dtype, expected.shape)
    np.testing.assert_array_equal(np.asarray(got), expected)


@pytest.mark.parametrize(
    "name",
    [
        "real",
        "imag",
        "angle",
        "real_if_close",
        "iscomplex",
        "isreal",
        "nan_to_num",
        "round",
        "around",
        "isposinf",
        "isneginf",
        "fix",
        "sinc",
        "i0",
    ],
)
@pytest.mark.parametrize("x", [REAL, COMPLEX, np.array([1, -2]), REAL[0, 0], 2, [0.5, 1]], ids=str)
@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_values_of_functions_of_one_array(name, x):
    ours, theirs = getattr(fnp, name), getattr(np, name)
    if name == "fix":  # which NumPy deprecates in favour of this
        theirs = np.trunc
    try:
        expected = theirs(x)
    except TypeError:
        for a in (x, fg.Array(x)):
            with pytest.raises(TypeError):
                ours(a)
        return
    for a in (x, fg.Array(x)):
        same(ours(a), expected)
    same(theirs(fg.Array(x)), expected)


def test_values_of_pairs():
    x, y = np.array([1.0, np.nan, 3.0]), np.array([1.0 + 1e-9, np.nan, 4.0])
    for options in ({}, {"equal_nan": True}, {"atol": 2.0}, {"rtol": np.array([0.0, 1.0, 1.0])}):
        same(fnp.isclose(fg.Array(x), y, **options), np.isclose(x, y, **options))
        same(fnp.allclose(x, fg.Array(y), **options), np.allclose(x, y, **options))
    for a, b in [(x, x), (x[:1], x[:1]), (x[:1], [[1.0], [1.0]]), (1.0, [1.0, 1.0])]:
        same(fnp.array_equal(a, b), np.array_equal(a, b))
        same(fnp.array_equal(a, b, equal_nan=True), np.array_equal(a, b, equal_nan=True))
        same(fnp.array_equiv(a, b), np.array_equiv(a, b))


def test_angle_in_degrees_and_its_derivative():
    same(fnp.angle(COMPLEX, deg=True), np.angle(COMPLEX, deg=True))
    assert float(fg.grad(fnp.angle)(-2.0)) == 0.0
    fg.testing.check_grads(lambda z: fnp.angle(z, True), (COMPLEX - 0.5j,), order=2)


def test_parts_of_a_callers_array_do_not_follow_it():
    z = COMPLEX.copy()
    parts = fnp.real(z), fnp.imag(z), fnp.real(z.real), fnp.real_if_close(z.real), fnp.clip(z.real, None, None)
    z[:] = 0
    for part, expected in zip(parts, (COMPLEX.real, COMPLEX.imag, *[COMPLEX.real] * 3), strict=True):
        same(part, expected)


def test_real_if_close():
    close = np.array([1 + 1e-15j, 2 - 1e-15j])
    same(fnp.real_if_close(close), np.real_if_close(close))
    same(fnp.real_if_close(close, tol=1), np.real_if_close(close, tol=1))
    same(fnp.real_if_close(close, tol=1e-16), np.real_if_close(close, tol=1e-16))
    g = fg.vjp(fnp.real_if_close, close)[1](np.ones(2))[0]
    np.testing.assert_array_equal(g, [1 + 0j, 1 + 0j])


@pytest.mark.parametrize(
    "args, options",
    [
        ((0.0, 1.0), {}),
        ((None, 1.0), {}),
        ((), {"min": 0.0, "max": 1.0}),
        ((), {"max": 1.0}),
        ((), {}),
        (([0.0, 1.0, 2.0], 1.0), {}),
        ((1.0, 0.0), {}),
    ],
    ids=str,
)
def test_clip(args, options):
    x = np.array([-1.0, 0.5, 2.0])
    same(fnp.clip(x, *args, **options), np.clip(x, *args, **options))
    same(np.clip(fg.Array(x), *args, **options), np.clip(x, *args, **options))


# Recorded from jax 0.10.2.
@pytest.mark.parametrize(
    "x, low, high, expected",
    [
        (0, 0, 1, (0.5, 0.5, 0)),
        (1, 0, 1, (0.5, 0, 0.5)),
        (0.5, 0, 1, (1, 0, 0)),
        (-1, 0, 1, (0, 1, 0)),
        (2, 0, 1, (0, 0, 1)),
        (1, 1, 1, (0.25, 0.25, 0.5)),
    ],
)
def test_gradient_of_clip_at_the_bounds(x, low, high, expected):
    got = fg.grad(fnp.clip, (0, 1, 2))(float(x), float(low), float(high))
    assert tuple(float(g) for g in got) == expected


def test_clip_with_one_bound():
    same(fnp.clip([-1.0, 2.0], 0.0), np.array([0.0, 2.0]))
    same(fg.Array([-1.0, 2.0]).clip(max=0.0), np.array([-1.0, 0.0]))


def test_clip_refuses_two_names_for_one_bound():
    with pytest.raises(ValueError, match="give each bound once"):
        fnp.clip(1.0, 0.0, min=0.0)


def test_round():
    x = np.array([1.256, -12.5, 150.0])
    for decimals in (0, 2, -2):
        same(fnp.round(x, decimals), np.round(x, decimals))
    same(fg.Array([155, 7]).round(-1), np.array([155, 7]).round(-1))
    assert float(fg.grad(lambda x: x * fnp.round(x))(2.3)) == 2.0


@pytest.mark.parametrize("call", ["round", "fix", "isposinf", "clip"])
def test_out_is_refused(call):
    with pytest.raises(LostTraceError, match=rf"{call}\(..., out=\)"):
        getattr(fnp, call)(np.ones(2), out=np.zeros(2))
