"""`erf_inv`: the inverse error function by Giles' polynomials, with which normal random numbers are made.

It has the errors that XLA's has: a few units in the last place, and more where x is so close to 1 that x² loses digits.
Where numbers need not agree with those of JAX, `erfinv` of error_functions.py is the more accurate.

Source: Giles, "Approximating the erfinv function", GPU Computing Gems 2, 2011.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from funcgrad.core.primitive import elementwise
from funcgrad.ops.tiles import tiles

# With w = -log(1 - x²), erf_inv(x) / x is a polynomial in w - shift or, further out, in √w - shift. For each piece: the
# bound of w, the shift, and the coefficients from the highest power down.
PIECES: dict[str, list[tuple[float, float, Sequence[float]]]] = {
    "f": [
        (
            5.0,
            2.5,
            (
                2.81022636e-08, 3.43273939e-07, -3.5233877e-06, -4.39150654e-06, 0.00021858087, -0.00125372503,
                -0.00417768164, 0.246640727, 1.50140941,
            ),
        ),
        (
            math.inf,
            3.0,
            (
                -0.000200214257, 0.000100950558, 0.00134934322, -0.00367342844, 0.00573950773, -0.0076224613,
                0.00943887047, 1.00167406, 2.83297682,
            ),
        ),
    ],
    "d": [
        (
            6.25,
            3.125,
            (
                -3.6444120640178197e-21, -1.6850591381820166e-19, 1.28584807152564e-18, 1.1157877678025181e-17,
                -1.3331716628546209e-16, 2.0972767875968562e-17, 6.637638134358324e-15, -4.054566272975207e-14,
                -8.151934197605472e-14, 2.6335093153082323e-12, -1.2975133253453532e-11, -5.415412054294628e-11,
                1.0512122733215323e-09, -4.112633980346984e-09, -2.9070369957882005e-08, 4.2347877827932404e-07,
                -1.3654692000834679e-06, -1.3882523362786469e-05, 0.00018673420803405714, -0.000740702534166267,
                -0.006033670871430149, 0.24015818242558962, 1.6536545626831027,
            ),
        ),
        (
            16.0,
            3.25,
            (
                2.2137376921775787e-09, 9.075656193888539e-08, -2.7517406297064545e-07, 1.823962921438923e-08,
                1.5027403968909828e-06, -4.013867526981546e-06, 2.9234449089955446e-06, 1.2475304481671779e-05,
                -4.7318229009055734e-05, 6.828485145957318e-05, 2.4031110387097894e-05, -0.0003550375203628475,
                0.0009532893797373805, -0.0016882755560235047, 0.002491442096107851, -0.003751208507569241,
                0.005370914553590064, 1.0052589676941592, 3.0838856104922208,
            ),
        ),
        (
            math.inf,
            5.0,
            (
                -2.7109920616438573e-11, -2.5556418169965252e-10, 1.5076572693500548e-09, -3.789465440126737e-09,
                7.61570120807834e-09, -1.496002662714924e-08, 2.9147953450901081e-08, -6.771199775845234e-08,
                2.2900482228026655e-07, -9.9298272942317e-07, 4.526062597223154e-06, -1.968177810553167e-05,
                7.599527703001776e-05, -0.00021503011930044477, -0.00013871931833623122, 1.0103004648645344,
                4.849906401408584,
            ),
        ),
    ],
}  # fmt: skip  # in rows


def _erf_inv(x: Any) -> Any:
    x = np.asarray(x)
    if x.dtype.char not in PIECES:
        return _erf_inv(x.astype(np.float32)).astype(x.dtype)
    (bound, shift, coefficients), *further = PIECES[x.dtype.char]
    it = tiles(x, dtype=x.dtype)
    result = it.operands[-1]
    with it, np.errstate(all="ignore"):
        for v, out in it:
            w = -np.log1p(-(v * v))
            np.multiply(_polynomial(coefficients, w - shift), v, out=out)
            (far,) = np.nonzero(w >= bound)
            if far.size:
                out[far] = _in_the_tails(v[far], w[far], further)
    return result[()]


def _in_the_tails(x: Any, w: Any, pieces: list) -> Any:
    root = np.sqrt(w)
    (bound, shift, coefficients), *further = pieces
    inside = _polynomial(coefficients, root - shift) * x
    (far,) = np.nonzero(w >= bound)
    if far.size and further:
        inside[far] = _in_the_tails(x[far], w[far], further)
    return np.where(np.abs(x) == 1, x * math.inf, inside)


def _polynomial(coefficients: Sequence[float], t: Any) -> Any:
    """Horner's rule, in place."""
    value = t * coefficients[0]
    value += coefficients[1]
    for c in coefficients[2:]:
        value *= t
        value += c
    return value


erf_inv = elementwise(
    _erf_inv, lambda g, out: g * (math.sqrt(math.pi) / 2 * np.exp(out * out)), low=-0.9, high=0.9, preserves=True
)
