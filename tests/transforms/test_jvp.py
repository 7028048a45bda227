import math

import numpy as np
import pytest

import funcgrad as fg
import funcgrad.numpy as fnp
from funcgrad.errors import ArgumentError, ShapeError, TreeError


def test_value_and_directional_derivative():
    x, t = {"a": np.array([0.5, 1.0]), "b": 2.0}, {"a": np.array([1.0, -1.0]), "b": 0.5}
    y, dy = fg.jvp(lambda p: fnp.sin(p["a"]) * p["b"], (x,), (t,))
    np.testing.assert_allclose(y, np.sin(x["a"]) * 2)
    np.testing.assert_allclose(dy, np.cos(x["a"]) * t["a"] * 2 + np.sin(x["a"]) * 0.5)


def test_high_order_of_a_closed_form():
    f = fnp.sin
    for order in range(6):
        assert float(f(0.3)) == pytest.approx(math.sin(0.3 + order * math.pi / 2))
        f = (lambda g: lambda x: fg.jvp(g, (x,), (1.0,))[1])(f)


def test_results_that_do_not_depend():
    _, dy = fg.jvp(lambda x: (x > 0.0, fnp.ones(2), 3.0), (1.0,), (1.0,))
    assert dy[0].dtype == fg.float0 and dy[1].tolist() == [0.0, 0.0] and float(dy[2]) == 0.0
    assert float(fg.jvp(fnp.floor, (1.5,), (1.0,))[1]) == 0.0


def test_aux():
    y, dy, aux = fg.jvp(lambda x: (x * x, {"x": x, "s": "words"}), (3.0,), (1.0,), has_aux=True)
    assert (float(y), float(dy), float(aux["x"]), aux["s"]) == (9.0, 6.0, 3.0, "words")


@pytest.mark.parametrize("dtype", [np.int8, np.int64, np.uint8, bool])
@pytest.mark.parametrize("of", [np.float64, np.float32, np.complex128])
def test_tangents_and_cotangents_of_integers_take_on_the_dtype(dtype, of):
    """As in the product by which SciPy finds the dtype of a LinearOperator."""
    x, whole = np.array([0.3, 0.7, 0.2], of), np.array([1, 0, 1], dtype)
    same = whole.astype(of)
    cases = [
        (lambda t: fg.jvp(np.sin, (x,), (t,))[1], np.cos(x) * same),
        (lambda t: fg.linearize(np.sin, x)[1](t), np.cos(x) * same),
        (lambda t: fg.vjp(np.sin, x)[1](t)[0], np.cos(x) * same),
    ]
    if of is not np.complex128:
        cases.append((lambda t: fg.hvp(lambda x: np.sum(np.sin(x)), (x,), (t,)), -np.sin(x) * same))
    for product, expected in cases:
        for f in (product, fg.jit(product)):
            found = f(whole)
            assert found.dtype == of
            np.testing.assert_allclose(found, expected, rtol=1e-6)


def test_integer_arguments_have_no_tangent():
    for zero in (np.zeros(2, fg.float0), np.zeros(2, int), 0, fg.Array([0, 0])):
        _, dy = fg.jvp(lambda n, x: n * x, (np.arange(2), 3.0), (zero, 1.0))
        assert dy.tolist() == [0.0, 1.0]


def test_dtypes_and_broadcasting_of_tangents():
    _, dy = fg.jvp(lambda x, y: x * y, (np.ones(2, "f"), np.ones((3, 1))), (np.ones(2, "f"), np.zeros((3, 1))))
    assert dy.shape == (3, 2) and dy.dtype == np.float64
    _, dy = fg.jvp(lambda x: x + np.ones((2, 2)), (1.0,), (1.0,))
    assert dy.tolist() == [[1.0, 1.0], [1.0, 1.0]]
    _, dy = fg.jvp(lambda x: x * 1j, (2.0,), (1.0,))
    assert dy.dtype == np.complex128 and complex(dy) == 1j


@pytest.mark.parametrize(
    "primals, tangents, error, words",
    [
        (1.0, (1.0,), ArgumentError, "tuples"),
        ((1.0,), [1.0, 2.0], TreeError, "structure"),
        (({"a": np.ones(2)},), ({"a": np.ones(3)},), ShapeError, r"argument 0 at \['a'\].*\(2,\).*\(3,\)"),
        ((np.ones(2),), (np.ones(2, "f"),), ArgumentError, "float64.*float32"),
        ((1.0,), (1j,), ArgumentError, "complex"),
        ((1,), (1.0,), ArgumentError, "integers have no tangents"),
        ((1.0,), ("t",), ArgumentError, "'t'"),
        (("x",), (1.0,), ArgumentError, "argument 0.*'x'"),
    ],
)
def test_errors(primals, tangents, error, words):
    with pytest.raises(error, match=words):
        fg.jvp(lambda x: x, primals, tangents)
    with pytest.raises(ArgumentError, match="pair"):
        fg.jvp(lambda x: x, (1.0,), (1.0,), has_aux=True)


def test_mutating_inputs_later():
    x, t = np.ones(2), np.ones(2)
    y, dy = fg.jvp(lambda x: x, (x,), (t,))
    x[:] = t[:] = 9.0
    assert y.tolist() == dy.tolist() == [1.0, 1.0]
