"""All that a function can read when it is called: what a compiled program depends on besides its arguments.

A program is recorded by running the function once. It stays right as long as the function would run the same way again,
so everything that its lines can reach is looked at: the globals that they name, closures, attributes of modules and
other objects, classes and their methods. Where something is reached whose state cannot be seen (a file, an iterator, a
generator of random numbers) or that has effects (`print`), the function is not recorded.
"""

from __future__ import annotations

import dis
import enum
import functools
import sys
from collections import OrderedDict, defaultdict
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from types import (
    BuiltinFunctionType,
    CodeType,
    FunctionType,
    MethodDescriptorType,
    MethodType,
    ModuleType,
    WrapperDescriptorType,
)
from typing import Any
from weakref import ReferenceType

import numpy as np

from funcgrad.torch._dynamo.exc import Unsupported
from funcgrad.torch.base.dtypes import dtype
from funcgrad.torch.base.meta import device, layout, memory_format
from funcgrad.torch.nn.modules.module import Module
from funcgrad.torch.nn.parameter import Parameter
from funcgrad.torch.optim.optimizer import Optimizer
from funcgrad.torch.tensor.tensor import Tensor
from funcgrad.torch.texts import compilation as texts

SIMPLE = (type(None), bool, int, float, complex, str, bytes)
_LEAVES = frozenset((
    *SIMPLE, type(...), type(NotImplemented), range, slice, np.dtype, dtype, device, layout, memory_format,
    MethodDescriptorType, WrapperDescriptorType,
))  # fmt: skip
_OWN = str(Path(__file__).parents[2])
_PURE_MODULES = frozenset((
    "_abc", "_collections", "_collections_abc", "_functools", "_operator", "abc", "builtins", "collections",
    "dataclasses", "enum", "functools", "itertools", "math", "operator", "typing", "typing_extensions", "types",
))  # fmt: skip
"""Libraries whose functions give the same result for the same arguments, and have no effects."""
_BUILTINS = frozenset((
    "__import__", "breakpoint", "compile", "delattr", "eval", "exec", "exit", "globals", "id", "input", "locals",
    "open", "print", "quit", "vars",
))  # fmt: skip
"""Built-in functions with effects, or with results that are not known from their arguments."""
_ATTRIBUTES = frozenset((
    "_base", "_grad", "_value", "_version", "autocast", "autograd", "checkpoint", "data", "data_ptr", "fork_rng",
    "get_rng_state", "grad_fn", "initial_seed", "is_contiguous", "is_grad_enabled", "is_inference",
    "is_leaf", "manual_seed", "numpy", "register_hook", "requires_grad", "requires_grad_", "resize_",
    "retain_grad", "retains_grad", "seed", "set_", "set_rng_state", "share_memory_", "storage",
    "storage_offset", "stride", "tolist", "untyped_storage",
))  # fmt: skip
"""Attributes of tensors and of the library that tell more than a program knows: values, memory, history, modes."""
_TRAINING = frozenset((
    "backward", "clip_grad_norm", "clip_grad_norm_", "clip_grad_value_", "clip_grads_with_norm_", "get_total_norm",
    "grad", "step", "zero_grad",
))  # fmt: skip
"""What training steps do with gradients that tensors hold: a program of `step.Step` knows of them."""
_NUMPY = frozenset((
    "fromfile", "load", "memmap", "random", "save",
))  # fmt: skip
_CLASS_DETAILS = frozenset((
    "__abstractmethods__", "__annotations__", "__dict__", "__doc__", "__firstlineno__", "__module__",
    "__orig_bases__", "__parameters__", "__qualname__", "__static_attributes__", "__weakref__", "_abc_impl",
))  # fmt: skip
_MISSING = object()


class Reach:
    """What a function reaches.

    Arguments:
        roots: the function, and whatever else a call of it starts from.

    Attributes:
        tensors: those that programs take as further arguments.
        dicts, lists, sets, cells: what holds something else.
        names: globals, as (namespace, name).
        objects: those whose class counts.
        references: weak references to tensors.
        optimizers: built-in ones.
        trains: whether gradients that tensors hold are read or written.

    Raises:
        Unsupported: something is reached that no program can be sure of.
    """

    def __init__(self, *roots: Any) -> None:
        self.tensors: dict[int, Any] = {}
        self.dicts: list[Any] = []
        self.lists: list[list] = []
        self.sets: list[set] = []
        self.cells: list[Any] = []
        self.names: list[tuple[dict, str]] = []
        self.objects: list[Any] = []
        self.references: list[Any] = []
        self.optimizers: list[Optimizer] = []
        self.trains = False
        self._seen: dict[int, Any] = {}  # keeps them alive, for ids are used again
        self._todo = list(roots)
        while self._todo:
            x = self._todo.pop()
            if type(x) not in _LEAVES and id(x) not in self._seen:
                self._seen[id(x)] = x
                self._visit(x)

    def _visit(self, x: Any) -> None:
        for kind, visit in _VISITS:
            if isinstance(x, kind):
                visit(self, x)
                return
        self._object(x)

    def _tensor(self, x: Any) -> None:
        if type(x) not in (Tensor, Parameter):
            raise Unsupported(texts.REACHES.format(what=f"a {type(x).__name__}"))
        self.tensors[id(x)] = x

    def _dict(self, x: Any) -> None:
        if type(x) not in (dict, OrderedDict, defaultdict):
            raise Unsupported(texts.REACHES.format(what=f"a {type(x).__name__}"))
        if any(isinstance(key, Tensor) for key in x):
            raise Unsupported(texts.REACHES.format(what="a tensor as a key"))
        self.dicts.append(x)
        self._todo += x
        self._todo += x.values()

    def _list(self, x: Any) -> None:
        if type(x) is not list:
            raise Unsupported(texts.REACHES.format(what=f"a {type(x).__name__}"))
        self.lists.append(x)
        self._todo += x

    def _reference(self, x: Any) -> None:
        if not isinstance(x(), Tensor):
            raise Unsupported(texts.REACHES.format(what="a weak reference"))
        self.references.append(x)
        self._todo.append(x())

    def _set(self, x: Any) -> None:
        if type(x) is not set or any(type(e) not in SIMPLE for e in x):
            raise Unsupported(texts.REACHES.format(what=f"a {type(x).__name__}"))
        self.sets.append(x)

    def _tuple(self, x: Any) -> None:
        if any(isinstance(e, Tensor) for e in x):
            raise Unsupported(texts.REACHES.format(what="a tensor in a tuple"))
        self._todo += x

    def _method(self, x: Any) -> None:
        if isinstance(x.__self__, Tensor):
            raise Unsupported(texts.REACHES.format(what="a method of a tensor"))
        self._todo += (x.__func__, x.__self__)

    def _wrapper(self, x: Any) -> None:
        self._todo.append(x.__func__)

    def _property(self, x: Any) -> None:
        self._todo += (x.fget, x.fset, x.fdel)

    def _partial(self, x: Any) -> None:
        self._todo += (x.func, x.args, x.keywords)

    def _builtin(self, x: Any) -> None:
        module = x.__module__ or type(x.__self__).__module__
        if module not in _PURE_MODULES or (module == "builtins" and x.__name__ in _BUILTINS):
            raise Unsupported(texts.CALLS.format(name=x.__name__))
        if x.__self__ is not None and not isinstance(x.__self__, ModuleType):
            self._todo.append(x.__self__)

    def _function(self, f: Any) -> None:
        if getattr(f, "_torchdynamo_disable", False):
            raise Unsupported(texts.CALLS.format(name=f.__name__))
        original = getattr(f, "_torchdynamo_orig_callable", None) or getattr(f, "__wrapped__", None)
        if callable(original):  # what shows a signature is not
            self._todo.append(original)
        if f.__code__.co_filename.startswith(_OWN):
            return
        for defaults in (f.__defaults__, f.__kwdefaults__):
            if defaults:
                self._todo.append(defaults)
        for cell in f.__closure__ or ():
            self.cells.append(cell)
            with suppress(ValueError):  # empty until the function around has got further
                self._value(cell.cell_contents, f.__code__)
        self._code(f.__code__, f.__globals__)

    def _code(self, code: CodeType, namespace: dict) -> None:
        """What lines of code name."""
        self.trains |= not _TRAINING.isdisjoint(code.co_names)
        told = _ATTRIBUTES.intersection(code.co_names)
        if told:
            raise Unsupported(texts.USES.format(name=code.co_name, what=", ".join(sorted(told))))
        for instruction in dis.get_instructions(code):
            kind, name = instruction.opname, instruction.argval
            if kind in ("STORE_GLOBAL", "DELETE_GLOBAL", "IMPORT_NAME"):
                raise Unsupported(texts.USES.format(name=code.co_name, what=f"{kind.lower()} {name}"))
            if kind in ("LOAD_GLOBAL", "LOAD_NAME"):
                if name in namespace:
                    self._named(namespace, name, code)
                elif name in _BUILTINS:
                    raise Unsupported(texts.CALLS.format(name=name))
                else:
                    self.names.append((namespace, name))  # not to be hidden by a global later
        for constant in code.co_consts:
            if isinstance(constant, CodeType):
                self._code(constant, namespace)

    def _named(self, namespace: dict, name: str, code: CodeType) -> None:
        self.names.append((namespace, name))
        self._value(namespace[name], code)

    def _value(self, value: Any, code: CodeType) -> None:
        """What lines of code have a name for."""
        if isinstance(value, ModuleType):
            self._module_of_python(value, code)
        else:
            self._todo.append(value)

    def _module_of_python(self, module: ModuleType, code: CodeType) -> None:
        """A module of Python; which of its names are read is not known, but it is one of those in the code."""
        name = module.__name__
        top = name.partition(".")[0]
        if top in ("funcgrad", "torch") or name in _PURE_MODULES:
            return
        if top == "numpy" and not _NUMPY.intersection(code.co_names) and "random" not in name:
            return
        if top in sys.stdlib_module_names or top == "numpy" or "getattr" in code.co_names:
            raise Unsupported(texts.USES.format(name=code.co_name, what=f"the module {name}"))
        for attribute in code.co_names:
            value = vars(module).get(attribute, _MISSING)
            if value is not _MISSING and (vars(module), attribute) not in self.names:
                self._named(vars(module), attribute, code)

    def _namespace(self, x: ModuleType) -> None:
        """A module of Python that an attribute holds: which lines look into it is not known."""
        if x.__name__.partition(".")[0] not in ("funcgrad", "torch") and x.__name__ not in _PURE_MODULES:
            raise Unsupported(texts.REACHES.format(what=f"the module {x.__name__}"))

    def _module(self, x: Any) -> None:
        """A torch.nn.Module, which may have no hooks."""
        for name, held in vars(x).items():
            if (
                name.endswith(("_hooks", "_hooks_with_kwargs", "_hooks_always_called"))
                and held
                and "state_dict" not in name
            ):
                raise Unsupported(texts.HOOKS.format(kind=type(x).__name__))
        self._object(x)

    def _optimizer(self, x: Optimizer) -> None:
        """An optimiser of torch.optim; programs are given its learning rates, and the tensors of its state."""
        if type(x).__module__.partition(".")[0] != "torch":
            raise Unsupported(texts.REACHES.format(what=f"a {type(x).__name__}"))
        if any(held for name, held in vars(x).items() if "_step_" in name):
            raise Unsupported(texts.HOOKS.format(kind=type(x).__name__))
        self.optimizers.append(x)
        self._seen[id(x.state)] = x.state  # its keys are tensors
        self._todo += (type(x), vars(x), *x.state, *x.state.values())

    def _class(self, c: type) -> None:
        for k in c.__mro__:
            top = k.__module__.partition(".")[0]
            if k.__module__ == "torch.autograd.function":
                raise Unsupported(texts.REACHES.format(what=f"the class {c.__name__}"))
            if k.__module__ in _PURE_MODULES or top in ("torch", "funcgrad"):
                continue
            if top in sys.stdlib_module_names and k.__module__ != "__main__":
                raise Unsupported(texts.REACHES.format(what=f"the class {k.__name__}"))
            self.dicts.append(vars(k))
            for name, member in vars(k).items():
                if isinstance(member, Tensor):
                    raise Unsupported(texts.REACHES.format(what="a tensor of a class"))
                if name not in _CLASS_DETAILS:
                    self._todo.append(member)

    def _object(self, x: Any) -> None:
        """An object whose state is its attributes."""
        c = type(x)
        if isinstance(x, (enum.Enum, np.generic)):
            return
        own = c.__module__.partition(".")[0] in ("torch", "funcgrad") and not isinstance(x, Module)
        if own or not hasattr(x, "__dict__") or any("__slots__" in vars(k) and vars(k)["__slots__"] for k in c.__mro__):
            raise Unsupported(texts.REACHES.format(what=f"a {c.__name__}"))
        self.objects.append(x)
        self._todo += (c, vars(x))


_VISITS: list[tuple[Any, Callable[[Reach, Any], None]]] = [
    (Tensor, Reach._tensor),
    (Module, Reach._module),
    (Optimizer, Reach._optimizer),
    (ModuleType, Reach._namespace),
    (type, Reach._class),
    (FunctionType, Reach._function),
    (MethodType, Reach._method),
    (BuiltinFunctionType, Reach._builtin),
    (dict, Reach._dict),
    (list, Reach._list),
    (set, Reach._set),
    (ReferenceType, Reach._reference),
    ((tuple, frozenset), Reach._tuple),
    ((staticmethod, classmethod), Reach._wrapper),
    (property, Reach._property),
    (functools.partial, Reach._partial),
]
