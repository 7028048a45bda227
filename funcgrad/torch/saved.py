"""What a node saved, as Python sees it: `node._saved_self`, `_raw_saved_result`, hooks that pack and unpack.

Residuals are ndarrays that alias the memory of tensors. A `SavedTensor` shows one of them as the tensor it was, after
checking that nobody has written into it since.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from numpy import ndarray

from funcgrad.core.array import Array
from funcgrad.torch.modes import state
from funcgrad.torch.node import FREED


class SavedTensor:
    """One tensor that a node saved."""

    __slots__ = ("_entry", "_node", "_place")

    def __init__(self, node: Any, place: int) -> None:
        self._node, self._place = node, place

    def register_hooks(self, pack_hook: Callable, unpack_hook: Callable) -> None:
        """Keep what pack_hook makes of the tensor in its place; unpack_hook makes a tensor of that again."""
        if not (callable(pack_hook) and callable(unpack_hook)):
            raise TypeError("Invalid hooks: both hooks must be callable")
        node = self._node
        if node.saved is None:
            raise RuntimeError(FREED)
        packed = getattr(node, "_packed", None)
        if packed is not None and self._place in packed:
            raise RuntimeError("Calling register_hooks on a saved tensor whose hooks have already been set. ")
        tensor, counter, _ = node.saved[self._place]
        if tensor is None and node.inputs:
            pass
        value = unpack(node, self._place)
        pack_one(node, self._place, value, pack_hook, unpack_hook)

    def __repr__(self) -> str:
        return f"<torch._C._autograd.SavedTensor object at {id(self):#x}>"


def pack(node: Any, args: tuple) -> None:
    """Give every tensor that a new node saved to the hooks that are on."""
    pack_hook, unpack_hook = state.pack_hooks[-1]
    for place, (tensor, _, _) in enumerate(node.saved):
        if tensor is None or hasattr(tensor, "_value"):
            pack_one(node, place, unpack(node, place), pack_hook, unpack_hook)


def pack_one(node: Any, place: int, value: Any, pack_hook: Callable, unpack_hook: Callable) -> None:
    from funcgrad.torch.modes import no_grad

    _, counter, _ = node.saved[place]
    before = value._version
    with no_grad():
        held = pack_hook(value.detach() if value._node is node else value)
    if value._version != before:
        raise RuntimeError(
            "A saved tensor pack hook is modifying its input in place. Tensors provided as input to pack hook can not "
            "be modified by in-place operations as this can lead to unexpected side-effects. Please open an issue if "
            "you need to perform in-place operations on the input to a pack hook."
        )
    packed = getattr(node, "_packed", None)
    if packed is None:
        packed = node._packed = {}
    packed[place] = (held, unpack_hook)
    node.slow = True
    # The node lets go of the memory itself.
    raw = _residual(node, place)
    node.residuals = tuple([None if r is raw else r for r in node.residuals])


def _residual(node: Any, place: int) -> Any:
    """The residual that aliases the saved tensor at this place."""
    from funcgrad.torch.operation import CompositePlan

    tensor = node.saved[place][0]
    names, residuals = node.plan.names, node.residuals
    if isinstance(node.plan, CompositePlan):
        kept = node.op.recordings[_mask(node)].keeps
        return residuals[1][kept[place]] if place < len(kept) else None
    if tensor is None:
        out = residuals[names.index("out")]
        return out[place - sum(t is not None for t, _, _ in node.saved)] if node.outputs > 1 and type(out) is tuple else out
    operand = _saved_operand(node, place)
    name = node.plan.operands[operand]
    return residuals[names.index(name)] if name in names else residuals[names.index("xs")][operand]


def _mask(node: Any) -> tuple[bool, ...]:
    return tuple(i in node.linked for i in range(len(node.plan.operands)))


def _saved_operand(node: Any, place: int) -> int:
    return node.op.recordings[_mask(node)].keeps[place]


def unpack(node: Any, place: int) -> Any:
    """The tensor that was saved at this place.

    Raises:
        RuntimeError: it was freed, or somebody wrote into it.
    """
    from funcgrad.torch.operation import Tensor, wrapped

    if node.saved is None:
        raise RuntimeError(FREED)
    packed = getattr(node, "_packed", None)
    tensor, counter, version = node.saved[place]
    if packed is not None and place in packed:
        held, unpack_hook = packed[place]
        found = unpack_hook(held)
        if not isinstance(found, Tensor):
            raise TypeError(
                "Output of saved tensor unpack_hook expected to be a Tensor but got result of type "
                f"{type(found).__name__}"
            )
        if found._node is not None or found._requires:
            return found
        from funcgrad.torch.views import alias

        shown = alias(found)
    else:
        if counter is not None and counter[0] != version:
            check_version(node, place)
        if tensor is not None and not isinstance(tensor, Tensor):
            return wrapped(_as_array(tensor))
        if tensor is not None and (tensor._node is None):
            return tensor
        if tensor is not None:
            return tensor
        from funcgrad.torch.views import view_of_value

        shown = view_of_value(_residual(node, place), counter)
    if tensor is None:
        first = sum(t is not None for t, _, _ in node.saved)
        shown._node, shown._nr = node, place - first
    elif isinstance(tensor, Tensor):
        if tensor._node is not None or tensor._view is not None:
            shown._node, shown._nr = tensor.grad_fn, tensor._nr
        else:
            shown._requires, shown._accumulate = tensor._requires, tensor._accumulate
    return shown


def _as_array(x: Any) -> Any:
    import numpy as np

    from funcgrad.torch import dtypes

    if isinstance(x, (ndarray, Array)):
        return x
    return np.asarray(x, dtypes.of_number(x).numpy)


def check_version(node: Any, place: int) -> None:
    """Raise torch's error about a saved tensor that was written into."""
    from funcgrad.torch.dtypes import of_numpy

    tensor, counter, version = node.saved[place]
    if tensor is None:
        first = sum(t is not None for t, _, _ in node.saved)
        shape, kind = node.shape, node.dtype
        if node.outputs > 1:
            shape, kind = shape[place - first], kind[place - first]
        origin = f", which is output {place - first} of {_shortened(node.name())},"
    else:
        shape, kind = tensor._value.shape, tensor._value.dtype
        made_by = node.inputs[node.linked.index(i)] if (i := _saved_operand(node, place)) in node.linked else None
        origin = ""
        if made_by is not None:
            number = node.numbers[node.linked.index(i)]
            origin = f", which is output {number} of {_shortened(made_by.name())},"
    size = f"[{', '.join(map(str, shape))}]"
    text = (
        "one of the variables needed for gradient computation has been modified by an inplace operation: "
        f"[torch.{of_numpy(kind).title}Tensor {size}]{origin} is at version {counter[0]}; expected version "
        f"{version} instead."
    )
    if state.anomaly:
        text += " Hint: the backtrace further above shows the operation that failed to compute its gradient. The variable in question was changed in there or anywhere later. Good luck!"  # fmt: skip  # noqa: E501
    else:
        text += " Hint: enable anomaly detection to find the operation that failed to compute its gradient, with torch.autograd.set_detect_anomaly(True, check_nan=False)."  # fmt: skip  # noqa: E501
    raise RuntimeError(text)


def _shortened(name: str) -> str:
    """A node's name as errors say it: without Backward and the number after it."""
    head, found, tail = name.rpartition("Backward")
    return head if found and tail.isdigit() else name


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


def saved_attribute(node: Any, name: str) -> Any:
    """`node._saved_x` or `node._raw_saved_x`."""
    as_raw = name.startswith("_raw_saved_")
    word = name.removeprefix("_raw_saved_").removeprefix("_saved_")
    names = _tensor_names(node)
    if word in names:
        if node.saved is None:
            raise RuntimeError(FREED)
        place = names.index(word)
        return SavedTensor(node, place) if as_raw else unpack(node, place)
    if word == "tensors" and "tensors0" in names:
        return tuple(unpack(node, i) for i in range(len(names)))
    params = _parameter_values(node)
    if not as_raw and word in params:
        return params[word]
    raise AttributeError(f"'{type(node).__name__}' object has no attribute '{name}'")
