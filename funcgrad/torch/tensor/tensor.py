"""`Tensor`: a mutable array with a history.

What is here needs no operation: the state that autograd keeps, memory and geometry, and the ways in and out of NumPy.
Operators and methods are installed on the class by the modules that define the operations.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy import ndarray

from funcgrad.core.array import Array
from funcgrad.errors import NoValueError
from funcgrad.torch.base import dtypes, meta
from funcgrad.torch.base.dtypes import of_numpy
from funcgrad.torch.base.meta import CPU, Size, contiguous_format
from funcgrad.torch.base.modes import state
from funcgrad.torch.base.storage import TypedStorage, UntypedStorage, pointer, without_elements
from funcgrad.torch.tensor.levels import (
    GRAPH_LEVEL,
    OUTSIDE,
    VMAP,
    alive,
    differentiated,
    hidden_memory,
    unsupported,
    wrapping,
)
from funcgrad.torch.tensor.node import RemovableHandle, add_hook

CONJ, NEG = 1, 2
"""The bits of `_lazy`: the value is the conjugate, the negative, of what memory holds."""

_NON_LEAF_GRAD = (
    "The .grad attribute of a Tensor that is not a leaf Tensor is being accessed. Its .grad attribute won't be "
    "populated during autograd.backward(). If you indeed want the .grad field to be populated for a non-leaf Tensor, "
    "use .retain_grad() on the non-leaf Tensor. If you access the non-leaf Tensor by mistake, make sure you access the "
    "leaf Tensor instead. See github.com/pytorch/pytorch/pull/30531 for more information."
)


class Replaced(int):
    """A version after `.data = …`: nodes that saved the tensor before then look at it again."""

    __slots__ = ()
    __hash__ = int.__hash__

    def __eq__(self, other: object) -> bool:
        return self is other

    def __ne__(self, other: object) -> bool:
        return self is not other


# Inside transforms of torch.func.
_NO_MEMORY = "Cannot access data pointer of Tensor that doesn't have storage"
_ITEM = (
    "vmap: It looks like you're calling .item() on a Tensor. We don't support vmap over calling .item() on a Tensor, "
    "please try to rewrite what you're doing with other operations. If error is occurring somewhere inside PyTorch "
    "internals, please file a bug report."
)
_CONTROL_FLOW = (
    "vmap: It looks like you're attempting to use a Tensor in some data-dependent control flow. We don't support that "
    "yet, please file an issue at https://github.com/pytorch/pytorch/issues ."
)
_ITEM_INSIDE = (
    "vmap: It looks like you're either (1) calling .item() on a Tensor or (2) attempting to use a Tensor in some "
    "data-dependent control flow or (3) encountering this error in PyTorch internals. For (1): we don't support vmap "
    "over calling .item() on a Tensor, please try to rewrite what you're doing with other operations. For (2): we "
    "don't support data-dependent control flow in vmap yet, please file an issue at "
    "https://github.com/pytorch/pytorch/issues . For (3): please file an issue."
)


def _check_one(n: int) -> None:
    if n != 1:
        raise RuntimeError(f"a Tensor with {n} elements cannot be converted to Scalar")


class _TensorMeta(type):
    """The class of Tensor; what methods there are is known when all operations are installed."""

    if TYPE_CHECKING:

        def __getattr__(cls, name: str) -> Any: ...
        def __setattr__(cls, name: str, value: Any) -> None: ...


SUBCLASSES: set[type] = set()
"""All classes derived from Tensor; while there are none, no operation looks for them."""


class Tensor(metaclass=_TensorMeta):
    """A multi-dimensional array that records what is done with it.

    `torch.tensor(data)` makes one from data. The class called directly is torch's legacy constructor:
    `torch.Tensor(2, 3)` is an uninitialised tensor of that size, `torch.Tensor([2, 3])` holds these values.
    """

    # An instance sets only what differs from these.
    _value: Any  # an ndarray, or a tracer of the functional face
    _node: Any = None  # its grad_fn
    _nr = 0  # which output of it
    _requires = False  # for a leaf: whether it requires grad
    _grad: Any = None
    _accumulate: Any = None  # a weak reference to the AccumulateGrad node
    _counter: Any = None  # [version], shared by views and detached tensors
    _store: Any = None  # the UntypedStorage, made when first asked for
    _view: Any = None  # views.View if it is a view
    _lazy = 0  # bits CONJ and NEG
    _tangent: Any = None  # the tensor of forward derivatives
    _plain = True  # no lazy bits, no tangent, no tracer: `_value` is all there is to it
    _inference = False
    _hooks: Any = None
    _retain_call: Any = None
    _post_accumulate_hooks: Any = None
    _level: Any = OUTSIDE  # the innermost transform of torch.func that ran when it was made
    _home: Any = None  # the same of its memory, if that is another one
    _operation: str | None = None  # inside a transform: what the node of the operation that made it is called
    _cut: tuple = ()  # the levels of transforms that do not see it as a view of its base
    _alias: Any = None  # inside a transform: the tensor that it shares memory with, but not all of its history
    _argument: Any = None  # inside a transform: the Argument that it stands for
    _wrapped_number = False  # stands for a Python number, so its dtype gives way

    __array_priority__ = 1000
    names_ = None

    def __new__(cls, *args: Any, **kwargs: Any) -> Any:
        from funcgrad.torch.ops.creation import legacy_constructor

        return legacy_constructor(cls, None, args, kwargs)

    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        SUBCLASSES.add(cls)

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        pass  # a subclass may call it with what its own constructor takes

    if TYPE_CHECKING:  # installed by the modules in ops/

        def __getattr__(self, name: str) -> Any: ...
        def __getitem__(self, index: Any) -> Any: ...
        def __setitem__(self, index: Any, value: Any) -> None: ...
        def __iter__(self) -> Any: ...
        def __neg__(self) -> Any: ...
        def __pos__(self) -> Any: ...
        def __abs__(self) -> Any: ...
        def __invert__(self) -> Any: ...
        def __add__(self, other: Any) -> Any: ...
        def __radd__(self, other: Any) -> Any: ...
        def __sub__(self, other: Any) -> Any: ...
        def __rsub__(self, other: Any) -> Any: ...
        def __mul__(self, other: Any) -> Any: ...
        def __rmul__(self, other: Any) -> Any: ...
        def __truediv__(self, other: Any) -> Any: ...
        def __rtruediv__(self, other: Any) -> Any: ...
        def __floordiv__(self, other: Any) -> Any: ...
        def __rfloordiv__(self, other: Any) -> Any: ...
        def __mod__(self, other: Any) -> Any: ...
        def __rmod__(self, other: Any) -> Any: ...
        def __pow__(self, other: Any) -> Any: ...
        def __rpow__(self, other: Any) -> Any: ...
        def __matmul__(self, other: Any) -> Any: ...
        def __rmatmul__(self, other: Any) -> Any: ...
        def __and__(self, other: Any) -> Any: ...
        def __rand__(self, other: Any) -> Any: ...
        def __or__(self, other: Any) -> Any: ...
        def __ror__(self, other: Any) -> Any: ...
        def __xor__(self, other: Any) -> Any: ...
        def __rxor__(self, other: Any) -> Any: ...
        def __lshift__(self, other: Any) -> Any: ...
        def __rlshift__(self, other: Any) -> Any: ...
        def __rshift__(self, other: Any) -> Any: ...
        def __rrshift__(self, other: Any) -> Any: ...
        def __lt__(self, other: Any) -> Any: ...
        def __le__(self, other: Any) -> Any: ...
        def __gt__(self, other: Any) -> Any: ...
        def __ge__(self, other: Any) -> Any: ...
        def __eq__(self, other: Any) -> Any: ...
        def __ne__(self, other: Any) -> Any: ...

    # What is the same for all tensors here.

    is_sparse = is_quantized = is_mkldnn = is_cuda = is_meta = is_nested = is_xpu = is_mps = is_sparse_csr = property(
        lambda self: False
    )
    is_cpu = property(lambda self: True)
    layout = property(lambda self: meta.strided)
    name = property(lambda self: None)

    @property
    def volatile(self) -> bool:
        """Always False; superseded by no_grad."""
        warnings.warn("volatile was removed (Variable.volatile is always False)", UserWarning, stacklevel=2)
        return False

    # Geometry and memory.

    @property
    def shape(self) -> Size:
        return Size(self._value.shape)

    @property
    def dtype(self) -> Any:
        return of_numpy(self._value.dtype)

    @property
    def device(self) -> Any:
        return CPU

    @property
    def ndim(self) -> int:
        return self._value.ndim

    def dim(self, *extra: Any) -> int:
        """The number of dimensions."""
        if extra:
            raise _no_arguments("dim", extra)
        return self._value.ndim

    ndimension = dim

    def size(self, dim: int | None = None) -> Any:
        """The sizes, or that of one dimension."""
        if dim is None:
            return Size(self._value.shape)
        if not _is_dim(dim):
            raise TypeError(f"size(): argument 'dim' (position 1) must be int, not {_type_name(dim)}")
        if not self._value.ndim:
            raise IndexError(f"Dimension specified as {dim} but tensor has no dimensions")
        return self._value.shape[wrap_dim(dim, self._value.ndim)]

    def numel(self, *extra: Any) -> int:
        """The number of elements."""
        if extra:
            raise _no_arguments("numel", extra)
        return self._value.size

    nelement = numel

    def stride(self, dim: int | None = None) -> Any:
        """By how many elements memory moves from one index to the next, for each dimension or for one."""
        if dim is not None and not _is_dim(dim):
            raise TypeError(f"stride(): argument 'dim' (position 1) must be int, not {_type_name(dim)}")
        value = self._value
        if isinstance(value, Array):
            from funcgrad.torch.tensor.traced import memory_shown

            value = memory_shown(self)
        if value is None:
            strides = contiguous_strides(self._value.shape)
        else:
            item = value.itemsize
            strides = tuple([s // item for s in value.strides])
            if 0 in value.shape and self._store is None and not any(strides):
                strides = contiguous_strides(value.shape)  # which NumPy does not say of an array without elements
        if dim is None:
            return strides
        if not strides:
            raise IndexError(f"Dimension specified as {dim} but tensor has no dimensions")
        return strides[wrap_dim(dim, len(strides))]

    def storage_offset(self, *extra: Any) -> int:
        """Where in its storage the tensor begins, in elements."""
        if extra:
            raise _no_arguments("storage_offset", extra)
        if isinstance(self._value, Array):
            from funcgrad.torch.tensor.traced import offset_shown

            return offset_shown(self)
        if self._store is None:
            return 0
        return (pointer(self._value) - self._store.origin) // self._value.itemsize

    def data_ptr(self, *extra: Any) -> int:
        """The address of the first element."""
        if extra:
            raise _no_arguments("data_ptr", extra)
        if isinstance(self._value, Array) or (state.transforms and wrapping(self)):
            raise RuntimeError(_NO_MEMORY)
        return pointer(self._value) if self._value.size else 0

    def element_size(self, *extra: Any) -> int:
        """The bytes of one element."""
        if extra:
            raise _no_arguments("element_size", extra)
        return self._value.dtype.itemsize

    @property
    def itemsize(self) -> int:
        return self._value.dtype.itemsize

    @property
    def nbytes(self) -> int:
        return self._value.size * self._value.dtype.itemsize

    def _storage(self) -> UntypedStorage:
        if self._store is None:
            if isinstance(self._value, Array):
                raise self._no_storage()
            self._settle()
            self._store = UntypedStorage(self._value)
        return self._store

    def _settle(self) -> Any:
        """The ndarray as other tensors may look at it: also without elements it has the strides of the tensor."""
        value = self._value
        if not value.size and self._store is None and type(value) is ndarray:
            steps = [s * value.itemsize for s in self.stride()]
            value = self._value = without_elements(pointer(value), value.shape, value.dtype, steps)
        return value

    def untyped_storage(self, *extra: Any) -> UntypedStorage:
        """The memory, as bytes."""
        if extra:
            raise _no_arguments("untyped_storage", extra)
        if state.transforms and wrapping(self):
            raise self._no_storage()
        return self._storage()

    def _no_storage(self) -> NotImplementedError:
        kind = "BatchedTensorImpl" if self._is_batched() else "TensorWrapper"
        return NotImplementedError(f"Cannot access storage of {kind}")

    def storage(self) -> TypedStorage:
        """The memory, counted in elements."""
        return TypedStorage(self.untyped_storage(), self.dtype)

    _typed_storage = storage

    def get_device(self, *extra: Any) -> int:
        """-1: the cpu."""
        if extra:
            raise _no_arguments("get_device", extra)
        return -1

    # Bits of lazy conjugation and negation.

    def _resolved(self) -> Any:
        """The value with conjugation and negation carried out."""
        value = self._value
        if isinstance(value, Array):
            value = self._value = alive(value)
        if self._lazy & CONJ:
            value = np.conjugate(value)
        if self._lazy & NEG:
            value = np.negative(value)
        return value

    def is_conj(self) -> bool:
        """Whether the values are the conjugates of what memory holds."""
        return bool(self._lazy & CONJ)

    def is_neg(self) -> bool:
        """Whether the values are the negatives of what memory holds."""
        return bool(self._lazy & NEG)

    # The state of autograd.

    def _linked(self) -> bool:
        """Whether it has a place in torch's own graph."""
        if self._requires or self._node is not None:
            return True
        view = self._view
        if view is None or not (view.base._requires or view.base._node is not None):
            return False
        return self._value.dtype.kind not in "iub"

    @property
    def requires_grad(self) -> bool:
        """Whether gradients with respect to this tensor are recorded."""
        if state.transforms:
            from funcgrad.torch.tensor.inner_graph import requires_grad

            return requires_grad(self)
        return self._linked() or (isinstance(self._value, Array) and differentiated(self._value))

    @requires_grad.setter
    def requires_grad(self, value: bool) -> None:
        if not isinstance(value, bool):
            raise RuntimeError("requires_grad must be a bool")
        if state.transforms and self.is_leaf and not value:
            from funcgrad.torch.tensor.inner_graph import forget

            if self.requires_grad and forget(self):
                return
        if self.grad_fn is not None:
            if not value:
                raise RuntimeError(
                    "you can only change requires_grad flags of leaf variables. If you want to use a computed variable "
                    "in a subgraph that doesn't require differentiation use var_no_grad = var.detach()."
                )
            if self._requires:
                return
            raise RuntimeError("you can only change requires_grad flags of leaf variables.")
        self._set_requires(value, "floating point and complex")

    @requires_grad.deleter
    def requires_grad(self) -> None:
        raise RuntimeError("requires_grad must be a bool")

    def _set_requires(self, value: bool, kinds: str) -> None:
        if value and self._value.dtype.kind in "iub":
            raise RuntimeError(f"only Tensors of {kinds} dtype can require gradients")
        if self._inference and value and not state.inference:
            raise RuntimeError("Setting requires_grad=True on inference tensor outside InferenceMode is not allowed.")
        self._requires = value

    def requires_grad_(self, requires_grad: bool = True) -> Tensor:
        """Switch the recording of gradients with respect to this leaf on or off."""
        if not isinstance(requires_grad, bool):
            raise TypeError(
                f"requires_grad_(): argument 'requires_grad' (position 1) must be bool, not {_type_name(requires_grad)}"
            )
        if state.transforms:
            raise unsupported("requires_grad_", "(or perhaps using torch.autograd.functional.* APIs) ")
        if self.grad_fn is not None and not requires_grad:
            raise RuntimeError(
                "you can only change requires_grad flags of leaf variables. If you want to use a computed variable in "
                "a subgraph that doesn't require differentiation use var_no_grad = var.detach()."
            )
        if self.grad_fn is None:
            self._set_requires(requires_grad, "floating point")
        return self

    @property
    def is_leaf(self) -> bool:
        """Whether no recorded operation made it."""
        return self.grad_fn is None

    @property
    def grad_fn(self) -> Any:
        """The node of the operation that made it, None for a leaf."""
        if state.transforms:
            from funcgrad.torch.tensor.inner_graph import grad_fn

            return grad_fn(self)
        return self._made_by()

    def _made_by(self) -> Any:
        """The node in torch's own graph."""
        if self._view is None:
            return self._node
        from funcgrad.torch.tensor.views import current_grad_fn

        return current_grad_fn(self)

    @property
    def output_nr(self) -> int:
        """Which output of grad_fn this is."""
        return self._nr

    @property
    def grad(self) -> Any:
        """The gradient that backward has accumulated, None before."""
        if self._grad is None and self._retain_call is None and not self.is_leaf:
            warnings.warn(_NON_LEAF_GRAD, UserWarning, stacklevel=2)
        return self._grad

    @grad.setter
    def grad(self, value: Any) -> None:
        if value is not None:
            if not isinstance(value, Tensor):
                raise TypeError(
                    f"assigned grad expected to be a Tensor or None but got grad of type {_type_name(value)}"
                )
            if value is self:
                raise RuntimeError("can't assign Variable as its own grad")
            if value.dtype is not self.dtype:
                raise RuntimeError(
                    f"attempting to assign a gradient with dtype '{_title(value)}' to a tensor with grad_dtype "
                    f"'{self.dtype.title}'. The gradient must match the tensor's grad_dtype (defaults to the tensor's "
                    "dtype). You can set the tensor's grad_dtype attribute with a specific dtype, or None to allow any "
                    "dtype. Set grad_dtype with caution. Diverging the dtypes of a tensor and its gradient may break "
                    "downstream systems that assume they match."
                )
            if value.shape != self.shape:
                raise RuntimeError(
                    f"attempting to assign a gradient of size '{list(value.shape)}' to a tensor of size "
                    f"'{list(self.shape)}'. Please ensure that the gradient and the tensor are the same size"
                )
        self._grad = value

    @grad.deleter
    def grad(self) -> None:
        self._grad = None

    @property
    def _version(self) -> int:
        if self._inference and self._counter is None:  # detached outside of the mode it has one
            raise RuntimeError("Inference tensors do not track version counter.")
        return 0 if self._counter is None or self._is_batched() else int(self._counter[0])

    def _is_batched(self) -> bool:
        """Whether it is an example of the vmap that runs innermost: such a tensor knows little of itself."""
        if not state.transforms:
            return False
        wrappers = wrapping(self)
        return bool(wrappers) and wrappers[-1].kind == VMAP

    def _bump(self) -> None:
        if self._inference and self._counter is None:
            if not state.inference:
                raise RuntimeError(
                    "Inplace update to inference tensor outside InferenceMode is not allowed.You can make a clone to "
                    "get a normal tensor before doing inplace update.See https://github.com/pytorch/rfcs/pull/17 for "
                    "more details."
                )
        elif self._counter is None:
            self._counter = [1]
        else:
            self._counter[0] += 1

    @property
    def _base(self) -> Any:
        return None if self._view is None or self._is_batched() else self._view.base

    def _is_view(self) -> bool:
        return self._view is not None and not self._is_batched()

    @property
    def data(self) -> Tensor:
        """A tensor on the same memory with no history and a version counter of its own: writes go unnoticed."""
        from funcgrad.torch.tensor.views import stripped

        if self._is_batched():
            raise RuntimeError("accessing `data` under vmap transform is not allowed")
        t = stripped(self, (wrapping(self)[-1].number,) if state.transforms and wrapping(self) else (GRAPH_LEVEL,))
        t._inference = self._inference
        if self._inference and not state.inference:
            t._counter = [0]
        if state.watch is not None:
            state.watch.cut(".data", self, t)
        return t

    @data.setter
    def data(self, other: Any) -> None:
        if not isinstance(other, Tensor):
            raise TypeError(f"Variable data has to be a tensor, but got {_type_name(other)}")
        if state.transforms:
            if self._is_batched() or other._is_batched():
                raise RuntimeError("mutating directly with `.data` under vmap transform is not allowed.")
            if wrapping(self):
                raise RuntimeError("mutating directly with `.data` inside functorch transform is not allowed.")
        if other._value.dtype.kind in "iub" and self.requires_grad:
            raise RuntimeError("data set to a tensor that requires gradients must be floating point or complex dtype")
        old = self._value
        if type(other._value) is ndarray:
            self._store = other._storage()
        if self._counter is None and other._inference and not self._inference:
            self._counter = [0]  # it keeps a version, and may be written into outside of the mode
        self._value, self._lazy, self._inference = other._value, other._lazy, other._inference
        self._plain = not self._lazy and self._tangent is None and not isinstance(self._value, Array)
        held = self._accumulate() if self._accumulate is not None else None
        if old.dtype != self._value.dtype:  # what uses it from now on hands its gradient to a new AccumulateGrad
            self._accumulate = None
        if self._counter is not None:  # nodes that saved this tensor, and not a result, see the new value
            self._counter[0] = Replaced(self._counter[0])
        node = held if self._node is None else self._node
        if node is not None and (old.dtype != self._value.dtype or old.shape != self._value.shape):
            node.replace(self._nr, self._value)

    @data.deleter
    def data(self) -> None:
        raise RuntimeError("Deleting tensor data is not allowed. Delete tensor instead!")

    def detach(self, *extra: Any) -> Tensor:
        """A tensor on the same memory, with the same version counter, that requires no grad."""
        if extra:
            raise _no_arguments("detach", extra)
        from funcgrad.torch.tensor.views import alias

        t = alias(self)
        if type(self) is not Tensor:
            t = self._like_self(t)
        if state.watch is not None:
            state.watch.cut("detach()", self, t)
        return t

    def detach_(self, *extra: Any) -> Tensor:
        """Forget the history; the tensor becomes a leaf that requires no grad."""
        if extra:
            raise _no_arguments("detach_", extra)
        from funcgrad.torch.tensor.inner_graph import VIEW_IS_DETACHED, forget

        if self._view is not None:
            raise RuntimeError(VIEW_IS_DETACHED)
        if state.transforms and forget(self):
            return self
        self._node, self._nr, self._requires = None, 0, False
        if self._tangent is not None:
            self._tangent, self._plain = None, not self._lazy and not isinstance(self._value, Array)
        return self

    def _like_self(self, t: Tensor) -> Any:
        """t as an object of this tensor's own class."""
        t.__class__ = type(self)
        return t

    def is_inference(self, *extra: Any) -> bool:
        """Whether it was made in inference mode."""
        if extra:
            raise _no_arguments("is_inference", extra)
        return self._inference

    def retain_grad(self, *extra: Any) -> None:
        """Keep the gradient of this non-leaf tensor in .grad."""
        if extra:
            raise _no_arguments("retain_grad", extra)
        if not self.requires_grad:
            raise RuntimeError("can't retain_grad on Tensor that has requires_grad=False")
        if state.transforms:
            raise unsupported("retain_grad")
        if self.is_leaf or self._retain_call is not None:
            return
        from weakref import ref

        held = ref(self)

        def keep(g: Any) -> None:
            t = held()
            if t is not None:
                t._grad = g.clone(memory_format=contiguous_format) if t._grad is None else t._grad + g

        self._retain_call = keep
        self.grad_fn.retain(self._nr, keep)

    @property
    def retains_grad(self) -> bool:
        """Whether it is a non-leaf tensor whose gradient is kept."""
        return self._retain_call is not None and not self.is_leaf

    def register_hook(self, hook: Callable) -> RemovableHandle:
        """Call hook(grad) whenever the gradient with respect to this tensor is computed; a tensor that it returns
        takes the gradient's place."""
        if not self.requires_grad:
            raise RuntimeError("cannot register a hook on a tensor that doesn't require gradient")
        if state.transforms:
            from funcgrad.torch.tensor.inner_graph import register_hook

            handle = register_hook(self, hook)
            if handle is not None:
                return handle
        if self.is_leaf:
            if self._hooks is None:
                self._hooks = {}
                held = self._accumulate() if self._accumulate is not None else None
                if held is not None:
                    held._tensor_hooks = {0: self._hooks}
            return add_hook(self._hooks, hook)
        return add_hook(self.grad_fn.tensor_hooks(self._nr), hook)

    @property
    def _backward_hooks(self) -> Any:
        """The hooks that were registered, by their ids; None if there were none."""
        if self._hooks is not None or self.is_leaf:
            return self._hooks
        found = getattr(self.grad_fn, "_tensor_hooks", None)
        return None if found is None else found.get(self._nr)

    @_backward_hooks.setter
    def _backward_hooks(self, hooks: Any) -> None:
        if not self.is_leaf:
            node = self.grad_fn
            node.tensor_hooks(self._nr)
            node.hooks("_tensor_hooks")[self._nr] = {} if hooks is None else hooks
            return
        self._hooks = hooks
        held = self._accumulate() if self._accumulate is not None else None
        if held is not None:
            held._tensor_hooks = {0: {} if hooks is None else hooks}

    @_backward_hooks.deleter
    def _backward_hooks(self) -> None:
        raise RuntimeError("Deletion of _backwards_hooks not allowed!")

    @property
    def _grad_fn(self) -> Any:
        return self.grad_fn

    @_grad_fn.deleter
    def _grad_fn(self) -> None:
        raise RuntimeError("Deletion of _grad_fn not allowed. Detach tensor instead!")

    def register_post_accumulate_grad_hook(self, hook: Callable) -> RemovableHandle:
        """Call hook(tensor) after the gradient of this leaf was accumulated."""
        if not self.requires_grad:
            raise RuntimeError("cannot register a hook on a tensor that doesn't require gradient")
        if not self.is_leaf:
            raise RuntimeError("post accumulate grad hooks cannot be registered on non-leaf tensors")
        if self._post_accumulate_hooks is None:
            self._post_accumulate_hooks = {}
        return add_hook(self._post_accumulate_hooks, hook)

    def backward(self, gradient: Any = None, retain_graph: Any = None, create_graph: bool = False, inputs: Any = None) -> None:  # fmt: skip  # noqa: E501
        """Compute the gradients of this tensor with respect to the leaves it depends on, and add them to their .grad.

        Arguments:
            gradient: by what the result is multiplied; not needed for a scalar.
            retain_graph: keep the graph for another call; by default like create_graph.
            create_graph: record the gradients' own history.
            inputs: accumulate only for these tensors.
        """
        from funcgrad.torch import autograd

        autograd.backward(self, gradient, retain_graph, create_graph, inputs=inputs)

    # To Python and NumPy.

    def item(self, *extra: Any) -> Any:
        """The value of a tensor of one element, as a Python number."""
        if extra:
            raise _no_arguments("item", extra)
        if state.transforms and not self._is_batched():
            _check_one(self._value.size)
        value = self._concrete(_ITEM)
        _check_one(value.size)
        return value.reshape(-1)[0].item() if value.dtype.kind != "V" else float(value.reshape(-1)[0])

    def tolist(self, *extra: Any) -> Any:
        """The values as nested lists of Python numbers."""
        if extra:
            raise _no_arguments("tolist", extra)
        value = self._concrete(_NO_MEMORY, _NO_MEMORY)
        return value.tolist() if value.dtype.kind != "V" else value.astype(np.float32).tolist()

    def _concrete(self, refusal: str = _ITEM, inside: str = "") -> Any:
        """The ndarray of values; of a tracer the values underneath.

        Arguments:
            refusal: the text of the error if the tensor is an example of the innermost vmap.
            inside: the same, if a transform inside of vmap is what runs innermost.

        Raises:
            RuntimeError: the tensor stands for a batch.
        """
        value = self._value if self._plain else self._resolved()
        if isinstance(value, Array):
            try:
                value = np.asarray(value._concrete("the value of a tensor"))
            except NoValueError:
                raise RuntimeError(refusal if self._is_batched() else inside or _ITEM_INSIDE) from None
        return value

    def numpy(self, *, force: bool = False) -> ndarray:
        """An ndarray on the same memory.

        Raises:
            RuntimeError: the tensor requires grad (use tensor.detach().numpy()), or has a lazy bit.
        """
        if self._value.dtype.kind == "V":
            raise TypeError("Got unsupported ScalarType BFloat16")
        if force:
            t = self.detach()
            if state.transforms and hidden_memory(t):
                raise RuntimeError(_NO_MEMORY)
            if not t._lazy and type(t._value) is ndarray:
                t._storage().lent = True
            return t._concrete() if not t._lazy else t._resolved()
        if state.grad and self.requires_grad:
            raise RuntimeError("Can't call numpy() on Tensor that requires grad. Use tensor.detach().numpy() instead.")
        if self._lazy & CONJ:
            raise RuntimeError("Can't call numpy() on Tensor that has conjugate bit set. Use tensor.resolve_conj().numpy() instead.")  # fmt: skip  # noqa: E501
        if self._lazy & NEG:
            raise RuntimeError("Can't call numpy() on Tensor that has negative bit set. Use tensor.resolve_neg().numpy() instead.")  # fmt: skip  # noqa: E501
        if self._value.dtype.kind == "V":
            raise TypeError("Got unsupported ScalarType BFloat16")
        if state.transforms and hidden_memory(self):
            raise RuntimeError(_NO_MEMORY)
        found = self._concrete().view() if self._value.size else np.empty(self._value.shape, self._value.dtype)
        if type(self._value) is ndarray:
            self._storage().lent = True
        if state.watch is not None:
            state.watch.cut("numpy()", self, found)
        return found

    def __array__(self, dtype: Any = None) -> ndarray:  # without `copy`, as in torch: NumPy warns and copies itself
        value = self.numpy()
        return value if dtype is None else value.astype(dtype, copy=False)

    def __array_wrap__(self, array: ndarray, context: Any = None, return_scalar: bool = False) -> Any:
        from funcgrad.torch.ops.creation import from_numpy

        return from_numpy(np.asarray(array))

    def _check_exportable(self) -> None:
        """Raise torch's error if other libraries can't look at the memory."""
        if self.requires_grad:
            raise BufferError("Can't export tensors that require gradient, use tensor.detach()")
        if self._lazy & CONJ:
            raise BufferError("Can't export tensors with the conjugate bit set")

    def __dlpack__(self, **kwargs: Any) -> Any:
        self._check_exportable()
        return self._value.__dlpack__()

    def __dlpack_device__(self) -> tuple[int, int]:
        return (1, 0)

    def __bool__(self) -> bool:
        value = self._concrete(_CONTROL_FLOW)
        if value.size != 1:
            if value.size == 0:
                raise RuntimeError("Boolean value of Tensor with no values is ambiguous")
            raise RuntimeError("Boolean value of Tensor with more than one value is ambiguous")
        return bool(value.reshape(-1)[0])

    def _one(self) -> Any:
        """The only value, for float() and its kin."""
        if state.grad and self.requires_grad and not isinstance(self._value, Array):
            warnings.warn(
                "Converting a tensor with requires_grad=True to a scalar may lead to unexpected behavior.\n"
                "Consider using tensor.detach() first.",
                UserWarning,
                stacklevel=3,
            )
        if self._value.size != 1:
            raise ValueError("only one element tensors can be converted to Python scalars")
        return self.item()

    def __float__(self) -> float:
        return float(_real(self._one(), "double"))

    def __int__(self) -> int:
        if self._value.size != 1:
            raise ValueError("only one element tensors can be converted to Python scalars")
        return int(_real(self.item(), "int64_t"))

    def __complex__(self) -> complex:
        return complex(self._one())

    def __index__(self) -> int:
        value = self._concrete()
        if value.size != 1 or value.dtype.kind not in "iub":
            raise TypeError("only integer tensors of a single element can be converted to an index")
        return int(value.reshape(-1)[0])

    def __len__(self) -> int:
        if self._value.ndim == 0:
            raise TypeError("len() of a 0-d tensor")
        return self._value.shape[0]

    def __hash__(self) -> int:
        return id(self)

    def __format__(self, spec: str) -> str:
        if self._value.ndim == 0 and not self.is_meta and type(self) is Tensor:
            return format(self.item(), spec)
        return object.__format__(self, spec)

    def __repr__(self, *, tensor_contents: Any = None) -> str:
        return tensor_repr(self)

    def __reversed__(self) -> Tensor:
        return self.flip(0) if self._value.ndim else self

    def __dir__(self) -> list[str]:
        return [n for n in object.__dir__(self) if n not in _INTERNAL]


def _real(number: Any, kind: str) -> Any:
    """A number that has to be real, or complex without an imaginary part."""
    if type(number) is not complex:
        return number
    if number.imag:
        raise RuntimeError(f"value cannot be converted to type {kind} without overflow")
    return number.real


class _ReadOnly(property):
    """A property that says in torch's words that it can't be set."""

    def __set_name__(self, owner: type, name: str) -> None:
        self.public_name = name

    def __set__(self, instance: Any, value: Any) -> None:
        raise AttributeError(f"attribute '{self.public_name}' of 'torch._C.TensorBase' objects is not writable")

    def __delete__(self, instance: Any) -> None:
        raise AttributeError(f"attribute '{self.public_name}' of 'torch._C.TensorBase' objects is not writable")


def seal() -> None:
    """Give the properties of Tensor that have no setter torch's words; called when all of them are installed."""
    for name, p in list(vars(Tensor).items()):
        if type(p) is property and p.fset is None and p.fdel is None:
            sealed = _ReadOnly(p.fget, doc=p.__doc__)
            sealed.public_name = name
            setattr(Tensor, name, sealed)


_INTERNAL = frozenset(n for n in vars(Tensor) if n.startswith("_") and not n.startswith("__") and n not in ("_version", "_base", "_is_view"))  # fmt: skip  # noqa: E501

Tensor.__module__ = "torch"  # under that name it is pickled


def tensor_repr(t: Tensor) -> str:
    """The text of a tensor, as torch prints it."""
    if isinstance(t._value, Array) or state.transforms:
        from funcgrad.torch.tensor.wrapper import wrapper_repr

        return wrapper_repr(t)
    return plain_repr(t)


def plain_repr(t: Tensor) -> str:
    """The text of a tensor as it is outside of all transforms."""
    from funcgrad.torch.base.printing import has_default_dtype, tensor_text

    value, name = t._value, t.dtype.name
    if isinstance(value, Array):
        try:
            value = np.asarray(value._concrete("the text of a tensor"))
        except NoValueError:  # only its shape is known, as that of a tangent in linearize
            return f"tensor(..., size={tuple(value.shape)}, dtype={t.dtype})"
    if t._lazy:
        value = np.conj(value) if t._lazy & CONJ else value
        value = -value if t._lazy & NEG else value
    try:
        node = t._made_by()
        grad_fn_name = None if node is None else type(node).__name__
    except RuntimeError:  # a view whose base was written into where that is not followed
        grad_fn_name = "Invalid"
    tangent = None if t._tangent is None else _tangent_text(t._tangent)
    return tensor_text(
        value,
        dtype_name=name,
        is_default_dtype=has_default_dtype(name, dtypes.get_default_dtype().name),
        requires_grad=t._linked(),
        grad_fn_name=grad_fn_name,
        tangent_text=tangent,
        class_name="tensor" if type(t) in (Tensor, *_PRINTED_AS_TENSOR) else type(t).__name__,
    )


def _tangent_text(t: Tensor) -> str:
    try:
        return f"{t}"
    except RuntimeError:  # its values are not known
        return tensor_repr(t)


_PRINTED_AS_TENSOR: list[type] = []


def wrap_dim(dim: Any, ndim: int) -> int:
    """A dimension counted from the front; a 0-d tensor has the dimensions 0 and -1.

    Raises:
        IndexError: there is no such dimension.
    """
    n = max(ndim, 1)
    if not -n <= dim < n:
        raise IndexError(f"Dimension out of range (expected to be in range of [{-n}, {n - 1}], but got {dim})")
    return dim + n if dim < 0 else int(dim)


def contiguous_strides(shape: tuple) -> tuple:
    """The strides of a contiguous tensor, in elements."""
    found, step = [], 1
    for n in reversed(shape):
        found.append(step)
        step *= max(n, 1)
    return tuple(reversed(found))


def _no_arguments(name: str, given: tuple) -> TypeError:
    """The error of a method that is called with arguments and takes none."""
    return TypeError(f"TensorBase.{name}() takes no arguments ({len(given)} given)")


def _is_dim(x: Any) -> bool:
    return isinstance(x, (int, np.integer, Tensor)) and not isinstance(x, bool)


def _type_name(x: Any) -> str:
    return type(x).__name__


_TITLES = {"Bool": "bool", "Byte": "unsigned char", "Char": "signed char", "Short": "short", "Int": "int", "Long": "long int", "Half": "c10::Half", "BFloat16": "c10::BFloat16", "Float": "float", "Double": "double", "ComplexFloat": "c10::complex<float>", "ComplexDouble": "c10::complex<double>"}  # fmt: skip  # noqa: E501


def _title(t: Tensor) -> str:
    return _TITLES[t.dtype.title]
