"""Losses that PyTorch composes of operations: divergences, rankings, distances of embeddings."""

from __future__ import annotations

import math
from typing import Any

from funcgrad.torch.base.dtypes import FLOATING, of_numpy
from funcgrad.torch.declare.op import op
from funcgrad.torch.ops.arithmetic import SUB
from funcgrad.torch.ops.comparison import where
from funcgrad.torch.ops.nn.reductions_of_losses import reduced
from funcgrad.torch.ops.nn.similarity import pairwise_distance
from funcgrad.torch.ops.pairwise import minimum
from funcgrad.torch.ops.recorded_gradients import minus, plus
from funcgrad.torch.tensor.tensor import Tensor
from funcgrad.torch.texts import losses as texts


@op("kl_div", "(Tensor input, Tensor target, int reduction = 1, *, bool log_target = False)", method=False)
def kl_div(input: Any, target: Any, reduction: int = 1, log_target: bool = False) -> Tensor:
    """The divergence target * (log(target) - input), elementwise, and reduced.

    Arguments:
        input: logarithms of probabilities.
        target: probabilities, or their logarithms.
        reduction: 0, 1 or 2: none, the mean or the sum.
        log_target: whether target are logarithms.
    """
    for x in (input, target):
        d = of_numpy(x._value.dtype)
        if d.is_complex:
            raise RuntimeError("kl_div: Complex inputs not supported.")
        if d.category < FLOATING:
            raise RuntimeError("kl_div: Integral inputs not supported.")
    if log_target:
        return reduced(target.exp() * (target - input), reduction)
    return reduced(target.xlogy(target) - target * input, reduction)


@op(
    "poisson_nll_loss",
    "(Tensor input, Tensor target, bool log_input, bool full, float eps, int reduction)",
    method=False,
)
def poisson_nll_loss(input: Any, target: Any, log_input: bool, full: bool, eps: float, reduction: int) -> Tensor:
    """The negative log likelihood of counts under a Poisson distribution, elementwise, and reduced.

    Arguments:
        input: its rate, or the logarithm of it.
        target: the counts.
        log_input: whether input are logarithms.
        full: whether the logarithm of the factorial is added, by Stirling's formula.
        eps: what is added to a rate before its logarithm is taken.
        reduction: 0, 1 or 2: none, the mean or the sum.
    """
    loss = input.exp() - target * input if log_input else input - target * plus(input, eps).log()
    if full:
        stirling = target * target.log() - target + 0.5 * (2 * math.pi * target).log()
        loss = loss + stirling.masked_fill(target <= 1, 0)
    return reduced(loss, reduction)


@op(
    "hinge_embedding_loss",
    "(Tensor input, Tensor target, float margin = 1.0, int reduction = 1)",
    method=False,
)
def hinge_embedding_loss(input: Any, target: Any, margin: float = 1.0, reduction: int = 1) -> Tensor:
    """input where target is 1, what it lacks to the margin where target is -1; reduced."""
    zero = input.new_zeros(())
    apart = where(target != 1, SUB(margin, input).clamp_min(0), zero)
    return reduced(apart + where(target != -1, input, zero), reduction)


@op(
    "margin_ranking_loss",
    "(Tensor input1, Tensor input2, Tensor target, float margin = 0.0, int reduction = 1)",
    method=False,
)
def margin_ranking_loss(input1: Any, input2: Any, target: Any, margin: float = 0.0, reduction: int = 1) -> Tensor:
    """What target * (input1 - input2) lacks to the margin, elementwise, and reduced."""
    return reduced(plus(-target * (input1 - input2), margin).clamp_min(0), reduction)


_TINY = 1e-12


@op(
    "cosine_embedding_loss",
    "(Tensor input1, Tensor input2, Tensor target, float margin = 0.0, int reduction = 1)",
    method=False,
)
def cosine_embedding_loss(input1: Any, input2: Any, target: Any, margin: float = 0.0, reduction: int = 1) -> Tensor:
    """1 - cosine where target is 1, what the cosine has above the margin where target is -1; reduced.

    Arguments:
        input1, input2: (n, d) or (d,).
        target: (n,) or ().
        margin: the cosine that those shall not exceed which do not belong together.
        reduction: 0, 1 or 2: none, the mean or the sum.
    """
    ndim, sizes = target._value.ndim, [list(x._value.shape) for x in (input1, input2)]
    if ndim > 1:
        raise RuntimeError("0D or 1D target tensor expected, multi-target not supported")
    if [len(s) for s in sizes] != [ndim + 1] * 2:
        raise RuntimeError(
            texts.COSINE_EMBEDDING.format(target=ndim, expected=ndim + 1, first=sizes[0], second=sizes[1])
        )
    products = (input1 * input2).sum(ndim)
    squares = [plus((x * x).sum(ndim), _TINY) for x in (input1, input2)]
    cosine = products / (squares[0] * squares[1]).sqrt()
    zero = cosine.new_zeros(cosine.shape)
    alike = where(target == 1, SUB(1.0, cosine), zero)
    return reduced(alike + where(target == -1, minus(cosine, margin).clamp_min(0), zero), reduction)


@op(
    "triplet_margin_loss",
    "(Tensor anchor, Tensor positive, Tensor negative, float margin = 1.0, float p = 2, float eps = 1e-06, "
    "bool swap = False, int reduction = 1)",
    method=False,
)
def triplet_margin_loss(
    anchor: Any,
    positive: Any,
    negative: Any,
    margin: float = 1.0,
    p: float = 2,
    eps: float = 1e-6,
    swap: bool = False,
    reduction: int = 1,
) -> Tensor:
    """By how much the distance to the positive is above the one to the negative less the margin; reduced.

    Arguments:
        anchor, positive, negative: (n, d) or (d,).
        margin: the difference of distances that is enough.
        p: of the norm.
        eps: what is added to differences.
        swap: whether the negative may be compared with the positive instead, where it is nearer to that.
        reduction: 0, 1 or 2: none, the mean or the sum.
    """
    dims = [x._value.ndim for x in (anchor, positive, negative)]
    if len(set(dims)) > 1:
        raise RuntimeError(texts.TRIPLET_DIMENSIONS.format(anchor=dims[0], positive=dims[1], negative=dims[2]))
    near = pairwise_distance(anchor, positive, p, eps)
    far = pairwise_distance(anchor, negative, p, eps)
    if swap:
        far = minimum(far, pairwise_distance(positive, negative, p, eps))
    return reduced((plus(near, margin) - far).clamp_min(0), reduction)
