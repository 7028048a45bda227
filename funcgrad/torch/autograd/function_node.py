"""The node of a custom Function, which is also the `ctx` of its forward and backward."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any
from weakref import ref

import numpy as np

from funcgrad.torch.autograd.unwritten import Unwritten
from funcgrad.torch.base.dtypes import of_numpy
from funcgrad.torch.tensor.node import FREED, Node, next_edge, next_number
from funcgrad.torch.tensor.tensor import Tensor
from funcgrad.torch.tensor.validity import check_kind, check_shape, expected
from funcgrad.torch.tensor.values import wrapped
from funcgrad.torch.texts import custom_functions as texts


class FunctionCtx:
    """What `forward` and `setup_context` may tell about their operation."""

    to_save: tuple | None
    saved_for_forward: tuple | None
    dirty_tensors: tuple | None
    non_differentiable: tuple | None

    def save_for_backward(self, *tensors: Any) -> None:
        """Save tensors for `ctx.saved_tensors` in backward."""
        self.to_save = tensors

    def save_for_forward(self, *tensors: Any) -> None:
        """Save tensors for `ctx.saved_tensors` in jvp."""
        for tensor in tensors:
            if not (isinstance(tensor, Tensor) or tensor is None):
                raise AssertionError(texts.SAVED_FOR_FORWARD)
        self.saved_for_forward = tensors

    def mark_dirty(self, *args: Any) -> None:
        """Say which inputs forward has written into; all of them have to be returned."""
        self.dirty_tensors = args

    def mark_shared_storage(self, *pairs: Any) -> None:
        """Kept for old programs; nothing has to be said about shared memory."""

    def mark_non_differentiable(self, *args: Any) -> None:
        """Say which outputs have no gradient; backward gets zeros for them."""
        self.non_differentiable = args

    def set_materialize_grads(self, value: bool) -> None:
        """Whether backward and jvp get zeros (the default) or None where there is no gradient."""
        self.materialize_grads = value


_ContextMethodMixin = FunctionCtx


class BackwardCFunction(FunctionCtx):
    """The ctx of one call of a custom Function; each Function has a subclass that knows it as `_forward_cls`.

    It belongs to the node, a `FunctionNode`, and leads to it weakly, so that both die when the graph does. They are two
    objects because authors keep on ctx what they like, under names such as `inputs` and `shape`.
    """

    _forward_cls: Any
    materialize_grads = _materialize_non_diff_grads = True
    needs_input_grad: tuple = ()
    to_save = dirty_tensors = non_differentiable = saved_for_forward = None
    _entries: tuple | None = ()  # None once they were freed
    _node: Any

    def __getattr__(self, name: str) -> Any:
        if name in _OF_THE_NODE:
            node = self._node()
            if node is None:
                raise RuntimeError(texts.NODE_GONE.format(kind=type(self).__name__))
            return getattr(node, name)
        raise AttributeError(f"'{type(self).__name__}' object has no attribute '{name}'")

    @property
    def saved_tensors(self) -> tuple:
        """The tensors given to save_for_backward (in jvp: to save_for_forward)."""
        if self.saved_for_forward is not None:
            return self.saved_for_forward
        return tuple([None if e is None else e.unpack(self._node()) for e in self._raw_saved_tensors])

    @property
    def saved_variables(self) -> tuple:
        """Deprecated: saved_tensors."""
        warnings.warn("'saved_variables' is deprecated; use 'saved_tensors'", DeprecationWarning, stacklevel=2)
        return self.saved_tensors

    @property
    def _raw_saved_tensors(self) -> tuple:
        if self._entries is None:
            raise RuntimeError(FREED)
        return self._entries

    def _user_backward(self) -> Callable:
        backward, vjp = self._forward_cls.backward, self._forward_cls.vjp
        if backward is not Unwritten.backward and vjp is not Unwritten.vjp:
            raise RuntimeError(texts.BACKWARD_AND_VJP)
        return vjp if vjp is not Unwritten.vjp else backward

    def apply(self, *grads: Any) -> Any:
        """Call the Function's backward."""
        f = self._user_backward()
        return f(self, list(grads)) if getattr(self._forward_cls, "boxed_grads_call", False) else f(self, *grads)

    def apply_jvp(self, *tangents: Any) -> Any:
        """Call the Function's jvp."""
        return self._forward_cls.jvp(self, *tangents)

    def __repr__(self) -> str:
        return f"<{type(self).__module__}.{type(self).__name__} object at {id(self):#x}>"


_OF_THE_NODE = frozenset(
    {"_input_metadata", "_sequence_nr", "metadata", "name", "next_functions", "register_hook", "register_prehook"}
)


class FunctionNode(Node, BackwardCFunction):
    """The node of a custom Function. What it has no attribute for is its ctx's."""

    __slots__ = ("ctx", "given")
    runs_on_nothing = True

    def __init__(self, ctx: BackwardCFunction, inputs: tuple) -> None:
        self.ctx = ctx
        ctx._node = ref(self)
        super().__init__()
        self.slow = True
        self.number, self.plan, self.op, self.params = next_number(), None, None, {}
        self.residuals, self.saved = (), ()
        self.outputs, self.shape, self.dtype = 0, (), ()
        self.given = tuple([isinstance(x, Tensor) for x in inputs])
        rows = [(k, next_edge(x), x._nr) for k, x in enumerate(x for x in inputs if isinstance(x, Tensor))]
        rows = [row for row in rows if row[1] is not None]
        self.linked, self.inputs, self.numbers = (tuple(c) for c in zip(*rows, strict=True)) if rows else ((), (), ())

    def __getattr__(self, name: str) -> Any:
        if name in _SLOTS:  # not set
            raise AttributeError(name)
        return getattr(self.ctx, name)

    def __setattr__(self, name: str, value: Any) -> None:
        if name in _SLOTS:
            object.__setattr__(self, name, value)
        else:
            setattr(self.ctx, name, value)

    def __call__(self, *grads: Any) -> Any:
        raise TypeError(f"'{self.title}' object is not callable")

    __repr__ = BackwardCFunction.__repr__
    saved_tensors = property(lambda self: self.ctx.saved_tensors)
    _raw_saved_tensors = property(lambda self: self.ctx._raw_saved_tensors)
    needs_input_grad = property(lambda self: self.ctx.needs_input_grad)
    materialize_grads = property(lambda self: self.ctx.materialize_grads)

    def apply(self, *grads: Any) -> Any:
        """Call the Function's backward."""
        return self.ctx.apply(*grads)

    def release(self) -> None:
        """Let go of what was saved."""
        self.ctx._entries = None

    def edge_count(self) -> int:
        """One for each input that is a tensor."""
        return sum(self.given)

    def run(self, grads: list, create_graph: bool) -> list:
        """The gradients of the tensor inputs, from those of the outputs."""
        if self.materialize_grads:
            shapes, kinds = (self.shape, self.dtype) if self.outputs != 1 else ((self.shape,), (self.dtype,))
            grads = [
                wrapped(np.zeros(s, k)) if g is None and k is not None else g
                for g, s, k in zip(grads, shapes, kinds, strict=True)
            ]
        found = self.ctx.apply(*grads)
        return self._checked(found if isinstance(found, tuple) else (found,))

    def _checked(self, found: tuple) -> list:
        """What backward returned, without the places of inputs that are no tensors."""
        n = len(self.given)
        if len(found) > n and all(g is None for g in found[n:]):
            found = found[:n]
        if len(found) != n:
            raise RuntimeError(texts.GRADIENT_COUNT.format(name=self.name(), expected=n, got=len(found)))
        kept = []
        for k, (g, given) in enumerate(zip(found, self.given, strict=True)):
            if not given:
                if g is not None:
                    raise RuntimeError(texts.GRADIENT_OF_NO_TENSOR.format(name=self.name(), position=k + 1))
                continue
            if g is not None and not isinstance(g, Tensor):
                raise RuntimeError(f"expected Variable or None (got {type(g).__name__})")
            kept.append(g)
        for k, node, number in zip(self.linked, self.inputs, self.numbers, strict=True):
            if kept[k] is not None:
                kept[k] = valid_grad(self, k, kept[k], node, number)
        return kept


_SLOTS = frozenset(name for cls in FunctionNode.__mro__ for name in getattr(cls, "__slots__", ()))


def valid_grad(node: Node, k: int, g: Any, to: Node, number: int) -> Any:
    """The k-th gradient that a node returned, in the shape and dtype of what it is the gradient of.

    Raises:
        RuntimeError: it cannot be brought to that shape.
    """
    shape, kind = expected(to, number)
    if g._value.shape != shape:
        check_shape(g._value.shape, shape, node, k)
        g = g.sum_to_size(shape)
    if g._value.dtype != kind:
        check_kind(g._value.dtype, kind)
        g = g.to(of_numpy(kind))
    return g


class Error(Node):
    """A node that raises when the walk comes to it: of a gradient that was marked with once_differentiable."""

    __slots__ = ("message",)
    title = "torch::autograd::Error"

    def __init__(self, message: str, tensors: tuple) -> None:
        super().__init__()
        self.message = message
        self.slow, self.outputs = True, len(tensors)
        self.number, self.plan, self.op, self.params = next_number(), None, None, {}
        self.residuals, self.saved = (), ()
        rows = [(k, next_edge(t), t._nr) for k, t in enumerate(tensors) if t is not None and t.requires_grad]
        self.linked, self.inputs, self.numbers = (tuple(c) for c in zip(*rows, strict=True)) if rows else ((), (), ())
        shapes = tuple([() if t is None else t._value.shape for t in tensors])
        kinds = tuple([None if t is None else t._value.dtype for t in tensors])
        self.shape, self.dtype = (shapes[0], kinds[0]) if self.outputs == 1 else (shapes, kinds)

    def edge_count(self) -> int:
        """One for each tensor it was given."""
        return self.outputs

    def run(self, grads: list, create_graph: bool) -> list:
        """Raise."""
        raise RuntimeError(self.message)
