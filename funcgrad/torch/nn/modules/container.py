"""Modules that hold other modules, or parameters, in an order or by name."""

from __future__ import annotations

import operator
import warnings
from collections import OrderedDict
from collections.abc import Iterable, Iterator, KeysView, Mapping
from itertools import chain, islice
from typing import Any

from funcgrad.core.faces import publish
from funcgrad.torch.base.naming import show_as_torch
from funcgrad.torch.nn.modules.module import Module, _addindent
from funcgrad.torch.nn.parameter import Parameter
from funcgrad.torch.ops.conversion import typename
from funcgrad.torch.tensor.tensor import Tensor
from funcgrad.torch.texts import modules as texts

__all__ = ["Container", "ModuleDict", "ModuleList", "ParameterDict", "ParameterList", "Sequential"]


class Container(Module):
    """Superseded by `Module` itself."""

    def __init__(self, **kwargs: Any) -> None:
        warnings.warn(texts.CONTAINER_DEPRECATED, FutureWarning, stacklevel=2)
        super().__init__()
        for name, module in kwargs.items():
            self.add_module(name, module)


def _absolute(index: Any, size: int) -> int:
    """An index that may count from the end, counted from the front."""
    i = operator.index(index)
    if not -size <= i < size:
        raise IndexError(f"index {i} is out of range")
    return i % size


def _without_numbers(names: list[str]) -> list[str]:
    return [name for name in names if not name.isdigit()]


class _Modules(Module):
    """What `Sequential` and `ModuleList` share: submodules that are numbered from 0."""

    _modules: dict[str, Any]

    def __len__(self) -> int:
        return len(self._modules)

    def __iter__(self) -> Iterator[Module]:
        return iter(self._modules.values())

    def __dir__(self) -> list[str]:
        return _without_numbers(super().__dir__())

    def _key(self, index: Any) -> str:
        """The name of the module at an index."""
        return next(islice(self._modules, _absolute(index, len(self)), None))

    def __setitem__(self, idx: int, module: Module) -> None:
        setattr(self, self._key(idx), module)

    def __delitem__(self, idx: Any) -> None:
        keys = list(self._modules)[idx] if isinstance(idx, slice) else [self._key(idx)]
        for key in keys:
            delattr(self, key)
        self._modules = OrderedDict((str(i), m) for i, m in enumerate(self._modules.values()))

    def append(self, module: Module) -> Any:
        """Add a module at the end; gives the container."""
        self.add_module(str(len(self)), module)
        return self

    def pop(self, key: Any) -> Any:
        """Take the module at an index out, and give it back."""
        found = self[key]
        del self[key]
        return found

    def _make_room(self, index: int) -> None:
        """Move the modules from an index on one place further."""
        for i in range(len(self._modules), index, -1):
            self._modules[str(i)] = self._modules[str(i - 1)]

    def __getitem__(self, idx: Any) -> Any:
        raise NotImplementedError


class Sequential(_Modules):
    """Modules of which each is called with what the one before it gave.

    Arguments:
        *args: the modules, or an OrderedDict of them by name.

    Example:
        >>> from funcgrad import torch
        >>> torch.nn.Sequential(torch.nn.Linear(2, 3), torch.nn.Identity())
        Sequential(
          (0): Linear(in_features=2, out_features=3, bias=True)
          (1): Identity()
        )
    """

    def __init__(self, *args: Any) -> None:
        super().__init__()
        if len(args) == 1 and isinstance(args[0], OrderedDict):
            for name, module in args[0].items():
                self.add_module(name, module)
        else:
            for i, module in enumerate(args):
                self.add_module(str(i), module)

    def forward(self, input: Any) -> Any:
        """Call the modules one after the other."""
        for module in self._modules.values():
            input = module(input)
        return input

    def __getitem__(self, idx: Any) -> Any:
        if isinstance(idx, slice):
            return self.__class__(OrderedDict(list(self._modules.items())[idx]))
        return self._modules[self._key(idx)]

    def __add__(self, other: Any) -> Sequential:
        _check_sequential(other)
        return Sequential().extend(self).extend(other)

    def __iadd__(self, other: Any) -> Any:
        _check_sequential(other)
        return self.extend(list(other))

    def __mul__(self, other: int) -> Sequential:
        self._check_factor(other)
        return Sequential(*[module for _ in range(other) for module in self])

    def __rmul__(self, other: int) -> Sequential:
        return self.__mul__(other)

    def __imul__(self, other: int) -> Any:
        self._check_factor(other)
        return self.extend(list(self) * (other - 1))

    def _check_factor(self, n: Any) -> None:
        if not isinstance(n, int):
            raise TypeError(f"unsupported operand type(s) for *: {type(self)} and {type(n)}")
        if n <= 0:
            raise ValueError(f"Non-positive multiplication factor {n} for {type(self)}")

    def insert(self, index: int, module: Module) -> Any:
        """Put a module in front of the one at an index; gives the container."""
        if not isinstance(module, Module):
            raise AssertionError(f"module should be of type: {Module}")
        n = len(self._modules)
        if not -n <= index <= n:
            raise IndexError(f"Index out of range: {index}")
        index += n if index < 0 else 0
        self._make_room(index)
        self._modules[str(index)] = module
        return self

    def extend(self, sequential: Iterable[Module]) -> Any:
        """Add modules at the end; gives the container."""
        for module in sequential:
            self.append(module)
        return self


def _check_sequential(other: Any) -> None:
    if not isinstance(other, Sequential):
        raise ValueError(texts.ADDS_SEQUENTIALS.format(kind=type(other)))


class ModuleList(_Modules):
    """A list of modules, which are submodules of whatever the list is assigned to.

    Arguments:
        modules: the modules.

    Example:
        >>> from funcgrad import torch
        >>> torch.nn.ModuleList([torch.nn.Linear(2, 2) for _ in range(3)])
        ModuleList(
          (0-2): 3 x Linear(in_features=2, out_features=2, bias=True)
        )
    """

    def __init__(self, modules: Iterable[Module] | None = None) -> None:
        super().__init__()
        if modules is not None:
            self.extend(modules)

    def __getitem__(self, idx: Any) -> Any:
        if isinstance(idx, slice):
            return self.__class__(list(self._modules.values())[idx])
        return self._modules[self._key(idx)]

    def __iadd__(self, modules: Iterable[Module]) -> Any:
        return self.extend(modules)

    def __add__(self, other: Iterable[Module]) -> ModuleList:
        return ModuleList(chain(self, other))

    def insert(self, index: int, module: Module) -> None:
        """Put a module in front of the one at an index."""
        self._make_room(index)
        self._modules[str(index)] = module

    def extend(self, modules: Iterable[Module]) -> Any:
        """Add modules at the end; gives the list."""
        if not isinstance(modules, Iterable):
            raise TypeError(f"ModuleList.extend should be called with an iterable, but got {type(modules).__name__}")
        for i, module in enumerate(modules, len(self)):
            self.add_module(str(i), module)
        return self

    def __repr__(self) -> str:
        runs: list[list[Any]] = []  # first, last, text: neighbours that look the same are shown once
        for i, text in enumerate(map(repr, self)):
            if runs and runs[-1][2] == text:
                runs[-1][1] = i
            else:
                runs.append([i, i, text])
        lines = [f"({i}): {text}" if i == j else f"({i}-{j}): {j - i + 1} x {text}" for i, j, text in runs]
        body = "".join(f"\n  {_addindent(line, 2)}" for line in lines)
        return f"{self._get_name()}({body}{chr(10) if lines else ''})"


class ModuleDict(Module):
    """A dict of modules, which are submodules of whatever the dict is assigned to.

    Arguments:
        modules: a mapping from names to modules, or an iterable of pairs.
    """

    def __init__(self, modules: Any = None) -> None:
        super().__init__()
        if modules is not None:
            self.update(modules)

    def __getitem__(self, key: str) -> Module:
        return self._modules[key]

    def __setitem__(self, key: str, module: Module) -> None:
        self.add_module(key, module)

    def __delitem__(self, key: str) -> None:
        del self._modules[key]

    def __len__(self) -> int:
        return len(self._modules)

    def __iter__(self) -> Iterator[str]:
        return iter(self._modules)

    def __contains__(self, key: str) -> bool:
        return key in self._modules

    def clear(self) -> None:
        """Take all modules out."""
        self._modules.clear()

    def pop(self, key: str) -> Module:
        """Take a module out, and give it back."""
        found = self[key]
        del self[key]
        return found

    def keys(self) -> Any:
        """The names."""
        return self._modules.keys()

    def items(self) -> Any:
        """The names and modules."""
        return self._modules.items()

    def values(self) -> Any:
        """The modules."""
        return self._modules.values()

    def update(self, modules: Any) -> None:
        """Add modules, or replace them: from a mapping, or an iterable of pairs."""
        if not isinstance(modules, Iterable):
            raise TypeError(texts.UPDATE_NOT_PAIRS.format(name="ModuleDict", kind=type(modules).__name__))
        pairs = modules.items() if isinstance(modules, (ModuleDict, Mapping)) else _pairs("ModuleDict", modules)
        for key, module in pairs:
            self[key] = module


def _pairs(name: str, elements: Iterable) -> Iterator[tuple[Any, Any]]:
    """The pairs of a sequence of them; anything with a length of 2 is one."""
    pair: Any
    for i, pair in enumerate(elements):
        if not isinstance(pair, Iterable):
            raise TypeError(f"{name} update sequence element #{i} should be Iterable; is{type(pair).__name__}")
        found: Any = pair
        if len(found) != 2:
            raise ValueError(f"{name} update sequence element #{i} has length {len(found)}; 2 is required")
        yield found[0], found[1]


def _as_parameter(value: Any) -> Any:
    return Parameter(value) if isinstance(value, Tensor) and not isinstance(value, Parameter) else value


def _shown(key: Any, value: Any, kind: Any) -> str:
    """A line of the repr of parameters."""
    if not isinstance(value, Tensor):
        return f"  ({key}): Object of type: {type(value).__name__}"
    name = "Parameter" if isinstance(value, Parameter) else "Tensor"
    return f"  ({key}): {name} containing: [{kind(value)} of size {'x'.join(map(str, value.size()))}]"


class ParameterList(Module):
    """A list of parameters, which are parameters of whatever the list is assigned to; tensors become parameters.

    Arguments:
        values: parameters, tensors, or other objects.
    """

    def __init__(self, values: Iterable[Any] | None = None) -> None:
        super().__init__()
        self._size = 0
        if values is not None:
            self.extend(values)

    def __getitem__(self, idx: Any) -> Any:
        if isinstance(idx, slice):
            return self.__class__(self[i] for i in range(*idx.indices(len(self))))
        return getattr(self, str(_absolute(idx, len(self))))

    def __setitem__(self, idx: int, param: Any) -> None:
        setattr(self, str(_absolute(idx, len(self))), _as_parameter(param))

    def __len__(self) -> int:
        return self._size

    def __iter__(self) -> Iterator[Any]:
        return iter(self[i] for i in range(len(self)))

    def __iadd__(self, parameters: Iterable[Any]) -> Any:
        return self.extend(parameters)

    def __dir__(self) -> list[str]:
        return _without_numbers(super().__dir__())

    def append(self, value: Any) -> Any:
        """Add a parameter at the end; gives the list."""
        self._size += 1
        self[self._size - 1] = value
        return self

    def extend(self, values: Iterable[Any]) -> Any:
        """Add parameters at the end; gives the list."""
        if not isinstance(values, Iterable) or isinstance(values, Tensor):
            raise TypeError(f"ParameterList.extend should be called with an iterable, but got {type(values).__name__}")
        for value in values:
            self.append(value)
        return self

    def extra_repr(self) -> str:
        """A line for each parameter."""
        return "\n".join(_shown(i, value, lambda t: t.dtype) for i, value in enumerate(self))

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        raise RuntimeError("ParameterList should not be called.")


class ParameterDict(Module):
    """A dict of parameters, which are parameters of whatever the dict is assigned to; tensors become parameters.

    Arguments:
        parameters: a mapping from names to parameters, tensors or other objects, or an iterable of pairs.
    """

    def __init__(self, parameters: Any = None) -> None:
        super().__init__()
        self._keys: dict[str, None] = {}
        if parameters is not None:
            self.update(parameters)

    def _key_to_attr(self, key: Any) -> str:
        if not isinstance(key, str):
            raise TypeError(texts.KEY_NOT_STRING.format(kind=type(key).__name__))
        return key

    def __getitem__(self, key: str) -> Any:
        return getattr(self, self._key_to_attr(key))

    def __setitem__(self, key: str, value: Any) -> None:
        self._keys[key] = None
        setattr(self, self._key_to_attr(key), _as_parameter(value))

    def __delitem__(self, key: str) -> None:
        del self._keys[key]
        delattr(self, self._key_to_attr(key))

    def __len__(self) -> int:
        return len(self._keys)

    def __iter__(self) -> Iterator[str]:
        return iter(self._keys)

    def __reversed__(self) -> Iterator[str]:
        return reversed(self._keys)

    def __contains__(self, key: str) -> bool:
        return key in self._keys

    def copy(self) -> ParameterDict:
        """Another dict of the same parameters."""
        return ParameterDict(OrderedDict((k, self[k]) for k in self._keys))

    def setdefault(self, key: str, default: Any = None) -> Any:
        """What is there under a name, which is put there if there is nothing."""
        if key not in self:
            self[key] = default
        return self[key]

    def clear(self) -> None:
        """Take all parameters out."""
        for key in list(self._keys):
            del self[key]

    def pop(self, key: str) -> Any:
        """Take a parameter out, and give it back."""
        found = self[key]
        del self[key]
        return found

    def popitem(self) -> tuple[str, Any]:
        """Take the last parameter out, and give its name and itself back."""
        key, _ = self._keys.popitem()
        self._keys[key] = None
        return key, self.pop(key)

    def get(self, key: str, default: Any = None) -> Any:
        """The parameter of a name, or something else if there is none."""
        return self[key] if key in self._keys else default

    def fromkeys(self, keys: Iterable[str], default: Any = None) -> ParameterDict:
        """A dict with the same value under each name."""
        return ParameterDict((k, default) for k in keys)

    def keys(self) -> KeysView[str]:
        """The names."""
        return self._keys.keys()

    def items(self) -> Iterable[tuple[str, Any]]:
        """The names and parameters."""
        return ((k, self[k]) for k in self._keys)

    def values(self) -> Iterable[Any]:
        """The parameters."""
        return (self[k] for k in self._keys)

    def update(self, parameters: Any) -> None:
        """Add parameters, or replace them: from a mapping, or an iterable of pairs.

        Those of a mapping that keeps no order of its own are added in the order of their names.
        """
        if not isinstance(parameters, Iterable):
            raise TypeError(texts.UPDATE_NOT_PAIRS.format(name="ParametersDict", kind=type(parameters).__name__))
        if isinstance(parameters, (OrderedDict, ParameterDict)):
            pairs = parameters.items()
        elif isinstance(parameters, Mapping):
            pairs = sorted(parameters.items())
        else:
            pairs = _pairs("ParameterDict", parameters)
        for key, parameter in pairs:
            self[key] = parameter

    def extra_repr(self) -> str:
        """A line for each parameter."""
        return "\n".join(_shown(key, value, typename) for key, value in self.items())

    def __call__(self, input: Any) -> Any:
        raise RuntimeError("ParameterDict should not be called.")

    def __or__(self, other: ParameterDict) -> ParameterDict:
        found = self.copy()
        found.update(other)
        return found

    def __ror__(self, other: ParameterDict) -> ParameterDict:
        found = other.copy()
        found.update(self)
        return found

    def __ior__(self, other: ParameterDict) -> Any:
        self.update(other)
        return self


show_as_torch(__name__)
publish(__name__)
