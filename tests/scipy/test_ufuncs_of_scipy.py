"""SciPy's ufuncs on Arrays and tracers: they differentiate where funcgrad.scipy.special has the function."""

import subprocess
import sys

import numpy as np
import pytest

import funcgrad as fg
import funcgrad.numpy as fnp
from funcgrad.errors import FuncgradError, ImmutableArrayError, LostTraceError, UnsupportedError

scipy_special = pytest.importorskip("scipy.special")

X = np.array([0.3, 0.45, 0.7])


def test_the_first_program():
    """A maximum-likelihood fit with gammaln: the slope of the log-likelihood of counts is in closed form."""
    counts = np.array([2.0, 3.0, 1.0, 7.0])

    def loss(log_rate):
        return -np.sum(counts * log_rate - np.exp(log_rate) - scipy_special.gammaln(counts + 1))

    assert fg.grad(loss)(0.5) == pytest.approx(4 * np.exp(0.5) - counts.sum(), rel=1e-14)
    shape = fg.grad(lambda k: np.sum(scipy_special.gammaln(k + counts)))(0.5)
    assert shape == pytest.approx(np.sum(scipy_special.psi(counts + 0.5)), rel=1e-13)


@pytest.mark.parametrize("transform", [fg.grad, lambda f: fg.jit(fg.grad(f)), fg.jacfwd], ids=["grad", "jit", "jacfwd"])
def test_inside_transforms(transform):
    found = transform(lambda x: fnp.sum(scipy_special.erf(x) * X))(X)
    np.testing.assert_allclose(found, X * 2 / np.sqrt(np.pi) * np.exp(-X * X), rtol=1e-14)


def test_inside_vmap_and_of_an_ndarray_with_a_tracer():
    np.testing.assert_allclose(fg.vmap(scipy_special.gammaln)(X), scipy_special.gammaln(X), rtol=1e-14)
    slope = fg.jacobian(lambda x: scipy_special.xlogy(np.array([1.0, 2.0]), x))(3.0)
    np.testing.assert_allclose(slope, [1 / 3, 2 / 3], rtol=1e-14)


@pytest.mark.parametrize("name", ["gammaln", "ellipj", "kelvin", "kolmogorov"])
def test_outside_of_transforms_scipy_computes(name):
    found, expected = getattr(scipy_special, name)(*[fnp.array(X)] * (nin := getattr(scipy_special, name).nin)), None
    expected = getattr(scipy_special, name)(*[X] * nin)
    for f, e in zip(fg.tree.leaves(found), expected if isinstance(expected, tuple) else [expected], strict=True):
        assert isinstance(f, fg.Array)
        np.testing.assert_array_equal(f, e)


def test_a_ufunc_without_derivative_is_named():
    with pytest.raises(UnsupportedError, match=r"scipy\.special\.kolmogorov .*custom_jvp"):
        fg.grad(scipy_special.kolmogorov)(0.3)

    @fg.custom_jvp
    def kolmogorov(x):
        return scipy_special.kolmogorov(fg.stop_gradient(x))

    kolmogorov.defjvps(lambda t, out, x: t * 3.0)
    assert fg.grad(kolmogorov)(0.3) == 3.0


def test_what_is_near_is_named():
    with pytest.raises(UnsupportedError, match=r"near it are .*ndtri"):
        fg.grad(scipy_special.nrdtrisd)(0.3, 0.3, 0.3)


@pytest.mark.parametrize("x", [fnp.array(X), X])
def test_options_are_those_of_numpys_ufuncs(x):
    def run(x):
        with pytest.raises(UnsupportedError, match="where="):
            scipy_special.gammaln(x, where=X > 0.4)
        with pytest.raises(ImmutableArrayError):
            scipy_special.gammaln(x, out=fnp.zeros(3))
        assert scipy_special.gammaln(x, dtype=np.float32).dtype == np.float32
        with pytest.raises(TypeError):
            scipy_special.gammaln(x, nonsense=1)
        return fnp.sum(x)

    fg.grad(run)(x)
    run(fnp.array(X))


def test_out():
    buffer = np.zeros(3)
    scipy_special.gammaln(fnp.array(X), out=buffer)
    np.testing.assert_array_equal(buffer, scipy_special.gammaln(X))
    with pytest.raises(LostTraceError):
        fg.grad(lambda x: scipy_special.gammaln(x, out=buffer).sum())(X)


@pytest.mark.parametrize("name", sorted(n for n in dir(scipy_special) if n[0] != "_"))
def test_no_derivative_is_lost_without_a_word(name):
    """What a ufunc of SciPy gives for a tracer is differentiated, or it raises an error of funcgrad."""
    ufunc = getattr(scipy_special, name)
    if not isinstance(ufunc, np.ufunc):
        pytest.skip("not a ufunc")
    for i in range(ufunc.nin):
        args = [1.0] * ufunc.nin
        try:
            with np.errstate(all="ignore"):
                _, tangent = fg.jvp(lambda x: ufunc(*args[:i], x, *args[i + 1 :]), (0.3,), (1.0,))
        except FuncgradError:
            continue
        assert fg.tree.leaves(tangent)


def test_scipy_is_not_imported_for_it():
    code = (
        "import sys, numpy as np, funcgrad as fg; fg.grad(np.sin)(1.0); "
        "fg.grad(lambda x: np.frompyfunc(lambda v: v, 1, 1)(2.0) * x)(1.0); assert 'scipy' not in sys.modules"
    )
    subprocess.run([sys.executable, "-c", code], check=True)
