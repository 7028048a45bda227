"""What torch computes in the backward walk, where that shows: the registry, and what a formula is given.

The gradients of gradients have nodes, whose names come from the operations that torch's formulas consist of; the core's
rules consist of others. So for create_graph an operation may have torch's formula beside its rule. The formulas,
written in torch's operations, are in `ops/recorded_gradients.py`; tests compare them with the rules.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

from numpy import ndarray

from funcgrad.core.plan import Plans, twin_of
from funcgrad.core.trace import bind
from funcgrad.torch.base.dtypes import of_numpy
from funcgrad.torch.base.modes import state
from funcgrad.torch.tensor.composite import Composite, batched_as_one
from funcgrad.torch.tensor.fused import Fused
from funcgrad.torch.tensor.graph_tracer import GraphTracer, in_graph
from funcgrad.torch.tensor.operation import by_primitive
from funcgrad.torch.tensor.saved import unpack
from funcgrad.torch.tensor.tensor import Tensor
from funcgrad.torch.tensor.values import raw, wrapped

FLOATS = "fV"
"""The kinds of NumPy's dtypes that are real floats: bfloat16 is V. It is not loaded just to be compared with."""

COMPLEX = frozenset([
    "AbsBackward0", "AddBackward0", "CatBackward0", "CumprodBackward0", "CumsumBackward0", "DistBackward0",
    "DivBackward0", "ExpBackward0", "LinalgVectorNormBackward0", "LogcumsumexpBackward0", "LogsumexpBackward0",
    "MeanBackward0", "MeanBackward1", "MulBackward0", "PermuteBackward0", "ProdBackward0", "ProdBackward1",
    "RepeatBackward0", "RsubBackward0", "SelectBackward0", "SliceBackward0", "SqueezeBackward0", "SqueezeBackward1",
    "SqueezeBackward2", "SubBackward0", "SumBackward0", "SumBackward1", "TBackward0", "TransposeBackward0",
    "UnsqueezeBackward0",
])  # fmt: skip
"""The nodes whose formulas hold for complex numbers, too."""

FORMULAS: dict[str, Callable[[int, Any, Saved], Any]] = {}
"""By the name of the node: gives the gradient of operand k from that of the result, and from what was saved.

None: there is no gradient. NotImplemented: the rule has to do.
"""


def formula(*names: str) -> Callable[[Callable], Callable]:
    """Enter a formula for nodes of these names; a decorator."""

    def enter(f: Callable) -> Callable:
        for name in names:
            FORMULAS[name] = f
        return f

    return enter


class NotSavedError(Exception):
    """A formula asked for what the node did not save; the rule has to do."""


class Saved:
    """What a node saved, as formulas see it.

    Attributes:
        x, y, z: the first three operands, as tensors or numbers.
        out: the result, or a tuple of several.
        shape: of the first operand that requires grad.
        everything: of a reduction: whether it was asked for without dimensions.
        shared: what the gradients of several operands have in common, None until one has made it.
    """

    __slots__ = ("_node", "everything", "out", "shape", "shared", "x", "y", "z")
    out: Any
    shared: Any

    def __init__(self, node: Any) -> None:
        self._node, self.shared, i = node, None, node.inputs[0]
        self.shape = i.shape if i.outputs == 1 else i.shape[node.numbers[0]]
        if "dim" in node.params or not node.params:
            self.everything = node.params.get("dim") in (None, ()) and not node.title.endswith("1")
        else:  # recorded below transforms, without what the user wrote
            axes = self.get("axis", None)
            self.everything = type(axes) is tuple and len(axes) == len(self.shape) and not node.title.endswith("1")
        mask = tuple([k in node.linked for k in range(len(node.plan.operands))])
        keeps = node.op.recordings[mask].keeps
        for place, k in enumerate(keeps):
            tensor = node.saved[place][0]
            if k < 3:
                number = isinstance(tensor, (bool, int, float, complex))
                setattr(self, "xyz"[k], tensor if number else unpack(node, place))
        outs = [unpack(node, place) for place in range(len(keeps), len(node.saved))]
        if outs:
            self.out = tuple(outs) if node.op.multiple else outs[0]

    def __getattr__(self, name: str) -> Any:
        raise NotSavedError(name)

    def kept(self) -> list[Any]:
        """The operands and the results that were saved."""
        found = [getattr(self, n) for n in ("x", "y", "z", "out") if self.has(n)]
        return [e for f in found for e in (f if type(f) is tuple else (f,))]

    def has(self, name: str) -> bool:
        """Whether this operand, or the result, was saved."""
        try:
            getattr(self, name)
        except NotSavedError:
            return False
        return True

    def __getitem__(self, name: str) -> Any:
        """A parameter of the primitive, or what the node shows as such."""
        node, names = self._node, self._node.plan.names
        if name in names:
            return node.residuals[names.index(name)]
        kept = node.residuals[names.index("params")] if "params" in names else {}
        return kept[name] if name in kept else node.params[name]

    def sizes(self, dim: int) -> list[int | None]:
        """The sizes of the operands along a dimension; None where an operand does not require grad."""
        found: list[int | None] = [None] * len(self._node.plan.operands)
        for k, i, nr in zip(self._node.linked, self._node.inputs, self._node.numbers, strict=True):
            found[k] = (i.shape if i.outputs == 1 else i.shape[nr])[dim]
        return found

    @property
    def name(self) -> str:
        """That of the node."""
        return self._node.op.name

    @property
    def in_transform(self) -> bool:
        """Whether a transform of torch.func runs, inside of which torch's formulas do not look at values."""
        return state.pulling or bool(state.transforms)

    def get(self, name: str, default: Any) -> Any:
        """The same, where the operation may do without it."""
        try:
            return self[name]
        except KeyError:
            return default


def by_formula(node: Any, grads: list) -> list | None:
    """The gradients of all operands of a node by torch's formula; None if there is none for this case."""
    formula = FORMULAS.get(node.op.name)
    if isinstance(node.op.primitive, Fused):  # which may be named after its last step alone
        return None
    given = [g for g in grads if g is not None]
    if formula is None or not given or any(not _is_simple(g, node.op.name in COMPLEX) for g in given):
        return None
    if state.transforms or getattr(node, "_packed", None) is not None:
        return None
    g: Any = tuple(grads) if node.op.multiple else grads[0]
    if (len(grads) > 1) is not node.op.multiple:
        return None
    saved = Saved(node)
    if any(isinstance(t, Tensor) and not _is_simple(t, node.op.name in COMPLEX) for t in saved.kept()):
        return None
    found: list[Any] = [None] * max(node.edge_count(), len(node.plan.operands))
    for k in node.linked:
        try:
            found[k] = formula(k, g, saved)
        except NotSavedError:
            return None
        if found[k] is NotImplemented:
            return None
    return found


def _is_simple(t: Any, or_complex: bool) -> bool:
    kind = t._value.dtype
    return type(t._value) is ndarray and (kind.kind in FLOATS or kind.kind in ("iubc" if or_complex else "iub"))


def fitted(t: Any, shape: tuple[int, ...], kind: Any) -> Any:
    """A recorded gradient in the shape and dtype of its operand, by the operations that torch uses for that."""
    got = t._value.shape
    if got != shape:
        leading = len(got) - len(shape)
        if leading >= 0:
            summed = [d for d, n in enumerate(got) if d < leading or (shape[d - leading] == 1 and n != 1)]
            if not shape:
                t = t.sum()
            elif summed:
                t = t.sum(summed, keepdim=True)
                t = t.view(shape) if leading else t
        if t._value.shape != shape:
            t = t.expand(shape)
    if t._value.dtype != kind:
        if t._value.dtype.kind == "c" and kind.kind != "c":
            t = t.real
        if t._value.dtype != kind:
            t = t.to(of_numpy(kind))
    return t


# Under the transforms of torch.func.


class Kept(Saved):
    """What the tape of a transform kept of an operation, as formulas see it."""

    __slots__ = ("_values",)

    def __init__(self, plan: Any, kept: tuple, g: Any) -> None:
        self._values, self.shared = dict(zip(plan.names, kept, strict=True)), None
        if "pullback" in plan.names:
            self._values |= dict(zip(plan.operands, self._values["xs"], strict=True)) | self._values["params"]
        for name, operand in (*zip("xyz", plan.operands, strict=False), ("out", "out")):
            if operand in self._values:
                setattr(self, name, _shown(self._values[operand]))
        shape = self._values.get("x_shape")
        self.shape = tuple(shape if shape is not None else self.x.shape if self.has("x") else g.shape)
        axes = self._values.get("axis")
        self.everything = type(axes) is tuple and len(axes) == len(self.shape)

    def __getitem__(self, name: str) -> Any:
        return self._values[name]


def _shown(value: Any) -> Any:
    """Raw values that a tape kept, as tensors."""
    if type(value) is tuple:
        return tuple([None if v is None else wrapped(v) for v in value])
    return wrapped(value)


def under_transforms(op: Any) -> None:
    """Let the transforms of torch.func follow the formula of an operation where they run on tensors.

    The operation has one operand, and the formula does not look at values there.
    """
    if by_primitive[op.primitive] is op:  # the rules of the core apply the primitive as it is
        by_primitive[op.primitive] = op.of(op.primitive)
    plans, op.primitive = op.primitive.plans, twin_of(op.primitive)
    op.primitive.plans = Plans(functools.partial(_following, FORMULAS[op.name], plans))
    if type(op.primitive) is Composite:
        op.primitive.batch = _batched_reduction
    op.recordings.clear()


def _batched_reduction(primitive: Any, size: int, values: tuple, mask: tuple[bool, ...], params: dict) -> Any:
    """The batching rule of a composite that reduces axes of one operand: the same one over axes that moved."""
    if "axis" not in params:
        return batched_as_one(primitive, size, values, mask, params)
    moved = {"axis": tuple([d + 1 for d in params["axis"]])} | ({"whole": False} if "whole" in params else {})
    return bind(primitive, values, params | moved)


def _following(formula: Callable, plans: Plans, mask: tuple[bool, ...]) -> Any:
    """The plan for a mask, with a formula in the place of the rule."""
    rule = plans[mask]
    if rule is None:
        return None

    def pull(g: Any, kept: tuple) -> Any:
        values = _arrays((g, kept))
        if len(kept) > len(rule.names):  # a node keeps more: it has looked for the formula
            return rule.pull(g, kept)
        if not in_graph(values) or any(v.dtype.kind not in FLOATS for v in values):
            return rule.pull(g, kept)
        try:
            found = formula(0, _shown(g), Kept(rule, kept, g))
        except NotSavedError:
            found = NotImplemented
        if found is NotImplemented:
            return rule.pull(g, kept)
        value = raw(found)
        return value if not isinstance(value, ndarray) else GraphTracer.of(found, value)

    def evaluate(values: tuple, params: dict) -> tuple[Any, tuple]:
        """The steps of a composite are recorded only where the formula does not do."""
        if values[0].dtype.kind not in FLOATS:
            return rule.evaluate(values, params)
        out = rule.primitive.impl(*values, **params)
        return out, rule.keep(out, params, *values)

    changes: dict[str, Any] = {} if rule.evaluate is None else {"evaluate": evaluate}
    return rule.but(pull=pull, checked=True, trusted=None, **changes)


def _arrays(value: Any) -> tuple:
    """The arrays among nested tuples of residuals."""
    if type(value) is tuple:
        return tuple([a for v in value for a in _arrays(v)])
    return (value,) if hasattr(value, "dtype") else ()
