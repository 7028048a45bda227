"""Recurrent modules: `RNN`, `LSTM`, `GRU` over sequences, and the cells that take one step."""

from __future__ import annotations

import math
import numbers
import warnings
import weakref
from typing import Any, ClassVar

from funcgrad.core.faces import publish
from funcgrad.torch.base.modes import state
from funcgrad.torch.base.naming import show_as_torch
from funcgrad.torch.declare.op import namespaces
from funcgrad.torch.nn import init
from funcgrad.torch.nn.modules.module import Module
from funcgrad.torch.nn.parameter import Parameter
from funcgrad.torch.nn.utils.rnn import PackedSequence
from funcgrad.torch.tensor.tensor import Tensor
from funcgrad.torch.texts import recurrent as texts

__all__ = ["GRU", "LSTM", "RNN", "GRUCell", "LSTMCell", "RNNBase", "RNNCell", "RNNCellBase"]

_torch = namespaces[""]
empty, zeros = _torch["empty"], _torch["zeros"]


def apply_permutation(tensor: Tensor, permutation: Tensor, dim: int = 1) -> Tensor:
    """The parts of a tensor along a dimension in another order."""
    warnings.warn(texts.APPLY_PERMUTATION, FutureWarning, stacklevel=2)
    return tensor.index_select(dim, permutation)


_GATES = {"LSTM": 4, "GRU": 3, "RNN_TANH": 1, "RNN_RELU": 1}


class RNNBase(Module):
    """What recurrent modules share: their weights and biases, and checks of inputs and states.

    Arguments:
        mode: "LSTM", "GRU", "RNN_TANH" or "RNN_RELU".
        input_size, hidden_size: the sizes of inputs and of the hidden state.
        num_layers: how many layers.
        bias: whether there are biases.
        batch_first: whether inputs and results are "b t i", not "t b i".
        dropout: the probability of dropping what a layer hands to the next.
        bidirectional: whether each layer goes backwards, too.
        proj_size: of an LSTM, to which its hidden state is projected; 0: it is not.
        device: the cpu.
        dtype: of the parameters.

    Attributes:
        weight_ih_l0, weight_hh_l0, bias_ih_l0, bias_hh_l0, weight_hr_l0: those of the first layer, and so on;
            `_reverse` is appended for those that go backwards. All are drawn uniformly from ±1/sqrt(hidden_size).
    """

    __constants__: ClassVar[list[str]] = [
        "mode", "input_size", "hidden_size", "num_layers", "bias", "batch_first", "dropout", "bidirectional",
        "proj_size",
    ]  # fmt: skip
    __jit_unused_properties__: ClassVar[list[str]] = ["all_weights"]
    mode: str
    input_size: int
    hidden_size: int
    num_layers: int
    bias: bool
    batch_first: bool
    dropout: float
    bidirectional: bool
    proj_size: int

    def __init__(
        self,
        mode: str,
        input_size: int,
        hidden_size: int,
        num_layers: int = 1,
        bias: bool = True,
        batch_first: bool = False,
        dropout: float = 0.0,
        bidirectional: bool = False,
        proj_size: int = 0,
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        super().__init__()
        self.mode = mode
        self.input_size = input_size
        self.hidden_size = hidden_size
        self.num_layers = num_layers
        self.bias = bias
        self.batch_first = batch_first
        self.dropout = float(dropout)
        self.bidirectional = bidirectional
        self.proj_size = proj_size
        self._flat_weight_refs: list[Any] = []
        self._check_options(dropout)
        self._flat_weights_names: list[str] = []
        self._all_weights: list[list[str]] = []
        rows, state = _GATES[mode] * hidden_size, proj_size or hidden_size
        for layer in range(num_layers):
            for direction in range(2 if bidirectional else 1):
                width = input_size if layer == 0 else state * (2 if bidirectional else 1)
                shapes: list[Any] = [(rows, width), (rows, state), *([rows, rows] if bias else [])]
                shapes += [(proj_size, hidden_size)] if proj_size else []
                names = self._names(layer, direction)
                for name, shape in zip(names, shapes, strict=True):
                    setattr(self, name, Parameter(empty(shape, device=device, dtype=dtype)))
                self._flat_weights_names.extend(names)
                self._all_weights.append(names)
        self._init_flat_weights()
        self.reset_parameters()

    def _check_options(self, dropout: Any) -> None:
        if not isinstance(dropout, numbers.Number) or not 0 <= dropout <= 1 or isinstance(dropout, bool):  # type: ignore[operator]  # a Number may be complex
            raise ValueError(texts.DROPOUT_RANGE)
        if dropout > 0 and self.num_layers == 1:  # type: ignore[operator]  # as above
            text = texts.DROPOUT_UNUSED.format(dropout=dropout, num_layers=self.num_layers)
            warnings.warn(text, stacklevel=3)
        for name, kind in (("bias", bool), ("batch_first", bool), ("input_size", int), ("hidden_size", int)):
            value = getattr(self, name)
            if not isinstance(value, kind):
                raise TypeError(f"{name} should be of type {kind.__name__}, got: {type(value).__name__}")
            if kind is int and value <= 0:
                raise ValueError(f"{name} must be greater than zero")
        if self.num_layers <= 0:
            raise ValueError("num_layers must be greater than zero")
        if self.proj_size < 0:
            raise ValueError(texts.PROJECTION_SIGN)
        if self.proj_size >= self.hidden_size:
            raise ValueError("proj_size has to be smaller than hidden_size")
        if self.mode not in _GATES:
            raise ValueError("Unrecognized RNN mode: " + self.mode)

    def _names(self, layer: int, direction: int) -> list[str]:
        """The names of the parameters of a layer in one direction."""
        kinds = ["weight_ih", "weight_hh", *(["bias_ih", "bias_hh"] if self.bias else [])]
        kinds += ["weight_hr"] if self.proj_size > 0 else []
        return [f"{kind}_l{layer}{'_reverse' if direction else ''}" for kind in kinds]

    def _init_flat_weights(self) -> None:
        self._flat_weights = [getattr(self, n) if hasattr(self, n) else None for n in self._flat_weights_names]
        self._flat_weight_refs = [None if w is None else weakref.ref(w) for w in self._flat_weights]
        self.flatten_parameters()

    def __setattr__(self, attr: str, value: Any) -> None:
        names = self.__dict__.get("_flat_weights_names")
        if names and attr in names and "_flat_weights" in self.__dict__:
            self._flat_weights[names.index(attr)] = value
        super().__setattr__(attr, value)

    def flatten_parameters(self) -> None:
        """Nothing: it is on GPUs that weights are laid out in one piece."""

    def _apply(self, fn: Any, recurse: bool = True) -> Any:
        self._flat_weight_refs = []
        found = super()._apply(fn, recurse)
        self._init_flat_weights()
        return found

    def reset_parameters(self) -> None:
        """Draw the parameters anew."""
        bound = 1.0 / math.sqrt(self.hidden_size) if self.hidden_size > 0 else 0
        for weight in self.parameters():
            init.uniform_(weight, -bound, bound)

    def check_input(self, input: Tensor, batch_sizes: Tensor | None) -> None:
        """Raise an error if the input is not of the dtype, the dimensions and the size that the weights ask for."""
        weight: Any = self._flat_weights[0]
        if input.dtype is not weight.dtype and state.autocast is None:
            raise ValueError(texts.INPUT_DTYPE.format(found=input.dtype, expected=weight.dtype))
        ndim = 2 if batch_sizes is not None else 3
        if input.dim() != ndim:
            raise RuntimeError(f"input must have {ndim} dimensions, got {input.dim()}")
        if self.input_size != input.size(-1):
            raise RuntimeError(texts.LAST_SIZE.format(expected=self.input_size, found=input.size(-1)))

    def get_expected_hidden_size(self, input: Tensor, batch_sizes: Tensor | None) -> tuple[int, int, int]:
        """The shape that the hidden state must have."""
        return self._state_shape(input, batch_sizes, self.proj_size or self.hidden_size)

    def _state_shape(self, input: Tensor, batch_sizes: Tensor | None, size: int) -> tuple[int, int, int]:
        if batch_sizes is not None:
            count = int(batch_sizes[0])
        else:
            count = input.size(0) if self.batch_first else input.size(1)
        return self.num_layers * (2 if self.bidirectional else 1), count, size

    def check_hidden_size(
        self, hx: Tensor, expected_hidden_size: tuple, msg: str = "Expected hidden size {}, got {}"
    ) -> None:
        """Raise an error if the state does not have this shape."""
        if hx.size() != expected_hidden_size:
            raise RuntimeError(msg.format(expected_hidden_size, list(hx.size())))

    def check_forward_args(self, input: Tensor, hidden: Any, batch_sizes: Tensor | None) -> None:
        """Raise an error if input or state do not fit the weights."""
        self.check_input(input, batch_sizes)
        self.check_hidden_size(hidden, self.get_expected_hidden_size(input, batch_sizes))

    def permute_hidden(self, hx: Any, permutation: Tensor | None) -> Any:
        """The state with the sequences in another order."""
        return hx if permutation is None else hx.index_select(1, permutation)

    def _weights_have_changed(self) -> bool:
        """Whether a parameter is another tensor than at the last call, as in torch.func.functional_call."""
        for ref, name in zip(self._flat_weight_refs, self._flat_weights_names, strict=True):
            weight = getattr(self, name) if hasattr(self, name) else None
            if weight is not None and ref is not None and ref() is not weight:
                return True
        return False

    def _update_flat_weights(self) -> None:
        if self._weights_have_changed():
            self._init_flat_weights()

    def extra_repr(self) -> str:
        """The sizes, and what is not as by default."""
        found = f"{self.input_size}, {self.hidden_size}"
        plain = {"proj_size": 0, "num_layers": 1, "bias": True, "batch_first": False, "dropout": 0}
        for name, value in {**plain, "bidirectional": False}.items():
            own = getattr(self, name)
            if own is not value if isinstance(value, bool) else own != value:
                found += f", {name}={own}"
        return found

    def __getstate__(self) -> dict[str, Any]:
        self._update_flat_weights()
        state = self.__dict__.copy()
        del state["_flat_weight_refs"]
        return state

    def __setstate__(self, d: dict[str, Any]) -> None:
        super().__setstate__(d)
        if "all_weights" in d:
            self._all_weights = d["all_weights"]
        if "proj_size" not in d:
            self.proj_size = 0
        if not isinstance(self._all_weights[0][0], str):  # files of old versions hold the weights themselves
            directions = range(2 if self.bidirectional else 1)
            self._all_weights = [self._names(k, d) for k in range(self.num_layers) for d in directions]
            self._flat_weights_names = [n for names in self._all_weights for n in names]
            self._flat_weights = [getattr(self, n) if hasattr(self, n) else None for n in self._flat_weights_names]
        self._flat_weight_refs = [None if w is None else weakref.ref(w) for w in self._flat_weights]

    @property
    def all_weights(self) -> list[list[Parameter]]:
        """The parameters of each layer and direction."""
        return [[getattr(self, name) for name in names] for names in self._all_weights]

    def _replicate_for_data_parallel(self) -> Any:
        replica = super()._replicate_for_data_parallel()
        replica._flat_weights = replica._flat_weights[:]
        replica._flat_weights_names = replica._flat_weights_names[:]
        return replica

    def _run(self, function: Any, input: Tensor, hx: Any, batch_sizes: Tensor | None) -> tuple:
        """What the function of this kind of network gives."""
        options = (self._flat_weights, self.bias, self.num_layers, self.dropout, self.training, self.bidirectional)
        if batch_sizes is None:
            return function(input, hx, *options, self.batch_first)
        return function(input, batch_sizes, hx, *options)

    def _zeros(self, input: Tensor, batch_sizes: Tensor | None, size: int) -> Tensor:
        """A state of zeros."""
        return zeros(self._state_shape(input, batch_sizes, size), dtype=input.dtype, device=input.device)

    def _forward_one(self, name: str, function: Any, text: str, input: Any, hx: Any) -> tuple[Any, Tensor]:
        """`forward` of a network whose state is one tensor."""
        self._update_flat_weights()
        if isinstance(input, PackedSequence):
            data, batch_sizes, order, back = input
            hx = self._zeros(data, batch_sizes, self.hidden_size) if hx is None else self.permute_hidden(hx, order)
            self.check_forward_args(data, hx, batch_sizes)
            out, hidden = self._run(function, data, hx, batch_sizes)
            return PackedSequence(out, batch_sizes, order, back), self.permute_hidden(hidden, back)
        if input.dim() not in (2, 3):
            raise ValueError(f"{name}: Expected input to be 2D or 3D, got {input.dim()}{text}")
        batched, dim = input.dim() == 3, 0 if self.batch_first else 1
        if hx is not None and hx.dim() != input.dim():
            words = texts.BATCHED_STATE if batched else texts.UNBATCHED_STATE
            raise RuntimeError(words.format(found=hx.dim()))
        if not batched:
            input, hx = input.unsqueeze(dim), None if hx is None else hx.unsqueeze(1)
        if hx is None:
            hx = self._zeros(input, None, self.hidden_size)
        self.check_forward_args(input, hx, None)
        out, hidden = self._run(function, input, hx, None)
        return (out, hidden) if batched else (out.squeeze(dim), hidden.squeeze(1))


def _refuse_projection(kwargs: dict[str, Any]) -> None:
    if "proj_size" in kwargs:
        raise ValueError("proj_size argument is only supported for LSTM, not RNN or GRU")


class RNN(RNNBase):
    """A simple recurrent network, h = tanh(x @ w_ih.T + b_ih + h @ w_hh.T + b_hh).

    Arguments:
        input_size, hidden_size: the sizes of inputs and of the hidden state.
        num_layers: how many layers.
        nonlinearity: "tanh" or "relu".
        bias, batch_first, dropout, bidirectional, device, dtype: as for `RNNBase`.

    Example:
        >>> from funcgrad import torch
        >>> out, hidden = torch.nn.RNN(10, 20, 2)(torch.ones(5, 3, 10))
        >>> out.shape, hidden.shape
        (torch.Size([5, 3, 20]), torch.Size([2, 3, 20]))
    """

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        _refuse_projection(kwargs)
        if len(args) > 3:
            self.nonlinearity = args[3]
            args = args[:3] + args[4:]
        else:
            self.nonlinearity = kwargs.pop("nonlinearity", "tanh")
        if self.nonlinearity not in ("tanh", "relu"):
            raise ValueError(texts.NONLINEARITY.format(name=self.nonlinearity))
        super().__init__("RNN_" + self.nonlinearity.upper(), *args, **kwargs)

    def forward(self, input: Any, hx: Tensor | None = None) -> tuple[Any, Tensor]:
        """The results of all steps, and the final state.

        Arguments:
            input: "t b i", "t i", or a `PackedSequence`.
            hx: the initial state, "k b h" for k layers and directions; zeros if it is not given.
        """
        return self._forward_one("RNN", _torch[self.mode.lower()], "D tensor instead", input, hx)


class GRU(RNNBase):
    """Gated recurrent units. Arguments, inputs and results are those of `RNN`, without the nonlinearity.

    Example:
        >>> from funcgrad import torch
        >>> out, hidden = torch.nn.GRU(10, 20, bidirectional=True)(torch.ones(5, 3, 10))
        >>> out.shape, hidden.shape
        (torch.Size([5, 3, 40]), torch.Size([2, 3, 20]))
    """

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        _refuse_projection(kwargs)
        super().__init__("GRU", *args, **kwargs)

    def forward(self, input: Any, hx: Tensor | None = None) -> tuple[Any, Tensor]:
        """The results of all steps, and the final state; arguments as for `RNN`."""
        return self._forward_one("GRU", _torch["gru"], "D instead", input, hx)


class LSTM(RNNBase):
    """Long short-term memory. Arguments are those of `RNNBase` without the mode; the state is a pair (h, c).

    Example:
        >>> from funcgrad import torch
        >>> out, (h, c) = torch.nn.LSTM(10, 20, 2)(torch.ones(5, 3, 10))
        >>> out.shape, h.shape, c.shape
        (torch.Size([5, 3, 20]), torch.Size([2, 3, 20]), torch.Size([2, 3, 20]))
    """

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__("LSTM", *args, **kwargs)

    def get_expected_cell_size(self, input: Tensor, batch_sizes: Tensor | None) -> tuple[int, int, int]:
        """The shape that the state of the cells must have."""
        return self._state_shape(input, batch_sizes, self.hidden_size)

    def check_forward_args(self, input: Tensor, hidden: Any, batch_sizes: Tensor | None) -> None:
        """Raise an error if input or states do not fit the weights."""
        self.check_input(input, batch_sizes)
        shapes = self.get_expected_hidden_size(input, batch_sizes), self.get_expected_cell_size(input, batch_sizes)
        for k, shape in enumerate(shapes):
            self.check_hidden_size(hidden[k], shape, f"Expected hidden[{k}] size {{}}, got {{}}")

    def permute_hidden(self, hx: Any, permutation: Tensor | None) -> Any:
        """Both states with the sequences in another order."""
        return hx if permutation is None else tuple([h.index_select(1, permutation) for h in hx])

    def forward(self, input: Any, hx: Any = None) -> tuple[Any, tuple[Tensor, Tensor]]:
        """The results of all steps, and the final states (h, c).

        Arguments:
            input: "t b i", "t i", or a `PackedSequence`.
            hx: the initial states, "k b h" each for k layers and directions; zeros if they are not given.
        """
        self._update_flat_weights()
        if isinstance(input, PackedSequence):
            data, batch_sizes, order, back = input
            hx = self._zero_states(data, batch_sizes) if hx is None else self.permute_hidden(hx, order)
            out, *hidden = self._run(_torch["lstm"], data, hx, batch_sizes)
            return PackedSequence(out, batch_sizes, order, back), self.permute_hidden(tuple(hidden), back)
        if input.dim() not in (2, 3):
            raise ValueError(f"LSTM: Expected input to be 2D or 3D, got {input.dim()}D instead")
        batched, dim = input.dim() == 3, 0 if self.batch_first else 1
        if not batched:
            input = input.unsqueeze(dim)
        if hx is None:
            hx = self._zero_states(input, None)
        else:
            n = 3 if batched else 2
            if hx[0].dim() != n or hx[1].dim() != n:
                kind, found = "batched" if batched else "unbatched", {"h": hx[0].dim(), "c": hx[1].dim()}
                raise RuntimeError(texts.STATES_NDIM.format(kind=kind, n=n, **found))
            if not batched:
                hx = tuple([h.unsqueeze(1) for h in hx])
        self.check_forward_args(input, hx, None)
        out, h, c = self._run(_torch["lstm"], input, hx, None)
        return (out, (h, c)) if batched else (out.squeeze(dim), (h.squeeze(1), c.squeeze(1)))

    def _zero_states(self, input: Tensor, batch_sizes: Tensor | None) -> tuple[Tensor, Tensor]:
        h = self._zeros(input, batch_sizes, self.proj_size or self.hidden_size)
        return h, self._zeros(input, batch_sizes, self.hidden_size)


class RNNCellBase(Module):
    """What cells share: the weights of one step.

    Arguments:
        input_size, hidden_size: the sizes of inputs and of the hidden state.
        bias: whether there are biases.
        num_chunks: how many gates the weights are for.
        device: the cpu.
        dtype: of the parameters.
    """

    __constants__: ClassVar[list[str]] = ["input_size", "hidden_size", "bias"]
    input_size: int
    hidden_size: int
    bias: bool
    weight_ih: Tensor
    weight_hh: Tensor

    def __init__(
        self,
        input_size: int,
        hidden_size: int,
        bias: bool,
        num_chunks: int,
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        super().__init__()
        self.input_size = input_size
        self.hidden_size = hidden_size
        self.bias = bias
        rows = num_chunks * hidden_size
        self.weight_ih = Parameter(empty((rows, input_size), device=device, dtype=dtype))
        self.weight_hh = Parameter(empty((rows, hidden_size), device=device, dtype=dtype))
        for name in ("bias_ih", "bias_hh"):
            self.register_parameter(name, Parameter(empty(rows, device=device, dtype=dtype)) if bias else None)
        self.reset_parameters()

    def extra_repr(self) -> str:
        """The sizes, and what is not as by default."""
        found = f"{self.input_size}, {self.hidden_size}"
        if "bias" in self.__dict__ and self.bias is not True:
            found += f", bias={self.bias}"
        if "nonlinearity" in self.__dict__ and self.nonlinearity != "tanh":
            found += f", nonlinearity={self.nonlinearity}"
        return found

    def reset_parameters(self) -> None:
        """Draw the parameters anew, uniformly from ±1/sqrt(hidden_size)."""
        bound = 1.0 / math.sqrt(self.hidden_size) if self.hidden_size > 0 else 0
        for weight in self.parameters():
            init.uniform_(weight, -bound, bound)

    def _weights(self) -> tuple:
        return self.weight_ih, self.weight_hh, self.bias_ih, self.bias_hh

    def _check_input(self, input: Tensor) -> bool:
        """Whether the input has a batch dimension."""
        if input.dim() not in (1, 2):
            name = type(self).__name__
            raise ValueError(f"{name}: Expected input to be 1D or 2D, got {input.dim()}D instead")
        return input.dim() == 2

    def _forward_one(self, function: Any, input: Tensor, hx: Tensor | None) -> Tensor:
        """`forward` of a cell whose state is one tensor."""
        batched = self._check_input(input)
        if hx is not None and hx.dim() not in (1, 2):
            name = type(self).__name__
            raise ValueError(f"{name}: Expected hidden to be 1D or 2D, got {hx.dim()}D instead")
        if not batched:
            input = input.unsqueeze(0)
        if hx is None:
            hx = zeros(input.size(0), self.hidden_size, dtype=input.dtype, device=input.device)
        elif not batched:
            hx = hx.unsqueeze(0)
        found = function(input, hx, *self._weights())
        return found if batched else found.squeeze(0)


class RNNCell(RNNCellBase):
    """One step of `RNN`: h = tanh(x @ w_ih.T + b_ih + h @ w_hh.T + b_hh).

    Arguments:
        input_size, hidden_size: the sizes of inputs and of the hidden state.
        bias: whether there are biases.
        nonlinearity: "tanh" or "relu".
        device: the cpu.
        dtype: of the parameters.
    """

    __constants__: ClassVar[list[str]] = ["input_size", "hidden_size", "bias", "nonlinearity"]
    nonlinearity: str

    def __init__(
        self,
        input_size: int,
        hidden_size: int,
        bias: bool = True,
        nonlinearity: str = "tanh",
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        super().__init__(input_size, hidden_size, bias, num_chunks=1, device=device, dtype=dtype)
        self.nonlinearity = nonlinearity

    def forward(self, input: Tensor, hx: Tensor | None = None) -> Tensor:
        """The next state, of the input "b i" or "i" and the state "b h" or "h", zeros if it is not given."""
        self._check_input(input)
        if self.nonlinearity not in ("tanh", "relu"):
            raise RuntimeError(f"Unknown nonlinearity: {self.nonlinearity}")
        return self._forward_one(_torch[f"rnn_{self.nonlinearity}_cell"], input, hx)


class LSTMCell(RNNCellBase):
    """One step of `LSTM`.

    Arguments:
        input_size, hidden_size: the sizes of inputs and of the states.
        bias: whether there are biases.
        device: the cpu.
        dtype: of the parameters.

    Example:
        >>> from funcgrad import torch
        >>> h, c = torch.nn.LSTMCell(10, 20)(torch.ones(3, 10))
        >>> h.shape, c.shape
        (torch.Size([3, 20]), torch.Size([3, 20]))
    """

    def __init__(
        self, input_size: int, hidden_size: int, bias: bool = True, device: Any = None, dtype: Any = None
    ) -> None:
        super().__init__(input_size, hidden_size, bias, num_chunks=4, device=device, dtype=dtype)

    def forward(self, input: Tensor, hx: Any = None) -> tuple[Tensor, Tensor]:
        """The next states (h, c), of the input "b i" or "i" and the states, zeros if they are not given."""
        batched = self._check_input(input)
        if hx is not None:
            for k, value in enumerate(hx):
                if value.dim() not in (1, 2):
                    raise ValueError(f"LSTMCell: Expected hx[{k}] to be 1D or 2D, got {value.dim()}D instead")
        if not batched:
            input = input.unsqueeze(0)
        if hx is None:
            h = zeros(input.size(0), self.hidden_size, dtype=input.dtype, device=input.device)
            hx = (h, h)
        elif not batched:
            hx = (hx[0].unsqueeze(0), hx[1].unsqueeze(0))
        h, c = _torch["lstm_cell"](input, hx, *self._weights())
        return (h, c) if batched else (h.squeeze(0), c.squeeze(0))


class GRUCell(RNNCellBase):
    """One step of `GRU`; arguments as for `LSTMCell`."""

    def __init__(
        self, input_size: int, hidden_size: int, bias: bool = True, device: Any = None, dtype: Any = None
    ) -> None:
        super().__init__(input_size, hidden_size, bias, num_chunks=3, device=device, dtype=dtype)

    def forward(self, input: Tensor, hx: Tensor | None = None) -> Tensor:
        """The next state, of the input "b i" or "i" and the state "b h" or "h", zeros if it is not given."""
        return self._forward_one(_torch["gru_cell"], input, hx)


show_as_torch(__name__)
publish(__name__)
