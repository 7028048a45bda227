"""The derivatives of gammainc, gammaincc and zeta by their parameters, against numbers worked out with mpmath.

Those of gammainc are quadratures of the derivatives of the density with 60 digits, or derivatives of mpmath's gammainc
by differences with 70 digits; those of zeta are mpmath.zeta(s, q, n) with 40.
"""

import time

import numpy as np
import pytest

import funcgrad as fg
from funcgrad.ops import incomplete_gamma
from funcgrad.scipy import special, stats
from funcgrad.testing import check_grads

# a, x, and the first two derivatives of P(a, x) by a
GAMMAINC = [
    (0.001, 0.0005, -6.976645916427911, 47.38667935678239),
    (0.001, 0.15, -1.4636861003758581, 0.7778223575279173),
    (0.001, 0.5, -0.5603594001080031, -0.5848512398697082),
    (0.001, 1.5, -0.10028634765036702, -0.266797424406131),
    (0.3, 0.0005, -0.8466945255156441, 6.163471545900854),
    (0.3, 0.15, -1.1069774291696248, 1.3972765254324486),
    (0.3, 0.5, -0.6561189251391673, -0.08124995512296745),
    (0.3, 1.5, -0.180430178235819, -0.2613005022997602),
    (1.3, 0.0013, -0.0010988099765222709, 0.00787937817681413),
    (1.3, 0.39, -0.3288671120286066, 0.4346811794512226),
    (1.3, 1.3, -0.37237940267643177, 0.01796558180626005),
    (1.3, 3.9, -0.06337935902148635, -0.07117340352228828),
    (2.5, 0.0025, -6.659475976045185e-07, 4.693784179891657e-06),
    (2.5, 2.5, -0.26084496236866944, 0.0035556671525405845),
    (2.5, 7.5, -0.01503107773738176, -0.016876699879564624),
    (14.0, 0.014, -8.735009517827167e-37, 6.056138507469447e-36),
    (14.0, 4.2, -0.00015902930123059072, 0.00019265070236952912),
    (14.0, 14.0, -0.10725955920585004, 4.60839861426441e-05),
    (14.0, 42.0, -1.947690675193935e-07, -2.151574505922682e-07),
    (15.0, 4.5, -9.278310484050918e-05, 0.0001123503869824754),
    (15.0, 15.0, -0.10358133502110539, 3.874401454171482e-05),
    (15.0, 45.0, -7.636755174962506e-08, -8.43324719595593e-08),
    (40.0, 12.0, -1.911234056194359e-10, 2.305860372183374e-10),
    (40.0, 40.0, -0.06320996500016751, 3.305360095039933e-06),
    (40.0, 120.0, -7.617700297154527e-18, -8.385677710862823e-18),
    (1000.0, 936.754446797, -0.0016144115852087043, 0.00010548504344131986),
    (1000.0, 1000.0, -0.012616713994069625, 1.051567790325393e-09),
    (1000.0, 1094.86832981, -0.000174669890420698, -1.5832354636828323e-05),
    (1000000.0, 998000.0, -5.3900890028576e-05, 1.0790973478583449e-07),
    (1000000.0, 1000000.0, -0.0003989423136466252, 3.324519834474222e-17),
    (1000000.0, 1003000.0, -4.465130758962506e-06, -1.337534039868608e-08),
]

# s, q, and the derivatives of zeta(s, q) by s of order 0, 1 and 2
ZETA = [
    (1.001, 0.3, 1003.5065062289976, -999996.0155776931, 2000000004.8342829),
    (1.5, 0.001, 31625.386966911912, 218438.4690081806, 1508962.6450719256),
    (2.0, 1.0, 1.6449340668482264, -0.9375482543158438, 1.989280234298901),
    (2.5, 0.7, 2.9028675777573465, 0.4345086457414547, 0.9083312590080279),
    (3.7, 40.0, 1.8101237110229713e-05, -7.325284411520483e-05, 0.0002989247333821235),
    (12.0, 1.7, 0.001723201996829035, -0.0009175900088989705, 0.0004901309120068142),
    (30.0, 0.1, 9.999999999999983e29, 2.302585092994042e30, 5.301898110478388e30),
    (50.0, 8.0, 7.025996436848455e-46, -1.4612456826607337e-45, 3.039082327356886e-45),
]


@pytest.mark.parametrize("a, x, first, second", GAMMAINC)
def test_gammainc_by_its_parameter(a, x, first, second):
    rtol = 1e-13 if a < 100 else 1e-12
    size = 0.3 / a if x > a / 2 and a > 1 else abs(second)  # of the second derivative, which changes its sign near a
    for f, sign in ((special.gammainc, 1), (special.gammaincc, -1)):
        np.testing.assert_allclose(fg.grad(f)(a, x), sign * first, rtol=rtol)
        np.testing.assert_allclose(fg.jvp(f, (a, x), (1.0, 0.0))[1], sign * first, rtol=rtol)
        found = fg.jit(fg.grad(fg.grad(f)))(a, x)
        np.testing.assert_allclose(found, sign * second, rtol=10 * rtol, atol=10 * rtol * size)
    rows = np.array([a, a, 2.5]), np.array([x, 0.0, 2.5])
    found = fg.vmap(fg.grad(special.gammainc))(*rows)
    np.testing.assert_allclose(found, [first, 0, -0.26084496236866944], rtol=rtol)


def test_gammainc_in_single_precision():
    table = np.array([row for row in GAMMAINC if abs(row[2]) > 1e-30])
    a, x = table[:, 0].astype("f"), table[:, 1].astype("f")
    found = fg.vmap(fg.grad(special.gammainc))(a, x)
    assert found.dtype == np.float32
    np.testing.assert_allclose(found, fg.vmap(fg.grad(special.gammainc))(a.astype(float), x.astype(float)), rtol=1e-6)


@pytest.mark.parametrize(
    "a, x, slope",
    [
        (2.0, 0.0, 0),
        (2.0, np.inf, 0),
        (np.inf, 2.0, 0),
        (0.0, 1.0, -0.21938393439552026),  # P(0, x) is 1, and the derivative is minus the integral of e^-t / t from x
        (0.0, 2.0, -0.04890051070806112),
        (-1.0, 2.0, np.nan),
        (2.0, -1.0, np.nan),
        (np.nan, 2.0, np.nan),
    ],
)
def test_gammainc_at_the_edges(a, x, slope):
    np.testing.assert_allclose(fg.grad(special.gammainc)(a, x), slope, rtol=1e-14)
    np.testing.assert_allclose(fg.grad(special.gammaincc)(a, x), -slope, rtol=1e-14)


def test_slopes_by_x_at_zero():
    """The density at 0 is that of its formula's limit: 1 - e^-x has all derivatives there."""
    assert fg.grad(special.gammainc, 1)(1.0, 0.0) == 1
    assert fg.grad(fg.grad(special.gammainc, 1), 1)(1.0, 0.0) == -1
    assert fg.grad(special.gammainc, 1)(2.0, 0.0) == 0
    assert fg.grad(fg.grad(special.gammainc, 1), 1)(2.0, 0.0) == 1
    assert fg.grad(special.gammainc, 1)(0.5, 0.0) == np.inf


@pytest.mark.slow
def test_third_derivatives():
    a, x = np.array([0.7, 1.3, 2.5, 17.0]), np.array([2.1, 1.3, 0.8, 16.0])
    for f in (special.gammainc, special.gammaincc):
        check_grads(f, (a, x), order=3)
    check_grads(special.zeta, (a + 1.5, x), order=3)


@pytest.mark.parametrize("s, q, value, first, second", ZETA)
def test_zeta_by_its_exponent(s, q, value, first, second):
    np.testing.assert_allclose(special.zeta(s, q), value, rtol=1e-13)
    np.testing.assert_allclose(fg.grad(special.zeta)(s, q), first, rtol=1e-13)
    np.testing.assert_allclose(fg.jvp(special.zeta, (s, q), (1.0, 0.0))[1], first, rtol=1e-13)
    np.testing.assert_allclose(fg.jit(fg.grad(fg.grad(special.zeta)))(s, q), second, rtol=1e-13)


@pytest.mark.parametrize("name", ["cdf", "sf", "logcdf", "logsf"])
def test_distributions_by_their_shape(name):
    """The derivative of P by a at (1.3, 1.3); a chi-square number is twice a gamma number of half the order."""
    value, slope = special.gammainc(1.3, 1.3), -0.37237940267643177
    expected = {"cdf": slope, "sf": -slope, "logcdf": slope / value, "logsf": -slope / (1 - value)}[name]
    np.testing.assert_allclose(fg.grad(getattr(stats.gamma, name), 1)(1.3, 1.3), expected, rtol=1e-13)
    np.testing.assert_allclose(fg.grad(getattr(stats.chi2, name), 1)(2.6, 2.6), expected / 2, rtol=1e-13)


def test_the_continued_fraction_ends_far_out():
    """Its factors may stay one unit in the last place from one, each element at its own steps."""
    begin = time.perf_counter()
    found = incomplete_gamma.gammaincc(60.0, np.geomspace(70.0, 1e200, 40))
    assert time.perf_counter() - begin < 1
    assert abs(found[0] - 0.10239714943048313) < 1e-13 and np.all(found[20:] == 0)
