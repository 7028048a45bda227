"""scipy.special at signed zeros, poles, infinities and nan: every function whose values are not SciPy's own kernel."""

import inspect
import itertools
import math

import numpy as np
import pytest

import funcgrad as fg
import funcgrad.scipy.special as special

POINTS = (0.0, -0.0, 0.5, -0.5, 1.0, -1.0, 2.0, -2.0, -3.0, 30.0, -30.0, 200.0, -200.0, np.inf, -np.inf, np.nan)
ORDERS = {"polygamma": (0, 1, 2), "multigammaln": (1, 2)}  # operands that are whole numbers
ROWS = {"logsumexp", "log_softmax", "softmax"}
NAMES = """
    beta betaln digamma entr erf erfc erfcinv erfcx erfinv expit gamma gammainc gammaincc gammaln i0 i0e i1 i1e kl_div
    log_expit log_ndtr logit multigammaln ndtr ndtri poch polygamma psi rel_entr xlog1py xlogy zeta
    agm comb factorial gammasgn huber j0 j1 k0 k0e k1 k1e pseudo_huber radian round rgamma sinc softplus y0 y1
""".split()


def pole(x):
    return x <= 0 and x == np.floor(x)


# Where ours is the limit, or none, and SciPy's is another: what ours is.
OURS = {
    "i0": dict.fromkeys((np.inf, -np.inf), np.inf),
    "i1": {x: x for x in (np.inf, -np.inf)},
    "gammaln": {-np.inf: np.inf},
}


def is_ours(name, args, got, theirs):
    """Whether a difference is one of the stated ones."""
    if name in OURS and args[0] in OURS[name]:
        return got == OURS[name][args[0]]
    if any(np.isnan(args)):  # nan in, nan out
        return np.isnan(got)
    if name == "beta" and any(pole(a) for a in args):  # the side of a pole is that of its zero, or open
        return abs(got) == theirs == np.inf or abs(got) == -theirs == np.inf or (-np.inf in args and np.isnan(got))
    if name in ("beta", "betaln") and -np.inf in args:  # between the poles there is no limit
        return np.isnan(got)
    if name == "kl_div" and args[0] == np.inf:
        return got == np.inf
    if name == "poch":
        z, m = args
        if np.isinf(z) or np.isinf(m):
            return np.isnan(got) or np.isnan(theirs)
        if pole(z + m) and not pole(z):  # a pole, from the side of the zero
            return np.isinf(got)
        return np.isnan(theirs) and got == (0 if m < 0 else np.inf)  # overflow on the way
    return False


def arguments(name, f):
    operands = [p for p in inspect.signature(f).parameters.values() if p.default is p.empty]
    if name in ORDERS:
        first = ORDERS[name] if operands[0].name == "n" else POINTS
        return itertools.product(first, POINTS if operands[0].name == "n" else ORDERS[name])
    return itertools.product(*[POINTS] * len(operands))


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@pytest.mark.parametrize("name", NAMES)
def test_points(name):
    peer = pytest.importorskip("scipy.special")
    ours, theirs = getattr(special, name), getattr(peer, name)
    wrong = []
    for args in arguments(name, ours):
        try:
            expected = float(theirs(*args))
        except ValueError:
            continue
        if name == "zeta" and not 1 < args[0] < np.inf:
            continue  # the sum diverges, and SciPy continues it
        got = float(ours(*args))
        close = np.isclose(got, expected, rtol=1e-9, atol=1e-300, equal_nan=True)
        if not close and not is_ours(name, args, got, expected):
            wrong.append((args, got, expected))
    assert not wrong


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@pytest.mark.parametrize("name", sorted(ROWS))
def test_rows(name):
    peer = pytest.importorskip("scipy.special")
    for row in itertools.product((0.5, -3.0, -np.inf, np.nan), repeat=2):
        got, expected = getattr(special, name)(np.array(row)), getattr(peer, name)(np.array(row))
        np.testing.assert_allclose(got, expected, rtol=1e-13, err_msg=str(row))


@pytest.mark.parametrize(
    "f, args, expected",
    [
        (special.gamma, (-0.0,), -np.inf),
        (special.gamma, (0.0,), np.inf),
        (special.beta, (-2.0, 1.0), -0.5),  # the poles cancel
        (special.beta, (-2.0, 2.0), 0.5),
        (
            special.beta,
            (200.0, 0.5),
            math.exp(math.lgamma(200) + math.lgamma(0.5) - math.lgamma(200.5)),
        ),  # without overflow on the way
        (special.betaln, (0.0, 1.0), np.inf),
        (special.betaln, (np.inf, 2.0), -np.inf),
        (special.betaln, (1e10, 0.5), np.log(np.pi) / 2 - np.log(1e10) / 2 + 1 / 8e10),  # Stirling's series
        (special.poch, (-3.0, 2.0), 6.0),
        (special.poch, (0.0, 2.0), 0.0),
        (special.rel_entr, (1.0, np.nan), np.nan),
        (special.kl_div, (1.0, -np.inf), np.inf),
    ],
)
def test_recorded(f, args, expected):
    np.testing.assert_allclose(f(*args), expected, rtol=1e-9)


@pytest.mark.parametrize("name", ["i1", "i1e", "j1", "erf", "erfinv", "dawsn"])
@pytest.mark.parametrize("twice", [lambda f: fg.grad(fg.grad(f)), lambda f: fg.jacfwd(fg.jacfwd(f))])
def test_the_second_derivative_of_an_odd_function_is_zero_at_zero(name, twice):
    assert float(twice(getattr(special, name))(0.0)) == 0
