"""Bessel functions."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from funcgrad.core.array import Array
from funcgrad.core.primitive import Primitive
from funcgrad.core.types import ArrayLike, Complex, Float, Inexact
from funcgrad.errors import ArgumentError
from funcgrad.numpy.convert import wrap
from funcgrad.ops import bessel_functions as bessel
from funcgrad.scipy.special.declare import as_complex, floats, public

__all__ = [
    "airy",
    "bessel_jn",
    "hankel1",
    "hankel1e",
    "hankel2",
    "hankel2e",
    "i0",
    "i0e",
    "i1",
    "i1e",
    "iv",
    "ive",
    "j0",
    "j1",
    "jn",
    "jv",
    "jve",
    "k0",
    "k0e",
    "k1",
    "k1e",
    "kn",
    "kv",
    "kve",
    "y0",
    "y1",
    "yn",
    "yv",
    "yve",
]


i0 = public(bessel.i0, "i0", "x", "The modified Bessel function of order 0, elementwise.", "1.0", "1.26606588")
i0e = public(bessel.i0e, "i0e", "x", "exp(-|x|) i0(x), elementwise.", "1.0", "0.46575961")
i1 = public(bessel.i1, "i1", "x", "The modified Bessel function of order 1, elementwise.", "1.0", "0.5651591")
i1e = public(bessel.i1e, "i1e", "x", "exp(-|x|) i1(x), elementwise.", "1.0", "0.20791042")
j0 = public(bessel.j0, "j0", "x", "The Bessel function of the first kind of order 0, elementwise.", "1.0", "0.76519769")
j1 = public(bessel.j1, "j1", "x", "The Bessel function of the first kind of order 1, elementwise.", "1.0", "0.44005059")
y0 = public(
    bessel.y0, "y0", "x", "The Bessel function of the second kind of order 0, elementwise.", "1.0", "0.08825696"
)
y1 = public(
    bessel.y1, "y1", "x", "The Bessel function of the second kind of order 1, elementwise.", "1.0", "-0.78121282"
)
k0 = public(
    bessel.k0,
    "k0",
    "x",
    "The modified Bessel function of the second kind of order 0, elementwise.",
    "1.0",
    "0.42102444",
)
k1 = public(
    bessel.k1,
    "k1",
    "x",
    "The modified Bessel function of the second kind of order 1, elementwise.",
    "1.0",
    "0.60190723",
)
k0e = public(bessel.k0e, "k0e", "x", "exp(x) k0(x), elementwise.", "1.0", "1.14446308")
k1e = public(bessel.k1e, "k1e", "x", "exp(x) k1(x), elementwise.", "1.0", "1.63615349")
jv = public(
    bessel.jv,
    "jv",
    "v z",
    "The Bessel function of the first kind of order v, elementwise.",
    "2, 1.0",
    "0.11490348",
    on_complex=bessel.jv,
    takes="order and arguments; there is no derivative in the order",
)
yv = public(
    bessel.yv,
    "yv",
    "v z",
    "The Bessel function of the second kind of order v, elementwise.",
    "2, 1.0",
    "-1.65068261",
    on_complex=bessel.yv,
    takes="order and arguments; there is no derivative in the order",
)
iv = public(
    bessel.iv,
    "iv",
    "v z",
    "The modified Bessel function of the first kind of order v, elementwise.",
    "2, 1.0",
    "0.13574767",
    on_complex=bessel.iv,
    takes="order and arguments; there is no derivative in the order",
)
kv = public(
    bessel.kv,
    "kv",
    "v z",
    "The modified Bessel function of the second kind of order v, elementwise.",
    "2, 1.0",
    "1.6248389",
    on_complex=bessel.kv,
    takes="order and arguments; there is no derivative in the order",
)
jve = public(
    bessel.jve,
    "jve",
    "v z",
    "exp(-|Im z|) jv(v, z), elementwise; of real z.",
    "2, 1.0",
    "0.11490348",
    takes="order and arguments; there is no derivative in the order",
)
yve = public(
    bessel.yve,
    "yve",
    "v z",
    "exp(-|Im z|) yv(v, z), elementwise; of real z.",
    "2, 1.0",
    "-1.65068261",
    takes="order and arguments; there is no derivative in the order",
)
ive = public(
    bessel.ive,
    "ive",
    "v z",
    "exp(-|z|) iv(v, z), elementwise.",
    "2, 1.0",
    "0.04993878",
    takes="order and arguments; there is no derivative in the order",
)
kve = public(
    bessel.kve,
    "kve",
    "v z",
    "exp(z) kv(v, z), elementwise.",
    "2, 1.0",
    "4.41677005",
    on_complex=bessel.kve,
    takes="order and arguments; there is no derivative in the order",
)
yn = public(
    bessel.yv,
    "yn",
    "n x",
    "The Bessel function of the second kind of integer order, elementwise.",
    "2, 1.0",
    "-1.65068261",
    takes="order and arguments; there is no derivative in the order",
)
kn = public(
    bessel.kv,
    "kn",
    "n x",
    "The modified Bessel function of the second kind of integer order, elementwise.",
    "2, 1.0",
    "1.6248389",
    takes="order and arguments; there is no derivative in the order",
)
jn = jv


def _hankel(name: str, primitive: Primitive, kind: str, value: str) -> Callable[..., Any]:
    def function(v: ArrayLike, z: ArrayLike) -> Complex[Array, "..."]:
        v, _ = floats(name, (v, np.float32(0)))
        return wrap(primitive(v, *as_complex(name, z)))

    function.__name__ = function.__qualname__ = name
    function.__doc__ = f"""The Hankel function of the {kind}, elementwise.

    Arguments:
        v: the order, in which there is no derivative.
        z: the argument.

    Example:
        >>> from funcgrad.scipy.special import {name}
        >>> {name}(2, 1.0)
        Array({value}, dtype=complex128)
    """
    return function


hankel1 = _hankel("hankel1", bessel.hankel1, "first kind, J + i Y", "0.11490348-1.65068261j")
hankel2 = _hankel("hankel2", bessel.hankel2, "second kind, J - i Y", "0.11490348+1.65068261j")
hankel1e = _hankel("hankel1e", bessel.hankel1e, "first kind times exp(-i z)", "-1.3269189-0.98855557j")
hankel2e = _hankel("hankel2e", bessel.hankel2e, "second kind times exp(i z)", "-1.3269189+0.98855557j")


def airy(z: ArrayLike) -> tuple[Inexact[Array, "..."], ...]:
    """Airy's functions Ai and Bi and their derivatives: Ai, Ai', Bi, Bi', elementwise.

    Example:
        >>> from funcgrad.scipy.special import airy
        >>> airy(0.0)[0]
        Array(0.35502805, dtype=float64)
    """
    (z,) = floats("airy", (z,), complex_too=True)
    parts = (bessel.airy_ai, bessel.airy_ai_slope, bessel.airy_bi, bessel.airy_bi_slope)
    return tuple([wrap(part(z)) for part in parts])


def bessel_jn(z: ArrayLike, *, v: int, n_iter: int = 50) -> Float[Array, "..."]:
    """The Bessel functions of the first kind of the orders 0 to v, along a new first axis.

    Arguments:
        z: an array.
        v: the largest order, an int that is not negative.
        n_iter: taken and not used: the values are SciPy's.

    Example:
        >>> from funcgrad.scipy.special import bessel_jn
        >>> bessel_jn(1.0, v=1)
        Array([0.76519769, 0.44005059], dtype=float64)

    Source: jax.scipy.special.bessel_jn.
    """
    if not isinstance(v, (int, np.integer)) or v < 0:
        raise ArgumentError(f"bessel_jn: v must be an int that is not negative, got {v!r}")
    (z,) = floats("bessel_jn", (z,))
    orders = np.arange(v + 1, dtype=z.dtype).reshape((-1,) + (1,) * z.ndim)
    return wrap(bessel.jv(orders, z))
