"""Special functions: values of high precision (mpmath), limits, derivatives; the primitives of the torch face."""

from __future__ import annotations

import numpy as np
import pytest

from funcgrad import torch
from funcgrad.ops import activation, bessel_functions, complex_parts, entropy, error_functions, gamma
from funcgrad.testing import check_derivatives, check_precision, check_shape_rule, samples
from funcgrad.torch import special
from funcgrad.torch.primitives import conventions, fused

nan, inf = float("nan"), float("inf")

VALUES = [
    ("erf", (0.3,), 0.3286267594591274),
    ("erf", (-2.5,), -0.999593047982555),
    ("erfc", (5.0,), 1.537459794428035e-12),
    ("erfc", (26.0,), 5.663192408856143e-296),
    ("erfcx", (3.0,), 0.17900115118138996),
    ("erfcx", (-2.0,), 108.94090438997797),
    ("erfinv", (0.5,), 0.4769362762044699),
    ("erfinv", (-0.999,), -2.3267537655135246),
    ("ndtri", (1e-20,), -9.262340089798408),
    ("log_ndtr", (-30.0,), -454.3212439563432),
    ("log_ndtr", (8.0,), -6.220960574271786e-16),
    ("gammaln", (1e-05,), 11.512919692895826),
    ("gammaln", (1.0001,), -5.771334222047127e-05),
    ("gammaln", (7.3,), 7.147892523022248),
    ("gammaln", (250.0,), 1128.5237708729908),
    ("gammaln", (-2.5,), -0.056243716497674054),
    ("digamma", (0.01,), -100.56088545786868),
    ("digamma", (1.4616,), -3.110625123034165e-05),
    ("digamma", (50.0,), 3.901989673427892),
    ("digamma", (-3.3,), 3.620353460592126),
    ("polygamma", (1, 0.3), 12.245364546107732),
    ("polygamma", (3, 12.5), 0.0011534128049134052),
    ("zeta", (2.5, 0.7), 2.9028675777573465),
    ("zeta", (10.0, 3.0), 1.8012627818085337e-05),
    ("gammainc", (2.5, 1.2), 0.20852587940567532),
    ("gammainc", (50.0, 60.0), 0.9155933189063081),
    ("gammaincc", (3.0, 9.0), 0.006232195106377317),
    ("i0", (3.0,), 4.8807925858650245),
    ("i0e", (30.0,), 0.0731459464822373),
    ("i1", (-2.0,), -1.590636854637329),
    ("i1e", (12.0,), 0.11146429929018098),
    ("bessel_j0", (1.5,), 0.5118276717359181),
    ("bessel_j0", (20.0,), 0.16702466434058316),
    ("bessel_j1", (-4.5,), 0.23106043192337064),
    ("bessel_j1", (11.0,), -0.17678529895672151),
    ("bessel_y0", (0.5,), -0.44451873350670656),
    ("bessel_y0", (15.0,), 0.20546429603891828),
    ("bessel_y1", (3.0,), 0.3246744247918),
    ("bessel_y1", (9.0,), 0.10431457519671589),
    ("modified_bessel_k0", (0.7,), 0.6605198599151016),
    ("modified_bessel_k1", (5.0,), 0.004044613445452165),
    ("scaled_modified_bessel_k0", (30.0,), 0.22788666561625373),
    ("scaled_modified_bessel_k1", (1.0,), 1.6361534862632583),
    ("airy_ai", (1.5,), 0.07174949700810541),
    ("airy_ai", (6.0,), 9.947694360252889e-06),
    ("airy_ai", (-3.0,), -0.37881429367765806),
    ("airy_ai", (-9.0,), -0.022133721547341403),
    ("spherical_bessel_j0", (0.3,), 0.9850673555377986),
    ("multigammaln", (4.5, 3), 7.1635644711916715),
    ("sinc", (0.4,), 0.7568267286406569),
    ("expit", (2.0,), 0.8807970779778824),
    ("entr", (0.3,), 0.3611918412977808),
    ("xlog1py", (2.0, 1e-09), 1.999999999e-09),
]


@pytest.mark.parametrize("name, args, expected", VALUES)
def test_values(name, args, expected):
    f = getattr(special, name)
    args = [a if type(a) is int else torch.tensor(a, dtype=torch.float64) for a in args]
    assert f(*args).item() == pytest.approx(expected, rel=2e-14, abs=1e-300)


def test_limits():
    x = torch.tensor([0.0, -1.0, inf, -inf, nan], dtype=torch.float64)
    assert torch.lgamma(x)[:4].tolist() == [inf] * 4
    assert torch.erf(x).tolist()[:4] == pytest.approx([0, -0.8427007929497149, 1, -1])
    assert torch.erfc(x)[2:4].tolist() == [0, 2]
    assert torch.digamma(torch.tensor([0.0, -0.0])).tolist() == [-inf, inf]
    assert torch.erfinv(torch.tensor([-1.0, 1.0, 0.0])).tolist() == [-inf, inf, 0]
    assert torch.erfinv(torch.tensor(1.5)).isnan()
    assert special.entr(x)[:2].tolist() == [0, -inf]
    assert all(f(x)[4].isnan() for f in (torch.lgamma, torch.digamma, torch.erf, torch.erfinv, torch.i0))


def test_inverses():
    p = torch.tensor([1e-300, 1e-10, 0.01, 0.4, 0.5, 0.9, 1 - 1e-10], dtype=torch.float64)
    np.testing.assert_allclose(special.ndtr(special.ndtri(p)).tolist(), p.tolist(), rtol=1e-11)
    y = torch.linspace(-0.999, 0.999, 21).double()
    np.testing.assert_allclose(torch.erf(torch.erfinv(y)).tolist(), y.tolist(), rtol=1e-13, atol=1e-16)


@pytest.mark.parametrize(
    "f",
    [torch.erf, torch.erfc, torch.erfinv, torch.lgamma, torch.digamma, torch.i0, torch.sinc, special.erfcx]
    + [special.log_ndtr, special.ndtri, special.i1, special.i0e, special.i1e]
    + [special.entr, special.ndtr, lambda x: torch.polygamma(2, x), lambda x: torch.mvlgamma(x + 1, 2)]
    + [lambda x: torch.xlogy(x, x + 1), lambda x: special.xlog1py(x, x), lambda x: special.zeta(2.5, x)]
    + [lambda x: torch.igamma(torch.full_like(x, 1.5), x), lambda x: torch.igammac(torch.full_like(x, 1.5), x)],
)
def test_gradients(f):
    x = torch.tensor([0.3, 0.55, 0.8], dtype=torch.float64, requires_grad=True)
    assert torch.autograd.gradcheck(f, (x,))
    assert torch.autograd.gradgradcheck(f, (x,))


def test_derivatives_that_nobody_knows_are_refused():
    a, x = torch.tensor([2.5], requires_grad=True), torch.tensor([1.5])
    for f, text in ((torch.igamma, "igamma: input"), (torch.igammac, "igammac: input"), (special.zeta, "zeta")):
        with pytest.raises(NotImplementedError, match=f"the derivative for '{text}' is not implemented."):
            f(a, x).backward()


def test_single_precision_and_integers():
    x = torch.tensor([0.25, 0.5])
    for name in ("erf", "lgamma", "digamma", "i0"):
        f = getattr(torch, name)
        assert f(x).dtype is torch.float32
        np.testing.assert_allclose(f(x).tolist(), f(x.double()).tolist(), rtol=2e-7)
    assert torch.lgamma(torch.tensor([1, 5])).tolist() == pytest.approx([0, np.log(24)])


def test_polynomials():
    x = torch.tensor([0.3, -0.7], dtype=torch.float64)
    n = torch.tensor([5, 2])
    angle = torch.acos(x)
    np.testing.assert_allclose(special.chebyshev_polynomial_t(x, n).tolist(), torch.cos(n * angle).tolist())
    np.testing.assert_allclose(special.hermite_polynomial_h(x, 3).tolist(), (8 * x**3 - 12 * x).tolist())
    np.testing.assert_allclose(special.laguerre_polynomial_l(x, 2).tolist(), (0.5 * x**2 - 2 * x + 1).tolist())
    np.testing.assert_allclose(special.legendre_polynomial_p(x, 2).tolist(), (1.5 * x**2 - 0.5).tolist())
    assert special.chebyshev_polynomial_u(x, -1).tolist() == [0, 0]


# The primitives that only the torch face uses, held to what every primitive is held to.

MODULES = (activation, bessel_functions, complex_parts, conventions, entropy, error_functions, fused, gamma)
PRIMITIVES = {p.name: p for m in MODULES for p in vars(m).values() if type(p).__name__ == "Primitive"}


@pytest.mark.slow
@pytest.mark.parametrize("primitive", PRIMITIVES.values(), ids=PRIMITIVES)
def test_primitives(primitive):
    for code in primitive.dtypes:
        for sample in samples(primitive, code):
            check_shape_rule(primitive, sample)
            if primitive.differentiable and code in "dD":
                check_derivatives(primitive, sample)
            elif primitive.differentiable:
                check_precision(primitive, sample)
