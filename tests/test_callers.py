"""An error in the depths of a library names the function that the user called, the user's line, and what to call."""

import re

import numpy as np
import pytest
import scipy.cluster.vq
import scipy.fft
import scipy.integrate
import scipy.interpolate
import scipy.linalg
import scipy.ndimage
import scipy.optimize
import scipy.signal
import scipy.sparse.linalg
import scipy.spatial.distance
import scipy.spatial.transform
import scipy.special
import scipy.stats

import funcgrad as fg
import funcgrad.numpy as fnp
import funcgrad.scipy
from funcgrad.callers import counterpart, library_call, user_line
from funcgrad.errors import FuncgradError, LostTraceError, NoValueError

MATRIX = np.array([[2.0, 1.0], [1.0, 3.0]])
ONES = np.ones(2)

CALLS = {  # by the name that the error has to have; each line is also the line that it has to show
    "scipy.linalg.bandwidth": lambda x: scipy.linalg.bandwidth(x),  # compiled, without a frame
    "scipy.linalg.cossin": lambda x: scipy.linalg.cossin(x, 1, 1),  # inside a decorator
    "scipy.optimize.minimize": lambda x: scipy.optimize.minimize(lambda y: (x[0] * y).sum() ** 2, ONES),
    "scipy.optimize.nnls": lambda x: scipy.optimize.nnls(x, ONES),
    "scipy.cluster.vq.whiten": lambda x: scipy.cluster.vq.whiten(x),
    "scipy.cluster.vq.kmeans": lambda x: scipy.cluster.vq.kmeans(x, 1),
    "scipy.spatial.transform.Rotation.from_rotvec": lambda x: scipy.spatial.transform.Rotation.from_rotvec([x[0, 0]]),
    "scipy.spatial.ConvexHull": lambda x: scipy.spatial.ConvexHull(x),
    "scipy.sparse.csr_array": lambda x: scipy.sparse.csr_array(x),
    "scipy.stats.gzscore": lambda x: scipy.stats.gzscore(x),
    "scipy.stats.ks_2samp": lambda x: scipy.stats.ks_2samp(x[0], x[1]),  # inside a decorator
    "scipy.stats.invgauss.logpdf": lambda x: scipy.stats.invgauss.logpdf(x, 1.0),  # a method of an object
    "scipy.stats.invgauss.mean": lambda x: scipy.stats.invgauss(x[0]).mean(),  # of a frozen one
    "scipy.stats.wishart.logpdf": lambda x: scipy.stats.wishart.logpdf(MATRIX, 3, x),
    "scipy.interpolate.RBFInterpolator": lambda x: scipy.interpolate.RBFInterpolator(x, ONES),
    "scipy.interpolate.Akima1DInterpolator": lambda x: scipy.interpolate.Akima1DInterpolator(ONES.cumsum(), x),
    "scipy.signal.medfilt": lambda x: scipy.signal.medfilt(x),
    "scipy.ndimage.rotate": lambda x: scipy.ndimage.rotate(x, 30.0),
    "scipy.fft.fht": lambda x: scipy.fft.fht(x, 1.0, 0.0),
    "scipy.integrate.qmc_quad": lambda x: scipy.integrate.qmc_quad(lambda t: x[0, 0] * t[0], 0, 1),
}


@pytest.mark.parametrize("name", CALLS)
@pytest.mark.parametrize("transform", [lambda f: fg.vjp(f, MATRIX), lambda f: fg.jvp(f, (MATRIX,), (MATRIX,))])
def test_the_function_of_scipy_that_the_user_called_is_named(name, transform):
    with pytest.raises(FuncgradError) as caught:
        transform(CALLS[name])
    text = str(caught.value)
    assert text.startswith(f"{name} cannot differentiate"), text
    assert "test_callers.py, line" in text and f"lambda x: {name.split('(')[0].rpartition('.')[0]}" in text, text
    ours = counterpart(name)
    assert (f"Call {ours} instead" if ours else "funcgrad has no version of it") in text, text


def test_functions_that_funcgrad_has_are_named():
    with pytest.raises(LostTraceError, match=r"Call funcgrad\.scipy\.linalg\.solve instead"):
        fg.grad(lambda x: scipy.linalg.solve(x, ONES).sum())(MATRIX)
    with pytest.raises(LostTraceError, match=r"Call funcgrad\.(scipy|numpy)\.fft\.fft instead"):
        fg.jvp(scipy.fft.fft, (ONES,), (ONES,))
    with pytest.raises(LostTraceError, match=r"Call funcgrad\.scipy\.stats\.norm\.logpdf instead"):
        fg.grad(lambda x: scipy.stats.norm(x).logpdf(1.0))(0.0)


@pytest.mark.parametrize(
    "name, ours",
    [
        ("scipy.linalg.solve", "funcgrad.scipy.linalg.solve"),
        ("scipy.linalg.tensordot", "funcgrad.numpy.linalg.tensordot"),
        ("scipy.ndimage.sum", None),
        ("numpy.full", "funcgrad.numpy.full"),
        ("scipy.linalg.no_such_function", None),
        ("pandas.DataFrame", None),
    ],
)
def test_counterparts(name, ours):
    assert counterpart(name) == ours


def test_values_of_batches_and_tapes():
    for transform in (lambda f: fg.vmap(f)(np.stack([MATRIX, MATRIX])), lambda f: fg.make_tape(f)(MATRIX)):
        with pytest.raises(NoValueError, match=r"scipy\.linalg\.solve computes with plain numbers\. Call funcgrad"):
            transform(lambda x: scipy.linalg.solve(x, ONES))


def test_a_callback_of_the_user_is_the_users_code():
    """What is wrong in a function that SciPy calls is not SciPy's fault."""

    def cost(y):
        return float(y[0] * y[0])  # this line

    with pytest.raises(LostTraceError, match=r"^float\(x\) on .*# this line"):
        scipy.optimize.minimize(fg.value_and_grad(cost), ONES, jac=True)


def test_what_funcgrad_calls_of_scipy_is_not_named():
    def called_by_funcgrad(x):
        return library_call()

    names = []

    def body(x):
        names.append(library_call())
        return x

    assert called_by_funcgrad(1.0) is None
    scipy.optimize.minimize(lambda x: body(x).sum() ** 2, ONES)
    assert set(names) == {None}


def test_arrays_pass_as_numbers():
    np.testing.assert_allclose(scipy.linalg.solve(fnp.array(MATRIX), ONES), np.linalg.solve(MATRIX, ONES))


def test_the_standard_library_is_not_the_users_code():
    import statistics

    with pytest.raises(LostTraceError, match=re.escape("test_callers.py")):
        fg.grad(lambda x: statistics.geometric_mean([x, x]))(2.0)
    assert "test_callers.py" in user_line()
