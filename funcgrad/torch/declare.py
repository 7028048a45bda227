"""How functions become part of the torch namespace: `torch.f`, `tensor.f()`, `tensor.f_()` and `out=`.

`exports` collects the functions of `torch`; methods are installed on Tensor. A function is written once, out of place.
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from typing import Any

from funcgrad.torch import inplace
from funcgrad.torch.dtypes import can_cast
from funcgrad.torch.operation import Operation, binary_function, unary_function
from funcgrad.torch.tensor import Tensor

exports: dict[str, Any] = {}
"""The functions of the torch namespace, by name."""


def function(
    *, method: bool = True, out: bool = False, inplace: bool = False, export: bool = True, names: tuple[str, ...] = ()
) -> Callable:
    """Declare a torch function.

    Arguments:
        method: whether it is a method of tensors, too.
        out: whether it takes out=, a tensor (or a tuple of them) to write the result to.
        inplace: whether there is `name_`, which writes the result into the tensor.
        export: whether it is in the torch namespace.
        names: further names for the same thing.
    """

    def declare(f: Callable) -> Callable:
        name = f.__name__
        public = with_out(f) if out else f
        for n in (name, *names):
            if export:
                exports[n] = public
            if method:
                setattr(Tensor, n, public)
            if inplace:
                g = in_place(f, n)
                setattr(Tensor, n + "_", g)
                exports[n + "_"] = g
        return public

    return declare


def with_out(f: Callable) -> Callable:
    """f with the keyword out=."""

    @functools.wraps(f)
    def g(*args: Any, out: Any = None, **kwargs: Any) -> Any:
        if out is None:
            return f(*args, **kwargs)
        return write_out(f.__name__, f(*args, **kwargs), out, args)

    g.__signature__ = _with_out_parameter(f)  # type: ignore[attr-defined]
    return g


def _with_out_parameter(f: Callable) -> inspect.Signature:
    signature = inspect.signature(f)
    parameters = [p for p in signature.parameters.values() if p.kind is not p.VAR_KEYWORD]
    extra = inspect.Parameter("out", inspect.Parameter.KEYWORD_ONLY, default=None)
    return signature.replace(parameters=[*parameters, extra])


def write_out(name: str, result: Any, out: Any, args: tuple = ()) -> Any:
    """Write results into the tensors given as out=, which are resized if need be."""
    if isinstance(result, tuple):
        if not isinstance(out, (tuple, list)) or len(out) != len(result):
            raise TypeError(f"{name}(): argument 'out' must be tuple of Tensors, not {type(out).__name__}")
        found = [write_out(name, r, o, args) for r, o in zip(result, out, strict=True)]
        return type(result)(found) if type(result) is not tuple and hasattr(type(result), "_fields") else tuple(found)
    if not isinstance(out, Tensor):
        raise TypeError(f"{name}(): argument 'out' must be Tensor, not {type(out).__name__}")
    from funcgrad.torch.modes import state

    if state.grad and (out.requires_grad or result.requires_grad):
        raise RuntimeError(
            f"{name}(): functions with out=... arguments don't support automatic differentiation, but one of the "
            "arguments requires grad."
        )
    if not can_cast(result.dtype, out.dtype):
        raise RuntimeError(f"result type {result.dtype.title} can't be cast to the desired output type {out.dtype.title}")
    if out.shape != result.shape:
        if out.numel():
            import warnings

            warnings.warn(
                f"An output with one or more elements was resized since it had shape {list(out.shape)}, which does not "
                f"match the required output shape {list(result.shape)}. This behavior is deprecated, and in a future "
                "PyTorch release outputs will not be resized unless they have zero elements. You can explicitly reuse "
                "an out tensor t by resizing it, inplace, to zero elements with t.resize_(0).",
                UserWarning,
                stacklevel=4,
            )
        out.resize_(result.shape)
    inplace.store(out, result._value if result._plain else result._resolved())
    inplace.bump(out)
    return out


def in_place(f: Callable, name: str) -> Callable:
    """`x.f_(...)`: the result of f is written into x, with its history."""

    def g(self: Tensor, *args: Any, **kwargs: Any) -> Tensor:
        inplace.check_inplace(self, *args, *kwargs.values())
        inplace.check_overlap(self)
        return inplace.write(self, f(self, *args, **kwargs))

    g.__name__ = g.__qualname__ = name + "_"
    g.__doc__ = f"As `{name}`, writing the result into this tensor."
    return g


def unary(op: Operation, name: str, doc: str, *, method: bool = True, inplace: bool = True, names: tuple[str, ...] = ()) -> Callable:  # fmt: skip  # noqa: E501
    """Declare an elementwise function of one tensor: torch.name, .name() and .name_()."""
    call = unary_function(op)

    def public(input: Any, *, out: Any = None) -> Any:
        if type(input) is not Tensor and not isinstance(input, Tensor):
            raise TypeError(f"{name}(): argument 'input' (position 1) must be Tensor, not {type(input).__name__}")
        found = call(input)
        return found if out is None else write_out(name, found, out, (input,))

    public.__name__ = public.__qualname__ = call.__name__ = call.__qualname__ = name
    public.__doc__ = call.__doc__ = doc
    for n in (name, *names):
        exports[n] = public
        if method:
            setattr(Tensor, n, call)
        if inplace:
            exports[n + "_"] = in_place(call, n)
            setattr(Tensor, n + "_", exports[n + "_"])
    return call


def binary(op: Operation, name: str, doc: str, *, method: bool = True, inplace: bool = True, names: tuple[str, ...] = ()) -> Callable:  # fmt: skip  # noqa: E501
    """Declare an elementwise function of two operands: torch.name, .name() and .name_(). Gives the fast entry."""
    call = binary_function(op)

    def public(input: Any, other: Any, *, out: Any = None) -> Any:
        found = call(input, other)
        return found if out is None else write_out(name, found, out, (input, other))

    def bound(self: Any, other: Any) -> Any:
        return call(self, other)

    public.__name__ = public.__qualname__ = bound.__name__ = bound.__qualname__ = call.__name__ = name
    public.__doc__ = bound.__doc__ = doc
    for n in (name, *names):
        exports[n] = public
        if method:
            setattr(Tensor, n, bound)
        if inplace:
            exports[n + "_"] = in_place(bound, n)
            setattr(Tensor, n + "_", exports[n + "_"])
    return call


def operator(symbol: str, call: Callable, *, reflected: bool = True, inplace: bool = True) -> None:
    """Install `x + y` and its kin: `symbol` is "add" for __add__, __radd__ and __iadd__."""

    def forward(self: Any, other: Any) -> Any:
        try:
            return call(self, other)
        except _NotAnOperand:
            return NotImplemented

    forward.__name__ = f"__{symbol}__"
    setattr(Tensor, f"__{symbol}__", call if not reflected else forward)
    if reflected:

        def backward(self: Any, other: Any) -> Any:
            return call(other, self)

        backward.__name__ = f"__r{symbol}__"
        setattr(Tensor, f"__r{symbol}__", backward)
    if inplace:
        g = in_place(call, f"__i{symbol}")
        setattr(Tensor, f"__i{symbol}__", g)


class _NotAnOperand(TypeError):
    """An operand that no tensor knows what to do with."""
