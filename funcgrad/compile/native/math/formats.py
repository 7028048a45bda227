"""What formulas must know of a format of floats: double and single precision."""

from __future__ import annotations

from typing import NamedTuple

from funcgrad.compile.native.math.terms import Term


class Format(NamedTuple):
    """A format of floats, and polynomials that are as exact as it.

    Attributes:
        width, digits, bias: how many bits it has, how many of them follow the point, and what is added to exponents.
        root_half: the bits of the root of 1/2.
        ln2, half_pi: log 2 and pi/2 as sums of floats; that of `half_pi` is exact with as many quarters as `far` has.
        largest, least: from where e^x is infinite, and zero.
        far: the largest argument of sin and cos whose quarter turns can be taken off.
        curve: (e^r - 1 - r) / r² for |r| < log(2) / 2; the constant comes first.
        sine, cosine: what follows r in sin(r), over r³, and 1 - r² / 2 in cos(r), over r⁴, for |r| < pi/4, in r²; the
            coefficient of the highest power comes first.
    """

    width: int
    digits: int
    bias: int
    root_half: int
    ln2: tuple[float, float]
    half_pi: tuple[float, float, float]
    largest: float
    least: float
    far: float
    curve: list[float]
    sine: list[float]
    cosine: list[float]


DOUBLE = Format(
    width=64,
    digits=52,
    bias=1023,
    root_half=0x3FE6A09E667F3BCD,
    ln2=(6.93147180369123816490e-01, 1.90821492927058770002e-10),
    half_pi=(1.5707963267341256, 6.077100506506192e-11, 3.5215598651832e-27),
    largest=709.782712893384,
    least=-745.2,
    far=1e6,
    curve=[
        0.5,
        0.1666666666666667,
        0.041666666666666685,
        0.00833333333332614,
        0.0013888888888874409,
        0.00019841269874805868,
        2.480158734731475e-05,
        2.755725541945937e-06,
        2.7557252936355383e-07,
        2.5105208818415114e-08,
        2.0921581294013964e-09,
    ],
    sine=[
        1.58969099521155010221e-10,
        -2.50507602534068634195e-08,
        2.75573137070700676789e-06,
        -1.98412698298579493134e-04,
        8.33333333332248946124e-03,
        -1.66666666666666324348e-01,
    ],
    cosine=[
        -1.13596475577881948265e-11,
        2.08757232129817482790e-09,
        -2.75573143513906633035e-07,
        2.48015872894767294178e-05,
        -1.38888888888741095749e-03,
        4.16666666666666019037e-02,
    ],
)
"""The polynomials of sin and cos are those of FreeBSD's k_sin.c and k_cos.c (Sun Microsystems, 1993), that of e^r is
minimax."""

SINGLE = Format(
    width=32,
    digits=23,
    bias=127,
    root_half=0x3F3504F3,
    ln2=(0.6931471824645996, -1.9046542121259336e-09),
    half_pi=(1.5707963705062866, -4.371138828673793e-08, -1.7151245100058819e-15),
    largest=88.72283905206835,
    least=-104.0,
    far=1e5,
    curve=[0.5, 0.16666576266288757, 0.04166637361049652, 0.008363183587789536, 0.0013941122451797128],
    sine=[2.7249941467744065e-06, -0.00019840087043121457, 0.008333331905305386, -0.1666666716337204],
    cosine=[-2.730096184677677e-07, 2.480059993104078e-05, -0.00138888880610466, 0.0416666679084301],
)
"""Its polynomials are minimax."""


def format_of(x: Term) -> Format:
    """The format of a float, or of the integer that its bits are."""
    return DOUBLE if x.value.kind in ("double", "i64") else SINGLE
