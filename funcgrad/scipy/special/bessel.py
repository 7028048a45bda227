"""Bessel functions."""

from __future__ import annotations

from funcgrad.ops import bessel_functions as bessel
from funcgrad.scipy.special.declare import public

i0 = public(bessel.i0, "i0", "x", "The modified Bessel function of order 0, elementwise.", "1.0", "1.26606588")
i0e = public(bessel.i0e, "i0e", "x", "exp(-|x|) i0(x), elementwise.", "1.0", "0.46575961")
i1 = public(bessel.i1, "i1", "x", "The modified Bessel function of order 1, elementwise.", "1.0", "0.5651591")
i1e = public(bessel.i1e, "i1e", "x", "exp(-|x|) i1(x), elementwise.", "1.0", "0.20791042")
