"""`functional_call` and `stack_module_state` of torch.func: objects that hold parameters, called with others.

They know nothing of `torch.nn.Module`. Any object will do that can be called and has the method `named_parameters()`,
which gives pairs of a name and a tensor; `named_buffers()` is asked as well if there is one. A name is the path of
attributes that leads to the tensor, with dots in between; lists, tuples and dicts on the way are looked into by index
and key.
https://docs.pytorch.org/docs/stable/generated/torch.func.functional_call.html
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from funcgrad.core.scope import scoped
from funcgrad.torch.ops.joining import stack
from funcgrad.torch.tensor.tensor import Tensor
from funcgrad.torch.texts import func as texts


def functional_call(
    module: Any,
    parameter_and_buffer_dicts: Any,
    args: Any = None,
    kwargs: dict[str, Any] | None = None,
    *,
    tie_weights: bool = True,
    strict: bool = False,
) -> Any:
    """Call an object with other parameters and buffers than its own, which it has again afterwards.

    Arguments:
        module: what is called; see above.
        parameter_and_buffer_dicts: tensors by name; or several such dicts, which share no name. What the call puts in
            the place of one of them is put into the dict, too.
        args: a tuple of arguments, or one that is none.
        kwargs: keyword arguments.
        tie_weights: whether a tensor that the object has under several names is replaced under all of them.
        strict: whether all names must be given, and no others.

    Returns:
        What the call returned.

    Raises:
        TypeError: the object has no named parameters.
        ValueError: names in several dicts, or several values for a tensor that has several names.
        RuntimeError: for strict, names that are missing or not known.

    Example:
        >>> from funcgrad import torch
        >>> class Scale:
        ...     def __init__(self):
        ...         self.factor = torch.tensor(2.0)
        ...
        ...     def named_parameters(self):
        ...         yield "factor", self.factor
        ...
        ...     def __call__(self, x):
        ...         return self.factor * x
        >>> model, x = Scale(), torch.tensor(10.0)
        >>> torch.func.functional_call(model, {"factor": torch.tensor(3.0)}, x)
        tensor(30.)
        >>> torch.func.grad(lambda p: torch.func.functional_call(model, p, x))({"factor": torch.tensor(3.0)})
        {'factor': tensor(10.)}
    """
    given = _joined(parameter_and_buffer_dicts)
    if not hasattr(module, "named_parameters"):
        raise TypeError(texts.NO_NAMED_PARAMETERS.format(kind=type(module).__name__))
    if not isinstance(args, tuple):
        args = () if args is None else (args,)
    with reparametrized(module, given, tie_weights, strict):
        return module(*args, **(kwargs or {}))


def _joined(dicts: Any) -> dict[str, Any]:
    """The one dict, or several of them joined."""
    if isinstance(dicts, dict):
        return dicts
    if not isinstance(dicts, Sequence):
        raise ValueError(texts.NOT_DICTS.format(kind=type(dicts)))
    if not all(isinstance(d, dict) for d in dicts):
        raise ValueError("Expected all elements of parameter_and_buffer_dicts to be dictionaries")
    names = [name for d in dicts for name in d]
    repeated = [name for name in dict.fromkeys(names) if names.count(name) > 1]
    if repeated:
        raise ValueError(texts.REPEATED_NAMES.format(repeated=repeated))
    return {name: t for d in dicts for name, t in d.items()}


def _named(module: Any) -> dict[str, Any]:
    """All parameters and buffers, also under their further names."""
    found: dict[str, Any] = {}
    for method in (module.named_parameters, getattr(module, "named_buffers", None)):
        if method is not None:
            found.update(_with_duplicates(method))
    return found


def _with_duplicates(method: Callable) -> Any:
    """What a method gives, with the further names of a tensor where it has an option for them."""
    parameters = inspect.signature(method).parameters.values()
    has_option = any(p.name == "remove_duplicate" or p.kind is p.VAR_KEYWORD for p in parameters)
    return method(remove_duplicate=False) if has_option else method()


@scoped
def reparametrized(
    module: Any, given: dict[str, Any], tie_weights: bool = False, strict: bool = False
) -> Iterator[None]:
    """Within it the object has the given tensors in the place of its own; see `functional_call`."""
    wanted = _for_all_names(module, given) if tie_weights else dict(given)
    if strict:
        _check_names(module, wanted)
    own: dict[str, Any] = {}
    try:
        for name, t in wanted.items():
            own[name] = _swap(module, name, t)
        yield
    finally:
        left = {name: _swap(module, name, t) for name, t in own.items()}
        given.update({name: left[name] for name in given if name in left and left[name] is not _MISSING})


def _for_all_names(module: Any, given: dict[str, Any]) -> dict[str, Any]:
    """The given tensors, also under the further names that those which they replace have in the object."""
    names: dict[int, list[str]] = {}
    for name, t in _named(module).items():
        names.setdefault(id(t), []).append(name)
    tied = {name: group for group in names.values() if len(group) > 1 for name in group}
    found = dict(given)
    for name, t in given.items():
        for other in tied.get(name, ()):
            if found.setdefault(other, t) is not t:
                raise ValueError(texts.TIED_NAMES.format(names=sorted(tied[name])))
    return found


def _check_names(module: Any, given: dict[str, Any]) -> None:
    known = set(_named(module))
    problems = [
        f"{word} key(s): {', '.join(map(repr, sorted(names)))}."
        for word, names in (("Unexpected", set(given) - known), ("Missing", known - set(given)))
        if names
    ]
    if problems:
        raise RuntimeError("Error(s) in reparametrizing for {}:\n\t{}".format(_name(module), "\n\t".join(problems)))


_MISSING: Any = object()


def _swap(module: Any, path: str, t: Any) -> Any:
    """Put a tensor, or nothing, to a place in the object; gives what was there."""
    if t is not _MISSING and t is not None and not isinstance(t, Tensor):
        raise TypeError(f"{t} is not an instance of torch.Tensor")
    prefix, _, name = path.rpartition(".")
    if not name:
        raise KeyError('tensor name can\'t be empty string ""')
    owner = module
    for part in prefix.split(".") if prefix else ():
        owner = _part(owner, part)
    for held in (getattr(owner, "_parameters", None), getattr(owner, "_buffers", None), owner):
        if isinstance(held, dict) and name in held:
            return _swap_item(held, name, t)
    if isinstance(owner, list):
        return _swap_item(owner, int(name), t)
    before = getattr(owner, name, _MISSING)
    if before is not _MISSING and before is not None and not isinstance(before, Tensor):
        raise TypeError(f"attribute `{name}`: {before} is not an instance of torch.Tensor")
    if t is not _MISSING:
        setattr(owner, name, t)
    elif before is not _MISSING:
        delattr(owner, name)
    return before


def _swap_item(held: Any, key: Any, t: Any) -> Any:
    before = held[key]
    if t is _MISSING:
        del held[key]
    else:
        held[key] = t
    return before


def _part(owner: Any, name: str) -> Any:
    """What an object holds under a name."""
    if isinstance(owner, dict) and name in owner:
        return owner[name]
    if isinstance(owner, (list, tuple)) and name.isdecimal():
        return owner[int(name)]
    try:
        return getattr(owner, name)
    except AttributeError as error:
        raise AttributeError(f"{_name(owner)} has no attribute `{name}`") from error


def _name(module: Any) -> str:
    return type(module).__name__


def stack_module_state(models: Sequence[Any]) -> tuple[dict[str, Any], dict[str, Any]]:
    """The parameters, and the buffers, of several objects of one class, stacked by name, for vmap over the objects.

    Arguments:
        models: objects as `functional_call` takes them.

    Returns:
        `(params, buffers)`: dicts of new tensors with a dimension for the objects in front, which require grad if the
        objects' tensors do.

    Raises:
        RuntimeError: there are none, or they differ in class, mode (`.training`) or requires_grad.
        TypeError: they have no named parameters.

    Example:
        >>> from funcgrad import torch
        >>> class Scale:
        ...     def __init__(self, factor):
        ...         self.factor = torch.tensor(factor)
        ...
        ...     def named_parameters(self):
        ...         return [("factor", self.factor)]
        >>> torch.func.stack_module_state([Scale(2.0), Scale(3.0)])
        ({'factor': tensor([2., 3.])}, {})
    """
    if len(models) == 0:
        raise RuntimeError("stack_module_state: Expected at least one model, got 0.")
    for m in models:
        if not hasattr(m, "named_parameters"):
            raise TypeError(texts.MODELS_WITHOUT_PARAMETERS.format(name=_name(m)))
    if len({bool(getattr(m, "training", True)) for m in models}) > 1:
        raise RuntimeError(texts.MODES_DIFFER)
    if any(type(m) is not type(models[0]) for m in models):
        raise RuntimeError("stack_module_state: Expected all models to be of the same class.")
    params = [dict(m.named_parameters()) for m in models]
    buffers = [dict(m.named_buffers()) if hasattr(m, "named_buffers") else {} for m in models]
    return _stacked(params), _stacked(buffers)


def _stacked(states: list[dict[str, Any]]) -> dict[str, Any]:
    found = {}
    for name in states[0]:
        tensors = [state[name] for state in states]
        requiring = [t.requires_grad for t in tensors]
        if any(requiring) != all(requiring):
            raise RuntimeError(f"Expected {name} from each model to have the same .requires_grad")
        stacked = stack(tensors)
        found[name] = stacked.detach().requires_grad_() if all(requiring) else stacked
    return found
