"""Jacobians and Hessians by both modes: values, structure, dtypes, sizes, errors, and what runs how often."""

from collections import namedtuple

import numpy as np
import pytest

import funcgrad as fg
import funcgrad.numpy as fnp
from funcgrad.errors import ArgumentError, ImmutableArrayError, ShapeError, TreeError

BOTH = pytest.mark.parametrize("jac", [fg.jacfwd, fg.jacrev])
Point = namedtuple("Point", "a b")


def differences(f, x, step=1e-6):
    """The Jacobian of a function of one array by central differences."""
    columns = []
    for i in np.ndindex(x.shape):
        e = np.zeros_like(x)
        e[i] = step
        columns.append((np.asarray(f(x + e)) - np.asarray(f(x - e))) / (2 * step))
    out = np.asarray(f(x))
    return np.moveaxis(np.array(columns), 0, -1).reshape(out.shape + x.shape)


FUNCTIONS = {
    "elementwise": lambda x: fnp.sin(x) * fnp.exp(x),
    "broadcasting": lambda x: x[:, None, :] / (2 + x[None, :, :] ** 2),
    "reductions": lambda x: fnp.stack([fnp.sum(x**2), fnp.prod(x), fnp.max(x)]),
    "products": lambda x: fnp.tanh(x @ x.T) @ fnp.ones((2, 4)),
    "indexing": lambda x: x[[0, 1, 1], ::-1] ** 2 * x[0, 1],
    "linear algebra": lambda x: fnp.linalg.inv(x @ x.T + fnp.eye(2)),
    "sorting": lambda x: fnp.cumsum(fnp.sort(x, axis=None)) ** 2,
    "a scalar": lambda x: fnp.logsumexp(x),
    "without a batching rule": lambda x: fnp.linalg.svd(x, full_matrices=False)[1],
}
X = np.array([[0.3, -0.7, 1.1], [0.9, 0.2, -0.4]])


@BOTH
@pytest.mark.parametrize("f", FUNCTIONS.values(), ids=FUNCTIONS)
def test_against_differences(jac, f):
    found = jac(f)(X)
    assert type(found) is fg.Array
    np.testing.assert_allclose(found, differences(f, X), rtol=1e-7, atol=1e-8)


@pytest.mark.parametrize("f", FUNCTIONS.values(), ids=FUNCTIONS)
def test_hessian_against_differences(f):
    np.testing.assert_allclose(fg.hessian(f)(X), differences(fg.jacrev(f), X), rtol=1e-6, atol=1e-7)


def test_jacobian_is_jacrev():
    assert fg.jacobian is fg.jacrev


# Structure: in the place of each leaf of the result a tree like the arguments.


@BOTH
@pytest.mark.parametrize(
    "f, argnums, expected",
    [
        (lambda x, y: (x, y), 0, (1.0, 0.0)),
        (lambda x, y: (x, y), 1, (0.0, 1.0)),
        (lambda x, y: (x, y), -1, (0.0, 1.0)),
        (lambda x, y: (x, y), (0, 1), ((1.0, 0.0), (0.0, 1.0))),
        (lambda x, y: (x, y), [1], ((0.0,), (1.0,))),
        (lambda x, y: {"p": x * y, "q": None}, (1, 0), {"p": (2.0, 3.0), "q": None}),
        (lambda x, y: Point(x * x, [y]), 0, Point(4.0, [0.0])),
        (lambda x, y: 5.0, (0, 1), (0.0, 0.0)),
        (lambda x, y: (), 0, ()),
    ],
)
def test_structure_and_argnums(jac, f, argnums, expected):
    found = jac(f, argnums)(2.0, 3.0)
    assert fg.tree.structure(found) == fg.tree.structure(expected)
    assert [float(x) for x in fg.tree.leaves(found)] == fg.tree.leaves(expected)


@BOTH
def test_blocks_of_pytrees(jac):
    x, y = np.array([1.0, 2.0]), np.array([[3.0, 4.0, 5.0]])
    found = jac(lambda p: {"x": p["x"], "xy": fnp.outer(p["x"], p["y"]), "s": p["c"] * 2})({"x": x, "y": y, "c": 7.0})
    eye = np.eye(2)
    expected = {
        "x": {"x": eye, "y": np.zeros((2, 1, 3)), "c": np.zeros(2)},
        "xy": {
            "x": np.einsum("j,ik->ijk", y[0], eye),
            "y": np.einsum("i,jk->ijk", x, np.eye(3)).reshape(2, 3, 1, 3),
            "c": np.zeros((2, 3)),
        },
        "s": {"x": np.zeros(2), "y": np.zeros((1, 3)), "c": np.array(2.0)},
    }
    fg.tree.map(np.testing.assert_array_equal, expected, found)
    fg.tree.map(np.testing.assert_array_equal, found, expected)


@BOTH
def test_sequences_are_pytrees(jac):
    assert fg.tree.map(float, jac(lambda x: x[:2])((1.0, 2.0, 3.0))) == ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0))


@BOTH
def test_other_arguments(jac):
    f = lambda x, word, power=1: x**power if word == "power" else x
    assert float(jac(f)(3.0, "power", power=2)) == 6.0
    assert jac(f).__name__ == f.__name__


@BOTH
def test_one_leaf_returned_twice(jac):
    def f(x):
        y = x * x
        return y, y, x

    first, second, third = jac(f)(np.array([1.0, 3.0]))
    assert first.tolist() == second.tolist() == [[2.0, 0.0], [0.0, 6.0]] and third.tolist() == [[1.0, 0.0], [0.0, 1.0]]


def test_hessian_of_pytrees():
    found = fg.hessian(lambda x: fnp.array(x) ** 2)((1.0, 2.0))
    assert [[h.tolist() for h in row] for row in found] == [[[2.0, 0.0], [0.0, 0.0]], [[0.0, 0.0], [0.0, 2.0]]]
    found = fg.hessian(lambda x, y: {"v": x * y**2}, (0, 1))(2.0, np.array([3.0, 5.0]))["v"]
    assert found[0][0].tolist() == [0.0, 0.0]
    assert found[0][1].tolist() == found[1][0].tolist() == [[6.0, 0.0], [0.0, 10.0]]
    assert found[1][1].tolist() == [[[4.0, 0.0], [0.0, 0.0]], [[0.0, 0.0], [0.0, 4.0]]]


@pytest.mark.parametrize("outer", [fg.jacfwd, fg.jacrev])
@pytest.mark.parametrize("inner", [fg.jacfwd, fg.jacrev])
@pytest.mark.parametrize("i, j", [(0, 0), (0, 1), (1, 0), (1, 1)])
def test_all_pairs_of_modes_and_arguments(outer, inner, i, j):
    args = np.linspace(0.5, 1.5, 5), np.array([0.3, 0.7])
    f = lambda x, u: fnp.sum(fnp.sin(x)) * u @ u
    x, u = args
    blocks = {
        (0, 0): np.diag(-np.sin(x)) * (u @ u),
        (1, 1): 2 * np.sin(x).sum() * np.eye(2),
        (0, 1): np.outer(np.cos(x), 2 * u),
        (1, 0): np.outer(2 * u, np.cos(x)),
    }
    np.testing.assert_allclose(outer(inner(f, i), j)(*args), blocks[i, j], atol=1e-14)


# aux


@BOTH
def test_aux(jac):
    found, aux = jac(lambda x: (x**3, {"square": x**2, "words": "as they are"}), has_aux=True)(np.array([1.0, 2.0]))
    assert found.tolist() == [[3.0, 0.0], [0.0, 12.0]]
    assert aux["square"].tolist() == [1.0, 4.0] and type(aux["square"]) is fg.Array and aux["words"] == "as they are"


@BOTH
def test_aux_is_differentiated_by_who_asks(jac):
    def f(x):
        _, (cube,) = jac(lambda x: (x**3, [x**3]), has_aux=True)(x)
        return cube * fnp.sin(x)

    assert float(jac(f)(4.0)) == pytest.approx(3 * 16 * np.sin(4.0) + 64 * np.cos(4.0))


def test_aux_of_hessian():
    found, aux = fg.hessian(lambda x: (x @ x, x), has_aux=True)(np.array([1.0, 2.0]))
    assert found.tolist() == [[2.0, 0.0], [0.0, 2.0]] and aux.tolist() == [1.0, 2.0]


# dtypes


@pytest.mark.parametrize("jac, source", [(fg.jacfwd, "result"), (fg.jacrev, "argument")])
def test_dtypes_of_blocks(jac, source):
    x, y = np.array([2.0], np.float16), np.array([3.0], np.float32)
    found = jac(lambda p: (p[0], p[1], p[0] + p[1]))((x, y))
    dtypes = {"result": [np.float16, np.float32, np.float32], "argument": [np.float16, np.float32]}[source]
    for k, row in enumerate(found):
        for j, block in enumerate(row):
            assert block.dtype == dtypes[k if source == "result" else j]
    assert [[float(b[0, 0]) for b in row] for row in found] == [[1.0, 0.0], [0.0, 1.0], [1.0, 1.0]]


@BOTH
def test_single_precision_stays_single(jac):
    assert jac(lambda x: fnp.sin(x) * 2.0)(np.ones(2, np.float32)).dtype == np.float32
    assert fg.hessian(lambda x: fnp.sum(x**3))(np.ones(2, np.float32)).dtype == np.float32


@BOTH
def test_holomorphic(jac):
    z = np.array([1 + 2j, 0.5 - 1j])
    f = lambda z: fnp.sin(z) * z[0]
    expected = np.diag(np.cos(z) * z[0])
    expected[:, 0] += np.sin(z)
    np.testing.assert_allclose(jac(f, holomorphic=True)(z), expected, rtol=1e-14)


def test_hessian_of_a_holomorphic_function():
    a = np.array([[1.0, 2.0], [5.0, 3.0]])
    z = np.array([1 + 2j, 3 - 1j], np.complex64)
    found = fg.hessian(lambda z: z @ (a.astype(z.dtype) @ z), holomorphic=True)(z)
    assert found.dtype == np.complex64
    np.testing.assert_allclose(found, a + a.T, rtol=1e-6)


def test_complex_results_of_real_arguments():
    x = np.array([0.3, 0.6])
    np.testing.assert_allclose(fg.jacfwd(lambda x: fnp.exp(1j * x))(x), np.diag(1j * np.exp(1j * x)))


def test_real_results_of_complex_arguments():
    z = np.array([1 + 1j, 2 + 1j])
    np.testing.assert_allclose(fg.jacrev(lambda z: fnp.abs(z) ** 2)(z), np.diag(2 * z.conj()), rtol=1e-14)
    f = lambda z: fnp.cos(fnp.linalg.norm(2 * z))
    np.testing.assert_array_equal(fg.jacrev(f)(z), fg.grad(f)(z))


def test_integers():
    # zeros of the integer's own dtype, as jax 0.10 gives them
    found = fg.jacfwd(lambda x: (x.astype(int), 2 * x))(np.array([1.0, 2.0]))
    assert found[0].dtype == int and found[0].tolist() == [[0, 0], [0, 0]] and found[1].tolist() == [[2, 0], [0, 2]]
    found = fg.jacrev(lambda i, x: i * x, (0, 1), allow_int=True)(np.arange(2), np.array([1.0, 2.0]))
    assert found[0].dtype == int and found[0].tolist() == [[0, 0], [0, 0]] and found[1].tolist() == [[0, 0], [0, 1]]
    assert fg.jacrev(lambda i: i * 1.5, allow_int=True)(np.arange(2)).tolist() == [[0, 0], [0, 0]]


# Sizes


@BOTH
@pytest.mark.parametrize(
    "f, shape, expected",
    [
        (lambda x: 2 * x, (0,), (0, 0)),
        (lambda x: fnp.sum(x), (0, 3), (0, 3)),
        (lambda x: x, (0, 3), (0, 3, 0, 3)),
        (lambda x: fnp.ones((2, 2)) * fnp.sum(x), (0,), (2, 2, 0)),
        (lambda x: x[:0], (2,), (0, 2)),
        (lambda x: x[0], (2,), (2,)),
        (lambda x: x * fnp.ones((1, 1, 1)), (1,), (1, 1, 1, 1)),
        (lambda x: x.reshape(()), (1, 1), (1, 1)),
        (lambda x: x, (), ()),
    ],
)
def test_shapes_with_few_elements(jac, f, shape, expected):
    found = jac(f)(np.ones(shape))
    assert found.shape == expected and found.dtype == np.float64
    assert found.size == 0 or float(np.max(found)) == 1.0


@BOTH
def test_empty_leaves_beside_others(jac):
    f = lambda x, y: (x * fnp.ones(2), y, x * 3)
    found = jac(f, (0, 1))(2.0, np.zeros(0))
    assert [[b.shape for b in row] for row in found] == [[(2,), (2, 0)], [(0,), (0, 0)], [(), (0,)]]
    assert found[0][0].tolist() == [1.0, 1.0] and float(found[2][0]) == 3.0
    one, none = jac(lambda x, y: (x[0], y), (0, 1))(np.array([2.0]), np.zeros((0, 2)))
    assert [b.shape for b in (*one, *none)] == [(1,), (0, 2), (0, 2, 1), (0, 2, 0, 2)] and one[0].tolist() == [1.0]


@BOTH
def test_no_arguments_to_speak_of(jac):
    assert jac(lambda x: 1.0)(()) == () and jac(lambda x: (x[0], None))([2.0])[1] is None


# What runs


@pytest.mark.parametrize("jac", [fg.jacfwd, fg.jacrev, fg.hessian])
def test_the_function_runs_once_on_known_values(jac):
    calls = []

    def f(x):
        calls.append(x.shape)
        assert bool(x[0] > 0) and float(fg.stop_gradient(x[0])) == 0.5
        return fnp.sum(fnp.sin(x)) if x[0] > 0 else x[0]

    jac(f)(np.array([0.5, 1.0]))
    assert calls == [(2,)]


# With other transforms


def test_inside_and_around_other_transforms():
    f = lambda x: fnp.sum(x**3) * x[0]
    hessian = lambda x: 3 * (np.eye(2)[0][:, None] * x**2 + (np.eye(2)[0][:, None] * x**2).T) + 6 * np.diag(x) * x[0]
    xs = np.array([[1.0, 2.0], [0.5, -1.0], [3.0, 0.1]])
    np.testing.assert_allclose(fg.vmap(fg.hessian(f))(xs), [hessian(x) for x in xs])
    np.testing.assert_allclose(fg.make_tape(fg.hessian(f))(xs[0])(xs[1]), hessian(xs[1]))
    trace = lambda x: fnp.trace(fg.hessian(f)(x))  # 6 x0² + 6 x0 (x0 + x1)
    np.testing.assert_allclose(fg.grad(trace)(xs[0]), [12 * 1.0 + 12 * 1.0 + 6 * 2.0, 6 * 1.0])
    _, tangent = fg.jvp(fg.hessian(f), (xs[0],), (np.array([1.0, 0.0]),))
    np.testing.assert_allclose(tangent, differences(fg.hessian(f), xs[0])[..., 0], rtol=1e-7)


@BOTH
def test_of_a_function_of_outer_values(jac):
    found = fg.grad(lambda a: fnp.sum(jac(lambda x: a**2 * fnp.sin(x))(fnp.array([0.3, 0.6]))))(3.0)
    assert float(found) == pytest.approx(6 * (np.cos(0.3) + np.cos(0.6)))
    found = fg.vmap(lambda a: jac(lambda x: a * x)(fnp.ones(2)))(np.array([1.0, 2.0]))
    np.testing.assert_array_equal(found, [np.eye(2), 2 * np.eye(2)])


@BOTH
def test_nobody_can_write_to_anything(jac):
    x = np.array([1.0, 2.0])
    found, same = jac(lambda x: (x, x), has_aux=True)(x)
    x[:] = 9.0
    assert found.tolist() == [[1.0, 0.0], [0.0, 1.0]] and same.tolist() == [1.0, 2.0]
    with pytest.raises(ImmutableArrayError):
        found[0, 0] = 5.0
    with pytest.raises(ValueError, match="read-only"):
        np.asarray(found, copy=False)[0, 0] = 5.0


# Errors


@pytest.mark.parametrize(
    "jac, f, args, options, words",
    [
        (fg.jacfwd, lambda x: x, (1,), {}, r"jacfwd requires real-valued inputs.*int64 for argument 0\. .*jvp"),
        (fg.jacfwd, lambda x: x, ({"a": 1j},), {}, r"complex128 for argument 0 at \['a'\].*holomorphic=True"),
        (fg.jacfwd, lambda x: x, (1.0,), {"holomorphic": True}, r"inputs with complex dtype, but got float64"),
        (fg.jacfwd, lambda z: (z, z.real), (1j,), {"holomorphic": True}, r"outputs with complex.*result.*at \[1\]"),
        (fg.jacrev, lambda x: x, (True,), {}, r"jacrev requires real- or complex-valued.*bool.*allow_int"),
        (fg.jacrev, lambda x: x, (1.0,), {"holomorphic": True}, r"inputs with complex dtype, but got float64"),
        (fg.jacrev, lambda z: z.real, (1j,), {"holomorphic": True}, r"outputs with complex dtype, but got float64"),
        (fg.jacrev, lambda x: [x, x * 1j], (1.0,), {}, r"real-valued outputs.*complex128.*at \[1\].*holomorphic"),
        (fg.jacrev, lambda x: x > 0, (1.0,), {}, r"real-valued outputs.*bool for the result"),
        (fg.hessian, lambda x: x, (3,), {}, "argument 0"),
    ],
)
def test_dtypes_without_derivatives(jac, f, args, options, words):
    with pytest.raises(ArgumentError, match=words):
        jac(f, **options)(*args)


@BOTH
def test_wrong_use(jac):
    with pytest.raises(ArgumentError, match="takes a function, got 3"):
        jac(3)
    with pytest.raises(ArgumentError, match="argnums"):
        jac(lambda x: x, "x")
    with pytest.raises(ArgumentError, match="argnums=2 requires at least 3 positional arguments"):
        jac(lambda x, y: x, 2)(1.0, 2.0)
    with pytest.raises(ArgumentError, match="names an argument twice"):
        jac(lambda x, y: x, (0, -2))(1.0, 2.0)
    with pytest.raises(ArgumentError, match=r"argument 1 at \[0\].*'word'"):
        jac(lambda x, y: x, 1)(1.0, ["word"])
    with pytest.raises(ArgumentError, match=f"{jac.__name__}: the result of the function.*'word'"):
        jac(lambda x: "word")(1.0)
    with pytest.raises(ArgumentError, match=r"pair \(result, aux\)"):
        jac(lambda x: x, has_aux=True)(1.0)


# hvp


def test_hvp_is_the_hessian_times_the_vector():
    f = lambda x: fnp.sum(fnp.cos(x) * x[::-1] ** 2)
    x, v = np.array([0.4, 1.2, -0.3]), np.array([1.0, -2.0, 0.5])
    np.testing.assert_allclose(fg.hvp(f, (x,), (v,)), np.asarray(fg.hessian(f)(x)) @ v)


def test_hvp_of_pytrees_and_of_several_arguments():
    p, v = {"a": np.array([1.0, 2.0]), "b": 3.0}, {"a": np.array([1.0, 0.0]), "b": 1.0}
    found = fg.hvp(lambda p: fnp.sum(p["a"] ** 2) * p["b"], (p,), (v,))
    assert found["a"].tolist() == [2 * 3.0 + 2 * 1.0, 2 * 2.0] and float(found["b"]) == 2.0
    found = fg.hvp(lambda x, y: x**2 * y, (3.0, 5.0), (1.0, 10.0))
    assert type(found) is tuple and [float(h) for h in found] == [10.0 + 60.0, 6.0]


def test_hvp_in_a_batch_of_vectors_is_the_hessian():
    f, x = lambda x: fnp.prod(x), np.array([2.0, 3.0, 5.0])
    found = fg.vmap(lambda v: fg.hvp(f, (x,), (v,)))(np.eye(3))
    np.testing.assert_allclose(found, [[0, 5, 3], [5, 0, 2], [3, 2, 0]])


@pytest.mark.parametrize(
    "f, primals, tangents, error, words",
    [
        (lambda x: x, np.ones(2), np.ones(2), ArgumentError, r"hvp\(f, \(x,\), \(v,\)\)"),
        (lambda: 1.0, (), (), ArgumentError, "tuples"),
        (lambda x: x, (np.ones(2),), (np.ones(2),), ShapeError, r"scalar.*\(2,\)"),
        (lambda x: x @ x, (np.ones(2),), (np.ones(3),), ShapeError, r"\(2,\).*\(3,\)"),
        (lambda x: x @ x, (np.ones(2),), ([np.ones(2)],), TreeError, "structure"),
        (lambda x: x * 1.0, (1,), (1,), ArgumentError, "argument 0"),
    ],
)
def test_hvp_errors(f, primals, tangents, error, words):
    with pytest.raises(error, match=words):
        fg.hvp(f, primals, tangents)
