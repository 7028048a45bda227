"""Matrices with a structure: SciPy's values, for one and for a stack; derivatives are those of the operand sweep."""

import numpy as np
import pytest

import funcgrad as fg
from funcgrad.scipy import linalg

reference = pytest.importorskip("scipy.linalg")
rng = np.random.default_rng(0)
V, W = rng.normal(size=5), rng.normal(size=4)

OF_SIZES = [
    *[("dft", (n,), {"scale": scale}) for n in (1, 2, 5) for scale in (None, "sqrtn", "n")],
    *[("hadamard", (n,), {}) for n in (1, 2, 8)],
    *[("helmert", (n,), {"full": full}) for n in (1, 2, 5) for full in (True, False)],
    *[(name, (n,), {}) for name in ("hilbert", "invhilbert", "pascal", "invpascal") for n in (1, 2, 6)],
    *[(name, (4,), {"kind": kind}) for name in ("pascal", "invpascal") for kind in ("lower", "upper", "symmetric")],
]


@pytest.mark.parametrize("name, args, options", OF_SIZES)
def test_matrices_of_a_size(name, args, options):
    expected = getattr(reference, name)(*args, **options)
    np.testing.assert_allclose(
        np.asarray(getattr(linalg, name)(*args, **options)),
        expected.astype("D").real if (expected.dtype.kind != "c") else expected,
        rtol=1e-12,
        atol=1e-12,
    )


@pytest.mark.parametrize("name", ["dft", "hilbert", "invhilbert", "pascal", "invpascal"])
def test_a_matrix_of_size_zero(name):
    assert getattr(linalg, name)(0).shape == (0, 0)


OF_VECTORS = [
    ("circulant", (V,), {}),
    ("companion", (V,), {}),
    ("fiedler", (V,), {}),
    *[("fiedler_companion", (V[:n],), {}) for n in (2, 3, 4, 5)],
    ("hankel", (V, W), {}),
    ("toeplitz", (V, W), {}),
    ("toeplitz", (V + 1j * V[::-1],), {}),
    ("leslie", (V, W), {}),
    *[("convolution_matrix", (V, n), {"mode": mode}) for n in (1, 3, 7) for mode in ("full", "same", "valid")],
]


@pytest.mark.parametrize("name, args, options", OF_VECTORS)
def test_matrices_of_vectors(name, args, options):
    f = getattr(linalg, name)
    expected = getattr(reference, name)(*args, **options)
    np.testing.assert_allclose(np.asarray(f(*args, **options)), expected, rtol=1e-13, atol=1e-14)
    np.testing.assert_allclose(
        np.asarray(fg.jit(lambda *a: f(*a, *args[1:][len(a) - 1 :], **options))(args[0])), expected
    )

    stacks = [np.stack([a, 2 * a, a[::-1]]) if isinstance(a, np.ndarray) else a for a in args]
    each = [
        getattr(reference, name)(*[a[i] if isinstance(a, np.ndarray) else a for a in stacks], **options)
        for i in range(3)
    ]
    np.testing.assert_allclose(np.asarray(f(*stacks, **options)), np.stack(each), rtol=1e-13, atol=1e-14)
    axes = tuple([0 if isinstance(a, np.ndarray) else None for a in stacks])
    np.testing.assert_allclose(np.asarray(fg.vmap(lambda *a: f(*a, **options), axes)(*stacks)), np.stack(each))


def test_khatri_rao():
    a, b = rng.normal(size=(2, 3)), rng.normal(size=(4, 3))
    expected = np.stack([np.kron(a[:, k], b[:, k]) for k in range(3)], axis=1)
    np.testing.assert_allclose(np.asarray(linalg.khatri_rao(a, b)), expected)


@pytest.mark.parametrize(
    "call, text",
    [
        (lambda: linalg.hadamard(6), "power of 2"),
        (lambda: linalg.helmert(0), "positive integer"),
        (lambda: linalg.dft(3, scale="m"), "scale must be"),
        (lambda: linalg.dft(3, dtype="float32"), "dtype must be"),
        (lambda: linalg.pascal(3, kind="left"), "kind to be one of"),
        (lambda: linalg.companion([1.0]), "length of `a`"),
        (lambda: linalg.companion([0.0, 1.0]), "nonzero"),
        (lambda: linalg.fiedler_companion([]), "nonzero"),
        (lambda: linalg.convolution_matrix(V, 0), "positive integer"),
        (lambda: linalg.convolution_matrix(V, 2, mode="half"), "mode must be one of"),
        (lambda: linalg.leslie([1.0, 2.0], [1.0, 2.0]), "Incorrect lengths"),
        (lambda: linalg.khatri_rao(V, V), "equally many columns"),
    ],
)
def test_what_does_not_fit(call, text):
    with pytest.raises(ValueError, match=text):
        call()
