"""The exponential of a matrix.

It is computed by scaling and squaring: the Taylor polynomial of degree 18 of A / 2ˢ, whose norm is at most one, squared
s times.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from funcgrad.core import batching
from funcgrad.core.primitive import Primitive, Sample, primitive
from funcgrad.core.types import ShapeDtypeStruct
from funcgrad.ops.linalg import block_derivative, linalg_dtype, matrix_shape

__all__ = ["matrix_exp"]


def _matrix_exp(x: Any) -> Any:
    with np.errstate(all="ignore"):
        n = x.shape[-1]
        norm = np.max(np.add.reduce(np.abs(x), axis=-2), axis=-1, initial=0)
        squarings = np.ceil(np.log2(np.where(np.isfinite(norm) & (norm > 1), norm, 1)))
        a = x * (0.5**squarings).astype(norm.dtype)[..., None, None]
        powers = [np.eye(n, dtype=x.dtype), a, a @ a]
        cube = powers[2] @ a
        out: Any = powers[0] * x.dtype.type(1 / math.factorial(18))
        for k in range(15, -1, -3):  # Horner's scheme in A³
            terms = [p * x.dtype.type(1 / math.factorial(k + i)) for i, p in enumerate(powers)]
            out = terms[0] + terms[1] + terms[2] + cube @ out
        for k in range(int(np.max(squarings, initial=0))):
            out = np.where((k < squarings)[..., None, None], out @ out, out)
        return out


matrix_exp: Primitive = primitive(
    _matrix_exp,
    shape=lambda x: ShapeDtypeStruct(matrix_shape("matrix_exp", x, square=True), linalg_dtype("matrix_exp", x)),
    vjp=lambda g, x: block_derivative(matrix_exp, x.mT, g),
    jvp=lambda t, x: block_derivative(matrix_exp, x, t),
    batch=batching.trailing(2),
    samples=lambda draw: [
        Sample(draw(3, 3)),
        Sample(draw(1, 1)),
        Sample(draw(2, 1, 2, 2)),
        Sample(draw(3, 3)[::-1, ::-1]),
        Sample(draw(2, 2) * 0),
        Sample(draw(0, 0)),
    ],
)
