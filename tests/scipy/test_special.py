"""Functions of funcgrad.scipy.special against SciPy's, and their derivatives of two orders against finite differences.

Those that are made of others are here; test_every_special_function.py goes through all.
"""

import numpy as np
import pytest

import funcgrad as fg
import funcgrad.numpy as fnp
from funcgrad.errors import ArgumentError
from funcgrad.scipy import special
from funcgrad.testing import check_grads

reference = pytest.importorskip("scipy.special")

X = np.linspace(0.1, 0.9, 7)
TWO = ("beta", "betaln", "kl_div", "rel_entr", "poch", "xlog1py", "xlogy")
SHAPES = {
    "gammainc": (X + 1, X),
    "gammaincc": (X + 1, X),
    "zeta": (X + 2, X),
    "gammaincinv": (X + 1, X),
    "gammainccinv": (X + 1, X),
    "betainc": (X + 1, X[::-1] + 1, X),
    "betaincc": (X + 1, X[::-1] + 1, X),
    "betaincinv": (X + 1, X[::-1] + 1, X),
    "betainccinv": (X + 1, X[::-1] + 1, X),
    "agm": (X, X[::-1] + 0.3),
    "fdtr": (X + 1, X[::-1] + 1, X),
    "gdtr": (X + 1, X[::-1] + 1, X),
    "huber": (X, 1.7 * X - 0.8),
    "pseudo_huber": (X, X - 0.5),
    "radian": (X, X, X),
    "voigt_profile": (X, X[::-1], X),
}
ARGUMENTS = dict.fromkeys(TWO, (X, X + 0.5)) | SHAPES | {"gamma": (np.r_[X, -X, 4.5],), "logsumexp": (X,)}


NAMES = """
    beta betaln digamma entr erf erfc erfcinv erfcx erfinv expit gamma gammainc gammaincc gammaln i0 i0e i1 i1e kl_div
    log_expit log_ndtr log_softmax logit logsumexp ndtr ndtri poch psi rel_entr softmax xlog1py xlogy zeta gammaincinv
    gammainccinv betainc betaincc betaincinv betainccinv
    agm fdtr gdtr huber pseudo_huber radian softplus voigt_profile
""".split()


@pytest.mark.parametrize("name", NAMES)
def test_values_and_derivatives(name):
    f, args = getattr(special, name), ARGUMENTS.get(name, (X,))
    np.testing.assert_allclose(f(*args), getattr(reference, name)(*args), rtol=1e-12)
    check_grads(f, args, order=2)


@pytest.mark.parametrize("n", [0, 1, 3])
def test_polygamma(n):
    np.testing.assert_allclose(special.polygamma(n, X), reference.polygamma(n, X), rtol=1e-12)
    check_grads(lambda x: special.polygamma(n, x), (X,), order=1)


def test_multigammaln():
    np.testing.assert_allclose(special.multigammaln(X + 2, 3), reference.multigammaln(X + 2, 3), rtol=1e-12)


@pytest.mark.parametrize(
    "name, args",
    [
        ("expit", (np.array([-1000.0, -50.0, 0.0, 1000.0]),)),
        ("log_expit", (np.array([-1000.0, 0.0, 1000.0]),)),
        ("gamma", (np.array([0.0, -1.0, 170.0, 200.0]),)),
        ("xlogy", (np.array([0.0, 0.0, 1.0]), np.array([0.0, np.nan, 2.0]))),
        ("xlog1py", (np.array([0.0, 0.0]), np.array([-1.0, 2.0]))),
        ("rel_entr", (np.array([0.0, 1.0, 0.0, -1.0]), np.array([1.0, 0.0, 0.0, 1.0]))),
        ("kl_div", (np.array([0.0, 1.0]), np.array([1.0, 1.0]))),
        ("softmax", (np.array([[0.0, 1000.0], [1.0, 2.0]]),)),
        ("erf", (3,)),
    ],
)
def test_where_it_is_delicate(name, args):
    with np.errstate(all="ignore"):
        expected = getattr(reference, name)(*args)
    np.testing.assert_allclose(getattr(special, name)(*args), expected, rtol=1e-11)


def test_axes_of_softmax():
    x = np.arange(6.0).reshape(2, 3)
    for axis in (None, 0, -1, (0, 1)):
        np.testing.assert_allclose(special.softmax(x, axis=axis), reference.softmax(x, axis=axis), rtol=1e-12)
        np.testing.assert_allclose(special.log_softmax(x, axis=axis), reference.log_softmax(x, axis=axis), rtol=1e-12)


def test_slope_of_the_logistic_function():
    x = np.array([-700.0, 0.0, 700.0])
    np.testing.assert_allclose(fg.vmap(fg.grad(special.expit))(x), np.exp(-abs(x)) / (1 + np.exp(-abs(x))) ** 2)


@pytest.mark.parametrize(
    "call", [lambda: special.erfinv(1j), lambda: special.polygamma(-1, X), lambda: special.polygamma(0.5, X)]
)
def test_errors(call):
    with pytest.raises(ArgumentError):
        call()


def test_dtypes():
    assert special.erf(np.float32(1)).dtype == np.float32
    assert special.gamma(fnp.array([1, 2, 3])).dtype == float
