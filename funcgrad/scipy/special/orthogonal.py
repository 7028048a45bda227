"""Orthogonal polynomials, Legendre functions and spherical harmonics. Derivatives in the argument."""

from __future__ import annotations

from funcgrad.core.array import Array
from funcgrad.core.types import ArrayLike, Complex
from funcgrad.errors import UnsupportedError
from funcgrad.numpy import cos, sin
from funcgrad.numpy.convert import wrap
from funcgrad.ops import orthogonal
from funcgrad.scipy.special.declare import floats, public

__all__ = [
    "eval_chebyc",
    "eval_chebys",
    "eval_chebyt",
    "eval_chebyu",
    "eval_gegenbauer",
    "eval_genlaguerre",
    "eval_hermite",
    "eval_hermitenorm",
    "eval_jacobi",
    "eval_laguerre",
    "eval_legendre",
    "eval_sh_chebyt",
    "eval_sh_chebyu",
    "eval_sh_jacobi",
    "eval_sh_legendre",
    "lpmv",
    "sph_harm_y",
]


eval_legendre = public(
    orthogonal.legendre,
    "eval_legendre",
    "n x",
    "Legendre's polynomial, elementwise.",
    "2, 0.5",
    "-0.125",
    takes="degree and argument; there is no derivative in the degree",
)
eval_chebyt = public(
    orthogonal.chebyt,
    "eval_chebyt",
    "n x",
    "Chebyshev's polynomial of the first kind, elementwise.",
    "2, 0.5",
    "-0.5",
    takes="degree and argument; there is no derivative in the degree",
)
eval_chebyu = public(
    orthogonal.chebyu,
    "eval_chebyu",
    "n x",
    "Chebyshev's polynomial of the second kind, elementwise.",
    "2, 0.5",
    "0.",
    takes="degree and argument; there is no derivative in the degree",
)
eval_chebyc = public(
    orthogonal.chebyc,
    "eval_chebyc",
    "n x",
    "Chebyshev's polynomial of the first kind on [-2, 2], elementwise.",
    "2, 0.5",
    "-1.75",
    takes="degree and argument; there is no derivative in the degree",
)
eval_chebys = public(
    orthogonal.chebys,
    "eval_chebys",
    "n x",
    "Chebyshev's polynomial of the second kind on [-2, 2], elementwise.",
    "2, 0.5",
    "-0.75",
    takes="degree and argument; there is no derivative in the degree",
)
eval_laguerre = public(
    orthogonal.laguerre,
    "eval_laguerre",
    "n x",
    "Laguerre's polynomial, elementwise.",
    "2, 0.5",
    "0.125",
    takes="degree and argument; there is no derivative in the degree",
)
eval_hermite = public(
    orthogonal.hermite,
    "eval_hermite",
    "n x",
    "Hermite's polynomial, of physics, elementwise.",
    "2, 0.5",
    "-1.",
    takes="degree and argument; there is no derivative in the degree",
)
eval_hermitenorm = public(
    orthogonal.hermitenorm,
    "eval_hermitenorm",
    "n x",
    "Hermite's polynomial, of probability, elementwise.",
    "2, 0.5",
    "-0.75",
    takes="degree and argument; there is no derivative in the degree",
)
eval_sh_legendre = public(
    orthogonal.sh_legendre,
    "eval_sh_legendre",
    "n x",
    "Legendre's polynomial on [0, 1], elementwise.",
    "2, 0.5",
    "-0.5",
    takes="degree and argument; there is no derivative in the degree",
)
eval_sh_chebyt = public(
    orthogonal.sh_chebyt,
    "eval_sh_chebyt",
    "n x",
    "Chebyshev's polynomial of the first kind on [0, 1], elementwise.",
    "2, 0.5",
    "-1.",
    takes="degree and argument; there is no derivative in the degree",
)
eval_sh_chebyu = public(
    orthogonal.sh_chebyu,
    "eval_sh_chebyu",
    "n x",
    "Chebyshev's polynomial of the second kind on [0, 1], elementwise.",
    "2, 0.5",
    "-1.",
    takes="degree and argument; there is no derivative in the degree",
)
eval_gegenbauer = public(
    orthogonal.gegenbauer,
    "eval_gegenbauer",
    "n alpha x",
    "Gegenbauer's polynomial, elementwise.",
    "2, 1.5, 0.5",
    "0.375",
    takes="degree, parameters and argument; there is a derivative in the argument only",
)
eval_genlaguerre = public(
    orthogonal.genlaguerre,
    "eval_genlaguerre",
    "n alpha x",
    "Laguerre's generalized polynomial, elementwise.",
    "2, 1.5, 0.5",
    "2.75",
    takes="degree, parameters and argument; there is a derivative in the argument only",
)
eval_jacobi = public(
    orthogonal.jacobi,
    "eval_jacobi",
    "n alpha beta x",
    "Jacobi's polynomial, elementwise.",
    "2, 1.0, 0.5, 0.3",
    "-0.2090625",
    takes="degree, parameters and argument; there is a derivative in the argument only",
)
eval_sh_jacobi = public(
    orthogonal.sh_jacobi,
    "eval_sh_jacobi",
    "n p q x",
    "Jacobi's polynomial on [0, 1], elementwise.",
    "2, 2.0, 1.5, 0.3",
    "-0.0225",
    takes="degree, parameters and argument; there is a derivative in the argument only",
)
lpmv = public(
    orthogonal.lpmv,
    "lpmv",
    "m v x",
    "The associated Legendre function, elementwise.",
    "1, 2, 0.5",
    "-1.29903811",
    takes="order, degree and argument; there is a derivative in the argument only",
)


def sph_harm_y(
    n: ArrayLike, m: ArrayLike, theta: ArrayLike, phi: ArrayLike, diff_n: int | None = None, n_max: int | None = None
) -> Complex[Array, "..."]:
    """The spherical harmonic of degree n and order m, elementwise.

    Arguments:
        n, m: degree and order, integers; there is no derivative in them.
        theta: the polar angle, from 0 to π.
        phi: the azimuth.
        diff_n: SciPy's option for derivatives, which transforms give here: None or 0.
        n_max: taken for JAX's sake and not used.

    Raises:
        UnsupportedError: diff_n is a number other than 0.

    Example:
        >>> from funcgrad.scipy.special import sph_harm_y
        >>> sph_harm_y(1, 0, 0.0, 0.0)
        Array(0.48860251+0.j, dtype=complex128)
    """
    if diff_n:
        raise UnsupportedError(f"sph_harm_y gives no derivatives by diff_n={diff_n}: use grad or jvp of it")
    n, m, theta, phi = floats("sph_harm_y", (n, m, theta, phi))
    part = wrap(orthogonal.spherical_part(n, m, theta))
    angle = m * phi
    return part * cos(angle) + 1j * (part * sin(angle))
