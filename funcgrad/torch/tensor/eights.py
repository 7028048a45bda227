"""Floats of eight bits: torch moves, multiplies and tests them for equality, and knows little more arithmetic."""

from __future__ import annotations

import numpy as np

from funcgrad.torch.base.dtypes import eight_kinds, of_numpy

_KERNELS = {
    "Add": "add_stub", "Sub": "add_stub", "Rsub": "add_stub", "Neg": "neg_cpu", "Pow": "pow", "Sum": "sum_cpu",
    "Mean": "sum_cpu", "Prod": "prod_out_cpu", "Sigmoid": "sigmoid_cpu_reduced_float", "Dot": "dot",
    "Relu": "clamp_min_scalar_cpu", "Gather": "gather_expanded_index", "MaskedFill": "masked_fill",
    "Scatter": "scatter_gather_tensor_cpu", "Take": "take_cpu", "IndexFill": "index_fill_cpu",
    "NanToNum": "nan_to_num", "Sort": "sorting_kernel_method_name",
    "Cumsum": "cumsum_out_cpu", "Cumprod": "cumprod_out_cpu", "Softmax": "softmax_lastdim_kernel_impl",
    "Flip": "flip_cpu", "Clamp": "clamp_scalar_cpu", "Topk": "topk_cpu",
}  # fmt: skip
_OF_VECTORS = ("Exp", "Log", "Sin", "Cos", "Sqrt", "Tanh", "Floor", "Ceil", "Round", "Trunc", "Erf")
_KERNELS |= {name: f"{name.lower()}_vml_cpu" for name in _OF_VECTORS}
_OF_ELEMENTS = ("Sign", "Rsqrt", "Reciprocal", "Lt", "Le", "Gt", "Ge", "Maximum", "Minimum", "Fmod", "Remainder")
_KERNELS |= {name: f"{name.lower()}_cpu" for name in (*_OF_ELEMENTS, "Atan2", "Hypot", "Signbit")}
"""By the name of the node: torch's kernel that has no code for these dtypes."""


def widened(name: str, values: list) -> list:
    """Operands of a node, in float32 if it multiplies floats of eight bits; the result is rounded once.

    Raises:
        NotImplementedError: torch has no kernel for these dtypes.
    """
    kind = next((v.dtype for v in values if getattr(v, "dtype", None) in eight_kinds), None)
    if kind is None:
        return values
    name = name.rstrip("0123456789").removesuffix("Backward")
    kernel = _KERNELS.get(name)
    if name in ("Mul", "Div"):
        numbers = any(np.ndim(v) == 0 for v in values) and any(np.ndim(v) for v in values)
        kernel = f"{name.lower()}_cpu{'_reduced_float' * numbers}" if numbers or name == "Div" else None
    if kernel is not None:
        raise NotImplementedError(f"\"{kernel}\" not implemented for '{of_numpy(kind).title}'")
    return [v.astype(np.float32) for v in values] if name == "Mul" else values
