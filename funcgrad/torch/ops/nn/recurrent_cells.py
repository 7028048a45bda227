"""One step of a recurrent network: rnn_tanh_cell, rnn_relu_cell, lstm_cell, gru_cell."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from funcgrad.torch.declare.op import op
from funcgrad.torch.ops.activation import relu, sigmoid
from funcgrad.torch.ops.arithmetic import MUL, add
from funcgrad.torch.ops.elementwise import tanh
from funcgrad.torch.ops.nn.linear import linear
from funcgrad.torch.ops.splitting import unsafe_chunk
from funcgrad.torch.primitives.lstm import lstm_cell as cell
from funcgrad.torch.tensor.operation import Operation
from funcgrad.torch.tensor.tensor import Tensor
from funcgrad.torch.texts import recurrent as texts

_WEIGHTS = "Tensor w_ih, Tensor w_hh, Tensor b_ih = None, Tensor b_hh = None"


def _check(x: Tensor, states: tuple[Tensor, ...], w_ih: Tensor, w_hh: Tensor, gates: int) -> None:
    """Raise the errors of shapes that do not fit."""
    size = w_hh.size(1)
    if x.size(1) != w_ih.size(1):
        raise RuntimeError(texts.INPUT_SIZE.format(found=x.size(1), expected=w_ih.size(1)))
    for which, w in (("ih", w_ih), ("hh", w_hh)):
        if w.size(0) != gates * size:
            fields = {"gates": gates, "expected": gates * size, "found": w.size(0)}
            raise RuntimeError(texts.WEIGHT_ROWS.format(which=which, **fields))
    for k, h in enumerate(states):
        if x.size(0) != h.size(0):
            raise RuntimeError(texts.HIDDEN_BATCH.format(n=x.size(0), which=k, m=h.size(0)))
        if h.size(1) != size:
            raise RuntimeError(texts.HIDDEN_SIZE.format(which=k, found=h.size(1), expected=size))


def _one_gate(name: str, bend: Callable, doc: str) -> None:
    def cell(input: Tensor, hx: Tensor, w_ih: Tensor, w_hh: Tensor, b_ih: Any = None, b_hh: Any = None) -> Tensor:
        _check(input, (hx,), w_ih, w_hh, 1)
        return bend(linear(hx, w_hh, b_hh) + linear(input, w_ih, b_ih))

    op(name, f"(Tensor input, Tensor hx, {_WEIGHTS})", method=False, doc=doc)(cell)


_one_gate("rnn_tanh_cell", tanh, 'One step of `rnn_tanh`: inputs and state are "b i" and "b h".')
_one_gate("rnn_relu_cell", relu, 'One step of `rnn_relu`: inputs and state are "b i" and "b h".')


LSTM_CELL = Operation(cell, "AddBackward0", operands=("input",), again=False)
"""The new state of the cell, which torch adds up last, and the output gate."""


@op("lstm_cell", f"(Tensor input, tuple of Tensors hx, {_WEIGHTS})", method=False, records=(LSTM_CELL, MUL))
def lstm_cell(
    input: Tensor, hx: Any, w_ih: Tensor, w_hh: Tensor, b_ih: Any = None, b_hh: Any = None
) -> tuple[Tensor, Tensor]:
    """One step of `lstm`: inputs are "b i", the two tensors of the state "b h"."""
    if len(hx) != 2:
        raise RuntimeError("lstm_cell expects two hidden states")
    h, c = hx
    _check(input, (h, c), w_ih, w_hh, 4)
    biases = [b for b in (b_ih, b_hh) if b is not None]
    c, o = LSTM_CELL(input, h, c, w_ih, w_hh, *biases)
    return o * tanh(c), c


@op("gru_cell", f"(Tensor input, Tensor hx, {_WEIGHTS})", method=False)
def gru_cell(input: Tensor, hx: Tensor, w_ih: Tensor, w_hh: Tensor, b_ih: Any = None, b_hh: Any = None) -> Tensor:
    """One step of `gru`: inputs and state are "b i" and "b h"."""
    _check(input, (hx,), w_ih, w_hh, 3)
    entering = unsafe_chunk(linear(input, w_ih, b_ih), 3, 1)
    again = unsafe_chunk(linear(hx, w_hh, b_hh), 3, 1)
    r, z = (sigmoid(add(a, b)) for a, b in zip(again[:2], entering[:2], strict=True))
    n = tanh(entering[2] + again[2] * r)
    return (hx - n) * z + n
