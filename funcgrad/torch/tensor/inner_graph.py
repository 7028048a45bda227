"""The graph that a gradient transform records, as tensors inside of it see it.

It is there while the transform runs its function. A tensor has the place in it that its value has in the innermost
transform which counts it as its own: requires_grad, grad_fn, hooks and autograd.grad are about that.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from funcgrad.core.array import Array
from funcgrad.core.cotangent import Deferred
from funcgrad.core.plan import Plan
from funcgrad.core.tape import Equation, equation, reachable
from funcgrad.torch.tensor.levels import GRAD, JVP, VMAP, check_write, wrapping
from funcgrad.torch.tensor.node import RemovableHandle, add_hook, node_class
from funcgrad.torch.tensor.operation import operation_of
from funcgrad.torch.tensor.plans import conj
from funcgrad.torch.tensor.traced import graph_value, outside
from funcgrad.torch.texts import transforms as texts
from funcgrad.transforms.walk import walk


def equation_of(x: Any) -> Equation | None:
    """The equation that a tensor came from in the innermost transform that wraps it, if that records one."""
    wrappers, value = wrapping(x), x._value
    if wrappers and wrappers[-1].kind == GRAD and isinstance(value, Array) and value._trace is wrappers[-1].trace:
        found: Equation = value._eqn
        return found
    return None


def requires_grad(x: Any) -> bool:
    """Whether the gradient with respect to a tensor is recorded."""
    return equation_of(x) is not None if wrapping(x) else x._linked()


def grad_fn(x: Any) -> Any:
    """The node of the operation that made a tensor: in a transform one that has a name only."""
    if not wrapping(x):
        return x._made_by()
    e = equation_of(x)
    return None if e is None or e.plan is None else node_class(x._operation or node_name(e))()


def node_name(e: Equation) -> str:
    """What torch would call the node of an equation."""
    primitive = e.operation.primitive
    name: str = getattr(primitive, "node", None) or operation_of(primitive).name
    return name


def forget(x: Any, name: str = "detach_") -> bool:
    """Let a tensor have no history in the innermost transform that wraps it, as `detach_` does; whether one does.

    Raises:
        RuntimeError: the tensor was captured from outside, or counts as a view.
    """
    check_write(x, name, leaf=False)
    wrappers = wrapping(x)
    if not wrappers:
        return False
    top, argument = wrappers[-1], x._argument
    if top.kind == VMAP or (top.kind == JVP and argument is not None and argument.level is top):
        raise RuntimeError(texts.VIEW_IS_DETACHED)
    if isinstance(x._value, Array) and x._value._trace is top.trace:
        x._set(value=x._value._value)
    return True


# Hooks.


class HookPlan(Plan):
    """The plan of an equation that passes a gradient on, after hooks have seen it."""

    __slots__ = ("hooks", "node")

    def __init__(self, node: str) -> None:
        self.hooks: dict[int, Callable] = {}
        self.primitive, self.operands, self.linked, self.single = self, ("x",), (0,), True
        self.node = node

    def pull(self, g: Any, kept: tuple) -> Any:
        for hook in list(self.hooks.values()):
            found = hook(outside(conj(g)))
            if found is not None:
                g = conj(graph_value(found))
        return g


def register_hook(x: Any, hook: Callable) -> RemovableHandle | None:
    """Call a hook with the gradient of a tensor, whose value is a tracer; None for other tensors.

    The gradient of an argument is seen as far as it comes from what is done with the argument from now on.
    """
    e = equation_of(x)
    if e is None:
        return None
    if e.plan is None:
        plan = HookPlan("AccumulateGrad")
        hooked = equation(x._value._trace.next_number(), plan, (e,), {}, (), e.shape, e.dtype)
        x._set(value=x._value._trace.tracer(x._value._value, hooked))
    elif isinstance(e.plan, HookPlan):
        plan = e.plan
    else:  # what has used x already is linked to e, so that becomes the hook, and what e was comes right before it
        plan = HookPlan(node_name(e))
        made = equation(e.number - 0.5, e.plan, e.inputs, e.params, e.residuals, e.shape, e.dtype)
        e.plan, e.inputs, e.params, e.residuals = plan, (made,), {}, ()
    return add_hook(plan.hooks, hook)


# torch.autograd.grad inside of a transform.


def gradients(outputs: tuple, inputs: tuple, given: tuple, create_graph: bool) -> list[Any] | None:
    """The gradients of outputs with respect to inputs, None for those that are not used.

    Arguments:
        outputs, inputs: tensors.
        given: the gradient of each output, a tensor.
        create_graph: whether the gradients are to be differentiated by the same transform.

    Returns:
        A list of tensors; or None if no output has a place in the graph of a transform.

    Raises:
        RuntimeError: for create_graph.
    """
    ends = [equation_of(x) if hasattr(x, "_value") else None for x in outputs]
    if all(e is None for e in ends):
        return None
    if create_graph:
        raise RuntimeError(texts.CREATE_GRAPH_INSIDE)
    cotangents: dict[Equation, Any] = {}
    for e, g in zip(ends, given, strict=True):
        if e is not None:
            value = conj(graph_value(g))
            cotangents[e] = cotangents[e] + value if e in cotangents else value
    keys = [equation_of(x) if hasattr(x, "_value") else None for x in inputs]
    wanted, found = set(keys), {}
    for e in reachable(list(cotangents)):
        if e in wanted and e in cotangents:
            g = cotangents[e]
            found[e] = g.dense() if isinstance(g, Deferred) else g
        if e.plan is not None:
            walk((e,), cotangents)
    return [outside(conj(found[e])) if e in found else None for e in keys]
