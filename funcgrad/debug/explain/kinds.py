"""The kinds of causes for which a gradient is zero, by operation."""

from __future__ import annotations

from typing import Any

import numpy as np

from funcgrad.core.primitive import Primitive
from funcgrad.core.rules import Statement
from funcgrad.debug.explain.record import Step

CANCELLED, UNDERFLOW = "cancelled", "underflow"


def names(text: str) -> frozenset[str]:
    """The words of a text."""
    return frozenset(text.split())


INDEX = "x as an index"
DECISIONS = ("bool(x)", "a decision")
"""Actions by which a value decides what is computed."""

_INDICES = names(
    "argmax argmin argsort argpartition lexsort searchsorted cummax_indices cummin_indices window_argmax window_argmin "
    "bincount row_order qr_order"
)
_SATURATING = names(
    "tanh exp exp2 expm1 logaddexp logaddexp2 erf erfc erfcx ndtr log_ndtr sigmoid softmax log_softmax logsumexp "
    "gammainc gammaincc scipy_betainc scipy_betaincc scipy_erf scipy_erfc scipy_stdtr"
)
_READING = names(
    "getitem gather take_along_axis pick_along_axis split unstack diagonal tril triu window_pick shift pad cholesky "
    "triangular_solve eigh eigvalsh inv_lower roll"
)
_WRITING = names("index_set scatter_along_axis")
_CHOOSING = names("reduce_max reduce_min fmax fmin index_max index_min window_largest window_max window_min")
_PRODUCTS = names(
    "multiply divide matmul dot vecdot matvec vecmat tensordot einsum outer_product reduce_prod cumprod convolve conv "
    "conv_input conv_kernel convolve_axes multiply_add sparse_product xlogy xlog1py linear_recurrence recurrence "
    "scatter_add"
)
_ROUNDING = names("sign floor ceil trunc rint round floor_divide heaviside copysign spacing nextafter")

CALLS = {
    "relu": "relu", "relu6": "relu", "clip": "clipped", "clamp": "clipped", "hard_tanh": "clipped",
    "hard_sigmoid": "clipped", "hard_silu": "clipped", "sparse_sigmoid": "clipped", "sparse_plus": "clipped",
    "sigmoid": "saturated", "expit": "saturated", "log_sigmoid": "saturated", "softplus": "saturated",
    "softmax": "saturated", "silu": "saturated", "swish": "saturated", "gelu": "saturated", "elu": "saturated",
    "celu": "saturated", "selu": "saturated", "mish": "saturated", "nan_to_num": "clipped",
}  # fmt: skip  # in rows
"""What the functions are known for that are composed of operations."""


def kind_of_cut(step: Step, k: int) -> str:
    """The kind of an operation that has no derivative by an operand."""
    primitive = step.operation
    if not isinstance(primitive, Primitive):
        return "custom rule"
    name = primitive.name
    if name == "stop":
        return "stop_gradient"
    if name in _INDICES or (name in _READING | _WRITING and k):
        return "indices"
    if name in _ROUNDING:
        return "rounding"
    if name == "where" or step.out[0].dtype.kind == "b":
        return "comparison"
    return "integers" if any(o.dtype.kind in "biu" for o in step.out) else "rounding"


def kind_of_flat(step: Step, k: int, mask: Any) -> str:
    """The kind of an operation whose derivative by an operand is zero in the elements that the mask marks."""
    primitive = step.operation
    if not isinstance(primitive, Primitive):
        return "custom rule"
    name, call = primitive.name, step.place.call if step.place is not None else None
    if call in CALLS and name not in _PRODUCTS | _READING:
        return CALLS[call]
    if name in ("maximum", "minimum"):
        return _kind_of_bound(step, k, name)
    for kind, names in (
        ("where", ("where",)),
        ("saturated", _SATURATING),
        ("not read", _READING),
        ("overwritten", _WRITING),
        ("not chosen", _CHOOSING),
        ("times zero", _PRODUCTS),
        ("rounding", _ROUNDING),
    ):
        if name in names:
            return kind
    return "flat"


def _kind_of_bound(step: Step, k: int, name: str) -> str:
    """The kind of `maximum(x, bound)`: relu if the bound is 0, and a choice if it depends on the inputs itself."""
    call = None if step.place is None else step.place.call
    if step.operands[1 - k] is not None or call not in (None, name):
        return "not chosen"
    return "relu" if name == "maximum" and not np.any(step.values[1 - k]) else "clipped"


def has_rule(step: Step, k: int) -> bool:
    """Whether an operation has a derivative by an operand, of which dtype it ever is."""
    primitive = step.operation
    if not isinstance(primitive, Primitive):
        return k in step.linked
    rules = primitive.rules
    return not isinstance(rules[k] if len(rules) > k else rules[0], Statement)


def rank(cause: Any) -> int:
    """How telling a cause is: 2 where a derivative is lost, 1 where it is not used, 0 where it only decides."""
    if cause.kind in ("comparison", "indices", "branch", "python"):
        return 0
    if cause.vain:
        return 0
    if cause.kind == "stop_gradient":  # a function of ours that has a constant inside, such as the largest element
        return 0 if cause.inside else 2
    if cause.kind == "where":  # the program's own chooses: it is told beside what happens on other paths
        return 1 if cause.inside else 2
    return 1 if cause.kind in ("not read", "overwritten", "not chosen") else 2
