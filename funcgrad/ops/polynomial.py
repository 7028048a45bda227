"""The roots of a polynomial. Everything else about polynomials is composed of other primitives."""

from __future__ import annotations

from typing import Any

import numpy as np

from funcgrad.core.primitive import Draw, Sample, primitive
from funcgrad.core.types import ShapeDtypeStruct, dtype_of, shape_of


def _complex(dtype: np.dtype) -> np.dtype:
    return np.result_type(dtype, np.complex64 if dtype.kind in "fc" else np.complex128)


def _roots(x: Any) -> Any:
    return np.roots(x).astype(_complex(x.dtype))


def _slopes(out: Any, x: Any) -> Any:
    """The derivative of root i with respect to coefficient k, as a matrix.

    The polynomial stays zero at its roots while they move: p'(r) dr + r^(n-k) dp_k = 0, also for coefficients that are
    zero.
    """
    n = x.shape[0] - 1
    powers = [np.ones_like(out)]
    while len(powers) <= n:
        powers.append(powers[-1] * out)
    table = np.stack(powers[::-1], axis=1)
    derivative = table[:, 1:] @ (x[:-1] * np.arange(n, 0, -1, dtype=x.dtype))
    return -table / derivative[:, None]


def _samples(draw: Draw) -> list[Sample]:
    """Coefficients whose roots keep their order under a small step: conjugate pairs do only if the step is real."""
    real: list[list[float]] = [[2, 1, -3], [1, -3, 2, 0], [1, -1.3, -1.7, 0.6], [3, 1], [1, 0.5, 2, -1]]
    if draw.dtype.kind == "f":
        return [Sample(np.array(p).astype(draw.dtype)) for p in real]
    turned = [np.array(p) * (1 + 0.5j) ** np.arange(len(p)) for p in real[:-1]]
    return [Sample(p.astype(draw.dtype)) for p in turned]


# Without a batching rule: NumPy strips leading zeros, and how many there are may differ from example to example.
roots = primitive(
    _roots,
    vjp=lambda g, out, x: g @ _slopes(out, x),
    jvp=lambda t, out, x: _slopes(out, x) @ t,
    shape=lambda x: ShapeDtypeStruct((shape_of(x)[0] - 1,), _complex(dtype_of(x))),
    samples=_samples,
)
