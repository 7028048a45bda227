import numpy as np
import pytest

import funcgrad as fg
import funcgrad.numpy as fnp
from funcgrad import lax


def total(lower, upper, start=0):
    return lax.fori_loop(lower, upper, lambda i, s: s + i, start)


@pytest.mark.parametrize("lower, upper", [(0, 5), (3, 7), (-2, 2), (4, 4), (5, 2)])
@pytest.mark.parametrize("dtype", [None, "int8", "int64"])
def test_bounds(lower, upper, dtype):
    bounds = (lower, upper) if dtype is None else (np.array(lower, dtype), np.array(upper, dtype))
    expected = sum(range(lower, upper))
    assert total(*bounds) == expected
    assert fg.make_tape(total)(*bounds)(*bounds) == expected  # bounds that are not known
    assert fg.make_tape(lambda s: total(*bounds, s))(10)(10) == expected + 10
    np.testing.assert_array_equal(fg.vmap(total)(np.full(2, bounds[0]), np.stack([bounds[1]] * 2)), [expected] * 2)


def test_bounds_that_differ_in_a_batch():
    f = fg.vmap(fg.vmap(lambda x, n: lax.fori_loop(0, n, lambda _, x: x + 1, x), (None, 0)), (0, None))
    x, n = np.arange(3), np.arange(4)
    np.testing.assert_array_equal(f(x, n), x[:, None] + n)
    np.testing.assert_array_equal(fg.make_tape(f)(x, n)(x, n), x[:, None] + n)


def test_one_bound_takes_on_the_dtype_of_the_other():
    seen = []
    lax.fori_loop(np.int16(0), 2, lambda i, s: (seen.append(i), s)[1], 0)
    lax.fori_loop(0, np.int8(1), lambda i, s: (seen.append(i), s)[1], 0)
    assert [(i.dtype, int(i)) for i in seen] == [("int16", 0), ("int16", 1), ("int8", 0)]


@pytest.mark.parametrize("bounds", [(0.0, 3.0), (np.float32(0), np.float32(2)), (fnp.zeros(()), fnp.ones(()))])
def test_floating_bounds_are_refused(bounds):
    """How often it runs would be rounded, and the derivative by a bound is zero: nobody can have meant that."""
    for run in (lax.fori_loop, lambda a, b, *rest: fg.jit(lambda a, b: lax.fori_loop(a, b, *rest))(a, b)):
        with pytest.raises(fg.errors.ArgumentError, match=r"must be integer scalars, got float..\[\].*int\(n\)"):
            run(*bounds, lambda i, c: c * 2.0, 1.0)
    with pytest.raises(fg.errors.ArgumentError, match="integer scalars"):
        fg.grad(lambda x: lax.fori_loop(x, x + 2.5, lambda i, c: c * i, x))(1.0)


@pytest.mark.parametrize("dtype", ["int8", "float32", "complex64"])
@pytest.mark.parametrize("start", [lambda x: x, lambda x: 1], ids=["array", "number"])
def test_the_integer_leaves_dtypes_alone(dtype, start):
    x = np.ones((), dtype)
    f = lambda x: lax.fori_loop(1, 4, lambda i, y: y * i + x, start(x))
    for out in (f(x), fg.make_tape(f)(x)(x), fg.vmap(f)(x[None])[0], fg.make_tape(fg.vmap(f))(x[None])(x[None])[0]):
        assert out.dtype == dtype and out == ((1 * 1 + 1) * 2 + 1) * 3 + 1


def test_the_integer_is_an_index():
    x = np.array([2.0, 3.0, 5.0])
    f = lambda x: lax.fori_loop(0, 3, lambda i, s: s + x[i] * x[-1 - i], 0.0)
    np.testing.assert_array_equal(fg.grad(f)(x), 2 * x[::-1])
    np.testing.assert_array_equal(fg.grad(fg.make_tape(f)(x))(x), 2 * x[::-1])
    squares = lax.fori_loop(0, 3, lambda i, a: a.at[i].set(i * i), fnp.zeros(3))
    np.testing.assert_array_equal(squares, [0.0, 1.0, 4.0])


def test_an_empty_range_gives_back_the_value():
    assert lax.fori_loop(lower=0, upper=0, body_fun=lambda i, x: x + i, init_val=1.0) == 1.0
    lax.fori_loop(0, 0, lambda j, carry: carry.at[j].set(j), fnp.array([]))
    assert lax.fori_loop(0, 0, lambda i, x: x + fnp.float32(1), 1).dtype == np.float32


@pytest.mark.parametrize("unroll", [None, 1, 3, True, False])
def test_unroll_changes_nothing(unroll):
    assert lax.fori_loop(0, 10, lambda i, c: c + i, 0, unroll=unroll) == 45


def test_unroll_wants_known_bounds():
    with pytest.raises(
        ValueError, match="Can only use `unroll` in `fori_loop` if the loop bounds are statically known"
    ):
        fg.make_tape(lambda n: lax.fori_loop(0, n, lambda i, c: c, 0, unroll=3))(10)


@pytest.mark.parametrize(
    "lower, upper, message",
    [
        (np.int16(0), np.int32(10), "must have equal types, got int16 and int32"),
        (0, 10.0, "must have equal types, got int64 and float64"),
        (np.zeros(2), 1, "must have equal types, got float64 and int64"),
        (np.zeros(2, int), np.ones(2, int), "must be integer scalars, got int64.2. and int64.2."),
        (1j, 2j, "must be integer scalars"),
    ],
)
def test_bounds_that_are_none(lower, upper, message):
    with pytest.raises(TypeError, match=f"lower and upper arguments to fori_loop {message}"):
        lax.fori_loop(lower, upper, lambda i, c: c, 0.0)


def test_errors_name_the_carry():
    for n in (3, fnp.array(3)):
        with pytest.raises(TypeError, match=r"loop_carry\[1\]\['a'\] has type float64\[\] .* float64\[3\]"):
            fg.make_tape(lambda n: lax.fori_loop(0, n, lambda i, c: {"a": fnp.ones(3)}, {"a": 1.0}))(n)
    with pytest.raises(TypeError, match=r"(?s)fori_loop body function.*loop_carry\[1\] has type float64\[\]"):
        lax.fori_loop(0, 3, lambda i, c: fnp.ones(3), 1.0)
    with pytest.raises(TypeError, match="body_fun argument should be callable"):
        lax.fori_loop(0, 1, 2, 3)
