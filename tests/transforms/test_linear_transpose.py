"""`linear_transpose`: linear functions the other way round. Every primitive's tape is transposed in test_linearize."""

import pickle
from types import SimpleNamespace

import numpy as np
import pytest

import funcgrad as fg
import funcgrad.numpy as fnp
from funcgrad.errors import ArgumentError, NotDifferentiableError, NoValueError, ShapeError, TreeError

A = np.array([[1.0, 2.0, 0.5], [0.0, -1.0, 3.0]])


@pytest.mark.parametrize(
    "f, size",
    [
        (lambda x: A @ x, 3),
        (lambda x: 2 * x - x[::-1] / 3, 3),
        (lambda x: fnp.cumsum(x) + fnp.sum(x), 4),
        (lambda x: fnp.concatenate([x[1:], x[:1], 5 * x]), 3),
        (lambda x: fnp.where(np.array([True, False, True]), x, 0.0), 3),
        (lambda x: fnp.outer(x, np.array([1.0, 2.0])).ravel(), 2),
        (lambda x: fnp.linalg.solve(A @ A.T, x), 2),
        (lambda x: fnp.convolve(x, np.array([1.0, -2.0, 1.0])), 4),
        (lambda x: fnp.split(x, 2)[1] - fnp.split(x, 2)[0], 4),
        (lambda x: x.astype(np.float32).astype(float), 3),
        (lambda x: fnp.real(fnp.fft.ifft(1j * fnp.fft.fft(x))), 4),
        (lambda x: fnp.sort(A[0]) * x, 3),
        (lambda x: fg.linearize(fnp.sin, np.ones(3))[1](x), 3),
        (lambda x: fg.vmap(lambda row: row @ x)(A), 3),
        (lambda x: fg.checkpoint(lambda x: A @ x)(2 * x), 3),
        (lambda x: fg.named_call(lambda x: A @ x)(x), 3),
        (lambda x: fnp.stack([fg.grad(lambda y: y @ x)(np.ones(3)), x]).ravel(), 3),
    ],
)
def test_matrix_of_the_transpose(f, size):
    """The matrix of a linear function is what it makes of the unit vectors; that of its transpose is the transpose."""
    matrix = np.stack([np.asarray(f(e)) for e in np.eye(size)], axis=1)
    transposed = fg.linear_transpose(f, fg.ShapeDtypeStruct((size,), float))
    found = np.stack([np.asarray(transposed(e)[0]) for e in np.eye(len(matrix))], axis=1)
    np.testing.assert_allclose(found, matrix.T, atol=1e-7)


def test_nothing_is_computed_and_no_value_is_used():
    seen = []
    transposed = fg.linear_transpose(lambda x: seen.append(x.shape) or fnp.sum(x * A), np.full((2, 3), np.nan))
    assert transposed(2.0)[0].tolist() == (2 * A).tolist() and transposed(3.0)[0].tolist() == (3 * A).tolist()
    assert seen == [(2, 3)]
    with pytest.raises(NoValueError, match="linear_transpose"):
        fg.linear_transpose(lambda x: x if x > 0 else 2 * x, 1.0)


@pytest.mark.parametrize(
    "arg",
    [
        fg.ShapeDtypeStruct((3,), np.float32),
        SimpleNamespace(shape=(3,), dtype=np.dtype(np.float32)),
        SimpleNamespace(shape=(3,), dtype=np.float32),
        np.zeros(3, np.float32),
        fnp.zeros(3, np.float32),
    ],
)
def test_whatever_has_a_shape_and_a_dtype(arg):
    (found,) = fg.linear_transpose(lambda x: 2 * x, arg)(np.arange(3, dtype=np.float32))
    assert found.dtype == np.float32 and found.tolist() == [0.0, 2.0, 4.0]


def test_pytrees_and_several_arguments():
    f = lambda p, y: {"sum": p["a"] + 3 * y, "parts": [p["b"][0], y]}
    found = fg.linear_transpose(f, {"a": 1.0, "b": [1.0, 1.0]}, 1.0)({"sum": 10.0, "parts": [1.0, 2.0]})
    assert fg.tree.map(float, found) == ({"a": 10.0, "b": [1.0, 0.0]}, 32.0)
    assert fg.linear_transpose(lambda x, y: (), 1.0, 2.0)(()) == (0.0, 0.0)


def test_dtypes_are_those_of_the_arguments():
    x, y = fg.linear_transpose(lambda x, y: x - y, np.float32(0), 0.0)(np.float64(1.0))
    assert (x.dtype, y.dtype, float(x), float(y)) == (np.float32, np.float64, 1.0, -1.0)


def test_complex():
    # not conjugated: the transpose, not the adjoint; values as jax 0.10 gives them
    assert complex(fg.linear_transpose(lambda x: (1 + 2j) * x, 1j)(3 + 4j)[0]) == -5 + 10j
    assert float(fg.linear_transpose(lambda x: 1j * x, 1.0)(1j)[0]) == -1.0
    assert complex(fg.linear_transpose(fnp.conj, 1j)(2 + 1j)[0]) == 2 - 1j
    assert complex(fg.linear_transpose(fnp.real, 1j)(2.0)[0]) == 2.0


def test_integers():
    (found,) = fg.linear_transpose(lambda x: 2 * x, 1)(3)
    assert found.dtype == int and int(found) == 6
    x = np.arange(4, dtype=np.int32)
    found = fg.linear_transpose(lambda x: fnp.split(x, 2)[1] - 3 * x[:2] + fnp.sum(x, dtype="i"), x)
    assert found(np.array([1, 10], np.int32))[0].tolist() == [11 - 3, 11 - 30, 11 + 1, 11 + 10]


def test_affine_functions_have_the_transpose_of_their_linear_part():
    assert float(fg.linear_transpose(lambda x: 3 * x + 1, 5.0)(2.0)[0]) == 6.0
    assert float(fg.linear_transpose(lambda x: 1.0, 5.0)(2.0)[0]) == 0.0


# With other transforms


@pytest.mark.parametrize(
    "use, expected",
    [
        (lambda t: fg.vmap(t)(np.eye(2))[0], A),
        (lambda t: fg.jacfwd(lambda c: t(c)[0])(np.ones(2)), A.T),
        (lambda t: fg.linear_transpose(t, np.ones(2))((np.array([1.0, 2.0, 3.0]),))[0], A @ [1.0, 2.0, 3.0]),
        (lambda t: pickle.loads(pickle.dumps(t))(np.ones(2))[0], A.sum(0)),
        (lambda t: fg.make_tape(t)(np.ones(2))(np.ones(2))[0], A.sum(0)),
        (lambda t: t.tape(np.ones(2))[0], A.sum(0)),
        (lambda t: fg.tree.map(lambda a: 2 * a, t)(np.ones(2))[0], 2 * A.sum(0)),
    ],
)
def test_the_transpose_is_a_function_like_any_other(use, expected):
    np.testing.assert_allclose(use(fg.linear_transpose(lambda x: fnp.asarray(A) @ x, np.ones(3))), expected)


def test_of_a_function_of_outer_values():
    f = lambda a: fg.linear_transpose(lambda x: a**2 * x, 1.0)(5.0)[0]
    assert float(fg.grad(f)(3.0)) == 30.0
    assert fg.vmap(f)(np.array([1.0, 2.0])).tolist() == [5.0, 20.0]


def test_results_that_nobody_reads_need_not_be_linear():
    assert float(fg.linear_transpose(lambda x: (2 * x, x > 0, fnp.sin(x))[0], 1.0)(1.0)[0]) == 2.0


def test_repr():
    assert (
        repr(fg.linear_transpose(lambda x: 2 * x, np.ones(3))) == "Transpose((float64[3]) -> (float64[3]), 1 equations)"
    )


# Errors


@pytest.mark.parametrize(
    "f, operation, reason",
    [
        (fnp.sin, "sin", "depends on x"),
        (lambda x: fnp.exp(2 * x), "exp", "depends on its result"),
        (lambda x: x * x, "multiply", "depends on x and y"),
        (lambda x: x / x[0], "divide", "depends on y"),
        (lambda x: x + fnp.floor(x), "floor", "piecewise constant"),
        (lambda x: fnp.where(x > 0, x, 0.0), "greater", ""),
        (lambda x: x.astype(int).astype(float) + x, "truncate", ""),
        (lambda x: x * fg.stop_gradient(x), "stop", ""),
        (lambda x: fnp.linalg.solve(fnp.diag(x), x), "solve", "depends on a"),
        (lambda x: fnp.abs(x), "absolute", "x"),
        (lambda x: fnp.sort(x), "sort", ""),
        (lambda x: fnp.max(x), "max", ""),
        (fg.checkpoint(lambda x: x * fnp.cos(x)), "cos", "depends on x"),
    ],
)
def test_operations_that_are_not_linear(f, operation, reason):
    with pytest.raises(NotDifferentiableError, match=rf"not linear.*operation \w*{operation}.*{reason}"):
        fg.linear_transpose(f, np.ones(2))


@pytest.mark.parametrize(
    "f, args, words",
    [
        (lambda x: 2.0 * x, (1,), r"linear_transpose only supports.*\(int64\[\]\) to \(float64\[\]\)"),
        (lambda x: x.astype(int), (1.0,), r"\(float64\[\]\) to \(int64\[\]\)"),
        (lambda x: x, (True,), "bool"),
        (lambda x, n: x, (1.0, 2), r"float64\[\], int64\[\]"),
        (lambda x: x, ("word",), r"argument 0.*'word'"),
        (lambda x: x, ({"a": None, "b": object()},), r"argument 0 at \['b'\]"),
        (lambda x: "word", (1.0,), "linear_transpose: the result"),
    ],
)
def test_wrong_arguments(f, args, words):
    with pytest.raises(ArgumentError, match=words):
        fg.linear_transpose(f, *args)
    with pytest.raises(ArgumentError, match="takes a function, got 3"):
        fg.linear_transpose(3, 1.0)


@pytest.mark.parametrize(
    "f, cotangents, error, words",
    [
        (lambda x: [x, x], (1.0,), TreeError, "cotangent tree does not match"),
        (lambda x: (x, x), (1.0, 1.0), ArgumentError, r"one cotangent.*got 2"),
        (lambda x: fnp.stack([x, x]), (1.0,), ShapeError, r"cotangent type does not match.*\(2,\).*\(\)"),
        (lambda x: {"a": 1j * x}, ({"a": 1.0},), ArgumentError, r"at \['a'\].*complex128.*float64"),
        (lambda x: x, (1j,), ArgumentError, r"float64.*complex128"),
        (lambda x: x, (np.float32(1),), ArgumentError, r"float32.*\.astype\('float64'\)"),
        (lambda x: x, ("word",), ArgumentError, "'word'"),
    ],
)
def test_cotangents_that_do_not_fit(f, cotangents, error, words):
    transposed = fg.linear_transpose(f, 1.0)
    with pytest.raises(error, match=words):
        transposed(*cotangents)


def test_integer_cotangents_that_do_not_fit():
    with pytest.raises(ArgumentError, match=r"int64.*float64"):
        fg.linear_transpose(lambda x: 2 * x, 1)(3.0)
