"""Orthogonal polynomials, `torch.special.chebyshev_polynomial_t` and its kin. In torch they have no derivative."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from funcgrad.torch.base import dtypes
from funcgrad.torch.declare.checks import check_kinds
from funcgrad.torch.declare.op import op
from funcgrad.torch.tensor.promotion import check_broadcast, common_dtype
from funcgrad.torch.tensor.tensor import Tensor
from funcgrad.torch.tensor.values import cast, raw, wrapped


def by_recurrence(x: Any, n: Any, first: Callable, step: Callable) -> Any:
    """p_n(x) elementwise, where p_0 = 1, p_1 = first(x) and p_k+1 = step(k, x, p_k, p_k-1); 0 for negative n."""
    x, n = np.broadcast_arrays(x, np.trunc(n))
    before, p = np.ones_like(x), np.asarray(first(x))
    out = np.where(n == 0, before, np.where(n == 1, p, 0)).astype(x.dtype)
    for k in range(1, int(np.max(n, initial=0))):
        before, p = p, step(k, x, p, before)
        out = np.where(n == k + 1, p, out)
    return np.where(np.isnan(n), np.nan, out).astype(x.dtype)


def _chebyshev_step(k: int, x: Any, p: Any, before: Any) -> Any:
    return 2 * x * p - before


_POLYNOMIALS: dict[str, tuple[Callable, Callable, str]] = {
    "chebyshev_polynomial_t": (lambda x: x, _chebyshev_step, "Chebyshev's polynomial of the first kind"),
    "chebyshev_polynomial_u": (lambda x: 2 * x, _chebyshev_step, "Chebyshev's polynomial of the second kind"),
    "chebyshev_polynomial_v": (lambda x: 2 * x - 1, _chebyshev_step, "Chebyshev's polynomial of the third kind"),
    "chebyshev_polynomial_w": (lambda x: 2 * x + 1, _chebyshev_step, "Chebyshev's polynomial of the fourth kind"),
    "hermite_polynomial_h": (
        lambda x: 2 * x,
        lambda k, x, p, before: 2 * x * p - 2 * k * before,
        "The physicist's Hermite polynomial",
    ),
    "hermite_polynomial_he": (
        lambda x: x,
        lambda k, x, p, before: x * p - k * before,
        "The probabilist's Hermite polynomial",
    ),
    "laguerre_polynomial_l": (
        lambda x: 1 - x,
        lambda k, x, p, before: ((2 * k + 1 - x) * p - k * before) / (k + 1),
        "Laguerre's polynomial",
    ),
    "legendre_polynomial_p": (
        lambda x: x,
        lambda k, x, p, before: ((2 * k + 1) * x * p - k * before) / (k + 1),
        "Legendre's polynomial",
    ),
}


_SIGNATURES = (
    "(Tensor x, Tensor n, *, Tensor out = None)",
    "(Number x, Tensor n, *, Tensor out = None)",
    "(Tensor x, Number n, *, Tensor out = None)",
)


def _polynomial(name: str, first: Callable, step: Callable, doc: str, shifted: bool = False) -> None:
    def body(x: Any, n: Any) -> Any:
        d = common_dtype((x, n))
        check_kinds(f"{name}_cpu", d, "c")
        kind = (dtypes.get_default_dtype() if d.category < dtypes.FLOATING else d).numpy
        at, order = (cast(raw(a), kind) if isinstance(a, Tensor) else np.asarray(a).astype(kind) for a in (x, n))
        check_broadcast([at, order])
        with np.errstate(all="ignore"):
            return wrapped(by_recurrence(2 * at - 1 if shifted else at, order, first, step))

    where = ", on the interval from 0 to 1" if shifted else ""
    op(f"special.{name}", *_SIGNATURES, doc=f"{doc} of degree n at x{where}, elementwise.")(body)


for _name, (_first, _step, _doc) in _POLYNOMIALS.items():
    _polynomial(_name, _first, _step, _doc)
    if _name.startswith("chebyshev"):
        _polynomial("shifted_" + _name, _first, _step, _doc, shifted=True)
