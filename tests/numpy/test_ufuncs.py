"""The public ufuncs: NumPy's values, names and options, on arrays of both kinds, numbers, lists and tracers."""

import numpy as np
import pytest
from jaxtyping import TypeCheckError

import funcgrad as fg
import funcgrad.numpy as fnp
from funcgrad.errors import ArgumentError, LostTraceError, UnsupportedError
from funcgrad.numpy import ufuncs
from funcgrad.ops import entropy
from funcgrad.testing import check_grads

ELSEWHERE = {"matmul", "vecdot", "matvec", "vecmat"}  # contractions
NAMES = sorted(n for n, f in vars(np).items() if isinstance(f, np.ufunc) and n not in ELSEWHERE)
OPERANDS = {
    "float": (np.array([[0.5], [0.25]]), np.array([0.75, 0.5, 0.125])),
    "large": (np.array([-3.5, 2.0, 7.0]), np.array([2.0, 2.0, -3.0])),
    "single": (np.array([1.5, 2.0], np.float32), np.array([2.0, 3.0], np.float32)),
    "integer": (np.array([6, 5]), np.array([[2], [3]])),
    "boolean": (np.array([True, False]), np.array([True, True])),
    "complex": (np.array([1 + 2j, -0.5j]), np.array([0.5 - 1j, 2 + 0j])),
    "number": (np.float64(1.5), 2),
    "mixed": (np.array([1.5, 2.0], np.float32), np.array([1, 2])),
}


def same(got, expected):
    for x, y in zip(*[(a if isinstance(a, tuple) else (a,)) for a in (got, expected)], strict=True):
        assert type(x) is fg.Array
        assert (x.dtype, x.shape) == (y.dtype, y.shape)
        np.testing.assert_array_equal(np.asarray(x), y)


def test_every_ufunc_is_there_under_every_name():
    assert sorted(ufuncs.__all__) == NAMES
    for name in NAMES:
        ours, theirs = getattr(fnp, name), getattr(np, name)
        assert ours.__name__ == theirs.__name__
        assert getattr(fnp, theirs.__name__) is ours
        assert "Source: numpy." in ours.__doc__


def test_a_public_function_has_the_name_of_its_primitive(monkeypatch):
    """Its implementation need not be a ufunc."""
    monkeypatch.setattr(ufuncs, "docstrings", {})
    xlogy = ufuncs._binary(entropy.xlogy, "x log y.", "2.0, 1.0", "0.")
    assert xlogy.__name__ == "xlogy" and "fnp.xlogy(2.0, 1.0)" in xlogy.__doc__
    same(xlogy(2.0, [1.0, np.e]), np.array([0.0, 2.0]))
    same(fg.grad(xlogy)(2.0, np.e), np.array(1.0))


@pytest.mark.filterwarnings("ignore::RuntimeWarning")  # logarithms of negative numbers and the like
@pytest.mark.parametrize("kind", OPERANDS)
@pytest.mark.parametrize("name", [n for n in NAMES if n != "isnat"])
def test_values_are_those_of_numpy(name, kind):
    ours, theirs = getattr(fnp, name), getattr(np, name)
    args = OPERANDS[kind][: theirs.nin]
    arrays = tuple(fg.Array(a) if isinstance(a, np.ndarray) else a for a in args)
    try:
        expected = theirs(*args)
    except TypeError:  # the ufunc does not take these dtypes
        if name == "logaddexp" and kind == "complex":
            return  # which the function of funcgrad.numpy does, as in JAX
        for operands in (args, arrays):
            with pytest.raises(TypeError):
                ours(*operands)
        return
    same(ours(*args), expected)
    same(ours(*arrays), expected)
    same(ours(*arrays[:1], *args[1:]), expected)
    same(ours(*args[:1], *arrays[1:]), expected)
    if kind != "number":
        same(theirs(*arrays), expected)


def test_lists_numbers_and_lists_of_tracers():
    same(fnp.add([1.0, 2.0], [[1], [2]]), np.array([[2.0, 3.0], [3.0, 4.0]]))
    same(fnp.sin(1), np.sin(1))
    same(fnp.multiply(2, 3), np.multiply(2, 3))
    assert float(fg.grad(lambda x: fnp.sum(fnp.square([x, 2 * x])))(3.0)) == 30.0
    assert float(fg.grad(lambda x: fnp.sum(fnp.multiply([x, 2 * x], [1.0, x])))(3.0)) == 13.0
    for f in (lambda: fnp.sin("a"), lambda: fnp.add(1.0, None), lambda: fnp.sin(np.array([object()]))):
        with pytest.raises((ArgumentError, TypeCheckError)):  # the latter where signatures are checked
            f()


def test_the_operand_of_the_highest_level_decides():
    inner = lambda x: fg.grad(lambda y: fnp.multiply(x, fnp.multiply(y, fnp.multiply(x, y))))(5.0)  # 2 x² y
    assert float(inner(3.0)) == 90.0
    assert float(fg.grad(inner)(3.0)) == 60.0


@pytest.mark.parametrize("name", ["sin", "add", "modf", "divmod"])
def test_options(name):
    ours, theirs = getattr(fnp, name), getattr(np, name)
    args = (np.array([1.5, 2.0]), np.array([2.0, 3.0]))[: theirs.nin]
    same(ours(*args, dtype=np.float32), theirs(*args, dtype=np.float32))
    same(ours(*args, casting="same_kind", order="K", subok=True, where=True, out=None), theirs(*args))
    with pytest.raises(LostTraceError, match=rf"{name}\(..., out=\)"):
        ours(*args, out=np.zeros(2))
    with pytest.raises(UnsupportedError, match=r"fnp\.where\(mask, fnp\." + name):
        ours(*args, where=np.array([True, False]))
    with pytest.raises(UnsupportedError, match="order='K' only, got 'F'"):
        ours(*args, order="F")
    with pytest.raises(TypeError, match=rf"{name}\(\) got an unexpected keyword argument 'axis'"):
        ours(*args, axis=0)


def test_dtype_casts_as_numpy_does():
    same(fnp.sin(1, dtype=np.float32), np.sin(1, dtype=np.float32))
    same(fnp.add([1, 2], 0.5, dtype=complex), np.add([1, 2], 0.5, dtype=complex))
    same(fnp.equal([1, 2], 2, dtype=bool), np.equal([1, 2], 2, dtype=bool))
    with pytest.raises(TypeError):
        fnp.sin(1j, dtype=float)
    g = fg.grad(lambda x: fnp.exp(x, dtype=np.float32))(1.0)
    assert g.dtype == np.float64
    assert float(g) == float(np.exp(np.float32(1)))


def test_several_results():
    (fraction, whole), pullback = fg.vjp(fnp.modf, np.array([2.5, -1.25]))
    np.testing.assert_array_equal(fraction, [0.5, -0.25])
    np.testing.assert_array_equal(whole, [2.0, -1.0])
    np.testing.assert_array_equal(pullback((np.array([3.0, 4.0]), np.ones(2)))[0], [3.0, 4.0])
    (mantissa, exponent), (slope, _) = fg.jvp(fnp.frexp, (6.0,), (1.0,))
    assert (float(mantissa), int(exponent), float(slope)) == (0.75, 3, 0.125)
    assert [float(g) for g in fg.grad(lambda x, y: fnp.divmod(x, y)[1], (0, 1))(7.5, 2.0)] == [1.0, -3.0]
    assert float(fg.grad(lambda y: fnp.divmod(7.5, y)[1] * y)(2.0)) == 1.5 - 6.0


@pytest.mark.parametrize("name", ["isfinite", "greater", "logical_and", "floor", "spacing", "equal", "signbit"])
def test_results_without_derivative_are_constants(name):
    f = getattr(fnp, name)
    x = np.array([0.5, -1.5])

    def g(x):
        out = f(*(x, 0.25)[: getattr(np, name).nin])
        assert type(out) is fg.Array
        return fnp.sum(x * out)

    expected = getattr(np, name)(*(x, 0.25)[: getattr(np, name).nin])
    np.testing.assert_array_equal(fg.grad(g)(x), expected.astype(float))


def test_shift_and_ldexp_of_a_tracer():
    assert float(fg.grad(lambda x: fnp.ldexp(x, 3))(5.0)) == 8.0
    np.testing.assert_array_equal(fg.grad(lambda x: fnp.sum(fnp.ldexp(x, np.array([1, -1]))))(np.ones(2)), [2.0, 0.5])


def test_results_are_not_written_to_by_the_owner_of_an_operand():
    x = np.array([1.0, 2.0])
    out = [fnp.positive(x), fnp.conjugate(x), fnp.maximum(x, 0.0)]
    _value, pullback = fg.vjp(lambda y: fnp.multiply(y, x), np.array([3.0, 4.0]))
    x[:] = 0.0
    for o in (*out, pullback(np.ones(2))[0]):
        np.testing.assert_array_equal(o, [1.0, 2.0])


def test_isnat_takes_ndarrays_of_dates():
    same(fnp.isnat(np.array(["NaT", "2000-01-01"], "datetime64[D]")), np.array([True, False]))
    with pytest.raises(TypeError):
        fnp.isnat(fg.Array(1.0))


@pytest.mark.parametrize("name", ["add", "sub", "mul", "truediv", "floordiv", "mod", "pow", "matmul"])
def test_reflected_operators_called_by_their_names(name):
    x, y = np.array([[2.0, 3.0], [4.0, 5.0]]), np.array([[7.0, 6.0], [9.0, 8.0]])
    expected = getattr(x, f"__r{name}__")(y)
    for run in (lambda f: f(fnp.asarray(x), fnp.asarray(y)), lambda f: fg.jit(f)(x, y)):
        np.testing.assert_allclose(run(lambda x, y: getattr(x, f"__r{name}__")(y)), expected)


@pytest.mark.parametrize("x, y", [(1 + 2j, 3 - 1j), (3.0, 1 + 4j), (-2 + 3j, -2 + 3.1j), (800 + 1j, 2 + 1j)])
def test_logaddexp_of_complex_numbers(x, y):
    top = max(np.real(x), np.real(y))
    expected = top + np.log(np.exp(x - top) + np.exp(y - top))  # the principal value
    for f in (fnp.logaddexp, fg.jit(fnp.logaddexp), lambda x, y: fnp.logaddexp([x], y)[0]):
        np.testing.assert_allclose(f(x, y), expected, rtol=1e-14)
    slopes = fg.grad(fnp.logaddexp, (0, 1), holomorphic=True)(complex(x), complex(y))
    np.testing.assert_allclose(slopes, [np.exp(x - expected), np.exp(y - expected)], rtol=1e-12)
    check_grads(fnp.logaddexp, (complex(x), complex(y)), order=2)


def test_logaddexp_of_complex_infinities():
    inf = complex(-np.inf, 0)
    assert fnp.logaddexp(inf, inf).real == -np.inf
    assert fnp.logaddexp(inf, 2 + 1j) == 2 + 1j
    with pytest.raises(TypeError):
        fnp.logaddexp("a", 1.0)
