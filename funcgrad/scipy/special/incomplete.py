"""The incomplete gamma and beta functions, and their inverses. Derivatives in all operands."""

from __future__ import annotations

from funcgrad.ops import beta, gamma
from funcgrad.scipy.special.declare import public

__all__ = ["betainc", "betaincc", "betainccinv", "betaincinv", "gammainc", "gammaincc", "gammainccinv", "gammaincinv"]


gammainc = public(
    gamma.gammainc,
    "gammainc",
    "a x",
    "The regularized lower incomplete gamma function, differentiable in both operands.",
    "1.0, 1.0",
    "0.63212056",
)
gammaincc = public(
    gamma.gammaincc,
    "gammaincc",
    "a x",
    "The regularized upper incomplete gamma function, differentiable in both operands.",
    "1.0, 1.0",
    "0.36787944",
)
gammaincinv = public(
    gamma.gammaincinv, "gammaincinv", "a y", "The x with gammainc(a, x) = y, elementwise.", "1.0, 0.5", "0.69314718"
)
gammainccinv = public(
    gamma.gammainccinv, "gammainccinv", "a y", "The x with gammaincc(a, x) = y, elementwise.", "1.0, 0.1", "2.30258509"
)
betainc = public(
    beta.betainc,
    "betainc",
    "a b x",
    "The regularized incomplete beta function, differentiable in all operands.",
    "2.0, 3.0, 0.5",
    "0.6875",
)
betaincc = public(
    beta.betaincc, "betaincc", "a b x", "One minus betainc, differentiable in all operands.", "2.0, 3.0, 0.5", "0.3125"
)
betaincinv = public(
    beta.betaincinv,
    "betaincinv",
    "a b y",
    "The x with betainc(a, b, x) = y, elementwise.",
    "2.0, 3.0, 0.6875",
    "0.5",
)
betainccinv = public(
    beta.betainccinv,
    "betainccinv",
    "a b y",
    "The x with betaincc(a, b, x) = y, elementwise.",
    "2.0, 3.0, 0.3125",
    "0.5",
)
