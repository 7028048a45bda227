"""matmul and its kin, einsum, products and convolution: values are NumPy's, derivatives those of finite differences."""

import numpy as np
import pytest

import funcgrad as fg
import funcgrad.numpy as fnp
from funcgrad.errors import FuncgradError, LostTraceError
from funcgrad.testing import check_grads

rng = np.random.default_rng(1)


def draw(*shape):
    return rng.normal(size=shape)


def values_and_derivatives(name, args, **options):
    """f on raw arrays and np's f on Arrays give NumPy's values, dtypes and shapes; then the derivatives."""
    ours, theirs = getattr(fnp, name), getattr(np, name)
    expected = theirs(*args, **options)
    for got in (ours(*args, **options), theirs(*[fnp.asarray(a) for a in args], **options)):
        assert isinstance(got, fg.Array)
        assert got.dtype == expected.dtype and got.shape == expected.shape
        np.testing.assert_allclose(np.asarray(got), expected, rtol=1e-12, atol=1e-14)
    check_grads(lambda *xs: ours(*xs, **options), args, order=2)


PAIRS = [
    ("matmul", (3,), (3,)),
    ("matmul", (2, 3), (3,)),
    ("matmul", (4, 1, 2, 3), (3, 3, 2)),
    ("dot", (3,), (3,)),
    ("dot", (2, 3), (3, 4)),
    ("dot", (2, 2, 3), (3, 4)),
    ("dot", (2, 3), (2, 3, 4)),
    ("dot", (3,), (2, 3, 4)),
    ("dot", (2, 2, 3), (3,)),
    ("dot", (), (2, 3)),
    ("vdot", (2, 3), (3, 2)),
    ("vecdot", (2, 3), (3,)),
    ("inner", (2, 3), (4, 3)),
    ("inner", (3,), (2, 2, 3)),
    ("inner", (2, 3), ()),
    ("outer", (2, 2), (3,)),
    ("outer", (), (3,)),
    ("kron", (2,), (3,)),
    ("kron", (2, 1), (2, 2, 3)),
    ("kron", (), (2,)),
]


@pytest.mark.parametrize("name, a, b", PAIRS)
def test_products_of_two_arrays(name, a, b):
    values_and_derivatives(name, (draw(*a), draw(*b)))


@pytest.mark.skipif(not hasattr(np, "vecmat"), reason="new in NumPy 2.2")
@pytest.mark.parametrize("name, a, b", [("matvec", (2, 1, 2, 3), (4, 3)), ("vecmat", (2, 3), (2, 3, 4))])
def test_products_of_matrices_with_vectors(name, a, b):
    values_and_derivatives(name, (draw(*a), draw(*b)))


@pytest.mark.parametrize("name", ["matmul", "dot", "vdot", "vecdot", "inner", "outer", "kron", "convolve", "correlate"])
def test_dtypes_are_numpys(name):
    for a in (np.arange(3), np.arange(3, dtype=np.float32), np.arange(3) + 1j, np.array([True, False, True])):
        for b in (np.arange(3, dtype=np.int8), np.arange(3, dtype=np.float32)):
            expected = getattr(np, name)(a, b)
            got = getattr(fnp, name)(a, b)
            assert got.dtype == expected.dtype
            np.testing.assert_allclose(np.asarray(got), expected)


def test_the_first_operand_is_conjugated_where_numpy_does():
    x, y, A = draw(3) + 1j * draw(3), draw(3) + 1j * draw(3), draw(3, 2) + 1j * draw(3, 2)
    for name, second in (("vdot", y), ("vecdot", y), ("vecmat", A), ("correlate", y)):
        if hasattr(np, name):
            values_and_derivatives(name, (x, second))
    # recorded from jax.vjp(jnp.vdot, ...)
    _, pullback = fg.vjp(fnp.vdot, np.array([1 + 2j, 3 - 1j]), np.array([2 - 1j, 1j]))
    a, b = pullback(1 + 1j)
    np.testing.assert_allclose(np.asarray(a), [3 - 1j, -1 - 1j])
    np.testing.assert_allclose(np.asarray(b), [3 - 1j, 2 + 4j])
    z = np.array([1 + 2j, 3 - 1j])
    np.testing.assert_allclose(np.asarray(fg.grad(lambda z: fnp.vdot(z, z).real)(z)), 2 * z.conj())


def test_vecdot_along_another_axis():
    values_and_derivatives("vecdot", (draw(3, 2), draw(3, 1)), axis=0)


@pytest.mark.parametrize("axes", [0, 1, 2, (1, 0), ([1, 0], [0, 1]), ([-1], [0]), ([], [])])
def test_tensordot(axes):
    values_and_derivatives("tensordot", (draw(2, 3), draw(3, 2) if axes != 2 else draw(2, 3)), axes=axes)


def test_products_of_lists_that_hold_tracers():
    gradient = fg.grad(lambda t: fnp.dot([t, 2 * t], [3.0, t]))(5.0)
    assert gradient == 3 + 4 * 5.0
    assert fg.grad(lambda t: (fnp.array([[t, 0.0], [0.0, t]]) @ [1.0, 2.0])[1])(1.0) == 2.0


def test_products_with_mixed_precision_give_each_operand_its_own():
    a, b = draw(2, 3).astype(np.float32), draw(3, 2)
    for f in (fnp.matmul, fnp.dot, lambda a, b: fnp.einsum("ij,jk", a, b), lambda a, b: fnp.tensordot(a, b, 1)):
        out, pullback = fg.vjp(f, a, b)
        ga, gb = pullback(np.ones((2, 2)))
        assert (out.dtype, ga.dtype, gb.dtype) == (np.float64, np.float32, np.float64)
    assert fnp.matmul(a, a.T, dtype=np.float64).dtype == np.float64


@pytest.mark.parametrize(
    "call",
    [
        lambda: fnp.matmul(2.0, np.ones(2)),
        lambda: fnp.matmul(np.ones((2, 3)), np.ones((2, 3))),
        lambda: fnp.dot(np.ones(3), np.ones(2)),
        lambda: fnp.dot(np.ones((2, 2, 3)), np.ones((2, 2))),
        lambda: fnp.inner(np.ones(3), np.ones((2, 2))),
        lambda: fnp.vdot(np.ones(3), np.ones(2)),
        lambda: fnp.tensordot(np.ones((2, 3)), np.ones((2, 3)), 1),
        lambda: fnp.tensordot(np.ones(2), np.ones(2), 2),
        lambda: fnp.tensordot(np.ones((2, 2)), np.ones((2, 2)), ([0, 0], [0, 1])),
        lambda: fnp.cross(np.ones(4), np.ones(4)),
        lambda: fnp.cross(1.0, np.ones(3)),
        lambda: fnp.trace(np.ones(3)),
        lambda: fnp.trace(np.ones((2, 2)), axis1=1),
        lambda: fnp.convolve(np.ones(0), np.ones(2)),
        lambda: fnp.convolve(np.ones((2, 2)), np.ones(2)),
        lambda: fnp.convolve(np.ones(2), np.ones(2), "middle"),
    ],
)
def test_operands_that_do_not_fit_are_refused(call):
    with pytest.raises(ValueError):
        call()


def test_out_is_refused():
    buffer, a = np.zeros((2, 2)), draw(2, 2)
    for call in (fnp.dot, fnp.outer, fnp.matmul, lambda *xs, out: fnp.einsum("ij,jk", *xs, out=out)):
        with pytest.raises(LostTraceError):
            call(a, a, out=buffer)


# Cross products and traces.


@pytest.mark.parametrize(
    "a, b, options",
    [
        ((3,), (3,), {}),
        ((2, 3), (3,), {}),
        ((3, 2), (3, 2), {"axis": 0}),
        ((3, 2), (2, 3), {"axisa": 0, "axisc": 0}),
    ],
)
def test_cross(a, b, options):
    values_and_derivatives("cross", (draw(*a), draw(*b)), **options)


@pytest.mark.parametrize("a, b", [((2,), (2,)), ((4, 2), (3,)), ((3,), (4, 2)), ((4, 2), (4, 2))])
def test_cross_of_plane_vectors_is_deprecated_as_in_numpy(a, b):
    a, b = draw(*a), draw(*b)
    a3, b3 = (np.concatenate([v, np.zeros((*v.shape[:-1], 3 - v.shape[-1]))], axis=-1) for v in (a, b))
    expected = np.cross(a3, b3)[..., 2] if a.shape[-1] == b.shape[-1] == 2 else np.cross(a3, b3)
    with pytest.warns(DeprecationWarning, match="2-dimensional vectors"):
        got = fnp.cross(a, b)
    np.testing.assert_allclose(np.asarray(got), expected)


@pytest.mark.parametrize(
    "shape, options", [((3, 3), {}), ((2, 4), {"offset": 1}), ((2, 3, 4), {"axis1": 2, "axis2": 0})]
)
def test_trace(shape, options):
    values_and_derivatives("trace", (draw(*shape),), **options)


# einsum.

CASES = [
    ("ij,jk->ik", (2, 3), (3, 4)),
    ("ij,jk", (2, 3), (3, 4)),
    ("ba", (2, 3)),
    ("ii", (3, 3)),
    ("ii->i", (3, 3)),
    ("iii->i", (2, 2, 2)),
    ("iijj->ji", (2, 2, 3, 3)),
    ("ij->", (2, 3)),
    ("ij->j", (2, 3)),
    ("iij,jkk->ik", (2, 2, 3), (3, 4, 4)),
    ("...ij,...jk->...ik", (2, 1, 2, 3), (4, 3, 2)),
    ("...ij,jk", (2, 2, 3), (3, 2)),
    ("i...,i...->...", (3, 1, 2), (3, 4, 1)),
    ("...", (2, 3)),
    ("b i j , b j k -> b i k", (2, 3, 4), (2, 4, 2)),
    ("ij,kj->", (2, 3), (4, 3)),
    ("ij,jk->ik", (2, 1), (3, 4)),
    ("i,ij->", (1,), (2, 3)),
    (",ij->ji", (), (2, 3)),
    ("ij,jk->ik", (0, 3), (3, 2)),
    ("ij,jk->ik", (2, 0), (0, 2)),
    ("i,j,k->kj", (2,), (3,), (4,)),
    ("i,i,i->i", (3,), (3,), (3,)),
    ("ij,jk,kl->il", (2, 3), (3, 4), (4, 2)),
    ("ij,jk,kl,lm->mi", (2, 3), (3, 4), (4, 3), (3, 2)),
    ("ij,ij,jk->ik", (2, 3), (2, 3), (3, 2)),
    ("ij...,jk...,k->ik...", (2, 3, 2), (3, 2, 1), (2,)),
]


@pytest.mark.parametrize("subscripts, shapes", [(c[0], c[1:]) for c in CASES], ids=lambda v: str(v).replace(" ", ""))
def test_einsum(subscripts, shapes):
    xs = [draw(*s) for s in shapes]
    expected = np.einsum(subscripts, *xs)
    for optimize in ("greedy", "optimal", True, False):
        got = fnp.einsum(subscripts, *xs, optimize=optimize)
        assert got.shape == np.shape(expected)
        np.testing.assert_allclose(np.asarray(got), expected, rtol=1e-12, atol=1e-14)
    check_grads(lambda *xs: np.einsum(subscripts, *xs), tuple(xs), order=2)


def test_einsum_takes_lists_of_labels():
    a, b = draw(2, 3), draw(3, 4)
    for args in ((a, [0, 1], b, [1, 2]), (a, [0, 30], b, [30, 2], [2, 0]), (a, [1, 0]), (a, [..., 1], [1, ...])):
        np.testing.assert_allclose(np.asarray(fnp.einsum(*args)), np.einsum(*args), rtol=1e-12)


def test_einsum_of_integers_and_booleans_keeps_their_dtype():
    for x in (np.array([True, True]), np.arange(3, dtype=np.int32)):
        for subscripts, xs in (("i->", (x,)), ("i,i->", (x, x)), ("i,i->i", (x, x))):
            expected, got = np.einsum(subscripts, *xs), fnp.einsum(subscripts, *xs)
            assert got.dtype == expected.dtype
            assert np.array_equal(np.asarray(got), expected)


def test_einsum_result_is_no_view_of_the_callers_array():
    x = np.ones((2, 2))
    y = fnp.einsum("ii->i", x)
    x[:] = 5.0
    assert y.tolist() == [1.0, 1.0]


def test_einsum_follows_a_path_and_multiplies_in_pairs():
    xs = [draw(2, 3), draw(3, 4), draw(4, 5)]
    path = fnp.einsum_path("ij,jk,kl", *xs)[0]
    assert path == np.einsum_path("ij,jk,kl", *xs)[0]
    expected = np.einsum("ij,jk,kl", *xs)
    for optimize in (path, ["einsum_path", (1, 2), (0, 1)], ["einsum_path", (0, 1, 2)]):
        np.testing.assert_allclose(np.asarray(fnp.einsum("ij,jk,kl", *xs, optimize=optimize)), expected, rtol=1e-12)
    tape = fg.make_tape(lambda *xs: fnp.einsum("ij,jk,k", *xs))(draw(50, 50), draw(50, 50), draw(50))
    assert [e.shape for e in tape.equations] == [(50,), (50,)]  # matrix times vector, twice


@pytest.mark.parametrize(
    "args",
    [
        ("ij", np.ones((2, 3, 3))),
        ("...ij", np.ones(2)),
        ("ij->k", np.ones((2, 3))),
        ("ij->ii", np.ones((2, 3))),
        ("ii", np.ones((1, 3))),
        ("ij,jk", np.ones((2, 3)), np.ones((4, 4))),
        ("ij,jk", np.ones((2, 3))),
        ("i-j", np.ones(2)),
        ("i.", np.ones(2)),
        (),
    ],
)
def test_malformed_subscripts_are_refused(args):
    with pytest.raises(ValueError):
        np.einsum(*args)
    with pytest.raises(ValueError):
        fnp.einsum(*args)


@pytest.mark.parametrize("labels", [["i"], [52], [-1], 0])
def test_labels_that_are_no_integers_are_refused(labels):
    with pytest.raises(ValueError, match="lists of integers"):
        fnp.einsum(np.ones(2), labels)


def test_einsum_path_does_not_have_numpys_internal_option():
    with pytest.raises(FuncgradError):
        fnp.einsum_path("i,i", np.ones(2), np.ones(2), einsum_call=True)


# Convolution.


@pytest.mark.parametrize("mode", ["full", "same", "valid"])
@pytest.mark.parametrize("n, m", [(5, 2), (5, 3), (4, 4), (2, 5), (3, 4), (1, 1), (1, 3), (6, 1)])
@pytest.mark.parametrize("name", ["convolve", "correlate"])
def test_convolution(name, n, m, mode):
    values_and_derivatives(name, (draw(n), draw(m)), mode=mode)
    values_and_derivatives(name, (draw(n) + 1j * draw(n), draw(m) + 1j * draw(m)), mode=mode)


PRODUCTS = {
    "dot": (lambda **o: fnp.dot(X, Y, **o)),
    "matmul": (lambda **o: fnp.matmul(X, Y, **o)),
    "vdot": (lambda **o: fnp.vdot(X, X, **o)),
    "inner": (lambda **o: fnp.inner(X, X, **o)),
    "vecdot": (lambda **o: fnp.vecdot(X, X, **o)),
    "tensordot": (lambda **o: fnp.tensordot(X, Y, 1, **o)),
    "einsum": (lambda **o: fnp.einsum("ij,jk->ik", X, Y, **o)),
    "convolve": (lambda **o: fnp.convolve(X[0], X[1], **o)),
    "correlate": (lambda **o: fnp.correlate(X[0], X[1], **o)),
    "linalg.matmul": (lambda **o: fnp.linalg.matmul(X, Y, **o)),
    "linalg.vecdot": (lambda **o: fnp.linalg.vecdot(X, X, **o)),
    "linalg.tensordot": (lambda **o: fnp.linalg.tensordot(X, Y, axes=1, **o)),
}
X, Y = np.array([[100, 27], [3, 90]], np.int8), np.array([[50, 3], [70, 120]], np.int8)


@pytest.mark.parametrize("name", PRODUCTS)
def test_preferred_element_type_is_the_dtype_of_the_products(name):
    narrow, wide = PRODUCTS[name](), PRODUCTS[name](preferred_element_type=np.int32, precision="highest")
    assert narrow.dtype == np.int8 and wide.dtype == np.int32
    np.testing.assert_array_equal(np.asarray(wide).astype(np.int8), narrow)  # they overflow in 8 bits
    assert np.abs(np.asarray(wide)).max() > 127


def test_preferred_element_type_must_not_lose_imaginary_parts():
    with pytest.raises(TypeError, match="imaginary"):
        fnp.dot([1j], [2.0], preferred_element_type=float)


@pytest.mark.parametrize(
    "subscripts, by_hand",
    [
        ("...->", lambda x: x.sum()),
        ("i...->i", lambda x: x.sum((1, 2))),
        ("...i,...i->i", lambda x: (x * x).sum((0, 1))),
        ("...ij,...kj->ik", lambda x: np.einsum("aij,akj->ik", x, x)),
    ],
)
def test_einsum_sums_over_an_ellipsis_that_the_result_leaves_out(subscripts, by_hand):
    x = np.random.default_rng(0).normal(size=(2, 3, 4))
    f = lambda x: fnp.einsum(subscripts, *[x] * (subscripts.count(",") + 1))
    np.testing.assert_allclose(f(x), by_hand(x), rtol=1e-12)
    check_grads(f, (x,), order=2)


@pytest.mark.parametrize("axes", [2, ([0], [0, 1]), "axes", ("bad", "axes")], ids=str)
def test_axes_of_tensordot_that_are_none(axes):
    with pytest.raises(TypeError, match=r"axes|integer"):
        fnp.tensordot(np.ones((3, 2, 2)), np.ones(2), axes)
