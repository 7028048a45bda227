"""Contractions beyond what their samples cover: kept memory, cost of the rules, numbers from JAX, shape errors."""

import tracemalloc

import numpy as np
import pytest

import funcgrad as fg
from funcgrad.core.types import ShapeDtypeStruct
from funcgrad.ops import contract
from funcgrad.ops.polynomial import roots
from funcgrad.testing import check_grads

rng = np.random.default_rng(0)
x, y = np.array([1 + 2j, 3 - 1j]), np.array([2 - 1j, 1j])
A = np.array([[1 + 1j, 2], [0, 1 - 1j]])


@pytest.mark.parametrize(
    "primitive, args, g, expected",
    [
        (contract.vecdot, (x, y), np.complex128(1 + 1j), ([3 - 1j, -1 - 1j], [3 - 1j, 2 + 4j])),
        (contract.vecmat, (x, A), y, ([3 - 3j, 1 - 1j], [[-5j, 2 + 1j], [7 - 1j, -1 + 3j]])),
        (contract.matmul, (A, x), y, ([[4 + 3j, 5 - 5j], [-2 + 1j, 1 + 3j]], [3 + 1j, 5 - 1j])),
        (contract.matvec, (A, x), y, ([[4 + 3j, 5 - 5j], [-2 + 1j, 1 + 3j]], [3 + 1j, 5 - 1j])),
    ],
)
def test_complex_cotangents_are_those_of_jax(primitive, args, g, expected):
    for got, e in zip(fg.vjp(primitive, *args)[1](g), expected, strict=True):
        np.testing.assert_allclose(np.asarray(got), e)


@pytest.mark.parametrize("primitive", [contract.matmul, contract.dot])
def test_only_the_operands_that_rules_name_are_kept(primitive):
    a, w = rng.normal(size=(8, 4)), rng.normal(size=(4, 2))
    assert fg.vjp(primitive, a, w)[1].tape.residual_bytes == a.nbytes + w.nbytes
    assert fg.vjp(lambda a: primitive(a, w), a)[1].tape.residual_bytes == w.nbytes
    assert fg.vjp(lambda w: primitive(a, w), w)[1].tape.residual_bytes == a.nbytes


@pytest.mark.parametrize("shapes", [((500, 4, 30), (30, 30)), ((500, 4, 30), (1, 30, 30)), ((400, 30), (200, 30, 3))])
def test_no_batch_of_products_is_made_for_a_single_matrix(shapes):
    a, w = [rng.normal(size=s) for s in shapes]
    out, pullback = fg.vjp(contract.matmul, a, w)
    g = np.ones(out.shape)
    pullback(g)
    tracemalloc.start()
    pullback(g)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 3 * (a.nbytes + w.nbytes + g.nbytes)


def test_negative_strides():
    a, v = rng.normal(size=(2, 3))[::-1, ::-1], rng.normal(size=3)[::-1]
    check_grads(contract.matvec, (a, v), order=2)
    check_grads(contract.vecmat, (v, a.T), order=2)
    check_grads(lambda a, v: contract.einsum(a, v, subscripts="ab,b->a"), (a, v), order=2)


@pytest.mark.parametrize(
    "subscripts", ["abc,bcd->ad", "abc,cbd->da", "abc,dabe->dec", "ab,ab->", "ab,ab->b", "ab,cd->cab"]
)
@pytest.mark.parametrize("layout", [lambda a: a, lambda a: a[..., ::-1], lambda a: np.asfortranarray(a)])
def test_einsum_by_matmul_is_numpys_einsum(subscripts, layout):
    sizes = dict(zip("abcde", (4, 3, 5, 2, 6), strict=True))
    operands = [layout(rng.normal(size=[sizes[c] for c in word])) for word in subscripts.split("->")[0].split(",")]
    np.testing.assert_allclose(
        contract.einsum(*operands, subscripts=subscripts), np.einsum(subscripts, *operands), rtol=1e-12
    )
    whole = [np.rint(10 * a).astype(int) for a in operands]
    got = contract.einsum(*whole, subscripts=subscripts)
    assert got.dtype == int
    np.testing.assert_array_equal(got, np.einsum(subscripts, *whole))


@pytest.mark.parametrize(
    "primitive, shapes, params",
    [
        (contract.matmul, ((2, 3), (2, 3)), {}),
        (contract.matmul, ((), (2, 3)), {}),
        (contract.matmul, ((2, 1, 3), (3, 3, 2)), {}),
        (contract.vecdot, ((3,), (2,)), {}),
        (contract.matvec, ((3,), (3,)), {}),
        (contract.dot, ((2, 3), (2, 3)), {}),
        (contract.dot, ((3,), (2,)), {}),
        (contract.tensordot, ((2, 3), (2, 3)), {"axes": ((1,), (0,))}),
    ],
)
def test_shape_rules_refuse_what_numpy_refuses(primitive, shapes, params):
    kinds = [ShapeDtypeStruct(s, float) for s in shapes]
    with pytest.raises(ValueError):
        primitive.impl(*[np.ones(s) for s in shapes], **params)
    with pytest.raises(ValueError):
        primitive.shape(*kinds, **params)


def test_tape_of_a_large_product_computes_nothing():
    big = ShapeDtypeStruct((10**5, 10**5), "float32")
    assert fg.eval_shape(contract.matmul, big, big) == big


def test_roots_move_as_the_implicit_function_says():
    # (t - 1)(t - 2): dr = -(r², r, 1) / (2 r - 3); recorded from jax.jacobian of sorted roots
    p = np.array([1.0, -3.0, 2.0])
    out, pullback = fg.vjp(roots, p)
    expected = {1.0: [1.0, 1.0, 1.0], 2.0: [-4.0, -2.0, -1.0]}
    for i in range(2):
        (got,) = pullback(np.eye(2, dtype=complex)[i])
        np.testing.assert_allclose(np.asarray(got), expected[round(np.asarray(out)[i].real, 12)], rtol=1e-12)


def test_matvec_and_vecmat_as_older_numpy_gets_them():
    a, v, u = rng.normal(size=(2, 1, 3, 4)), rng.normal(size=(5, 4)), rng.normal(size=(5, 3)) + 1j
    np.testing.assert_allclose(contract._numpy_matvec(a, v), np.einsum("bcij,cj->bci", np.repeat(a, 5, 1), v))
    np.testing.assert_allclose(contract._numpy_vecmat(u, a), np.einsum("ci,bcij->bcj", u.conj(), np.repeat(a, 5, 1)))
