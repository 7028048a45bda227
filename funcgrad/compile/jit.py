"""`jit`: record a function once for each set of shapes and dtypes, and run it compiled from then on."""

from __future__ import annotations

import functools
import inspect
import sys
import types
from collections.abc import Callable, Iterable, Sequence
from typing import Any, NamedTuple

import numpy as np

import funcgrad.compile.native.backend
import funcgrad.compile.numpy_backend  # noqa: F401  (they register themselves)
from funcgrad.compile.arguments import DTYPES, Given, is_hollow
from funcgrad.compile.backends import backend as backend_named
from funcgrad.compile.backends import default_backend
from funcgrad.compile.compiled import Compiled
from funcgrad.compile.cost import Cost
from funcgrad.compile.disable import disabled, switches
from funcgrad.compile.entry import entry
from funcgrad.compile.programs import Programs, programs_of
from funcgrad.compile.signature import Marked, check_disjoint, marked
from funcgrad.compile.stages import Lowered, Traced
from funcgrad.compile.tiers import TIERS, background
from funcgrad.core import tree
from funcgrad.core.array import NATIVE, Array, wrap
from funcgrad.core.trace import Tracer, innermost, observer, running
from funcgrad.core.types import PyTree
from funcgrad.core.weak import Weak, is_weak
from funcgrad.errors import ArgumentError
from funcgrad.transforms.arguments import weak_or_value
from funcgrad.transforms.make_tape import ShapeTrace, recording
from funcgrad.transforms.vmap import BatchTrace

_NUMBERS: dict[type, Callable] = {kind: dtype.type for kind, dtype in DTYPES.items()} | {Weak: lambda x: x._leave("")}
"""How what has no dtype of its own goes into a program."""


class CacheInfo(NamedTuple):
    """How often a compiled function found its program made already."""

    hits: int
    misses: int
    currsize: int


class Jitted:
    """A function that runs compiled; made by `jit`."""

    def __init__(self, f: Callable, static: Marked, backend: str, programs: Programs | None = None) -> None:
        functools.update_wrapper(self, f, updated=())
        self.__dict__.update({k: v for k, v in getattr(f, "__dict__", {}).items() if not k.startswith("__")})
        self.f, self.static, self._backend = f, static, backend
        self.backend = backend_named(backend)
        self._programs = programs_of(f, (static, backend)) if programs is None else programs
        self._flat = self._programs.flat
        self._hits = self._misses = 0

    def __call__(self, /, *args: Any, **kwargs: Any) -> PyTree:
        if not switches[0] and observer.get() is None:
            for short_way in self._programs.entries:
                out = short_way(args, kwargs)
                if out is not NotImplemented:
                    self._hits += 1
                    return out
        return self._general(args, kwargs)

    def _general(self, args: tuple, kwargs: dict) -> PyTree:
        if _interpreted():
            return self.f(*tree.map(_as_array, args), **tree.map(_as_array, kwargs))
        key = None if kwargs or self.static.numbers else _flat_key(args)
        compiled = self._programs.traced.get(key)
        if compiled is not None:
            self._hits += 1
            return compiled.result(compiled.call(*args))
        compiled = self._flat.get(key)
        if compiled is not None:
            try:
                values = [_NUMBERS[type(x)](x) if type(x) in _NUMBERS else x for x in args]
            except OverflowError:  # an int that fits no int64
                compiled = None
            else:
                self._hits += 1
                self._enter(compiled, args, kwargs)
                return compiled.result(compiled.kernel(*[x._value if type(x) is Array else x for x in values]))
        given = Given(self.f, args, kwargs, self.static)
        if running() and recording() is None and given.key in self._programs.closing:
            self._misses += 1
            return uncompiled(given)
        compiled = self._compiled(given)
        if compiled.kernel is not None:
            self._enter(compiled, args, kwargs)
        out = compiled(given)
        if key is None or compiled.constants or compiled.call.recorded:
            return out
        if any(isinstance(x, Tracer) for x in args):
            if all(isinstance(x, Array) and not is_weak(x) for x in args):
                self._programs.traced[key] = compiled
        elif all(self._plain(x, compiled) for x in args):
            self._flat[key] = compiled
        return out

    def _enter(self, compiled: Compiled, args: tuple, kwargs: dict) -> None:
        def second_call() -> Callable | None:
            if self._backend == TIERS:
                background.add(compiled)
            return entry(args, kwargs, self.static, compiled)

        self._programs.enter(compiled, second_call)

    def _plain(self, x: Any, compiled: Compiled) -> bool:
        """Whether the kernel may take an argument as it is."""
        if type(x) is np.ndarray:
            return not compiled.shows_inputs and x.dtype in NATIVE
        return type(x) is Array or type(x) in _NUMBERS or isinstance(x, np.generic)

    def _compiled(self, given: Given) -> Compiled:
        """The program for these arguments."""
        try:
            compiled = self._programs.found(given.key)
        except Exception as e:  # whatever goes wrong where the user's values are compared
            raise ArgumentError(
                f"jit: static arguments should be comparable using __eq__, for the program made for a value is found "
                f"by that value; comparing those of {getattr(self.f, '__name__', self.f)} raised {e!r}"
            ) from e
        if compiled is None:
            self._misses += 1
            return self._programs.add(given.key, Compiled(given, self.backend))
        self._hits += 1
        return compiled

    def __funcgrad_transformed__(self, key: tuple, function: Callable, same: bool) -> Callable:
        """A transform of this function, compiled as a whole (transforms/whole.py).

        Arguments:
            key: the name of the transform, and its options.
            function: the transformed function.
            same: whether it takes the arguments that this one takes; then the same ones are static.

        Returns:
            A compiled function, or the function as it is if some option cannot be hashed.
        """
        try:
            programs = self._programs.transformed.setdefault(key, Programs())
        except TypeError:
            return function
        return Jitted(function, self.static if same else Marked((), ()), self._backend, programs)

    def __get__(self, instance: Any, owner: Any = None) -> Any:
        return self if instance is None else types.MethodType(self, instance)

    def __reduce__(self) -> Any:
        """By its name where it has one, as functions are pickled; programs do not go along."""
        name = getattr(self, "__qualname__", "")
        if "." not in name and getattr(sys.modules.get(self.__module__), name, None) is self:
            return name
        return Jitted, (self.f, self.static, self._backend)

    def __repr__(self) -> str:
        """As JAX writes it: programs that tell compiled functions apart look for the word."""
        try:
            return f"<PjitFunction of {self.__wrapped__!r}>"  # type: ignore[attr-defined]  # set by update_wrapper
        except Exception:  # whatever goes wrong in the repr of the function
            return "<PjitFunction>"

    def trace(self, /, *args: Any, **kwargs: Any) -> Traced:
        """The program for arguments like these, as it is recorded. A ShapeDtypeStruct may stand for an array."""
        compiled = self._compiled(Given(self.f, args, kwargs, self.static, abstract=True))
        return Traced(compiled, compiled.tape)

    def lower(self, /, *args: Any, **kwargs: Any) -> Lowered:
        """The program for arguments like these, after all passes."""
        return self.trace(*args, **kwargs).lower()

    def source(self, /, *args: Any, **kwargs: Any) -> str:
        """What the backend makes of the program for arguments like these."""
        return self.lower(*args, **kwargs).compile().source

    def cost(self, /, *args: Any, **kwargs: Any) -> Cost:
        """What the program for arguments like these costs, after all passes."""
        return self.lower(*args, **kwargs).compile().cost()

    def eval_shape(self, /, *args: Any, **kwargs: Any) -> PyTree:
        """Shapes and dtypes of the result for arguments like these."""
        return self.trace(*args, **kwargs).out_info

    def cache_info(self) -> CacheInfo:
        """Calls that found a program, calls that had to make one, and how many there are."""
        return CacheInfo(self._hits, self._misses, self._cache_size())

    def _cache_size(self) -> int:
        return len(self._programs.by_key)

    def clear_cache(self) -> None:
        """Forget all programs."""
        self._programs.clear()
        self._hits = self._misses = 0


def _flat_key(args: tuple) -> Any:
    """Shapes, dtypes and classes of arguments that are arrays and numbers; None if some are neither."""
    try:
        return tuple([_number_key(x) if type(x) in _NUMBERS else (x.shape, x.dtype, type(x)) for x in args])
    except AttributeError:
        return None


def _number_key(x: Any) -> Any:
    return (Weak, x.dtype) if type(x) is Weak else type(x)


def uncompiled(given: Given) -> PyTree:
    """The result of a function that closes over values of a transform, so that no program of it can be kept.

    Compiling a function that runs once takes longer than running it.
    """

    def array(x: Any) -> Any:
        return x if is_hollow(x) else wrap(weak_or_value(x, lambda: "jit: the result of the function"))

    return tree.map(array, given.call(given.arrays()))


def _interpreted() -> bool:
    """Whether compiled functions run uncompiled here.

    Besides `disable_jit` that is so while `debug.nans` looks on, which wants to see the lines of the function, in
    `eval_shape`, which runs nothing, and in a vmap whose axis has a name, for what a collective operation does depends
    on what is around the function.
    """
    if disabled() or observer.get() is not None:
        return True
    trace = innermost()
    while trace is not None:
        if type(trace) is ShapeTrace or (isinstance(trace, BatchTrace) and trace.axis_name is not None):
            return True
        trace = trace.outer
    return False


def _as_array(x: Any) -> Any:
    return Array(x) if type(x) is np.ndarray and x.dtype.kind in "biufc" else x


def jit(
    f: Callable | None = None,
    *,
    in_shardings: Any = None,
    out_shardings: Any = None,
    static_argnums: int | Sequence[int] | None = None,
    static_argnames: str | Iterable[str] | None = None,
    donate_argnums: int | Sequence[int] | None = None,
    donate_argnames: str | Iterable[str] | None = None,
    keep_unused: bool = False,
    device: Any = None,
    backend: str | None = None,
    inline: bool = False,
    compiler_options: dict[str, Any] | None = None,
) -> Any:
    """Compile a function: record it once for each set of shapes and dtypes, simplify it, and run it as NumPy code.

    Arguments:
        f: a function of pytrees of arrays that returns one. It must have no side effects, and decide nothing by the
            values of its arguments, but those that are static. Left out, `jit` is a decorator with options.
        static_argnums, static_argnames: arguments that are no arrays, by position or name; they must be hashable, and
            the function is recorded anew for each value. If just one of the two is given the other is inferred.
        donate_argnums, donate_argnames: accepted as in JAX, as a hint that the caller needs these no more.
        backend: "numpy"; "native", machine code for what of the program gains by it, made by LLVM (the extra `native`);
            "native_only", an error if that is not all of it; "eager", which runs the program operation by operation,
            for debugging. "cpu" is "numpy".
        in_shardings, out_shardings, device: accepted as in JAX, where arrays lie on devices; here there is one.
        keep_unused, inline, compiler_options: accepted as in JAX; compiled functions inside compiled ones are always
            inlined.

    Returns:
        A function with the arguments and results of f, which passes through every transform. It has the methods `trace`
        and `lower` (the program before and after simplification), `source`, `cost`, `eval_shape`, `cache_info`,
        `clear_cache`.

    Raises:
        ArgumentError: f is no function, or does not have an argument that is singled out.
        NoValueError: when it is called: f asks for a number, as `if x > 0` and `float(x)` do.

    Example:
        >>> f = fg.jit(lambda x: fnp.sin(x) * 1.0)
        >>> f(fnp.zeros(2))
        Array([0., 0.], dtype=float64)
        >>> print(f.lower(fnp.zeros(2)))
        tape(a: float64[2]):
          b: float64[2] = sin(a)
          return b

    Source: the convention is that of `jax.jit` (https://docs.jax.dev/en/latest/_autosummary/jax.jit.html).
    """
    if f is None:
        return functools.partial(
            jit,
            static_argnums=static_argnums,
            static_argnames=static_argnames,
            donate_argnums=donate_argnums,
            donate_argnames=donate_argnames,
            backend=backend,
        )
    if isinstance(f, staticmethod):
        raise ArgumentError(f"jit: staticmethod arguments are not supported, got {f}; put @staticmethod above @jit")
    if not callable(f):
        raise ArgumentError(f"Expected a callable value, got {f!r} of type {type(f).__name__}: jit takes a function")
    if inspect.isgeneratorfunction(f):
        raise ArgumentError(f"Expected a function, got a generator function: {f}. jit needs one that returns")
    static = marked(f, static_argnums, static_argnames, "static")
    check_disjoint(static, marked(f, donate_argnums, donate_argnames, "donate"))
    return Jitted(f, static, default_backend() if backend in (None, "cpu") else backend)
