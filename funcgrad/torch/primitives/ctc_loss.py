"""Connectionist temporal classification: the sum over all alignments of labels with time, by dynamic programming.

An alignment goes through the states blank, label, blank, label, …, blank: from one step to the next it stays, goes
on, or leaps over a blank between different labels (A. Graves et al., Connectionist temporal classification, 2006).

The gradient is the one with respect to what log_softmax made the logarithms of: it takes the scores as normalized, as
torch does. So neither function here is the derivative of the other, and neither says that it has one.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from funcgrad.core import batching
from funcgrad.core.primitive import Draw, NotDifferentiable, Primitive, Sample, primitive
from funcgrad.core.types import ShapeDtypeStruct, dtype_of, shape_of


def _states(labels: Any, blank: int) -> tuple[np.ndarray, np.ndarray]:
    """The labels of the states, and into which of them one may leap over the state before."""
    n, length = labels.shape
    states = np.full((n, 2 * length + 1), blank, np.int64)
    states[:, 1::2] = labels
    leaps = np.zeros(states.shape, bool)
    leaps[:, 2:] = (states[:, 2:] != blank) & (states[:, 2:] != states[:, :-2])
    return states, leaps


def _step(before: np.ndarray, leaps: np.ndarray) -> np.ndarray:
    """The logarithms of the probabilities to arrive in each state."""
    out = before.copy()
    np.logaddexp(out[:, 1:], before[:, :-1], out=out[:, 1:])
    leapt = np.where(leaps[:, 2:], before[:, :-2], -np.inf)
    np.logaddexp(out[:, 2:], leapt, out=out[:, 2:])
    return out


def _forward(scores: np.ndarray, leaps: np.ndarray, label_counts: np.ndarray) -> np.ndarray:
    """The logarithm of the probability of all ways into each state, (time, n, states)."""
    alpha = np.full(scores.shape, -np.inf, scores.dtype)
    if len(scores):
        alpha[0, :, 0] = scores[0, :, 0]
        alpha[0, :, 1:2] = np.where(label_counts[:, None] > 0, scores[0, :, 1:2], -np.inf)
    for t in range(1, len(scores)):
        alpha[t] = scores[t] + _step(alpha[t - 1], leaps)
    return alpha


def _scores(log_probs: Any, states: np.ndarray) -> np.ndarray:
    """The logarithm of the probability of each state's label at each time."""
    return np.take_along_axis(log_probs, np.broadcast_to(states, (len(log_probs), *states.shape)), 2)


def _loss(alpha: np.ndarray, times: Any, label_counts: Any) -> np.ndarray:
    """Minus the logarithm of the probability to end in one of the last two states."""
    n = np.arange(len(times))
    if not len(alpha):
        return np.where(label_counts == 0, 0, np.inf).astype(alpha.dtype)
    last = alpha[np.maximum(times, 1) - 1, n]
    ends = last[n, 2 * label_counts]
    before = np.where(label_counts > 0, last[n, np.maximum(2 * label_counts - 1, 0)], -np.inf)
    found = -np.logaddexp(ends, before)
    return np.where(times > 0, found, np.where(label_counts == 0, 0, np.inf)).astype(alpha.dtype)


def _ctc_loss(log_probs: Any, labels: Any, times: Any, label_counts: Any, *, blank: int) -> np.ndarray:
    states, leaps = _states(labels, blank)
    with np.errstate(all="ignore"):
        return _loss(_forward(_scores(log_probs, states), leaps, label_counts), times, label_counts)


def _ctc_loss_gradient(
    g: Any, log_probs: Any, labels: Any, times: Any, label_counts: Any, *, blank: int, zero_infinity: bool
) -> np.ndarray:
    states, leaps = _states(labels, blank)
    steps, n, _ = log_probs.shape
    every = np.arange(n)
    with np.errstate(all="ignore"):
        scores = _scores(log_probs, states)
        alpha = _forward(scores, leaps, label_counts)
        loss = _loss(alpha, times, label_counts)
        # backwards in time the same steps are taken, from the last states of each example to the first
        ends = np.full(states.shape, -np.inf, scores.dtype)
        ends[every, 2 * label_counts] = 0
        some = label_counts > 0
        ends[every[some], 2 * label_counts[some] - 1] = 0
        turned = np.zeros(leaps.shape, bool)
        turned[:, 2:] = leaps[:, ::-1][:, :-2]
        ways = np.full(scores.shape, -np.inf, scores.dtype)
        ahead = ends
        for t in range(steps - 1, -1, -1):
            here = np.where((times == t + 1)[:, None], ends, ahead)
            ways[t] = alpha[t] + here
            ahead = _step((here + scores[t])[:, ::-1], turned)[:, ::-1]
        share = np.zeros(log_probs.shape, log_probs.dtype)
        np.add.at(share, (slice(None), every[:, None], states), np.exp(ways + loss[:, None]))
        found = (np.exp(log_probs) - share) * g[:, None]
    found[:, loss == np.inf] = 0 if zero_infinity else np.nan
    found[np.arange(steps)[:, None] >= times] = 0
    return found


# Batches: all examples are computed side by side, as sequences are.


def _merged(x: Any, along: int) -> Any:
    """An operand with the batch dimension in front, whose examples are joined along a dimension."""
    x = np.moveaxis(x, 0, along)
    return x.reshape((*x.shape[:along], x.shape[along] * x.shape[along + 1], *x.shape[along + 2 :]))


def _loss_batch(primitive: Any, size: int, args: tuple, mask: tuple[bool, ...], params: dict) -> Any:
    log_probs, *others = batching.everywhere(args, mask, size)
    out = primitive(_merged(log_probs, 1), *[_merged(x, 0) for x in others], **params)
    return out.reshape((size, log_probs.shape[2]))


def _gradient_batch(primitive: Any, size: int, args: tuple, mask: tuple[bool, ...], params: dict) -> Any:
    g, log_probs, *others = batching.everywhere(args, mask, size)
    out = primitive(_merged(g, 0), _merged(log_probs, 1), *[_merged(x, 0) for x in others], **params)
    steps, n, classes = log_probs.shape[1:]
    return np.moveaxis(out.reshape((steps, size, n, classes)), 1, 0)


def _samples(draw: Draw, *, gradient: bool) -> list[Sample]:
    labels, params = np.array([[1, 2], [2, 2]]), {"blank": 0, "zero_infinity": False} if gradient else {"blank": 0}
    lengths = (np.array([4, 3]), np.array([2, 1])), (np.array([4, 2]), np.array([0, 2]))
    return [Sample(*[draw(2)] * gradient, draw(4, 2, 3), labels, t, n, **params) for t, n in lengths]


_NO_RULE = NotDifferentiable("torch takes the logarithms as normalized, and has no second derivative")

ctc_loss: Primitive = primitive(
    _ctc_loss,
    operands="log_probs labels times label_counts",
    shape=lambda log_probs, labels, times, label_counts, blank: ShapeDtypeStruct(
        (shape_of(log_probs)[1],), dtype_of(log_probs)
    ),
    vjp=_NO_RULE,
    samples=lambda draw: _samples(draw, gradient=False),
    dtypes="fd",
    batch=_loss_batch,
)

ctc_loss_gradient: Primitive = primitive(
    _ctc_loss_gradient,
    operands="g log_probs labels times label_counts",
    shape=lambda g, log_probs, *others, blank, zero_infinity: ShapeDtypeStruct(
        shape_of(log_probs), dtype_of(log_probs)
    ),
    vjp=_NO_RULE,
    samples=lambda draw: _samples(draw, gradient=True),
    dtypes="fd",
    batch=_gradient_batch,
)
