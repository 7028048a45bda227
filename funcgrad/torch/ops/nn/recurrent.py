"""Recurrent networks of several layers and directions: rnn_tanh, rnn_relu, lstm, gru.

A layer in one direction is one operation, which torch would show as the stack of the results of its steps.
"""

from __future__ import annotations

from typing import Any

from funcgrad.torch.base.modes import state
from funcgrad.torch.declare.op import op
from funcgrad.torch.ops.contract import c_name
from funcgrad.torch.ops.joining import cat, stack
from funcgrad.torch.ops.random import dropout
from funcgrad.torch.ops.splitting import unbind
from funcgrad.torch.primitives.elman import relu_layer, tanh_layer
from funcgrad.torch.primitives.gru import gru_layer
from funcgrad.torch.primitives.lstm import lstm_layer
from funcgrad.torch.tensor.operation import Operation
from funcgrad.torch.tensor.tensor import Tensor
from funcgrad.torch.texts import indexing as indexing_texts
from funcgrad.torch.texts import products as product_texts

_OPTIONS = "bool has_biases, int num_layers, float dropout, bool train, bool bidirectional"


class _Network:
    """A kind of recurrent network, and how errors call it.

    Arguments:
        name: of its function.
        layer: its layers, in one direction.
        states: how many tensors the state has.
    """

    def __init__(self, name: str, layer: Any, states: int) -> None:
        self.name, self.states = name, states
        self.padded = Operation(layer, "StackBackward0", operands=("input",), again=True)
        self.packed = Operation(layer, "CatBackward0", operands=("input",), again=False)

    def run(
        self,
        x: Tensor,
        sizes: Tensor | None,
        hx: tuple[Tensor, ...],
        params: Any,
        has_biases: bool,
        num_layers: int,
        p: float,
        train: bool,
        bidirectional: bool,
    ) -> tuple[Tensor, ...]:
        """The results of all steps, and the final states of all layers and directions.

        Arguments:
            x: the inputs, "t b i" or "n i".
            sizes: how many rows each step has, if the inputs are packed.
            hx: the tensors of the initial state, "k b h" for k layers and directions.
            params, has_biases, num_layers, train, bidirectional: as for `lstm`.
            p: the probability of dropping what a layer hands to the next.
        """
        directions = 2 if bidirectional else 1
        if state.autocast is not None:  # results are of the dtype of the state, whatever that of inputs and weights
            x, params = x.to(hx[0].dtype), [w.to(hx[0].dtype) for w in params]
        weights = _grouped(params, has_biases, self.states == 2 and hx[0].size(2) != hx[1].size(2))
        states = list(zip(*[unbind(s) for s in hx], strict=True))
        if len(states) % directions or len(weights) % directions:
            raise RuntimeError("Odd number of params or hiddens given to a bidirectional RNN")
        if num_layers != len(states) // directions:
            raise RuntimeError("Expected more hidden states in stacked_rnn")
        if num_layers != len(weights) // directions:
            raise RuntimeError("Expected more weights in stacked_rnn")
        if sizes is None:
            counts, run = (x._value.shape[1],) * x._value.shape[0], self.padded
        else:
            counts, run = tuple(sizes.tolist()), self.packed
        finals = []
        for k in range(num_layers):
            outs = []
            for d in range(directions):
                before, own = states[k * directions + d], weights[k * directions + d]
                _check(x, before, own, counts)
                out, *final = run(x, *before, *own, sizes=counts, reverse=d == 1, biased=has_biases)
                outs.append(out)
                finals.append(final)
            x = outs[0] if directions == 1 else cat(outs, -1)
            if p and train and k < num_layers - 1:
                x = dropout(x, p, True)
        return x, *[stack(states) for states in zip(*finals, strict=True)]


def _grouped(params: Any, biased: bool, projected: bool) -> list[tuple[Tensor, ...]]:
    """The weights and biases of each layer and direction."""
    n = 2 + 2 * biased + projected
    if len(params) % n:
        raise RuntimeError("got an incorrect number of RNN parameters")
    return [tuple(params[i : i + n]) for i in range(0, len(params), n)]


def _check(x: Tensor, state: tuple, weights: tuple, counts: tuple[int, ...]) -> None:
    """Raise the errors of the products that a layer computes."""
    if not counts:
        raise RuntimeError("Expected sequence length to be larger than 0 in RNN")
    hidden, w_ih, w_hh = state[0], weights[0], weights[1]
    if w_ih._value.dtype.kind in "iub":
        raise RuntimeError(f"expected m1 and m2 to have the same dtype, but got: float != {c_name(w_ih)}")
    rows = x._value.size // max(x._value.shape[-1], 1)
    for a, n, w in ((x, rows, w_ih), (hidden, hidden._value.shape[0], w_hh)):
        if a._value.dtype != w._value.dtype:
            raise RuntimeError(f"expected m1 and m2 to have the same dtype, but got: {c_name(a)} != {c_name(w)}")
        (k, m), width = w._value.shape, a._value.shape[-1]
        if width != m:
            raise RuntimeError(product_texts.MATRIX_SHAPES.format(n=n, m=width, p=m, k=k))
    for s in state:
        if s._value.shape[0] != counts[0] and max(counts) != s._value.shape[0]:
            n, m = s._value.shape[0], counts[0]
            raise RuntimeError(indexing_texts.SIZES_DIFFER.format(n=n, m=m, dim=0))


LSTM = _Network("lstm", lstm_layer, 2)
GRU = _Network("gru", gru_layer, 1)
RNN_TANH = _Network("rnn_tanh", tanh_layer, 1)
RNN_RELU = _Network("rnn_relu", relu_layer, 1)


_LSTM_FORMS = (
    f"(Tensor data, Tensor batch_sizes, tuple of Tensors hx, tuple of Tensors params, {_OPTIONS})",
    f"(Tensor input, tuple of Tensors hx, tuple of Tensors params, {_OPTIONS}, bool batch_first)",
)


@op("lstm", *_LSTM_FORMS, method=False, records=(LSTM.padded, LSTM.packed))
def lstm(x: Tensor, b: Any, c: Any, d: Any, e: Any, f: Any, g: Any, h: Any, i: Any) -> tuple[Tensor, Tensor, Tensor]:
    """Long short-term memory, of several layers and directions.

    Arguments:
        input: "t b i"; or data, "n i", with batch_sizes, as `torch.nn.utils.rnn.PackedSequence` has them.
        hx: two tensors "k b h", for k layers and directions.
        params: of each: weight_ih, weight_hh, bias_ih and bias_hh if has_biases, and weight_hr if the two states have
            different sizes.
        num_layers: how many layers.
        dropout: the probability of dropping what a layer hands to the next, if train.
        bidirectional: whether each layer goes backwards, too.
        batch_first: whether inputs and results are "b t".

    Returns:
        The results of all steps, and the two final states.
    """
    batch_sizes, hx, params, options, batch_first = _read(x, b, c, d, e, f, g, h, i)
    if len(hx) != 2:
        raise RuntimeError("lstm expects two hidden states")
    out, hy, cy = LSTM.run(x.transpose(0, 1) if batch_first else x, batch_sizes, tuple(hx), params, *options)
    return out.transpose(0, 1) if batch_first else out, hy, cy


def _read(x: Any, b: Any, c: Any, *rest: Any) -> tuple:
    """(batch_sizes or None, state, params, options, batch_first) of either signature."""
    packed = isinstance(c, Tensor) or (isinstance(b, Tensor) and not isinstance(rest[0], bool))
    if packed:
        return b, c, rest[0], rest[1:], False
    return None, b, c, rest[:-1], rest[-1]


def _one_state(network: _Network, doc: str) -> None:
    """Declare a network whose state is one tensor."""
    forms = (
        f"(Tensor data, Tensor batch_sizes, Tensor hx, tuple of Tensors params, {_OPTIONS})",
        f"(Tensor input, Tensor hx, tuple of Tensors params, {_OPTIONS}, bool batch_first)",
    )

    def run(x: Tensor, b: Any, c: Any, d: Any, e: Any, f: Any, g: Any, h: Any, i: Any) -> tuple[Tensor, Tensor]:
        batch_sizes, hx, params, options, batch_first = _read(x, b, c, d, e, f, g, h, i)
        out, hy = network.run(x.transpose(0, 1) if batch_first else x, batch_sizes, (hx,), params, *options)
        return out.transpose_(0, 1) if batch_first else out, hy

    records = (network.padded, network.packed)
    op(network.name, *forms, method=False, records=records, doc=f"{doc}\n\n    Arguments and results as for `lstm`.")(
        run
    )


_one_state(GRU, "Gated recurrent units, of several layers and directions.")
_one_state(RNN_TANH, "A simple recurrent network with tanh, of several layers and directions.")
_one_state(RNN_RELU, "A simple recurrent network with relu, of several layers and directions.")
