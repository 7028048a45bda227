"""`Operation`: what torch does beyond the core when it applies a primitive to tensors, and records it.

An operation names a primitive of the core (or a `Composite` of several), the node that `grad_fn` shows for it, and how
operands of several dtypes find a common one. Applying it takes the ndarrays out of the tensors, runs the primitive, and
if an operand requires grad links a `Node`, which keeps what the primitive's rules named.

There are no derivative rules here. Where gradients are themselves to be differentiated (create_graph), and for
forward-mode derivatives, the core's rules run on `GraphTracer`s, which stand for tensors and record in the same graph.
"""

from __future__ import annotations

import copy
import inspect
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy import ndarray

from funcgrad.core.array import Array
from funcgrad.torch.base import dtypes
from funcgrad.torch.base.dtypes import eight_kinds
from funcgrad.torch.base.modes import state
from funcgrad.torch.base.quiet import quiet
from funcgrad.torch.base.storage import laid_out
from funcgrad.torch.tensor.anomaly_mode import remember_traceback
from funcgrad.torch.tensor.composite import Composite
from funcgrad.torch.tensor.eights import widened
from funcgrad.torch.tensor.forward_mode import push_tangents, refuse_forward
from funcgrad.torch.tensor.graph_tracer import GraphTracer, applied
from funcgrad.torch.tensor.journal import entries, follow, journal, note, reason, unrecorded
from funcgrad.torch.tensor.levels import check_first_example, unseen, without
from funcgrad.torch.tensor.node import Node, next_edge, next_number, node_class
from funcgrad.torch.tensor.plans import ZeroPlan, conjugated, keeping
from funcgrad.torch.tensor.promotion import check_broadcast, promoted
from funcgrad.torch.tensor.tensor import SUBCLASSES, Tensor
from funcgrad.torch.tensor.traced import lay_out
from funcgrad.torch.tensor.values import F4, F8, NUMBERS, cast, like_operands, owned, raw, requires, wrapped
from funcgrad.torch.texts import graph as texts
from funcgrad.torch.texts import tensor as tensor_texts


class Recording:
    """What an operation does for one mask of operands that require grad."""

    __slots__ = ("_conjugated", "has_saved", "keeps", "keeps_out", "linked", "plan", "trusted")
    _conjugated: Recording | None

    def __init__(self, op: Operation, plan: Any, mask: tuple[bool, ...]) -> None:
        self.plan, self.linked, self.trusted, self._conjugated = plan, plan.linked, plan.trusted, None
        if plan.evaluate is not None:
            self.keeps = tuple(range(len(plan.operands))) if op.saves is None else op.saved_by(mask)
            self.keeps_out = op.saves_out
        else:
            self.keeps, self.keeps_out = tuple(sorted(plan.kept)), "out" in plan.names
        self.has_saved = bool(self.keeps) or self.keeps_out

    @property
    def conjugated(self) -> Recording:
        """The same for complex operands."""
        if self._conjugated is None:
            twin = self._conjugated = object.__new__(Recording)
            twin.plan, twin.trusted, twin._conjugated = conjugated(self.plan), None, twin
            twin.linked, twin.keeps, twin.keeps_out = self.linked, self.keeps, self.keeps_out
            twin.has_saved = self.has_saved
        return self._conjugated


class Recordings(dict):
    """By mask; None where nothing differentiable depends on the operands."""

    def __init__(self, op: Operation) -> None:
        self.op = op

    def __missing__(self, mask: tuple[bool, ...]) -> Recording | None:
        plan = ZeroPlan(self.op.primitive, mask) if self.op.zero else self.op.primitive.plans[mask]
        if plan is not None:
            if self.op.pulls is not None:
                plan = self.op.pulls(plan)
            if plan.evaluate is None and (self.op.saves or self.op.saves_out):
                plan = keeping(plan, self.op.saved_by(mask), self.op.saves_out)
        found = self[mask] = None if plan is None else Recording(self.op, plan, mask)
        return found


class Operation:
    """A torch operation: a primitive of the core, and how torch names and records it.

    Arguments:
        primitive: a Primitive of the core or a Composite.
        name: of its node, such as "MulBackward0".
        operands: what torch calls the tensor operands, in order, for `_saved_self` and the like.
        promote: "common": operands are brought to their common dtype; "float": and integers to the default dtype;
            None: operands are taken as they are.
        edges: how many tensor operands next_functions shows, if not as many as the primitive has.
        saves: for a Composite the operands whose versions are checked in the backward walk, by default all; for a
            primitive those that torch saves beside those that its rules name. A dict says it for each mask.
        saves_out: whether the result is saved, too.
        pulls: makes of a plan one whose cotangents lie in memory as torch's do: `filled`, `looking`.
        zero: whether the derivative is zero everywhere and torch records the operation all the same.
        params: torch's names of parameters, for `_saved_dim` and the like, where they differ.
        backward_only: torch's name of the function where it has no forward-mode derivative.
        only_linked: whether next_functions shows the operands that require grad alone.
        before: raises what torch refuses before it looks at shapes; it is called with the operands.
        blind: whether autograd takes no note of it, so that it may be written into what requires grad.
        again: whether it is the operation as which its primitive is recorded where a derivative is differentiated
            again; said by one, where a primitive has several. False: it is not, even if it is the only one.
        result: the dtype of the result. None: the one in which the operands meet; "bool", which is not recorded, but
            can be written into any tensor; "only bool"; "own": that of the operand, as out= must have it; "size": the
            same, and of complex numbers that of their real parts, too.

    Attributes:
        some: of a reduction over all dimensions, the operation that reduces some.
        forward: PyTorch's formula of the forward derivative in operations on tensors, where what it records is not what
            the core's rule does: a function of the result, the operands, their tangents (None where there is none) and
            the parameters, which may be NotImplemented.
        examples: of a function of one tensor what vmap does with a batch of them, where PyTorch has no rule for it.
    """

    __slots__ = (
        "again", "backward_only", "before", "blind", "cls", "edges", "examples", "forward", "impl", "multiple", "name",
        "only_linked", "operands", "params", "primitive", "promote", "pulls", "recordings", "result", "saves",
        "saves_out", "some", "zero",
    )  # fmt: skip

    def __init__(
        self,
        primitive: Any,
        name: str,
        *,
        operands: tuple[str, ...] = ("self", "other"),
        promote: str | None = None,
        edges: int | None = None,
        saves: tuple[int, ...] | dict[tuple[bool, ...], tuple[int, ...]] | None = None,
        saves_out: bool = False,
        pulls: Callable | None = None,
        params: dict[str, str] | None = None,
        zero: bool = False,
        backward_only: str = "",
        result: str | None = None,
        blind: bool = False,
        only_linked: bool = False,
        before: Callable | None = None,
        again: bool | None = None,
    ) -> None:
        if inspect.isfunction(primitive):
            primitive = Composite(primitive)
        self.primitive, self.name, self.operands, self.promote = primitive, name, operands, promote
        self.impl, self.multiple, self.cls = primitive.impl, primitive.multiple, node_class(name)
        self.edges, self.saves, self.saves_out, self.params = edges, saves, saves_out, params or {}
        self.zero, self.backward_only, self.pulls, self.result = zero, backward_only, pulls, result
        self.blind, self.before = blind or result in ("bool", "only bool"), before
        self.only_linked = only_linked
        self.some: Operation | None = None
        self.forward: Callable | None = None
        self.examples: Callable | None = None
        self.recordings = Recordings(self)
        self.again = again
        _say_again(self)

    def __call__(self, *args: Any, **params: Any) -> Any:
        return apply(self, args, params)

    def saved_by(self, mask: tuple[bool, ...]) -> tuple[int, ...]:
        """The operands that are saved because torch does, where these require grad."""
        return (self.saves.get(mask, ()) if isinstance(self.saves, dict) else self.saves) or ()

    def in_rule(self, tensors: tuple, values: list, params: dict) -> Any:
        """What a rule of the core gets that applies the primitive to tensors, whose raw values are given, too."""
        return record(self, tensors, values, params)

    def of(self, primitive: Any) -> Operation:
        """The same for another primitive."""
        twin = copy.copy(self)
        twin.primitive, twin.impl, twin.recordings = primitive, primitive.impl, Recordings(twin)
        return twin


by_primitive: dict[Any, Operation] = {}
"""The operation as which a primitive is recorded where a derivative is differentiated again."""

ambiguous: set[Any] = set()
"""The primitives of which several operations are declared, and none says `again=True`: when all are there, none."""


def _say_again(op: Operation) -> None:
    """Take note of an operation as the one that stands for its primitive in second derivatives, if it is.

    Raises:
        ValueError: another one says so, too.
    """
    primitive = op.primitive
    known = by_primitive.get(primitive)
    if op.again is False:
        return
    if known is None or (op.again and not known.again):
        by_primitive[primitive] = op
        ambiguous.discard(primitive)
    elif op.again:
        raise ValueError(f"second derivatives record {primitive.name} as {known.name} or {op.name}: two say again=True")
    elif not known.again:
        ambiguous.add(primitive)


matrix_transpose: list[Operation] = []
"""What stands in rules for the transpose of a matrix, for which torch has an operation of its own."""


with_number: dict[str, tuple[Operation | None, Operation | None]] = {}
"""For primitives of two operands what stands for them in rules where the first, or the second, is a number."""


def by_number(primitive: Any, *names: str | None) -> None:
    """Declare how nodes of a primitive are called in rules where the first operand, or the second, is a number."""
    first, second = [n if n is None else Operation(primitive, n, only_linked=True, again=False) for n in names]
    with_number[primitive.name] = first, second


def operation_of(primitive: Any, values: Any = ()) -> Operation:
    """The operation that stands for a primitive in the graph, for these operands."""
    forms = with_number.get(primitive.name)
    if forms is not None:
        for form, x in zip(forms, values, strict=False):
            if type(x) in (float, int) and form is not None:
                return form
    found = by_primitive.get(primitive)
    if found is None:
        words = primitive.name.replace("reduce_", "").split("_")
        name = "".join(w.capitalize() for w in words) + "Backward0"
        found = Operation(primitive, name, operands=primitive.operands or ("tensors",))
    return found


# Applying an operation.


def apply(op: Operation, args: tuple, params: dict) -> Any:
    """Apply an operation to tensors and numbers (or raw arrays): promote, compute, record."""
    values = [raw(a) for a in args]
    kind = None
    if op.promote is not None:
        values, d = promoted(args, values, op.promote)
        if len(values) > 1:
            if state.transforms and len(args) == 2 and op.edges is None and op.result is None:
                check_first_example(*args)
            check_broadcast(values)
        if d.category >= dtypes.FLOATING and op.result is None:
            kind = d.numpy
            if kind.itemsize == 2 and op.name[:3] in ("Mul", "Div"):  # a factor is not rounded to so few bits
                values = [np.float32(a) if type(a) is float else v for a, v in zip(args, values, strict=True)]
    return record(op, args, values, params, kind)


def record(op: Operation, args: tuple, values: list, params: dict, kind: np.dtype | None = None) -> Any:
    """Compute an operation on raw operands, which stand for args, and record it if an argument requires grad.

    Inside a transform the primitive is recorded by itself, where the tensors that require grad are met.
    `kind` is the dtype of the result, where that is known: bfloat16 becomes a wider one in many NumPy functions.
    """
    if eight_kinds:
        values = widened(op.name, values)
    recording = None
    traced = any(isinstance(v, Array) for v in values)
    if state.grad and not traced:
        mask = tuple([requires(a) for a in args])
        if True in mask and not of_inference_mode(op, args):
            recording = op.recordings[mask]
            if recording is not None and any(_is_complex(v) for v in values):
                recording = recording.conjugated
    primitive = op.primitive
    residuals = None
    if recording is not None and recording.plan.evaluate is not None:
        out, residuals = recording.plan.evaluate(tuple(values), params)
    elif traced:
        out = through(op, _seen_by_transforms(args, values), params)
        levels = unseen()
        if levels:
            out = tuple([without(o, levels) for o in out]) if op.multiple else without(out, levels)
    elif type(primitive) is Composite:
        out = primitive.impl(*values, **params)
    else:
        out = quiet.run(_call, op.impl, values, params)
    if op.multiple:
        outs = [_narrowed(owned(o, values), values, params) for o in out]
        results: Any = tuple([wrapped(o) for o in outs])
        if traced:
            for r in results:
                r._operation = op.name
        if recording is not None:
            link_many(op, recording, args, values, params, out, residuals, results)
    else:
        out = owned(out, values)
        if kind is not None and out.dtype != kind and (out.dtype.kind == "c") is (kind.kind == "c"):
            out = cast(out, kind)
        elif kind is None:
            out = _narrowed(out, values, params)
        elementwise = op.promote is not None or op.result is not None
        if elementwise and type(out) is ndarray and out.ndim > 1 and not traced:
            out = laid_out(out, [raw(a) for a in args])
        results = wrapped(out)
        if traced:
            results._operation = op.name
            if elementwise and len(out.shape) > 1:
                lay_out(results, args)
        if recording is not None:
            link(op, recording, args, values, params, out, residuals, results)
    if recording is None and journal.on and not traced:
        unrecorded(op.name, args, results)
    if state.dual_level >= 0 and state.forward_grad:
        push_tangents(op, args, values, params, results)
    return like_operands(args, results) if SUBCLASSES else results


def of_inference_mode(op: Operation, args: tuple) -> bool:
    """Whether all tensors are of inference mode: then nothing is recorded, even if they are said to require grad.

    A number as an operand counts as a tensor that is not, except where torch has another form of the operation for it.
    """
    for a in args:
        if isinstance(a, Tensor):
            if not a._inference:
                return False
        elif isinstance(a, NUMBERS) and not op.name.startswith("Pow"):
            return False
    return True


def _narrowed(out: Any, values: list, params: dict) -> Any:
    """A result that NumPy gave in float32 or float64, because it has no such function for bfloat16, in bfloat16."""
    if type(out) is not ndarray or (out.dtype is not F4 and out.dtype is not F8) or "dtype" in params:
        return out
    kinds = {v.dtype for v in values if isinstance(v, ndarray) and v.dtype.kind in "fcV"}
    if len(kinds) == 1:
        (kind,) = kinds
        if kind.kind == "V":
            return out.astype(kind)
    return out


def through(op: Operation, values: Any, params: dict) -> Any:
    """What an operation makes of raw values, some of them tracers, in the transforms that they belong to."""
    if op.backward_only:
        refuse_forward(values, tensor_texts.NO_FORWARD.format(name=op.backward_only))
    before, applied.op = applied.op, op
    try:
        return op.primitive(*values, **params)
    finally:
        applied.op = before


def _seen_by_transforms(args: tuple, values: list) -> list:
    """Raw operands, some of them tracers of torch.func's transforms, as these shall see them.

    A tensor that requires grad, or has a tangent of forward-mode AD, stands for itself, so that this is not lost.
    """
    return [
        GraphTracer.of(a, v)
        if isinstance(a, Tensor) and not isinstance(v, Array) and (requires(a) or a._tangent is not None)
        else v
        for a, v in zip(args, values, strict=True)
    ]


def _is_complex(value: Any) -> bool:
    return type(value) is complex or (hasattr(value, "dtype") and value.dtype.kind == "c")


def _call(f: Callable, values: list, params: dict) -> Any:
    return f(*values, **params)


def link(
    op: Operation,
    recording: Recording,
    args: tuple,
    values: Any,
    params: dict,
    out: Any,
    residuals: Any,
    result: Any,
    within: int = 4,
) -> Node:
    """Give `result`, whose value is `out`, a node that leads to args.

    `within` is as for `journal.note`; 0: the caller writes the entry.
    """
    node = _new_node(op, recording, args, values, params, out, residuals)
    node.shape, node.dtype = out.shape, out.dtype
    result._node = node
    if within and journal.on:
        result._entry = note(node.number, op.name, None, True, node.shape, node.dtype, entries(args), within)
    node.saved = saved_versions(recording, args, (result,)) if recording.has_saved else ()
    finish(node, recording, args)
    return node


def _new_node(
    op: Operation, recording: Recording, args: tuple, values: Any, params: dict, out: Any, residuals: Any
) -> Node:
    """A node that leads to args; `residuals` is None if they are what the plan keeps."""
    node = op.cls()
    edges = [next_edge(args[i]) for i in recording.linked]  # may make nodes, which are older than this one
    node.number, node.plan, node.op, node.params = next_number(), recording.plan, op, params
    node.linked = recording.linked
    node.inputs, node.numbers = tuple(edges), tuple([args[i]._nr for i in recording.linked])
    node.residuals = residuals if residuals is not None else recording.plan.keep(out, params, *values)
    return node


def link_one(op: Operation, x: Any, value: Any, params: dict, out: Any, result: Any, within: int = 5) -> Node | None:
    """Record that an operation made `result`, whose value is `out`, of x and its raw value, if x requires grad.

    For functions that compute in a way of their own what the operation would; `record` is the general way.
    """
    recording = None
    if (x._node is not None or x._requires or x._view is not None) and state.grad and not x._inference and requires(x):
        recording = op.recordings[_ONE]
    if recording is None:
        if x._entry and journal.on:
            unrecorded(op.name, (x,), result)
        return None
    if out.dtype.kind == "c" or value.dtype.kind == "c":
        recording = recording.conjugated
    node = link(op, recording, (x,), (value,), params, out, None, result, 0)
    if within and journal.on:
        result._entry = note(node.number, op.name, None, True, node.shape, node.dtype, (x._entry,), within)
    return node


_ONE = (True,)


def link_many(
    op: Operation,
    recording: Recording,
    args: tuple,
    values: Any,
    params: dict,
    outs: tuple,
    residuals: Any,
    results: Any,
) -> Node:
    """As `link`, for an operation with several results; those of integers are not linked."""
    node = _new_node(op, recording, args, values, params, outs, residuals)
    node.slow, node.outputs = True, len(results)
    node.shape, node.dtype = tuple([r._value.shape for r in results]), tuple([r._value.dtype for r in results])
    if len(results) == 1:
        (node.shape,), (node.dtype,) = node.shape, node.dtype
    if journal.on:
        note(node.number, op.name, None, True, results[0]._value.shape, results[0]._value.dtype, entries(args))
    for i, r in enumerate(results):
        if r._value.dtype.kind not in "iub":
            r._node, r._nr, r._entry = node, i, node.number
        elif journal.on:
            follow(op.name, entries(args), r, reason(args, r))
    node.saved = saved_versions(recording, args, results) if recording.has_saved else ()
    finish(node, recording, args)
    return node


def saved_versions(recording: Recording, args: tuple, results: tuple) -> tuple:
    """For each tensor whose memory the residuals alias: itself (None for a result), its version counter and version."""
    found: list[tuple] = []
    for i in recording.keeps:
        a = args[i]
        if isinstance(a, Tensor):
            if a._inference:
                raise RuntimeError(texts.INFERENCE_SAVED)
            counter = a._counter
            if counter is None:
                counter = a._counter = [0]
            found.append((a, counter, counter[0]))
        else:
            found.append((a, None, 0))
    if recording.keeps_out:
        for r in results:
            counter = r._counter
            if counter is None:
                counter = r._counter = [0]
            found.append((None, counter, counter[0]))
    return tuple(found)


def finish(node: Node, recording: Recording, args: tuple) -> None:
    """What modes ask of a new node: hooks on what it saves, the traceback of anomaly detection."""
    if state.pack_hooks and recording.has_saved:
        node.pack()
    if state.anomaly:
        remember_traceback(node)
