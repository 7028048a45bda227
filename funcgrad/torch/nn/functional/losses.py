"""Losses: how far outputs are from targets.

`reduction` is "none", "mean" or "sum"; size_average and reduce are older words for it.
"""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable
from typing import Any

from funcgrad.core.faces import publish
from funcgrad.torch.base.modes import no_grad
from funcgrad.torch.declare.op import namespaces
from funcgrad.torch.nn._reduction import get_enum, legacy_get_enum, legacy_get_string
from funcgrad.torch.ops import nn as _rows
from funcgrad.torch.tensor.tensor import Tensor
from funcgrad.torch.texts import losses as texts

__all__ = [
    "binary_cross_entropy", "binary_cross_entropy_with_logits", "cosine_embedding_loss", "cross_entropy", "ctc_loss",
    "gaussian_nll_loss", "hinge_embedding_loss", "huber_loss", "kl_div", "l1_loss", "margin_ranking_loss", "mse_loss",
    "multi_margin_loss", "multilabel_margin_loss", "multilabel_soft_margin_loss", "nll_loss", "poisson_nll_loss",
    "smooth_l1_loss", "soft_margin_loss", "triplet_margin_loss", "triplet_margin_with_distance_loss",
]  # fmt: skip

assert _rows  # its rows are declared
_torch, _nn = namespaces[""], namespaces["_nn"]


def _number(size_average: bool | None, reduce: bool | None, reduction: str) -> int:
    """The number of the reduction that is asked for."""
    if size_average is None and reduce is None:
        return get_enum(reduction)
    return legacy_get_enum(size_average, reduce)


def _broadcast(input: Tensor, target: Tensor) -> Any:
    """The tensors as they broadcast, with torch's warning if they have to."""
    sizes = target.size(), input.size()
    if sizes[0] == sizes[1]:
        return input, target
    warnings.warn(texts.SIZES_DIFFER.format(target=sizes[0], input=sizes[1]), stacklevel=3)
    return _torch["broadcast_tensors"](input, target)


def _weighted(errors: Tensor, weight: Tensor, reduction: str, over_weight: bool) -> Tensor:
    """Errors times weights, reduced; their mean is over the sum of the weights, or else over their number."""
    weighted = errors * weight
    if reduction == "none":
        return weighted
    if reduction == "sum":
        return weighted.sum()
    if reduction == "mean":
        return weighted.sum() / weight.sum() if over_weight else weighted.mean()
    raise ValueError(texts.REDUCTION_OF_WEIGHTED.format(reduction=reduction))


def _check_weight(weight: Tensor, input: Tensor) -> None:
    if weight.size() != input.size():
        raise ValueError("Weights and input must have the same size.")


# Differences.


def mse_loss(
    input: Tensor,
    target: Tensor,
    size_average: bool | None = None,
    reduce: bool | None = None,
    reduction: str = "mean",
    weight: Tensor | None = None,
) -> Tensor:
    """The squared difference, elementwise, and reduced.

    Arguments:
        input, target: of the same shape.
        size_average, reduce, reduction: how the losses are reduced.
        weight: of each element; the mean is over the sum of the weights.

    Example:
        >>> from funcgrad import torch
        >>> torch.nn.functional.mse_loss(torch.tensor([1.0, 2.0]), torch.tensor([0.0, 4.0]))
        tensor(2.5000)
    """
    x, y = _broadcast(input, target)
    if size_average is not None or reduce is not None:
        reduction = legacy_get_string(size_average, reduce)
    if weight is None:
        return _nn["mse_loss"](x, y, get_enum(reduction))
    _check_weight(weight, input)
    return _weighted((x - y).pow(2), weight, reduction, True)


def l1_loss(
    input: Tensor,
    target: Tensor,
    size_average: bool | None = None,
    reduce: bool | None = None,
    reduction: str = "mean",
    weight: Tensor | None = None,
) -> Tensor:
    """The absolute difference, elementwise, and reduced; arguments as for `mse_loss`."""
    x, y = _broadcast(input, target)
    if size_average is not None or reduce is not None:
        reduction = legacy_get_string(size_average, reduce)
    if weight is None:
        return _nn["l1_loss"](x, y, get_enum(reduction))
    _check_weight(weight, input)
    return _weighted((x - y).abs(), weight, reduction, True)


def smooth_l1_loss(
    input: Tensor,
    target: Tensor,
    size_average: bool | None = None,
    reduce: bool | None = None,
    reduction: str = "mean",
    beta: float = 1.0,
) -> Tensor:
    """Half the squared difference over beta where that is below beta, elsewhere the difference less beta / 2.

    Arguments:
        input, target: of the same shape.
        size_average, reduce, reduction: how the losses are reduced.
        beta: where the two forms meet.
    """
    x, y = _broadcast(input, target)
    if size_average is not None or reduce is not None:
        reduction = legacy_get_string(size_average, reduce)
    if beta == 0.0:
        return _nn["l1_loss"](x, y, get_enum(reduction))
    return _nn["smooth_l1_loss"](x, y, get_enum(reduction), beta)


def huber_loss(
    input: Tensor, target: Tensor, reduction: str = "mean", delta: float = 1.0, weight: Tensor | None = None
) -> Tensor:
    """Half the squared difference where that is below delta, elsewhere delta times the difference less delta / 2.

    Arguments:
        input, target: of the same shape.
        reduction: how the losses are reduced.
        delta: where the two forms meet.
        weight: of each element.
    """
    x, y = _broadcast(input, target)
    if weight is None:
        return _nn["huber_loss"](x, y, get_enum(reduction), delta)
    _check_weight(weight, input)
    return _weighted(_nn["huber_loss"](x, y, 0, delta), weight, reduction, False)


# Likelihoods.


def cross_entropy(
    input: Tensor,
    target: Tensor,
    weight: Tensor | None = None,
    size_average: bool | None = None,
    ignore_index: int = -100,
    reduce: bool | None = None,
    reduction: str = "mean",
    label_smoothing: float = 0.0,
) -> Tensor:
    """The cross entropy of softmax(input) and a target.

    Arguments:
        input: (n, classes, ...) or (classes,): scores of any size.
        target: the numbers of the classes, (n, ...) or (); or probabilities of input's shape.
        weight: of each class.
        size_average, reduce, reduction: how the losses are reduced; the mean is over the weights of the targets.
        ignore_index: a class for which there is no loss.
        label_smoothing: the part of the target that is spread over all classes.

    Example:
        >>> from funcgrad import torch
        >>> torch.nn.functional.cross_entropy(torch.zeros(2, 4), torch.tensor([0, 3]))
        tensor(1.3863)
    """
    if size_average is not None or reduce is not None:
        reduction = legacy_get_string(size_average, reduce)
    number = get_enum(reduction)
    return _nn["cross_entropy_loss"](input, target, weight, number, ignore_index, label_smoothing)


def nll_loss(
    input: Tensor,
    target: Tensor,
    weight: Tensor | None = None,
    size_average: bool | None = None,
    ignore_index: int = -100,
    reduce: bool | None = None,
    reduction: str = "mean",
) -> Tensor:
    """The negative log likelihood: cross entropy of logarithms of probabilities.

    Arguments:
        input: (n, classes, ...) or (classes,): logarithms of probabilities.
        target: the numbers of the classes, (n, ...) or ().
        weight, size_average, ignore_index, reduce, reduction: as for `cross_entropy`.
    """
    if size_average is not None or reduce is not None:
        reduction = legacy_get_string(size_average, reduce)
    return _nn["nll_loss_nd"](input, target, weight, get_enum(reduction), ignore_index)


def binary_cross_entropy(
    input: Tensor,
    target: Tensor,
    weight: Tensor | None = None,
    size_average: bool | None = None,
    reduce: bool | None = None,
    reduction: str = "mean",
) -> Tensor:
    """The cross entropy of two classes; logarithms are bounded from below by -100.

    Arguments:
        input: probabilities.
        target: of the same shape, between 0 and 1.
        weight: of each element; it broadcasts.
        size_average, reduce, reduction: how the losses are reduced.
    """
    number = _number(size_average, reduce, reduction)
    if target.size() != input.size():
        raise ValueError(texts.BINARY_SIZES_DIFFER.format(target=target.size(), input=input.size()))
    if weight is not None:
        weight = weight.expand(_torch["broadcast_shapes"](target.size(), weight.size()))
    return _nn["binary_cross_entropy"](input, target, weight, number)


def binary_cross_entropy_with_logits(
    input: Tensor,
    target: Tensor,
    weight: Tensor | None = None,
    size_average: bool | None = None,
    reduce: bool | None = None,
    reduction: str = "mean",
    pos_weight: Tensor | None = None,
) -> Tensor:
    """The cross entropy of two classes whose probability is sigmoid(input), computed without overflow.

    Arguments:
        input: scores of any size.
        target, weight, size_average, reduce, reduction: as for `binary_cross_entropy`.
        pos_weight: of the class that the target is the probability of; it broadcasts.
    """
    number = _number(size_average, reduce, reduction)
    if target.size() != input.size():
        raise ValueError(f"Target size ({target.size()}) must be the same as input size ({input.size()})")
    return _torch["binary_cross_entropy_with_logits"](input, target, weight, pos_weight, number)


def kl_div(
    input: Tensor,
    target: Tensor,
    size_average: bool | None = None,
    reduce: bool | None = None,
    reduction: str = "mean",
    log_target: bool = False,
) -> Tensor:
    """The Kullback-Leibler divergence of input from target, elementwise, and reduced.

    Arguments:
        input: logarithms of probabilities.
        target: probabilities.
        size_average, reduce, reduction: how the losses are reduced; "batchmean" is their sum over the first size.
        log_target: whether the target are logarithms, too.
    """
    if size_average is not None or reduce is not None:
        number = legacy_get_enum(size_average, reduce)
    else:
        if reduction == "mean":
            warnings.warn(texts.KL_DIV_MEAN, stacklevel=2)
        number = get_enum("sum" if reduction == "batchmean" else reduction)
    found = _torch["kl_div"](input, target, number, log_target=log_target)
    return found / input.size()[0] if reduction == "batchmean" and input.dim() != 0 else found


def poisson_nll_loss(
    input: Tensor,
    target: Tensor,
    log_input: bool = True,
    full: bool = False,
    size_average: bool | None = None,
    eps: float = 1e-8,
    reduce: bool | None = None,
    reduction: str = "mean",
) -> Tensor:
    """The negative log likelihood of counts under a Poisson distribution.

    Arguments:
        input: the logarithm of its rate, or the rate.
        target: the counts.
        log_input: whether input is the logarithm.
        full: whether the logarithm of the factorial is added, by Stirling's formula.
        size_average, reduce, reduction: how the losses are reduced.
        eps: what is added to a rate before its logarithm is taken.
    """
    if size_average is not None or reduce is not None:
        reduction = legacy_get_string(size_average, reduce)
    if reduction not in ("none", "mean", "sum"):
        raise ValueError(reduction + " is not a valid value for reduction")
    return _torch["poisson_nll_loss"](input, target, log_input, full, eps, get_enum(reduction))


def gaussian_nll_loss(
    input: Tensor,
    target: Tensor,
    var: Any,
    full: bool = False,
    eps: float = 1e-6,
    reduction: str = "mean",
) -> Tensor:
    """The negative log likelihood of targets under normal distributions.

    Arguments:
        input: the expectations.
        target: of the same shape, or one that broadcasts.
        var: the variances: of input's shape, one for each row, or a number.
        full: whether the constant is added.
        eps: the least variance.
        reduction: how the losses are reduced.
    """
    if isinstance(var, float):
        if var < 0:
            raise ValueError("var has negative entry/entries")
        var = var * _torch["ones_like"](input)
    elif (var < 0).any():
        raise ValueError("var has negative entry/entries")
    sizes, expected = var.size(), input.size()
    if sizes != expected:
        if expected[:-1] == sizes:
            var = var.unsqueeze(-1)
        elif len(sizes) != len(expected) or sum(m for n, m in zip(expected, sizes, strict=True) if n != m) != 1:
            raise ValueError("var is of incorrect size")
    if reduction not in ("none", "mean", "sum"):
        raise ValueError(reduction + " is not valid")
    var = var.clone()
    with no_grad():
        var.clamp_(min=eps)
    loss = 0.5 * (var.log() + (input - target) ** 2 / var)
    if full:
        loss += 0.5 * math.log(2 * math.pi)
    return _reduced(loss, reduction)


def _reduced(loss: Tensor, reduction: str) -> Tensor:
    return loss.mean() if reduction == "mean" else loss.sum() if reduction == "sum" else loss


# Margins.


def hinge_embedding_loss(
    input: Tensor,
    target: Tensor,
    margin: float = 1.0,
    size_average: bool | None = None,
    reduce: bool | None = None,
    reduction: str = "mean",
) -> Tensor:
    """A distance where the target is 1, what it lacks to the margin where the target is -1."""
    number = _number(size_average, reduce, reduction)
    return _torch["hinge_embedding_loss"](input, target, margin, number)


def margin_ranking_loss(
    input1: Tensor,
    input2: Tensor,
    target: Tensor,
    margin: float = 0,
    size_average: bool | None = None,
    reduce: bool | None = None,
    reduction: str = "mean",
) -> Tensor:
    """What target * (input1 - input2) lacks to the margin; a target is 1 or -1."""
    number = _number(size_average, reduce, reduction)
    if input1.dim() != input2.dim() or input1.dim() != target.dim():
        sizes = {"first": input1.size(), "second": input2.size(), "target": target.size()}
        raise RuntimeError(texts.RANKING_DIMENSIONS.format(**sizes))
    return _torch["margin_ranking_loss"](input1, input2, target, margin, number)


def soft_margin_loss(
    input: Tensor,
    target: Tensor,
    size_average: bool | None = None,
    reduce: bool | None = None,
    reduction: str = "mean",
) -> Tensor:
    """log(1 + exp(-target * input)), where a target is 1 or -1."""
    return _nn["soft_margin_loss"](input, target, _number(size_average, reduce, reduction))


def multi_margin_loss(
    input: Tensor,
    target: Tensor,
    p: int = 1,
    margin: float = 1.0,
    weight: Tensor | None = None,
    size_average: bool | None = None,
    reduce: bool | None = None,
    reduction: str = "mean",
) -> Tensor:
    """What the score of the true class lacks to be above each other by a margin, to the power p.

    Arguments:
        input: (n, classes) or (classes,).
        target: the true classes, (n,) or ().
        p: 1 or 2.
        margin: by how much the true class shall be above the others.
        weight: of each class.
        size_average, reduce, reduction: how the losses are reduced.
    """
    number = _number(size_average, reduce, reduction)
    if p not in (1, 2):
        raise ValueError("only p == 1 and p == 2 supported")
    if weight is not None and weight.dim() != 1:
        raise ValueError("weight must be one-dimensional")
    return _nn["multi_margin_loss"](input, target, p, margin, weight, number)


def multilabel_margin_loss(
    input: Tensor,
    target: Tensor,
    size_average: bool | None = None,
    reduce: bool | None = None,
    reduction: str = "mean",
) -> Tensor:
    """What the scores of the true classes lack to be above all others by one.

    Arguments:
        input: (n, classes) or (classes,).
        target: of the same shape: the true classes, and behind them -1.
        size_average, reduce, reduction: how the losses are reduced.
    """
    return _nn["multilabel_margin_loss"](input, target, _number(size_average, reduce, reduction))


def multilabel_soft_margin_loss(
    input: Tensor,
    target: Tensor,
    weight: Tensor | None = None,
    size_average: bool | None = None,
    reduce: bool | None = None,
    reduction: str = "mean",
) -> Tensor:
    """The mean, over the classes, of the binary cross entropies with sigmoid(input).

    Arguments:
        input: (..., classes).
        target: of the same shape: 1 for a class that is there, 0 for another.
        weight: of each class.
        size_average, reduce, reduction: how the losses are reduced.
    """
    if size_average is not None or reduce is not None:
        reduction = legacy_get_string(size_average, reduce)
    log_sigmoid = _nn["log_sigmoid"]
    loss = -(target * log_sigmoid(input) + (1 - target) * log_sigmoid(-input))
    if weight is not None:
        loss = loss * weight
    along = input.dim() - 1
    loss = loss.sum(dim=along) / input.size(along)
    if reduction not in ("none", "mean", "sum"):
        raise ValueError(reduction + " is not valid")
    return _reduced(loss, reduction)


def cosine_embedding_loss(
    input1: Tensor,
    input2: Tensor,
    target: Tensor,
    margin: float = 0,
    size_average: bool | None = None,
    reduce: bool | None = None,
    reduction: str = "mean",
) -> Tensor:
    """1 - cosine where the target is 1, what the cosine has above the margin where it is -1.

    Arguments:
        input1, input2: (n, d) or (d,).
        target: (n,) or ().
        margin: the cosine that those shall not exceed which do not belong together.
        size_average, reduce, reduction: how the losses are reduced.
    """
    number = _number(size_average, reduce, reduction)
    return _torch["cosine_embedding_loss"](input1, input2, target, margin, number)


def triplet_margin_loss(
    anchor: Tensor,
    positive: Tensor,
    negative: Tensor,
    margin: float = 1.0,
    p: float = 2,
    eps: float = 1e-6,
    swap: bool = False,
    size_average: bool | None = None,
    reduce: bool | None = None,
    reduction: str = "mean",
) -> Tensor:
    """By how much the distance to the positive is above the one to the negative less the margin.

    Arguments:
        anchor, positive, negative: (n, d) or (d,).
        margin: the difference of distances that is enough.
        p, eps: of `pairwise_distance`.
        swap: whether the negative may be compared with the positive instead, where it is nearer to that.
        size_average, reduce, reduction: how the losses are reduced.
    """
    number = _number(size_average, reduce, reduction)
    if margin <= 0:
        raise ValueError(f"margin must be greater than 0, got {margin}")
    return _torch["triplet_margin_loss"](anchor, positive, negative, margin, p, eps, swap, number)


def triplet_margin_with_distance_loss(
    anchor: Tensor,
    positive: Tensor,
    negative: Tensor,
    *,
    distance_function: Callable[[Tensor, Tensor], Tensor] | None = None,
    margin: float = 1.0,
    swap: bool = False,
    reduction: str = "mean",
) -> Tensor:
    """As `triplet_margin_loss`, with a distance of one's own, by default `pairwise_distance`."""
    if reduction not in ("mean", "sum", "none"):
        raise ValueError(f"{reduction} is not a valid value for reduction")
    if margin <= 0:
        raise ValueError(f"margin must be greater than 0, got {margin}")
    dims = anchor.ndim, positive.ndim, negative.ndim
    if len(set(dims)) > 1:
        raise RuntimeError(texts.TRIPLET_DIMENSIONS.format(anchor=dims[0], positive=dims[1], negative=dims[2]))
    distance = distance_function or _torch["pairwise_distance"]
    near, far = distance(anchor, positive), distance(anchor, negative)
    if swap:
        far = _torch["minimum"](far, distance(positive, negative))
    return _reduced(_torch["clamp_min"](margin + near - far, 0), reduction)


# Sequences.


def ctc_loss(
    log_probs: Tensor,
    targets: Tensor,
    input_lengths: Any,
    target_lengths: Any,
    blank: int = 0,
    reduction: str = "mean",
    zero_infinity: bool = False,
) -> Tensor:
    """Connectionist temporal classification: minus the logarithm of the probability that a sequence has these labels.

    Arguments:
        log_probs: (time, n, classes) or (time, classes): logarithms of probabilities.
        targets: (n, length), padded; or all labels one behind the other.
        input_lengths, target_lengths: of each sequence, as a tensor or ints.
        blank: the class that stands for no label.
        reduction: how the losses are reduced; for the mean each is first divided by the length of its target.
        zero_infinity: whether a loss that is infinite, and its gradient, become zero.
    """
    return _torch["ctc_loss"](
        log_probs, targets, input_lengths, target_lengths, blank, get_enum(reduction), zero_infinity
    )


publish(__name__)
