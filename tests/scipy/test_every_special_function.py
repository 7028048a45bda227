"""Every public function of scipy.special on a tracer: its derivatives are those of differences, or it raises.

The functions are those of dir(scipy.special), whatever the version; values are compared with SciPy's own.
"""

import inspect
import sys

import numpy as np
import pytest

import funcgrad as fg
import funcgrad.numpy as fnp
import funcgrad.scipy.special as ours
from funcgrad.errors import ArgumentError, FuncgradError, NotDifferentiableError, UnsupportedError
from funcgrad.ops.scipy_kernels import scipy_special

theirs = pytest.importorskip("scipy.special")

UFUNCS = sorted(n for n in dir(theirs) if n[0] != "_" and isinstance(getattr(theirs, n), np.ufunc))
WITH_RULE = [n for n in UFUNCS if getattr(theirs, n).__name__ in ours.__all__]
OTHERS = sorted(
    n
    for n in dir(theirs)
    if n[0] != "_" and n not in UFUNCS and callable(getattr(theirs, n)) and not isinstance(getattr(theirs, n), type)
)

USUAL = {1: (0.37,), 2: (1.3, 0.37), 3: (1.3, 2.1, 0.37), 4: (1.3, 2.1, 2.9, 0.37)}
OPERANDS = {
    **dict.fromkeys(("bdtr", "bdtrc", "nbdtr", "nbdtrc"), (2, 5, 0.3)),
    **dict.fromkeys(("pdtr", "pdtrc", "pdtri"), (2, 0.3)),
    **dict.fromkeys(("yn", "kn", "expn"), (2, 0.7)),
    **dict.fromkeys(("eval_hermite", "eval_hermitenorm"), (3, 0.7)),
    **dict.fromkeys(("hankel1", "hankel2", "hankel1e", "hankel2e"), (2, 0.7 + 0.2j)),
    **dict.fromkeys(("ellipkinc", "ellipeinc"), (0.7, 0.4)),
    "eval_sh_jacobi": (3, 2.3, 1.4, 0.37),
    "gdtria": (0.37, 1.4, 2.9),
    "lpmv": (1, 2.3, 0.4),
    "ndtri_exp": (-0.7,),
    "wofz": (0.3 + 0.2j,),
    "zeta": (2.3, 1.4),
    "zetac": (2.3,),
}
PLANE = """
    erf erfc erfcx erfi dawsn wofz fresnel gamma loggamma rgamma psi expi exp1 sici shichi spence jv yv iv kv hankel1
    airy hyp0f1 hyp1f1 hyp2f1 wrightomega expm1 log1p
""".split()
STEPS = {"bdtr": (0, 1), "bdtrc": (0, 1), "nbdtr": (0, 1), "nbdtrc": (0, 1), "pdtr": (0,), "pdtrc": (0,), "pdtri": (0,)}
"""Operands that count and are rounded down: the derivative is zero between the steps."""


def differences(f, x, step=1e-3):
    """The derivative by the central formula of order 6."""
    weights = (-1 / 60, 3 / 20, -3 / 4, 3 / 4, -3 / 20, 1 / 60)
    return sum(np.asarray(f(x + k * step)) * w for k, w in zip((-3, -2, -1, 1, 2, 3), weights, strict=True)) / step


def of_one(ufunc, args, i):
    return lambda x: ufunc(*args[:i], x, *args[i + 1 :])


def compare(ufunc, args, i):
    """The derivative by operand i against differences of SciPy's values; False if there is none by statement."""
    f, x = of_one(ufunc, args, i), args[i] * 1.0
    try:
        values, slopes = fg.jvp(f, (x,), (x * 0 + 1,))
    except NotDifferentiableError as error:
        assert {"yn": "yv", "kn": "kv"}.get(ufunc.__name__, ufunc.__name__) in str(error)
        assert " has no derivative with respect to its operand" in str(error)
        return False
    np.testing.assert_allclose(np.asarray(values), np.asarray(f(x)), rtol=1e-12)
    np.testing.assert_allclose(np.asarray(slopes), differences(f, x), rtol=1e-7, atol=1e-9)
    return True


@pytest.mark.parametrize("name", WITH_RULE)
def test_derivatives_are_those_of_differences(name):
    ufunc = getattr(theirs, name)
    args = OPERANDS.get(name, USUAL[ufunc.nin])
    found = []
    for i in range(ufunc.nin):
        if i in STEPS.get(name, ()):
            assert not np.asarray(fg.jvp(of_one(ufunc, args, i), (args[i] * 1.0,), (1.0,))[1]).any()
        else:
            found.append(compare(ufunc, args, i))
    assert found[-1], "the last operand is the argument, which has a derivative"


@pytest.mark.parametrize("name", PLANE)
def test_derivatives_in_the_plane(name):
    ufunc = getattr(theirs, name)
    *params, _ = OPERANDS.get(name, USUAL[ufunc.nin])
    for z in (0.37 + 0.21j, 0.8 - 0.4j):
        assert compare(ufunc, (*params, z), ufunc.nin - 1)


@pytest.mark.parametrize("name", sorted(set(UFUNCS) - set(WITH_RULE)))
def test_a_ufunc_without_rule_is_named(name):
    ufunc = getattr(theirs, name)
    with pytest.raises(UnsupportedError, match=rf"scipy\.special\.{name} cannot be applied .*custom_jvp"):
        fg.jvp(lambda x: ufunc(*[x] * ufunc.nin), (0.3,), (1.0,))


CALLS = {
    **dict.fromkeys(("comb", "perm", "stirling2"), lambda f, x: f(x, 1.0)),
    "diric": lambda f, x: f(x, 3),
    "logsumexp": lambda f, x: f(x),
    "multigammaln": lambda f, x: f(x + 3, 2),
    "polygamma": lambda f, x: f(1, x),
    "sph_harm_y": lambda f, x: f(2, 1, x, 0.3),
    "assoc_laguerre": lambda f, x: f(x, 2),
    "logit": lambda f, x: f(x),
}


@pytest.mark.parametrize("name", OTHERS)
def test_a_python_function_is_exact_or_raises(name):
    """What comes back has the derivative of differences, or there is an error; never a derivative of zero instead."""
    f = getattr(theirs, name)
    call = CALLS.get(name)
    if call is None:
        try:
            needed = [p for p in inspect.signature(f).parameters.values() if p.default is p.empty and p.kind < 2]
        except (TypeError, ValueError):
            pytest.skip("no signature")
        if not needed:
            pytest.skip("takes no operand")

        def call(f, x):
            return f(*[2] * (len(needed) - 1), x)

    try:
        with np.errstate(all="ignore"):
            slope = np.asarray(fg.jacfwd(lambda x: call(f, x))(1.3))
    except (FuncgradError, TypeError, ValueError):  # of funcgrad, or SciPy's own: no array, no scalar, no integer
        return
    np.testing.assert_allclose(slope, differences(lambda x: call(f, x), 1.3), rtol=1e-7, atol=1e-9)


@pytest.mark.parametrize(
    "f",
    [
        lambda x: theirs.zeta(x, 1.4),
        theirs.zeta,
        lambda x: theirs.lambertw(x).real,
        lambda x: theirs.lambertw(x, -1).imag,
        theirs.sinc,
        lambda x: theirs.softplus(x) if hasattr(theirs, "softplus") else theirs.log_expit(x),
    ],
)
def test_python_functions_of_scipy_that_differentiate(f):
    np.testing.assert_allclose(fg.jacfwd(f)(2.3), differences(f, 2.3), rtol=1e-8)


@pytest.mark.parametrize("name", ["logsumexp", "softmax", "log_softmax"])
def test_python_functions_of_scipy_that_take_numbers_out_say_so(name):
    """Without SCIPY_ARRAY_API=1 they convert their arguments to ndarrays."""
    with pytest.raises(FuncgradError, match=rf"scipy\.special\.{name}"):
        fg.grad(lambda x: getattr(theirs, name)(x).sum())(np.ones(3))


# What has no ufunc.


@pytest.mark.parametrize(
    "f, g, x",
    [
        (lambda x: ours.comb(x, 2.0), lambda x: theirs.binom(x, 2.0), 5.3),
        (lambda x: ours.comb(5.3, x), lambda x: theirs.binom(5.3, x), 2.0),
        (lambda x: ours.comb(x, 2.0, repetition=True), lambda x: theirs.binom(x + 1, 2.0), 5.3),
        (lambda x: ours.perm(x, 2.0), lambda x: theirs.poch(x - 1, 2.0), 5.3),
        (ours.factorial, lambda x: theirs.gamma(x + 1), 2.3),
        (lambda x: ours.polygamma(np.array([0, 1, 2]), x), lambda x: theirs.polygamma(np.array([0, 1, 2]), x), 1.3),
        (lambda x: ours.bessel_jn(x, v=3), lambda x: theirs.jv(np.arange(4), x), 1.3),
        (lambda x: ours.lambertw(x).real, lambda x: theirs.lambertw(x).real, 0.7),
        (lambda x: ours.lambertw(x, -1).real, lambda x: theirs.lambertw(x, -1).real, 0.7),
        (ours.softplus, lambda x: np.log1p(np.exp(x)), 0.3),
        (lambda x: ours.voigt_profile(x, 0.0, 0.4), lambda x: theirs.voigt_profile(x, 0.0, 0.4), 0.3),
        (lambda x: ours.agm(-1.3, -x), lambda x: theirs.agm(-1.3, -x), 0.3),
        (lambda x: ours.boxcox(1.7, x), lambda x: theirs.boxcox(1.7, x), 0.0),
        (lambda x: ours.inv_boxcox(1.7, x), lambda x: theirs.inv_boxcox(1.7, x), 0.0),
        (ours.exprel, theirs.exprel, 0.0),
        (ours.zetac, theirs.zetac, 0.4),
        (ours.zetac, theirs.zetac, -2.3),
        (ours.rgamma, theirs.rgamma, -2.0),
        (lambda x: ours.binom(3.0, x), lambda x: theirs.binom(3.0, x), 5.0),
        (lambda x: ours.binom(x, 5.0), lambda x: theirs.binom(x, 5.0), 3.0),
        (ours.spence, theirs.spence, 1.0),
        (ours.ellipk, theirs.ellipk, 0.0),
        (ours.ellipe, theirs.ellipe, 0.0),
        (ours.j1, theirs.j1, 0.0),
        (lambda x: ours.stdtr(3.0, x), lambda x: theirs.stdtr(3.0, x), 0.0),
        (lambda x: ours.hyp1f1(1.2, x, -3.0), lambda x: theirs.hyp1f1(1.2, x, -3.0), 2.2),
        (lambda x: ours.hyp2f1(1.2, x, 2.1, -3.0), lambda x: theirs.hyp2f1(1.2, x, 2.1, -3.0), 0.7),
    ],
)
def test_at_special_points(f, g, x):
    """First and second derivatives, also where a formula would be 0/0."""
    np.testing.assert_allclose(f(x), g(x), rtol=1e-12, atol=1e-15)
    np.testing.assert_allclose(fg.jacfwd(f)(x), differences(g, x, 2e-3), rtol=1e-7, atol=1e-9)
    np.testing.assert_allclose(
        fg.jacfwd(fg.jacrev(f))(x), differences(lambda y: differences(g, y, 0.02), x, 0.02), rtol=1e-5, atol=1e-6
    )


def test_higher_derivatives_at_zero():
    """Of functions that are a quotient there: their power series says what is right."""
    third = fg.grad(fg.grad(fg.grad(ours.j1)))
    assert third(0.0) == pytest.approx(-3 / 8, rel=1e-12)  # J1 = x/2 - x³/16 + …
    assert fg.grad(fg.grad(fg.grad(ours.i1)))(0.0) == pytest.approx(3 / 8, rel=1e-12)
    assert fg.grad(fg.grad(ours.exprel))(0.0) == pytest.approx(1 / 3, rel=1e-12)
    shi = fg.grad(fg.grad(fg.grad(lambda x: ours.shichi(x)[0])))
    assert shi(0.0) == pytest.approx(1 / 3, rel=1e-12)


def test_dawsons_slope_far_out():
    """mpmath: 1 - 2 x D(x) for x = 40 and 1000."""
    slopes = fg.vmap(fg.grad(ours.dawsn))(np.array([40.0, 1000.0]))
    np.testing.assert_allclose(slopes, [-0.000312793427517855947, -5.00000750001875007e-7], rtol=1e-13)


@pytest.mark.parametrize("n, m", [(0, 0), (1, 0), (3, 2), (3, -3), (2, -1)])
def test_spherical_harmonics(n, m):
    at_the_pole = fg.jacfwd(lambda t: ours.sph_harm_y(n, m, t, 0.4))(0.0)
    np.testing.assert_allclose(at_the_pole, theirs.sph_harm_y(n, m, 1e-8, 0.4) / 1e-8 if m else 0, atol=1e-7)
    for theta in (0.7, 3.0):
        value = theirs.sph_harm_y(n, m, theta, 0.4)
        np.testing.assert_allclose(ours.sph_harm_y(n, m, theta, 0.4), value, atol=1e-15)
        by_theta = fg.jacfwd(lambda t: ours.sph_harm_y(n, m, t, 0.4))(theta)
        np.testing.assert_allclose(by_theta, differences(lambda t: theirs.sph_harm_y(n, m, t, 0.4), theta), atol=1e-8)
        by_phi = fg.jacfwd(lambda p: ours.sph_harm_y(n, m, theta, p))(0.4)
        np.testing.assert_allclose(by_phi, 1j * m * value, atol=1e-15)
    with pytest.raises(UnsupportedError):
        ours.sph_harm_y(1, 0, 0.3, 0.4, diff_n=1)


def test_dtypes_and_names():
    x = np.float32(0.3)
    assert ours.jv(1, x).dtype == np.float32 and ours.expn(2, x).dtype == np.float32
    assert ours.wofz(x).dtype == np.complex64 and ours.hankel1(1, x).dtype == np.complex64
    assert ours.betainc(2, 3, x).dtype == np.float32
    assert ours.jv(fnp.array([1, 2]), 0.3).dtype == np.float64
    assert ours.betainc(a=2.0, b=3.0, x=0.3) == ours.betainc(2.0, 3.0, 0.3)
    with pytest.raises(TypeError, match=r"betainc\(a, b, x\)"):
        ours.betainc(2.0, 3.0)
    with pytest.raises(ArgumentError, match="j0 takes real numbers"):
        ours.j0(1j)
    for call in (lambda: ours.comb(5, 2, exact=True), lambda: ours.factorial(5, exact=True)):
        with pytest.raises(UnsupportedError, match="math"):
            call()


def test_under_jit_and_vmap():
    x = np.array([0.3, 0.8, 1.9])
    np.testing.assert_allclose(fg.jit(ours.k1)(x), theirs.k1(x), rtol=1e-13)
    np.testing.assert_allclose(fg.jit(fg.vmap(fg.grad(ours.expi)))(x), np.exp(x) / x, rtol=1e-13)
    orders = np.array([0.0, 1.0, 2.5])
    np.testing.assert_allclose(fg.vmap(ours.jv)(orders, x), theirs.jv(orders, x), rtol=1e-13)


def test_bernoulli():
    for n in (0, 1, 2, 10):
        np.testing.assert_allclose(ours.bernoulli(n), theirs.bernoulli(n)[: n + 1])
    with pytest.raises(ArgumentError):
        ours.bernoulli(-1)


def test_without_scipy(monkeypatch):
    monkeypatch.setitem(sys.modules, "scipy.special", None)
    with pytest.raises(
        UnsupportedError, match=r"funcgrad\.scipy\.special\.jv takes its values from SciPy.*pip install"
    ):
        scipy_special.__wrapped__("jv")


def test_a_gradient_in_single_precision_stays_there():
    """A rule that computes in double precision is not taken to keep the dtype."""
    value, pull = fg.vjp(ours.loggamma, np.array([1 + 1j], np.complex64))
    (ct,) = pull(value)
    assert value.dtype == ct.dtype == np.complex64
    z = 1 + 1j
    np.testing.assert_allclose(ct, [theirs.loggamma(z) * theirs.psi(z)], rtol=1e-6)
