"""Linear and bilinear maps of the last dimension."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from funcgrad.torch.base.modes import state
from funcgrad.torch.base.quiet import quiet
from funcgrad.torch.declare.op import op
from funcgrad.torch.ops.arithmetic import add
from funcgrad.torch.ops.axes import t
from funcgrad.torch.ops.contract import ADDMM, MM, addmm, matmul, product
from funcgrad.torch.ops.geometry import saved
from funcgrad.torch.ops.shapes import sized_view
from funcgrad.torch.ops.view_ops import VIEW, T
from funcgrad.torch.tensor.journal import beside, in_mode, journal, note, unrecorded
from funcgrad.torch.tensor.operation import Operation, apply, link, link_one
from funcgrad.torch.tensor.tensor import Tensor
from funcgrad.torch.tensor.values import F4, F8, FAST, new, requires
from funcgrad.torch.tensor.views import as_view_of
from funcgrad.torch.texts import nn_linear as texts


@op("_nn.linear", "(Tensor input, Tensor weight, Tensor bias = None)", records=(ADDMM, MM))
def linear(input: Tensor, weight: Tensor, bias: Any = None) -> Tensor:
    """`input @ weight.T + bias`.

    Arguments:
        input: "... n".
        weight: "m n", or "n".
        bias: "m", or None.

    Returns:
        "... m", or "...".

    Example:
        >>> from funcgrad import torch
        >>> torch.nn.functional.linear(torch.ones(2), torch.tensor([[1.0, 2.0], [3.0, 4.0]]), torch.ones(2))
        tensor([4., 8.])
    """
    found = _quickly(input, weight, bias)
    if found is not None:
        return found
    dims, weights = input._value.ndim, weight._value.ndim
    if not dims or not weights:
        raise RuntimeError(texts.SCALAR.format(p=dims, q=weights))
    if bias is None:
        return matmul(input, t(weight))
    if dims == 2:
        return addmm(bias, input, t(weight))
    if bias._value.ndim == 1 and weights == 2 and (dims == 1 or input.is_contiguous()):
        *lead, n = input._value.shape
        rows = sized_view(VIEW, input, (math.prod(lead), n))
        return sized_view(VIEW, linear(rows, weight, bias), (*lead, weight._value.shape[0]))
    return add(matmul(input, t(weight)), bias)


_FACTORS = {"beta": 1, "alpha": 1}
_AXES = {"axes": (1, 0)}


def _quickly(x: Any, weight: Any, bias: Any) -> Tensor | None:
    """`linear` written out for the commonest operands: matrices and a bias, of one floating dtype; None for others.

    What is recorded is the same as by `addmm(bias, x, weight.t())`.
    """
    if type(x) not in FAST or type(weight) not in FAST or type(bias) not in FAST or state.slow:
        return None
    a, w, b = x._value, weight._value, bias._value
    kind = a.dtype
    if kind is not w.dtype or kind is not b.dtype or (kind is not F4 and kind is not F8):
        return None
    if not (x._plain and weight._plain and bias._plain) or x._inference or weight._inference or bias._inference:
        return None
    if a.ndim != 2 or w.ndim != 2 or a.shape[1] != w.shape[1] or a.shape[1] == 1 or b.shape != w.shape[:1]:
        return None
    turned = w.T
    out = quiet.run(_affine, a, turned, b)
    t = new(Tensor)
    t._value = out
    if not state.grad:
        t._inference = state.inference
        if journal.on and (bias._entry or x._entry or weight._entry):
            in_mode(ADDMM.name, (bias._entry, x._entry, weight._entry), t, out.shape, kind, 4)
        return t
    mask = requires(bias), requires(x), requires(weight)
    if True in mask:
        transposed = new(Tensor)
        transposed._value = turned
        if mask[2]:
            turning: Any = link_one(T, weight, w, _AXES, turned, transposed, within=0)
            as_view_of(saved(transposed), weight, None)
            transposed._entry = turning.number
        values = b, a, turned
        node = link(
            ADDMM,
            ADDMM.recordings[mask],
            (bias, x, transposed),
            values,
            _FACTORS,
            out,
            (None, values, _FACTORS, out),
            t,
            0,
        )
        if journal.on:
            sources = (bias._entry, x._entry, transposed._entry)
            t._entry = note(node.number, ADDMM.name, None, True, out.shape, kind, sources, 5)
            if mask[2]:
                beside(t._entry, turning.number, T.name, turned, weight._entry)
    elif journal.on:
        unrecorded(ADDMM.name, (bias, x, weight), t)
    return t


def _affine(a: np.ndarray, w: np.ndarray, b: np.ndarray) -> np.ndarray:
    out = np.matmul(a, w)
    out += b
    return out


def _trilinear(x: Any, weight: Any, y: Any) -> Any:
    """The sum over i and j of x[b, i] weight[k, i, j] y[b, j], as "b k"."""
    k, n, m = weight.shape
    inner = product(x, weight.transpose(1, 0, 2).reshape(n, k * m)).reshape(x.shape[0], k, m)
    return (inner * y.reshape(y.shape[0], 1, m)).sum(axis=2)


TRILINEAR = Operation(_trilinear, "TrilinearBackward0", operands=("i1", "i2", "i3"))


@op("bilinear", "(Tensor input1, Tensor input2, Tensor weight, Tensor bias = None)", method=False, records=(TRILINEAR,))
def bilinear(input1: Tensor, input2: Tensor, weight: Tensor, bias: Any = None) -> Tensor:
    """For each k `input1 @ weight[k] @ input2 + bias[k]`.

    Arguments:
        input1: "... n".
        input2: "... m".
        weight: "k n m".
        bias: "k", or None.

    Returns:
        "... k".
    """
    first, second = input1._value.shape, input2._value.shape
    if len(first) != len(second):
        raise RuntimeError(f"bilinear(): input dimensions do not match: got {len(first)} and {len(second)}")
    for d, (n, m) in enumerate(zip(first[:-1], second[:-1], strict=True)):
        if n != m:
            raise RuntimeError(texts.BATCHES.format(dim=d, n=n, m=m))
    sizes = [weight.size(d) for d in range(3)]
    for name, n, wanted in (("input1", first[-1], sizes[1]), ("input2", second[-1], sizes[2])):
        if n != wanted:
            raise RuntimeError(texts.WEIGHT.format(name=name, n=n, wanted=wanted))
    if bias is not None and bias._value.shape[0] != sizes[0]:
        raise RuntimeError(texts.BIAS.format(n=bias._value.shape[0], wanted=sizes[0]))
    rows = math.prod(first[:-1])
    found = apply(TRILINEAR, (input1.reshape(rows, first[-1]), weight, input2.reshape(rows, second[-1])), {})
    found = sized_view(VIEW, found, (*first[:-1], sizes[0]))
    return found if bias is None else add(found, bias)
