"""Primitives: orthogonal polynomials and Legendre functions, by their argument.

The degree and the parameters are operands in which they are not differentiated. The derivative of a polynomial is one
of a degree less by one, of the same or of another kind (DLMF 18.9).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from funcgrad.core.primitive import Draw, NotDifferentiable, Primitive, Sample, elementwise
from funcgrad.ops.scipy_kernels import kernel, scipy_function, scipy_special

_NO_FORMULA = NotDifferentiable("the derivative by degree or parameter has no formula here")


def _polynomial(name: str, slope: Callable, parameters: tuple[str, ...] = (), low: float = -0.9) -> Primitive:
    """Declare a polynomial by its derivative, a function of degree, parameters and x; that of degree 0 is 0."""
    given = (2, 1)[: len(parameters)]

    def rule(g: Any, n: Any, x: Any, others: tuple) -> Any:
        constant = np.equal(n, 0)
        return g * np.where(constant, 0, slope(np.where(constant, 1, n), *others, x))

    rules: dict[int, Callable] = {
        0: lambda g, n, x: rule(g, n, x, ()),
        1: lambda g, n, alpha, x: rule(g, n, x, (alpha,)),
        2: lambda g, n, alpha, beta, x: rule(g, n, x, (alpha, beta)),
    }

    def samples(draw: Draw) -> list[Sample]:
        degrees: list[Any] = [2, np.array([[0], [3]], np.int8), 1]
        return [
            Sample(n, *given, draw(*shape, low=low, high=0.9))
            for n, shape in zip(degrees, ((3,), (2,), ()), strict=True)
        ]

    return scipy_function(
        name,
        *[_NO_FORMULA] * (1 + len(parameters)),
        rules[len(parameters)],
        operands=" ".join(("n", *("alpha", "beta")[: len(parameters)], "x")),
        samples=samples,
    )


jacobi: Primitive = _polynomial(
    "eval_jacobi", lambda n, a, b, x: (n + a + b + 1) * 0.5 * jacobi(n - 1, a + 1, b + 1, x), ("alpha", "beta")
)
sh_jacobi: Primitive = _polynomial(
    "eval_sh_jacobi", lambda n, p, q, x: n * sh_jacobi(n - 1, p + 2, q + 1, x), ("p", "q"), low=0.1
)
gegenbauer: Primitive = _polynomial("eval_gegenbauer", lambda n, a, x: 2 * a * gegenbauer(n - 1, a + 1, x), ("alpha",))
genlaguerre: Primitive = _polynomial("eval_genlaguerre", lambda n, a, x: -genlaguerre(n - 1, a + 1, x), ("alpha",))
laguerre = _polynomial("eval_laguerre", lambda n, x: -genlaguerre(n - 1, 1, x))
legendre = _polynomial("eval_legendre", lambda n, x: (n + 1) * 0.5 * jacobi(n - 1, 1, 1, x))
sh_legendre = _polynomial("eval_sh_legendre", lambda n, x: (n + 1) * jacobi(n - 1, 1, 1, 2 * x - 1), low=0.1)
chebyu = _polynomial("eval_chebyu", lambda n, x: 2 * gegenbauer(n - 1, 2, x))
chebyt = _polynomial("eval_chebyt", lambda n, x: n * chebyu(n - 1, x))
chebys = _polynomial("eval_chebys", lambda n, x: gegenbauer(n - 1, 2, x * 0.5))
chebyc = _polynomial("eval_chebyc", lambda n, x: n * chebys(n - 1, x))
sh_chebyu = _polynomial("eval_sh_chebyu", lambda n, x: 4 * gegenbauer(n - 1, 2, 2 * x - 1), low=0.1)
sh_chebyt = _polynomial("eval_sh_chebyt", lambda n, x: 2 * n * sh_chebyu(n - 1, x), low=0.1)


def _hermite(name: str, factor: int) -> Primitive:
    """H_n' = 2 n H_{n-1}, and He_n' = n He_{n-1}. SciPy has them for degrees of the type intc only."""
    values = kernel(name)

    def compute(n: Any, x: Any) -> Any:
        return values(np.asarray(n).astype(np.intc), x).astype(np.result_type(n, x))

    def rule(g: Any, n: Any, x: Any) -> Any:
        constant = np.equal(n, 0)
        return g * np.where(constant, 0, factor * n * made(np.where(constant, 1, n) - 1, x))

    made: Primitive = elementwise(
        compute,
        _NO_FORMULA,
        rule,
        name=f"scipy_{name}",
        operands="n x",
        samples=lambda draw: [Sample(3, draw(3)), Sample(np.array([[0], [2]], np.int8), draw(2))],
    )
    return made


hermite, hermitenorm = _hermite("eval_hermite", 2), _hermite("eval_hermitenorm", 1)


# Legendre functions.


def _lpmv_rule(g: Any, m: Any, v: Any, x: Any, out: Any) -> Any:
    """(1 - x²) P' = (v + m) P_{v-1} - v x P (DLMF 14.10.5)."""
    return g * (((v + m) * lpmv(m, v - 1, x) - v * x * out) / (1 - x * x))


lpmv: Primitive = scipy_function(
    "lpmv",
    _NO_FORMULA,
    _NO_FORMULA,
    _lpmv_rule,
    operands="m v x",
    samples=lambda draw: [Sample(1, 3, draw(3, low=-0.9, high=0.9)), Sample(0, 2, draw(2, 2, low=-0.9, high=0.9))],
)


def _spherical(n: Any, m: Any, theta: Any) -> Any:
    """The spherical harmonic at the longitude 0, where it is real; 0 for |m| > n."""
    special, kind = scipy_special("sph_harm_y"), np.result_type(n, m, theta)
    n, m = np.asarray(n).astype(np.intc), np.asarray(m).astype(np.intc)
    with np.errstate(all="ignore"):
        if hasattr(special, "sph_harm_y"):
            found = special.sph_harm_y(n, m, theta, 0.0)
        else:  # SciPy before 1.15
            found = special.sph_harm(m, n, 0.0, theta)
    return np.where(np.abs(m) > n, 0, found.real).astype(kind)[()]


def _spherical_rule(g: Any, n: Any, m: Any, theta: Any) -> Any:
    """The ladder of m: there is no cotangent in it, so it holds at the poles too."""
    up = np.sqrt(np.maximum((n - m) * (n + m + 1.0), 0)) * spherical_part(n, m + 1, theta)
    down = np.sqrt(np.maximum((n + m) * (n - m + 1.0), 0)) * spherical_part(n, m - 1, theta)
    return g * (0.5 * (up - down))


spherical_part: Primitive = elementwise(
    _spherical,
    _NO_FORMULA,
    _NO_FORMULA,
    _spherical_rule,
    name="sph_harm_y_at_0",
    operands="n m theta",
    samples=lambda draw: [
        Sample(3, 1, draw(3, low=0, high=3)),
        Sample(np.array([[2], [1]], np.int8), np.array([-2, 0, 1], np.int8), draw(3, low=0, high=3)),
    ],
)
