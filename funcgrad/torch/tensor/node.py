"""Nodes of the graph that `grad_fn` shows.

A `Node` is the core's Equation with what torch adds to it: edges that say which output of the other node they come
from, the versions of the tensors it saved, and hooks. The class of a node is named after the operation
(`MulBackward0`) and made on demand.

`saved` and `engine` install what Python sees of saved values, and the call of a node.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import count
from typing import TYPE_CHECKING, Any
from weakref import ref

from funcgrad.core.scope import Scope
from funcgrad.core.tape import Equation
from funcgrad.torch.base.dtypes import of_numpy
from funcgrad.torch.base.meta import CPU, Size
from funcgrad.torch.base.modes import state

next_number = count(1).__next__
LAST = 1 << 62
"""The number of AccumulateGrad nodes: they run as soon as their gradient is complete."""


class RemovableHandle(Scope):
    """Takes a hook out again: `handle.remove()`, or at the end of a `with` block."""

    next_id = count().__next__

    def __init__(self, hooks: dict[int, Any], *, extra_dict: Any = None) -> None:
        self.id = RemovableHandle.next_id()
        self._hooks = hooks
        self.extra = (
            extra_dict if isinstance(extra_dict, (list, tuple)) else () if extra_dict is None else (extra_dict,)
        )

    def hooks_dict_ref(self) -> dict[int, Any]:
        """The dict that the hook is in, or was."""
        return self._hooks

    def remove(self) -> None:
        """Take the hook out; doing it again does nothing."""
        self._hooks.pop(self.id, None)
        for d in self.extra:
            d.pop(self.id, None)

    def __enter__(self) -> RemovableHandle:
        self.entered = 1
        return self

    def leave(self, *error: Any) -> None:
        self.remove()
        self.entered = 0


def add_hook(hooks: dict[int, Any], hook: Callable) -> RemovableHandle:
    """Put a hook into a dict, in the order of calls; gives the handle that takes it out."""
    handle = RemovableHandle(hooks)
    hooks[handle.id] = hook
    return handle


class Node(Equation):
    """One recorded operation.

    Attributes (beside those of Equation; for several results, shape and dtype are tuples):
        inputs: the nodes of the linked operands.
        numbers: which of their outputs each operand is.
        saved: for each tensor that residuals alias, (tensor or None for a result, version counter, version then);
            None once they were freed.
        op: the Operation, which knows the names of what is saved.
        edges: how many tensor operands next_functions shows; linked says which of them have a node.
    """

    __slots__ = (
        "__weakref__",
        "_metadata",
        "_packed",
        "_post_hooks",
        "_pre_hooks",
        "_replaced",
        "_retain",
        "_tangents",
        "_tensor_hooks",
        "_view_fn",
        "linked",
        "numbers",
        "op",
        "outputs",
        "saved",
        "slow",
    )
    title = "Node"
    written = 0  # how often torch writes into a new gradient that the node makes
    runs_on_nothing = False  # whether it runs where no gradient came, as custom Functions do
    number: int
    op: Any
    plan: Any
    linked: tuple
    numbers: tuple
    saved: Any
    residuals: Any
    _metadata: dict
    _replaced: Any
    _tangents: tuple[Any, dict[int, Any]]
    _tensor_hooks: dict
    _view_fn: Any

    if TYPE_CHECKING:  # installed by `saved` and `engine`

        def __getattr__(self, name: str) -> Any: ...
        def __call__(self, *grads: Any) -> Any: ...

    def __init__(self) -> None:
        self.slow = False  # hooks, packed residuals or several outputs: not for the short loop of the walk
        self.outputs = 1

    # What Python sees of a node.

    def name(self) -> str:
        """The name of the node, such as MulBackward0."""
        return self.title

    @property
    def next_functions(self) -> tuple:
        """For each tensor operand the node its gradient goes to and which of its outputs it is, or (None, 0)."""
        if self.op is not None and self.op.only_linked:
            return tuple(zip(self.inputs, self.numbers, strict=True))
        found: list[Any] = [(None, 0)] * self.edge_count()
        for i, node, number in zip(self.linked, self.inputs, self.numbers, strict=True):
            if type(node) is not AccumulateGrad or not node.hidden:
                found[i] = (node, number)
        return tuple(found)

    def edge_count(self) -> int:
        n = len(self.plan.operands)
        return n if self.op is None or self.op.edges is None else self.op.edges

    @property
    def metadata(self) -> dict:
        """A dict for whatever users want to keep with the node."""
        try:
            return self._metadata
        except AttributeError:
            self._metadata = {}
            return self._metadata

    def _sequence_nr(self) -> int:
        return int(self.number)

    @property
    def _input_metadata(self) -> tuple[Any, ...]:
        shapes, kinds = (self.shape, self.dtype) if self.outputs > 1 else ((self.shape,), (self.dtype,))
        return tuple([InputMetadata(of_numpy(k), Size(s), CPU) for s, k in zip(shapes, kinds, strict=True)])

    def register_hook(self, fn: Callable) -> RemovableHandle:
        """Call fn(grad_inputs, grad_outputs) after the node ran; what it returns replaces grad_inputs."""
        self.slow = True
        return add_hook(self.hooks("_post_hooks"), fn)

    def register_prehook(self, fn: Callable) -> RemovableHandle:
        """Call fn(grad_outputs) before the node runs; what it returns replaces grad_outputs."""
        self.slow = True
        return add_hook(self.hooks("_pre_hooks"), fn)

    def hooks(self, kind: str) -> dict:
        """The dict of hooks of one kind, made when first asked for."""
        found = getattr(self, kind, None)
        if found is None:
            found = {}
            setattr(self, kind, found)
        return found

    def tensor_hooks(self, number: int) -> dict:
        """The hooks of the tensor that is this output of the node."""
        self.slow = True
        return self.hooks("_tensor_hooks").setdefault(number, {})

    def retain(self, number: int, keep: Callable | None) -> None:
        """What to call with the gradient of this output, after all hooks: retain_grad."""
        self.slow = True
        if keep is None:
            self.hooks("_retain").pop(number, None)
        else:
            self.hooks("_retain")[number] = keep

    def keep_tangent(self, number: int, tangent: Any) -> None:
        """Remember the forward derivative of an output that was saved, until the level is left."""
        found: Any = getattr(self, "_tangents", None)
        if found is None or found[0] is not state.duals:
            found = self._tangents = (state.duals, {})
        found[1][number] = tangent

    def tangent(self, number: int) -> Any:
        """The forward derivative of an output, None if it has none."""
        found: Any
        level, found = getattr(self, "_tangents", (None, {}))
        return found.get(number) if level is not None and level is state.duals else None

    def replace(self, number: int, value: Any) -> None:
        """`.data` gives an output a value of another shape or dtype: operations from now on see that."""
        if getattr(self, "_replaced", None) is None:
            self._replaced = {}
        self._replaced[number] = next_number(), value.shape, value.dtype
        self.slow = True

    # What is saved.

    def view_fn(self) -> Any:
        """The grad_fn of the view that this operation was written into, if its result was saved; else None."""
        held = getattr(self, "_view_fn", None)
        return None if held is None else held()

    def release(self) -> None:
        """Let go of what was saved."""
        if self.saved:
            self.saved = None
            self.residuals = None
            if getattr(self, "_packed", None) is not None:
                self._packed = None

    def __repr__(self) -> str:
        return f"<{type(self).__name__} object at {id(self):#x}>"


def shortened(name: str) -> str:
    """A node's name as errors say it: without Backward, and without a 0 after it."""
    head, found, tail = name.rpartition("Backward")
    return head + tail.removeprefix("0") if found and (tail.isdigit() or not tail) else name


class InputMetadata:
    """dtype, shape and device of the gradient that a node expects."""

    __slots__ = ("device", "dtype", "shape")

    def __init__(self, dtype: Any, shape: Any, device: Any) -> None:
        self.dtype, self.shape, self.device = dtype, shape, device

    is_cpp_nested_tensor = is_nested_tensor = False


_classes: dict[str, type[Node]] = {}

BY_FORMULA = frozenset(
    f"{name}Backward{k}"
    for name, k in (
        ("Std", 0), ("Var", 0), ("StdMean", 0), ("VarMean", 0),
        ("LinalgVectorNorm", 0), ("Dist", 0), ("Prod", 0), ("Prod", 1), ("Cumprod", 0),
        ("Logcumsumexp", 0), ("Logsumexp", 0), ("Max", 1), ("Min", 1), ("Median", 0), ("Nanmedian", 0),
    )
)  # fmt: skip
"""Nodes whose gradients torch computes from the result that it saved, so that writing into its `.data` shows.

And var, of which it has other gradients than the rule where no degree of freedom is left.
"""


def _begin_slow(node: Node) -> None:
    Node.__init__(node)
    node.slow = True


WRITTEN = dict.fromkeys(
    [
        "AsStridedBackward0", "GatherBackward0", "IndexBackward0", "IndexSelectBackward0", "MaskedSelectBackward0",
        "MaxBackward1", "MaximumBackward0", "MedianBackward0", "MinBackward1", "MinimumBackward0",
        "NanmedianBackward0", "TakeBackward0",
    ],
    1,
) | dict.fromkeys(
    [
        "CummaxBackward0", "CumminBackward0", "KthvalueBackward0", "MaxBackward0", "MedianBackward1", "MinBackward0",
        "ModeBackward0", "NanmedianBackward1", "SortBackward0", "SortBackward1", "TopkBackward0", "TraceBackward0",
    ],
    2,
)  # fmt: skip
"""How often torch writes into a gradient after making it: zeros that are filled, elements that are masked."""


def node_class(name: str) -> type[Node]:
    """The class of nodes called so."""
    found = _classes.get(name)
    if found is None:
        title = f"torch::autograd::{name}" if name == "CopyBackwards" else name  # one of torch's own classes
        members = {"__slots__": (), "title": title, "written": WRITTEN.get(name, 0), "__module__": "builtins"}
        if name in BY_FORMULA:
            members["__init__"] = _begin_slow
        found = _classes[name] = type(name, (Node,), members)
    return found


class AccumulateGrad(Node):
    """Where the gradient of a leaf ends: it is added to `variable.grad`.

    `hidden` says that next_functions does not show it, because torch has no node there.
    """

    __slots__ = ("hidden", "variable")
    title = "torch::autograd::AccumulateGrad"

    def __init__(self, variable: Any) -> None:
        self.variable, self.hidden = variable, False
        self.slow, self.outputs, self._replaced = True, 1, None
        self._tensor_hooks = self._pre_hooks = self._post_hooks = None  # type: ignore[assignment]  # none so far
        self.number, self.plan, self.inputs, self.numbers, self.linked = LAST, None, (), (), ()
        self.params, self.residuals, self.saved, self.op = {}, (), (), None
        self.shape, self.dtype = variable._value.shape, variable._value.dtype

    def edge_count(self) -> int:
        return 0

    def __repr__(self) -> str:
        return f"<AccumulateGrad object at {id(self):#x}>"


AccumulateGrad.__module__ = "builtins"


def accumulator(leaf: Any) -> AccumulateGrad:
    """The AccumulateGrad node of a leaf. The leaf holds it weakly, so it lives as long as some graph leads to it."""
    held = leaf._accumulate
    found = held() if held is not None else None
    if found is None:
        found = AccumulateGrad(leaf)
        leaf._accumulate = ref(found)
        if leaf._hooks is not None:
            found._tensor_hooks = {0: leaf._hooks}
    return found


def next_edge(x: Any) -> Node | None:
    """The node that the gradient of a tensor goes to, None if it does not require grad; its output is x._nr."""
    node = x._node if x._view is None else x._made_by()
    if node is None:
        if x._requires:
            return accumulator(x)
        if x._view is not None and x._linked():
            return _nowhere(x)
    return node


def _nowhere(x: Any) -> AccumulateGrad:
    """Where the gradient of a view made in no_grad mode ends: it requires grad, as its base does, but has none."""
    leaf = object.__new__(type(x))
    leaf._set(value=x._value)
    leaf._requires = True
    node = AccumulateGrad(leaf)
    node.hidden = True
    return node
