"""What a node saved, as Python sees it: `node._saved_self`, `_raw_saved_result`, hooks that pack and unpack.

Residuals are ndarrays that alias the memory of tensors. A `SavedTensor` shows one of them as the tensor it was, after
checking that nobody has written into it since.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy import ndarray

from funcgrad.core.array import Array
from funcgrad.torch.base.dtypes import of_number, of_numpy
from funcgrad.torch.base.modes import give_tangent, no_grad, state
from funcgrad.torch.tensor.members import member_of
from funcgrad.torch.tensor.node import Node, shortened
from funcgrad.torch.tensor.tensor import Tensor
from funcgrad.torch.tensor.values import wrapped
from funcgrad.torch.tensor.views import alias, view_of_value
from funcgrad.torch.texts import autograd as autograd_texts
from funcgrad.torch.texts import graph as texts

_PACKED = object()
"""Stands where a node held a tensor that a hook has packed."""


class Packed:
    """What a pack hook made of a saved tensor, and the history that its unpacked tensor gets."""

    __slots__ = ("accumulate", "dtype", "held", "node", "number", "requires", "unpack_hook")
    node: Any
    number: int
    requires: bool
    accumulate: Any

    def __init__(self, held: Any, unpack_hook: Callable, tensor: Any, dtype: Any) -> None:
        self.held, self.unpack_hook, self.dtype = held, unpack_hook, dtype
        self.node, self.number = (None, 0) if tensor is None else (tensor.grad_fn, tensor._nr)
        self.requires, self.accumulate = (False, None) if tensor is None else (tensor._requires, tensor._accumulate)

    def unpack(self) -> Any:
        """What the unpack hook gives; it has to be a tensor."""
        found = self.unpack_hook(self.held)
        if not isinstance(found, Tensor):
            raise TypeError(autograd_texts.UNPACKED_NO_TENSOR.format(kind=type(found).__name__))
        return found


def call_pack_hook(pack_hook: Callable, value: Any) -> Any:
    """What a pack hook makes of a tensor, into which it may not write."""
    before = value._version
    with no_grad():
        held = pack_hook(value)
    if value._version != before:
        raise RuntimeError(texts.PACK_HOOK_WRITES)
    return held


def check_hooks(saved: Any, pack_hook: Any, unpack_hook: Any) -> None:
    """Both hooks have to be functions."""
    if not (callable(pack_hook) and callable(unpack_hook)):
        raise TypeError(texts.HOOKS_NOT_CALLABLE.format(saved=saved, pack_hook=pack_hook, unpack_hook=unpack_hook))


class SavedTensor:
    """One tensor that a node saved."""

    __slots__ = ("_node", "_place")

    def __init__(self, node: Any, place: int) -> None:
        self._node, self._place = node, place

    def register_hooks(self, pack_hook: Callable, unpack_hook: Callable) -> None:
        """Keep what pack_hook makes of the tensor in its place; unpack_hook makes a tensor of that again."""
        check_hooks(self, pack_hook, unpack_hook)
        node = self._node
        if node.saved is None:
            raise RuntimeError(texts.HOOKS_AFTER_FREED)
        if self._place in (getattr(node, "_packed", None) or ()):
            raise RuntimeError(texts.HOOKS_TWICE)
        value = unpack(node, self._place)
        with no_grad():
            value = value.detach()
        pack_one(node, self._place, value, pack_hook, unpack_hook)

    def __repr__(self) -> str:
        return f"<torch._C._autograd.SavedTensor object at {id(self):#x}>"


@member_of(Node)
def pack(node: Any) -> None:
    """Give every tensor that a new node saved to the hooks that are on."""
    pack_hook, unpack_hook = state.pack_hooks[-1]
    for place in by_name(node):
        tensor = node.saved[place][0]
        if tensor is None or (isinstance(tensor, Tensor) and not tensor._wrapped_number):
            pack_one(node, place, unpack(node, place), pack_hook, unpack_hook)


def by_name(node: Any) -> list[int]:
    """The places in torch's order: operands by their names, then results."""
    names = _tensor_names(node)
    return sorted(range(len(node.saved)), key=lambda place: (node.saved[place][0] is None, names[place]))


def pack_one(node: Any, place: int, value: Any, pack_hook: Callable, unpack_hook: Callable) -> None:
    """Keep in place of a saved tensor what a hook makes of it, and let go of the memory itself."""
    held = call_pack_hook(pack_hook, value)
    packed = getattr(node, "_packed", None)
    if packed is None:
        packed = node._packed = {}
    saved = list(node.saved)
    tensor = saved[place][0]
    packed[place] = Packed(held, unpack_hook, tensor, _residual(node, place).dtype)
    _forget(node, place)
    saved[place] = (None if tensor is None else _PACKED, None, 0)
    node.saved, node.slow = tuple(saved), True


def _where(node: Any, place: int) -> tuple[int, int | None]:
    """Which residual aliases the saved tensor at this place; and which item of it, if it is a tuple."""
    names = node.plan.names
    if node.saved[place][0] is None:
        k = names.index("out")
        return k, place - _first_result(node) if node.outputs > 1 and type(node.residuals[k]) is tuple else None
    operand = _saved_operand(node, place)
    return (names.index("xs"), operand) if "xs" in names else (names.index(node.plan.operands[operand]), None)


def _first_result(node: Any) -> int:
    return sum(t is not None for t, _, _ in node.saved)


def _residual(node: Any, place: int) -> Any:
    """The residual that aliases the saved tensor at this place."""
    k, item = _where(node, place)
    return node.residuals[k] if item is None else node.residuals[k][item]


def saved_dtype(node: Any, place: int) -> Any:
    """The NumPy dtype of the residual, to which the saved tensor may have been promoted."""
    packed = (getattr(node, "_packed", None) or {}).get(place)
    return _residual(node, place).dtype if packed is None else packed.dtype


def _forget(node: Any, place: int) -> None:
    """Take the memory of a saved tensor out of the residuals."""
    k, item = _where(node, place)
    residuals = list(node.residuals)
    if item is None:
        residuals[k] = None
    else:
        residuals[k] = tuple([None if i == item else r for i, r in enumerate(residuals[k])])
    if "pullback" in node.plan.names:  # it is made anew of what is unpacked
        residuals[node.plan.names.index("pullback")] = None
    node.residuals = tuple(residuals)


def _mask(node: Any) -> tuple[bool, ...]:
    return tuple(i in node.linked for i in range(len(node.plan.operands)))


def _saved_operand(node: Any, place: int) -> int:
    return node.op.recordings[_mask(node)].keeps[place]


def unpack(node: Any, place: int) -> Any:
    """The tensor that was saved at this place.

    Raises:
        RuntimeError: it was freed, or somebody wrote into it.
    """
    if node.saved is None:
        raise RuntimeError(texts.FREED)
    tensor, counter, version = node.saved[place]
    packed = (getattr(node, "_packed", None) or {}).get(place)
    if packed is not None:
        found = packed.unpack()
        if tensor is not None and packed.node is None and not packed.requires and not found.requires_grad:
            return found
        shown = alias(found)
        if tensor is not None:
            shown._node, shown._nr = packed.node, packed.number
            shown._requires, shown._accumulate = packed.requires, packed.accumulate
    else:
        if counter is not None and int(counter[0]) != int(version):
            check_version(node, place)
        if tensor is not None:
            return tensor if isinstance(tensor, Tensor) else wrapped(_as_array(tensor))
        shown = view_of_value(_residual(node, place), counter)
    if tensor is None:
        shown._node, shown._nr = node.view_fn() or node, place - _first_result(node)
        tangent = node.tangent(place - _first_result(node))
        if tangent is not None:
            give_tangent(shown, tangent)
    return shown


def _as_array(x: Any) -> Any:
    if isinstance(x, (ndarray, Array)):
        return x
    return np.asarray(x, of_number(x).numpy)


def check_version(node: Any, place: int) -> bool:
    """Raise torch's error about a saved tensor that was written into; else whether its value was replaced."""
    tensor, counter, version = node.saved[place]
    if int(counter[0]) == int(version):
        return isinstance(tensor, Tensor)
    if tensor is None:
        number = place - _first_result(node)
        shape, kind, made_by = node.shape, node.dtype, node
        if node.outputs > 1:
            shape, kind = shape[number], kind[number]
    else:
        shape, kind, made_by, number = tensor._value.shape, tensor._value.dtype, None, 0
        if isinstance(tensor, Tensor):
            made_by, number = tensor.grad_fn, tensor._nr
    raise modified_error(shape, kind, made_by, number, int(counter[0]), int(version))


def modified_error(shape: tuple, kind: Any, made_by: Any, number: int, now: int, then: int) -> RuntimeError:
    """torch's error about a saved tensor, output `number` of the node made_by, that was written into."""
    origin = "" if made_by is None else f", which is output {number} of {shortened(made_by.name())},"
    text = texts.MODIFIED_IN_PLACE.format(
        kind=of_numpy(kind).cxx_type, shape=list(shape), origin=origin, now=now, then=then
    )
    return RuntimeError(text + (texts.HINT_OF_BACKTRACE if state.anomaly else texts.HINT_OF_ANOMALY))


# Attributes of nodes.


def saved_names(node: Any) -> list[str]:
    """The names under which Python finds what a node saved."""
    names = [f"_saved_{n}" for n in _tensor_names(node)]
    names += [f"_raw_saved_{n}" for n in _tensor_names(node)]
    return names + [f"_saved_{n}" for n in _parameter_values(node)]


def _tensor_names(node: Any) -> list[str]:
    if node.op is None or node.plan is None or not node.linked:
        return []
    recording = node.op.recordings[_mask(node)]
    operands = node.op.operands
    names = [operands[i] if i < len(operands) else node.plan.operands[i] for i in recording.keeps]
    if recording.keeps_out:
        names += ["result"] if node.outputs == 1 else [f"result{i}" for i in range(node.outputs)]
    return names


def _parameter_values(node: Any) -> dict[str, Any]:
    found = dict(node.params)
    if node.op is not None:
        found |= {node.op.params[k]: v for k, v in node.params.items() if k in node.op.params}
        if "axis" in found:
            found.setdefault("dim", found["axis"])
    return found


_UNSET = frozenset(Node.__slots__) | {"inputs"}
"""Slots that are filled when they are first needed."""


@member_of(Node, name="__getattr__")
def _attribute(self: Any, name: str) -> Any:
    if name.startswith(("_saved_", "_raw_saved_")):
        return saved_attribute(self, name)
    if name in _UNSET:
        raise AttributeError(name)
    raise AttributeError(f"'{type(self).__name__}' object has no attribute '{name}'")


@member_of(Node, name="__dir__")
def _names(self: Any) -> list[str]:
    public = ["metadata", "name", "next_functions", "register_hook", "register_prehook", "_sequence_nr"]
    return sorted({*object.__dir__(self), *public, *saved_names(self)})


def saved_attribute(node: Any, name: str) -> Any:
    """`node._saved_x` or `node._raw_saved_x`."""
    as_raw = name.startswith("_raw_saved_")
    word = name.removeprefix("_raw_saved_").removeprefix("_saved_")
    names = _tensor_names(node)
    if word in names:
        place = names.index(word)
        if word == "exponent" and node.saved is not None and isinstance(node.saved[place][0], (int, float, complex)):
            return node.saved[place][0]
        return SavedTensor(node, place) if as_raw else unpack(node, place)
    if not as_raw and _is_saved_for_another(node, word):
        return None
    if word == "tensors" and "tensors0" in names:
        return tuple(unpack(node, i) for i in range(len(names)))
    params = _parameter_values(node)
    if not as_raw and word in params:
        return params[word]
    raise AttributeError(f"'{type(node).__name__}' object has no attribute '{name}'")


def _is_saved_for_another(node: Any, word: str) -> bool:
    """Whether an operand would have been saved, if another one required grad."""
    if node.op is None or node.plan is None or word not in node.op.operands:
        return False
    operand, count = node.op.operands.index(word), len(node.plan.operands)
    masks = [tuple(i == linked for i in range(count)) for linked in range(count)]
    return any(r is not None and operand in r.keeps for r in map(node.op.recordings.__getitem__, masks))
