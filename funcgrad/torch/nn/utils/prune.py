"""`torch.nn.utils.prune`: parameters some of whose elements are held at zero, by a mask."""

from __future__ import annotations

import numbers
from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator
from typing import Any

from funcgrad.core.faces import publish
from funcgrad.torch.base.meta import contiguous_format
from funcgrad.torch.base.naming import show_as_torch
from funcgrad.torch.declare.op import namespaces
from funcgrad.torch.nn.utils.convert_parameters import parameters_to_vector
from funcgrad.torch.texts import prune as texts

__all__ = [
    "BasePruningMethod",
    "CustomFromMask",
    "Identity",
    "L1Unstructured",
    "LnStructured",
    "PruningContainer",
    "RandomStructured",
    "RandomUnstructured",
    "custom_from_mask",
    "global_unstructured",
    "identity",
    "is_pruned",
    "l1_unstructured",
    "ln_structured",
    "random_structured",
    "random_unstructured",
    "remove",
]

_torch = namespaces[""]


class BasePruningMethod(ABC):
    """A way of choosing elements; as a hook of a module it puts the masked parameter in its place before each call.

    The parameter itself is kept as `name_orig`, the mask as the buffer `name_mask`. A subclass has `compute_mask`, and
    `PRUNING_TYPE`: "unstructured", "structured" (with an attribute `dim`) or "global".
    """

    _tensor_name: str
    PRUNING_TYPE: str

    def __call__(self, module: Any, inputs: Any) -> None:
        setattr(module, self._tensor_name, self.apply_mask(module))

    @abstractmethod
    def compute_mask(self, t: Any, default_mask: Any) -> Any:
        """The mask: zero where elements are dropped.

        Arguments:
            t: the scores of importance, which are the parameter's elements by default.
            default_mask: the mask so far.
        """

    def apply_mask(self, module: Any) -> Any:
        """The parameter of a module with its mask."""
        if self._tensor_name is None:
            raise AssertionError(f"Module {module} has to be pruned")
        mask = getattr(module, self._tensor_name + "_mask")
        original = getattr(module, self._tensor_name + "_orig")
        return mask.to(dtype=original.dtype) * original

    @classmethod
    def apply(cls, module: Any, name: str, *args: Any, importance_scores: Any = None, **kwargs: Any) -> Any:
        """Prune a parameter of a module, on top of what it was pruned by before.

        Arguments:
            module: the module.
            name: of the parameter.
            *args, **kwargs: what the class is called with.
            importance_scores: a tensor of the parameter's shape, by which elements are chosen; by default itself.
        """
        method = _joined_with_hook(cls(*args, **kwargs), module, name)
        first = not isinstance(method, PruningContainer)
        original = getattr(module, name)
        if importance_scores is None:
            importance_scores = original
        elif importance_scores.shape != original.shape:
            wrong = {"found": importance_scores.shape, "wanted": original.shape}
            raise AssertionError(texts.SCORES_OF_PARAMETER.format(name=name, module=module, **wrong))
        if first:
            module.register_parameter(name + "_orig", original)
            del module._parameters[name]
            default_mask = _torch["ones_like"](original)
        else:
            default_mask = getattr(module, name + "_mask").detach().clone(memory_format=contiguous_format)
        try:
            mask = method.compute_mask(importance_scores, default_mask=default_mask)
            module.register_buffer(name + "_mask", mask)
            setattr(module, name, method.apply_mask(module))
            module.register_forward_pre_hook(method)
        except Exception:  # of the user's method; the module is as before
            if first:
                module.register_parameter(name, getattr(module, name + "_orig"))
                del module._parameters[name + "_orig"]
            raise
        return method

    def prune(self, t: Any, default_mask: Any = None, importance_scores: Any = None) -> Any:
        """A tensor with the elements that this method drops set to zero.

        Arguments:
            t: the tensor.
            default_mask: zero where elements are dropped in any case.
            importance_scores: a tensor of the same shape, by which elements are chosen; by default itself.
        """
        if importance_scores is None:
            importance_scores = t
        elif importance_scores.shape != t.shape:
            raise AssertionError(texts.SCORES.format(found=importance_scores.shape, wanted=t.shape))
        default_mask = _torch["ones_like"](t) if default_mask is None else default_mask
        return t * self.compute_mask(importance_scores, default_mask=default_mask)

    def remove(self, module: Any) -> None:
        """Make the masked parameter of a module, as it is now, the parameter; what was dropped stays zero."""
        name = self._tensor_name
        if name is None:
            raise AssertionError(texts.NOT_PRUNED_BEFORE.format(module=module))
        weight = self.apply_mask(module)
        if hasattr(module, name):
            delattr(module, name)
        original = module._parameters[name + "_orig"]
        original.data = weight.data
        del module._parameters[name + "_orig"]
        del module._buffers[name + "_mask"]
        setattr(module, name, original)


def _joined_with_hook(method: BasePruningMethod, module: Any, name: str) -> BasePruningMethod:
    """A new method, together with the one that prunes the parameter already, whose hook is taken out."""
    method._tensor_name = name
    hooks = {k: h for k, h in module._forward_pre_hooks.items() if isinstance(h, BasePruningMethod)}
    hooks = {k: h for k, h in hooks.items() if h._tensor_name == name}
    if len(hooks) > 1:
        raise AssertionError(texts.SEVERAL_HOOKS.format(name=name, module=module))
    for number, old in hooks.items():
        del module._forward_pre_hooks[number]
        container = old if isinstance(old, PruningContainer) else PruningContainer(old)
        container.add_pruning_method(method)
        return container
    return method


class PruningContainer(BasePruningMethod):
    """Several methods, each of which acts on what those before it have left.

    Arguments:
        *args: the methods.
    """

    def __init__(self, *args: Any) -> None:
        self._pruning_methods: tuple[Any, ...] = ()
        if len(args) == 1:
            self._tensor_name = args[0]._tensor_name
        for method in args:
            self.add_pruning_method(method)

    def add_pruning_method(self, method: Any) -> None:
        """Add a method, which must be for the same parameter."""
        if not isinstance(method, BasePruningMethod) and method is not None:
            raise TypeError(f"{type(method)} is not a BasePruningMethod subclass")
        if method is not None and self._tensor_name != method._tensor_name:
            name, other = self._tensor_name, method._tensor_name
            raise ValueError(texts.OTHER_PARAMETER.format(name=name, container=self, other=other))
        self._pruning_methods += (method,)

    def __len__(self) -> int:
        return len(self._pruning_methods)

    def __iter__(self) -> Iterator[BasePruningMethod]:
        return iter(self._pruning_methods)

    def __getitem__(self, idx: Any) -> Any:
        return self._pruning_methods[idx]

    def compute_mask(self, t: Any, default_mask: Any) -> Any:
        """The mask so far, and in what it leaves that of the last method."""
        method: Any = self._pruning_methods[-1]
        mask = default_mask.to(dtype=t.dtype, copy=True)
        left = _left_by(method, default_mask, t.dim())
        mask[left] = method.compute_mask(t[left], default_mask=default_mask[left]).to(dtype=mask.dtype)
        return mask


def _left_by(method: Any, mask: Any, n: int) -> Any:
    """The index of what a mask leaves for a method to choose from."""
    if method.PRUNING_TYPE == "unstructured":
        return mask == 1
    if method.PRUNING_TYPE == "global":
        return (slice(None),) * n
    if method.PRUNING_TYPE != "structured":
        raise ValueError(f"Unrecognized PRUNING_TYPE {method.PRUNING_TYPE}")
    if not hasattr(method, "dim"):
        raise AttributeError(texts.NO_DIM)
    dim = method.dim + n if method.dim < 0 else method.dim
    if dim < 0:
        raise IndexError(f"Index is out of bounds for tensor with dimensions {n}")
    kept = mask.sum(dim=[d for d in range(n) if d != dim]) != 0
    return tuple([kept if d == dim else slice(None) for d in range(n)])


# The methods.


class Identity(BasePruningMethod):
    """Drops nothing."""

    PRUNING_TYPE = "unstructured"

    def compute_mask(self, t: Any, default_mask: Any) -> Any:
        """The mask so far."""
        return default_mask

    @classmethod
    def apply(cls, module: Any, name: str) -> Any:  # type: ignore[override]  # the arguments of each method are its own
        """Give a parameter a mask of ones."""
        return super().apply(module, name)


class _Unstructured(BasePruningMethod):
    """Drops elements one by one: `_dropped` chooses so many.

    Arguments:
        amount: how many elements, an int; or which part of them, a float.
    """

    PRUNING_TYPE = "unstructured"

    def __init__(self, amount: float) -> None:
        _validate_pruning_amount_init(amount)
        self.amount = amount

    def compute_mask(self, t: Any, default_mask: Any) -> Any:
        """The mask so far without the elements that are dropped."""
        n = _compute_nparams_toprune(self.amount, t.nelement())
        _validate_pruning_amount(n, t.nelement())
        mask = default_mask.clone(memory_format=contiguous_format)
        if n != 0:
            mask.view(-1)[self._dropped(t, n)] = 0
        return mask

    def _dropped(self, t: Any, n: int) -> Any:
        raise NotImplementedError


class RandomUnstructured(_Unstructured):
    """Drops elements at random.

    Arguments:
        amount: how many elements, an int; or which part of them, a float.
    """

    def _dropped(self, t: Any, n: int) -> Any:
        return _torch["topk"](_torch["rand_like"](t).view(-1), k=n).indices

    @classmethod
    def apply(cls, module: Any, name: str, amount: float) -> Any:  # type: ignore[override]  # its own arguments
        """Prune a parameter of a module."""
        return super().apply(module, name, amount=amount)


class L1Unstructured(_Unstructured):
    """Drops the elements of the smallest magnitude.

    Arguments:
        amount: how many elements, an int; or which part of them, a float.
    """

    def _dropped(self, t: Any, n: int) -> Any:
        return _torch["topk"](t.abs().view(-1), k=n, largest=False).indices

    @classmethod
    def apply(  # type: ignore[override]  # the arguments of each method are its own
        cls, module: Any, name: str, amount: float, importance_scores: Any = None
    ) -> Any:
        """Prune a parameter of a module."""
        return super().apply(module, name, amount=amount, importance_scores=importance_scores)


class _Structured(BasePruningMethod):
    """Drops whole channels: `_kept` says which of them stay.

    Arguments:
        amount: how many channels, an int; or which part of them, a float.
        dim: the dimension of the channels.
    """

    PRUNING_TYPE = "structured"

    def __init__(self, amount: float, dim: int = -1) -> None:
        _validate_pruning_amount_init(amount)
        self.amount, self.dim = amount, dim

    def compute_mask(self, t: Any, default_mask: Any) -> Any:
        """The mask so far without the channels that are dropped."""
        if t.dim() <= 1:
            raise ValueError(texts.STRUCTURED_VECTOR.format(shape=t.shape, n=t.dim()))
        if self.dim >= t.dim():
            raise IndexError(f"Invalid index {self.dim} for tensor of size {t.shape}")
        size = t.shape[self.dim]
        n = _compute_nparams_toprune(self.amount, size)
        _validate_pruning_amount(n, size)
        if n == 0:
            return default_mask
        mask = _torch["zeros_like"](t)
        index: list[Any] = [slice(None)] * t.dim()
        index[self.dim] = self._kept(t, size, n)
        mask[tuple(index)] = 1
        mask *= default_mask.to(dtype=mask.dtype)
        return mask

    def _kept(self, t: Any, size: int, n: int) -> Any:
        raise NotImplementedError


class RandomStructured(_Structured):
    """Drops channels at random.

    Arguments:
        amount: how many channels, an int; or which part of them, a float.
        dim: the dimension of the channels.
    """

    def _kept(self, t: Any, size: int, n: int) -> Any:
        drawn = _torch["rand"](size)
        return drawn > _torch["kthvalue"](drawn, k=n).values

    @classmethod
    def apply(  # type: ignore[override]  # the arguments of each method are its own
        cls, module: Any, name: str, amount: float, dim: int = -1
    ) -> Any:
        """Prune a parameter of a module."""
        return super().apply(module, name, amount=amount, dim=dim)


class LnStructured(_Structured):
    """Drops the channels of the smallest norm.

    Arguments:
        amount: how many channels, an int; or which part of them, a float.
        n: the order of the norm.
        dim: the dimension of the channels.
    """

    def __init__(self, amount: float, n: Any, dim: int = -1) -> None:
        super().__init__(amount, dim)
        self.n = n

    def _kept(self, t: Any, size: int, n: int) -> Any:
        others = [d for d in range(t.dim()) if d != self.dim % t.dim()]
        return _torch["topk"](_torch["norm"](t, p=self.n, dim=others), k=size - n, largest=True).indices

    @classmethod
    def apply(  # type: ignore[override]  # the arguments of each method are its own
        cls, module: Any, name: str, amount: float, n: Any, dim: int, importance_scores: Any = None
    ) -> Any:
        """Prune a parameter of a module."""
        return super().apply(module, name, amount=amount, n=n, dim=dim, importance_scores=importance_scores)


class CustomFromMask(BasePruningMethod):
    """Drops what a mask says.

    Arguments:
        mask: zero where elements are dropped.
    """

    PRUNING_TYPE = "global"

    def __init__(self, mask: Any) -> None:
        self.mask = mask

    def compute_mask(self, t: Any, default_mask: Any) -> Any:
        """The mask so far times this one."""
        if default_mask.shape != self.mask.shape:
            raise AssertionError(texts.MASK_SHAPE.format(found=default_mask.shape, own=self.mask.shape))
        return default_mask * self.mask.to(dtype=default_mask.dtype)

    @classmethod
    def apply(cls, module: Any, name: str, mask: Any) -> Any:  # type: ignore[override]  # its own arguments
        """Prune a parameter of a module."""
        return super().apply(module, name, mask=mask)


# The same as functions, which give the module.


def identity(module: Any, name: str) -> Any:
    """Give a parameter of a module a mask of ones."""
    Identity.apply(module, name)
    return module


def random_unstructured(module: Any, name: str, amount: float) -> Any:
    """Drop elements of a parameter at random.

    Arguments:
        module: the module.
        name: of the parameter.
        amount: how many elements, an int; or which part of them, a float.
    """
    RandomUnstructured.apply(module, name, amount)
    return module


def l1_unstructured(module: Any, name: str, amount: float, importance_scores: Any = None) -> Any:
    """Drop the elements of a parameter of the smallest magnitude.

    Arguments:
        module: the module.
        name: of the parameter.
        amount: how many elements, an int; or which part of them, a float.
        importance_scores: a tensor of the parameter's shape, whose magnitudes count instead.

    Example:
        >>> from funcgrad import torch
        >>> import funcgrad.torch.nn.utils.prune
        >>> layer = torch.nn.Linear(2, 1)
        >>> _ = torch.nn.init.constant_(layer.weight, 2.0)
        >>> layer.weight.data[0, 0] = 1.0
        >>> torch.nn.utils.prune.l1_unstructured(layer, "weight", amount=1).weight
        tensor([[0., 2.]], grad_fn=<MulBackward0>)
    """
    L1Unstructured.apply(module, name, amount=amount, importance_scores=importance_scores)
    return module


def random_structured(module: Any, name: str, amount: float, dim: int) -> Any:
    """Drop channels of a parameter at random.

    Arguments:
        module: the module.
        name: of the parameter.
        amount: how many channels, an int; or which part of them, a float.
        dim: the dimension of the channels.
    """
    RandomStructured.apply(module, name, amount, dim)
    return module


def ln_structured(module: Any, name: str, amount: float, n: Any, dim: int, importance_scores: Any = None) -> Any:
    """Drop the channels of a parameter of the smallest norm.

    Arguments:
        module: the module.
        name: of the parameter.
        amount: how many channels, an int; or which part of them, a float.
        n: the order of the norm.
        dim: the dimension of the channels.
        importance_scores: a tensor of the parameter's shape, whose norms count instead.
    """
    LnStructured.apply(module, name, amount, n, dim, importance_scores=importance_scores)
    return module


def custom_from_mask(module: Any, name: str, mask: Any) -> Any:
    """Drop the elements of a parameter where a mask is zero."""
    CustomFromMask.apply(module, name, mask)
    return module


def global_unstructured(
    parameters: Any, pruning_method: Any, importance_scores: dict | None = None, **kwargs: Any
) -> None:
    """Drop elements of several parameters together, as if they were one.

    Arguments:
        parameters: pairs of a module and a name.
        pruning_method: a class of unstructured pruning.
        importance_scores: for such pairs the tensors by which elements are chosen; by default the parameters.
        **kwargs: what the class is called with.
    """
    if not isinstance(parameters, Iterable):
        raise TypeError("global_unstructured(): parameters is not an Iterable")
    scores: Any = {} if importance_scores is None else importance_scores
    if not isinstance(scores, dict):
        raise TypeError("global_unstructured(): importance_scores must be of type dict")
    parameters = list(parameters)
    vector = parameters_to_vector([scores.get((m, name), getattr(m, name)) for m, name in parameters])
    masks = [getattr(m, name + "_mask", _torch["ones_like"](getattr(m, name))) for m, name in parameters]
    method = pruning_method(**kwargs)
    if method.PRUNING_TYPE != "unstructured":
        raise TypeError(texts.ONLY_UNSTRUCTURED.format(method=pruning_method, type=method.PRUNING_TYPE))
    method._tensor_name = "temp"
    mask = PruningContainer(method).compute_mask(vector, parameters_to_vector(masks))
    start = 0
    for module, name in parameters:
        p = getattr(module, name)
        custom_from_mask(module, name, mask=mask[start : start + p.numel()].view_as(p))
        start += p.numel()


def remove(module: Any, name: str) -> Any:
    """Make a pruned parameter of a module a plain one; what was dropped stays zero. Gives the module."""
    for number, hook in module._forward_pre_hooks.items():
        if isinstance(hook, BasePruningMethod) and hook._tensor_name == name:
            hook.remove(module)
            del module._forward_pre_hooks[number]
            return module
    raise ValueError(texts.NOT_PRUNED.format(name=name, module=module))


def is_pruned(module: Any) -> bool:
    """Whether a parameter of a module or its submodules is pruned."""
    hooks = [h for m in module.modules() for h in m._forward_pre_hooks.values()]
    return any(isinstance(h, BasePruningMethod) for h in hooks)


def _validate_pruning_amount_init(amount: Any) -> None:
    if not isinstance(amount, numbers.Real):
        raise TypeError(f"Invalid type for amount: {amount}. Must be int or float.")
    whole = isinstance(amount, numbers.Integral)
    if float(amount) < 0 or (not whole and float(amount) > 1.0):
        raise ValueError(texts.AMOUNT.format(amount=amount))


def _compute_nparams_toprune(amount: Any, tensor_size: int) -> Any:
    """How many of so many are dropped."""
    return amount if isinstance(amount, numbers.Integral) else round(amount * tensor_size)


def _validate_pruning_amount(amount: Any, tensor_size: int) -> None:
    if isinstance(amount, numbers.Integral) and int(amount) > tensor_size:
        raise ValueError(texts.AMOUNT_TOO_LARGE.format(amount=amount, size=tensor_size))


show_as_torch(__name__)
publish(__name__)
