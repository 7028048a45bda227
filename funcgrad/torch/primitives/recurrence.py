"""What recurrent layers share: the order of their steps, and the formula that every kind of cell is put into.

A batch of sequences lies in memory step after step. Step t has as many rows as there are sequences longer than t, which
are the first ones, as `torch.nn.utils.rnn.PackedSequence` has it; with sequences of one length all steps are the same.
So the state is one matrix with a row for each sequence, of which a step changes the first rows: a sequence that has
ended keeps its last state, and one that has not begun (backwards in time the short ones begin later) its first.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np


def places(sizes: tuple[int, ...], reverse: bool) -> list[tuple[int, int]]:
    """For each step, in the order in which they are taken, the first of its rows and the one after its last."""
    found, start = [], 0
    for n in sizes:
        found.append((start, start + n))
        start += n
    return found[::-1] if reverse else found


def flat(x: Any) -> Any:
    """The rows of all steps, "n i"."""
    return x if x.ndim == 2 else x.reshape(-1, x.shape[-1])


def parameters(operands: tuple, biased: bool) -> tuple:
    """(w_ih, w_hh, b_ih, b_hh, w_hr) from those that are there, None for the others."""
    w_ih, w_hh, *rest = operands
    b_ih, b_hh = rest[:2] if biased else (None, None)
    return w_ih, w_hh, b_ih, b_hh, rest[-1] if len(rest) % 2 else None


def layer_formula(step: Callable, states: int) -> Callable:
    """A recurrent layer as a formula.

    Arguments:
        step: gives the new state (a list) from what the inputs and the hidden state bring to the gates, and the state.
        states: how many matrices the state has; the first is the result of a step.

    Returns:
        A function of the inputs, "t b i" or "n i", of the initial state ("b h" each), the weights and biases, and a
        projection if there is one. Its result is that of all steps, and the final state.
    """

    def layer(x: Any, *operands: Any, sizes: tuple[int, ...], reverse: bool, biased: bool) -> tuple:
        state = list(operands[:states])
        w_ih, w_hh, b_ih, b_hh, w_hr = parameters(operands[states:], biased)
        entering = flat(x) @ w_ih.T
        if biased:
            entering = entering + b_ih
        outs = []
        for start, stop in places(sizes, reverse):
            n = stop - start
            now = [s[:n] for s in state]
            again = now[0] @ w_hh.T
            new = step(entering[start:stop], again + b_hh if biased else again, now)
            if w_hr is not None:
                new[0] = new[0] @ w_hr.T
            outs.append(new[0])
            state = [v if n == s.shape[0] else np.concatenate([v, s[n:]]) for v, s in zip(new, state, strict=True)]
        out = np.concatenate(outs[::-1] if reverse else outs)
        return out.reshape(*x.shape[:-1], out.shape[-1]), *state

    return layer


def entering(x: np.ndarray, w_ih: np.ndarray, *biases: Any) -> np.ndarray:
    """What the inputs bring to the gates of all steps."""
    z = x @ w_ih.T
    for b in biases:
        if b is not None:
            z += b
    return z


def weight_gradients(
    x: np.ndarray, before: np.ndarray, w_ih: np.ndarray, dz: np.ndarray, dzh: np.ndarray, shape: tuple, biased: bool
) -> tuple:
    """The cotangents of the inputs, and a list of those of both weights and biases.

    Arguments:
        x: the inputs, "n i".
        before: the hidden states before each step, "n h".
        w_ih: the weights of the inputs.
        dz: the cotangent of what the inputs bring to the gates.
        dzh: that of what the hidden states bring.
        shape: that of the inputs as they were given.
        biased: whether there are biases.
    """
    found = [dz.T @ x, dzh.T @ before]
    if biased:
        found += [dz.sum(0), dzh.sum(0)]
    return (dz @ w_ih).reshape(shape), found


def state_cotangent(g: Any, state: np.ndarray) -> np.ndarray:
    """The cotangent of the final state, to be written into; zeros where nothing depends on it."""
    return np.zeros_like(state) if g is None else np.array(g, order="C")


def sigmoid_in_place(x: np.ndarray) -> None:
    """1 / (1 + exp(-x)), written into x."""
    np.negative(x, out=x)
    np.exp(x, out=x)
    x += 1
    np.reciprocal(x, out=x)
