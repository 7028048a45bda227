"""Distribution functions of SciPy's names: binomial, chi-squared, F, gamma, negative binomial, Poisson, Student's t.

They are words over the incomplete gamma and beta functions, and have derivatives in every operand that is no count.
"""

from __future__ import annotations

from typing import Any

from funcgrad.numpy import floor, isfinite, nan, where
from funcgrad.ops import student_t
from funcgrad.scipy.special.declare import public
from funcgrad.scipy.special.incomplete import (
    betainc,
    betaincc,
    betaincinv,
    gammainc,
    gammaincc,
    gammainccinv,
    gammaincinv,
)

__all__ = [
    "bdtr",
    "bdtrc",
    "chdtr",
    "chdtrc",
    "chdtri",
    "fdtr",
    "fdtrc",
    "fdtri",
    "gdtr",
    "gdtrc",
    "gdtria",
    "gdtrix",
    "nbdtr",
    "nbdtrc",
    "pdtr",
    "pdtrc",
    "pdtri",
    "stdtr",
    "stdtrit",
]


def _f_quantile(m: Any, n: Any, p: Any) -> Any:
    y = betaincinv(m / 2, n / 2, p)
    return n * y / (m * (1 - y))


chdtr = public(
    lambda v, x: gammainc(v / 2, x / 2),
    "chdtr",
    "v x",
    "The distribution function of the chi-squared distribution.",
    "2.0, 3.0",
    "0.77686984",
)
chdtrc = public(
    lambda v, x: gammaincc(v / 2, x / 2),
    "chdtrc",
    "v x",
    "The survival function of the chi-squared distribution.",
    "2.0, 3.0",
    "0.22313016",
)
chdtri = public(
    lambda v, p: 2 * gammainccinv(v / 2, p),
    "chdtri",
    "v p",
    "The x with chdtrc(v, x) = p.",
    "2.0, 0.3",
    "2.40794561",
)
gdtr = public(
    lambda a, b, x: where((a >= 0) & (b > 0) & (x >= 0), gammainc(b, a * x), nan),
    "gdtr",
    "a b x",
    "The distribution function of the gamma distribution of rate a and shape b.",
    "2.0, 1.5, 0.5",
    "0.4275933",
)
gdtrc = public(
    lambda a, b, x: where((a >= 0) & (b > 0) & (x >= 0), gammaincc(b, a * x), nan),
    "gdtrc",
    "a b x",
    "The survival function of the gamma distribution of rate a and shape b.",
    "2.0, 1.5, 0.5",
    "0.5724067",
)
gdtrix = public(
    lambda a, b, p: where((a >= 0) & (b >= 0) & isfinite(a) & isfinite(b), gammaincinv(b, p) / a, nan),
    "gdtrix",
    "a b p",
    "The x with gdtr(a, b, x) = p.",
    "2.0, 1.5, 0.5",
    "0.59149347",
)
gdtria = public(
    lambda p, b, x: where((x > 0) & (b > 0) & isfinite(x) & isfinite(b), gammaincinv(b, p) / x, nan),
    "gdtria",
    "p b x",
    "The a with gdtr(a, b, x) = p.",
    "0.5, 1.5, 0.5",
    "2.36597388",
)
fdtr = public(
    lambda m, n, x: where(
        (m > 0) & (n > 0) & (x >= 0) & isfinite(m * x), betainc(m / 2, n / 2, m * x / (n + m * x)), nan
    ),
    "fdtr",
    "dfn dfd x",
    "The distribution function of the F distribution.",
    "2.0, 3.0, 0.5",
    "0.35048095",
)
fdtrc = public(
    lambda m, n, x: where(
        (m > 0) & (n > 0) & (x >= 0) & isfinite(m * x), betaincc(m / 2, n / 2, m * x / (n + m * x)), nan
    ),
    "fdtrc",
    "dfn dfd x",
    "The survival function of the F distribution.",
    "2.0, 3.0, 0.5",
    "0.64951905",
)
fdtri = public(
    _f_quantile,
    "fdtri",
    "dfn dfd p",
    "The x with fdtr(dfn, dfd, x) = p.",
    "2.0, 3.0, 0.5",
    "0.88110158",
)
pdtr = public(
    lambda k, m: where((k >= 0) & (m >= 0), gammaincc(floor(k) + 1, m), nan),
    "pdtr",
    "k m",
    "The distribution function of the Poisson distribution of mean m.",
    "2.0, 1.5",
    "0.80884683",
)
pdtrc = public(
    lambda k, m: where((k >= 0) & (m >= 0), gammainc(floor(k) + 1, m), nan),
    "pdtrc",
    "k m",
    "The survival function of the Poisson distribution of mean m.",
    "2.0, 1.5",
    "0.19115317",
)
pdtri = public(
    lambda k, y: gammainccinv(floor(k) + 1, y),
    "pdtri",
    "k y",
    "The m with pdtr(k, m) = y.",
    "2.0, 0.3",
    "3.61556767",
)
bdtr = public(
    lambda k, n, p: where((k >= 0) & (k <= n) & isfinite(n), betaincc(floor(k) + 1, floor(n) - floor(k), p), nan),
    "bdtr",
    "k n p",
    "The distribution function of the binomial distribution of n trials.",
    "2.0, 5, 0.3",
    "0.83692",
)
bdtrc = public(
    lambda k, n, p: where((k >= 0) & (k <= n) & isfinite(n), betainc(floor(k) + 1, floor(n) - floor(k), p), nan),
    "bdtrc",
    "k n p",
    "The survival function of the binomial distribution of n trials.",
    "2.0, 5, 0.3",
    "0.16308",
)
nbdtr = public(
    lambda k, n, p: where((k >= 0) & (n >= 1) & isfinite(k + n), betainc(floor(n), floor(k) + 1, p), nan),
    "nbdtr",
    "k n p",
    "The distribution function of the negative binomial distribution of n successes.",
    "2, 5, 0.3",
    "0.0287955",
)
nbdtrc = public(
    lambda k, n, p: where((k >= 0) & (n >= 1) & isfinite(k + n), betaincc(floor(n), floor(k) + 1, p), nan),
    "nbdtrc",
    "k n p",
    "The survival function of the negative binomial distribution of n successes.",
    "2, 5, 0.3",
    "0.9712045",
)
stdtr = public(
    student_t.stdtr, "stdtr", "df t", "The distribution function of Student's t distribution.", "2.0, 0.5", "0.66666667"
)
stdtrit = public(student_t.stdtrit, "stdtrit", "df p", "The t with stdtr(df, t) = p.", "2.0, 0.7", "0.6172134")
