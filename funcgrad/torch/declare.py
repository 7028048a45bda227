"""How functions become part of the torch namespace: `torch.f`, `tensor.f()`, `tensor.f_()` and `out=`.

`exports` collects the functions of `torch`; methods are installed on Tensor. A function is written once, out of place.
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from typing import Any

import numpy as np

from funcgrad.core.array import Array
from funcgrad.torch import inplace
from funcgrad.torch.arguments import C_NAMES
from funcgrad.torch.dtypes import can_cast
from funcgrad.torch.levels import check_no_fallback
from funcgrad.torch.modes import state
from funcgrad.torch.operation import NUMBERS, Operation, binary_function, new, unary_function
from funcgrad.torch.storage import pointer
from funcgrad.torch.tensor import Tensor
from funcgrad.torch.traced import copied

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


_EXACT = frozenset(("mm", "bmm", "addmm", "baddbmm", "mv", "addmv", "dot", "vdot", "matmul"))
"""Functions whose out= must have just the dtype of the result."""


def write_out(name: str, result: Any, out: Any, args: tuple = ()) -> Any:
    """Write results into the tensors given as out=, which are resized if need be."""
    check_no_fallback(f"{name}.out", *args)
    if isinstance(result, tuple):
        if not isinstance(out, (tuple, list)) or len(out) != len(result):
            raise TypeError(f"{name}(): argument 'out' must be tuple of Tensors, not {type(out).__name__}")
        found = [write_out(name, r, o, args) for r, o in zip(result, out, strict=True)]
        return type(result)(found) if type(result) is not tuple and hasattr(type(result), "_fields") else tuple(found)
    if not isinstance(out, Tensor):
        raise TypeError(f"{name}(): argument 'out' must be Tensor, not {type(out).__name__}")
    if state.grad and (out.requires_grad or result.requires_grad):
        raise RuntimeError(
            f"{name}(): functions with out=... arguments don't support automatic differentiation, but one of the "
            "arguments requires grad."
        )
    if out._tangent is not None or result._tangent is not None:
        raise NotImplementedError(
            f"Trying to use forward AD with {name}_out that does not support it because it is an out= function"
        )
    if name in _EXACT and out.dtype is not result.dtype:
        wanted, got = C_NAMES[result.dtype.name], C_NAMES[out.dtype.name]
        raise RuntimeError(f"Expected out tensor to have dtype {wanted}, but got {got} instead")
    if not can_cast(result.dtype, out.dtype):
        raise RuntimeError(
            f"result type {result.dtype.title} can't be cast to the desired output type {out.dtype.title}"
        )
    resized = out.shape != result.shape
    if resized:
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
    check_partial_overlap(out, args)
    inplace.store(out, result._value if result._plain else result._resolved())
    if not resized:  # which has moved the version on
        inplace.bump(out)
    return out


def check_partial_overlap(written: Tensor, operands: tuple) -> None:
    """Raise torch's error if an operand shares memory with what is written, but not element by element."""
    if written._store is None or isinstance(written._value, Array):
        return
    for a in operands:
        if isinstance(a, Tensor) and a is not written and a._store is written._store and type(a._value) is np.ndarray:
            x, y = written._value, a._value
            same = pointer(x) == pointer(y) and x.shape == y.shape and x.strides == y.strides
            dense = all(inplace.dense_strides(t.shape, t.stride()) for t in (written, a))
            if dense and not same and np.may_share_memory(x, y):
                raise RuntimeError(
                    "unsupported operation: some elements of the input tensor and the written-to tensor refer to a "
                    "single memory location. Please clone() the tensor before performing the operation."
                )


def in_place(f: Callable, name: str) -> Callable:
    """`x.f_(...)`: the result of f is written into x, with its history."""
    written = name + "_"

    def g(self: Tensor, *args: Any, **kwargs: Any) -> Tensor:
        inplace.check_inplace(self, *args, name=written, named=kwargs)
        inplace.check_overlap(self)
        check_partial_overlap(self, args)
        # hooks may keep what they are given, and so does a transform, whose argument is then written into
        kept = state.pack_hooks or isinstance(self._value, Array)
        result = f(former(self) if kept else self, *args, **kwargs)
        node = result._node
        if node is not None and node.saved and any(t is self for t, _, _ in node.saved):
            result = f(former(self), *args, **kwargs)  # what is saved is not to be written over
        return inplace.write(self, result)

    g.__name__ = g.__qualname__ = written
    g.__doc__ = f"As `{name}`, writing the result into this tensor."
    return g


_SIMPLE = frozenset((Tensor, float, int))


def type_name(x: Any) -> str:
    """The name of x's type as torch's errors have it."""
    kind = type(x)
    return f"numpy.{kind.__name__}" if kind.__module__ == "numpy" else kind.__name__


def check_tensor(name: str, x: Any, word: str = "input", position: int = 1) -> None:
    """Raise torch's error if an argument is no tensor."""
    if not isinstance(x, Tensor):
        raise TypeError(f"{name}(): argument '{word}' (position {position}) must be Tensor, not {type_name(x)}")


def check_operand(name: str, x: Any, word: str = "other", position: int = 2) -> None:
    """Raise torch's error if an argument is neither a tensor nor a number."""
    if not isinstance(x, (Tensor, *NUMBERS)):
        raise TypeError(f"{name}(): argument '{word}' (position {position}) must be Tensor, not {type_name(x)}")


def check_overloads(name: str, overloads: tuple[str, ...], *args: Any) -> None:
    """Raise torch's error if arguments fit none of a function's signatures."""
    from funcgrad.torch.signatures import Signatures

    Signatures(name, overloads).bind(args, {})


def explained(f: Callable, name: str, *texts: str, single: bool = False, method: bool = False) -> Callable:
    """f, a function in the torch namespace, whose errors about its arguments are in torch's words.

    Arguments:
        f: the function; it is called at once, and signatures are looked at only if the call fails.
        name: what errors call it.
        texts: its signatures, see `funcgrad.torch.signatures`.
        single: whether torch shows its one signature whatever is wrong.
        method: whether f is a method, whose first argument signatures leave out.
    """

    @functools.wraps(f)
    def g(*args: Any, **kwargs: Any) -> Any:
        try:
            return f(*args, **kwargs)
        except TypeError as error:
            trace = error.__traceback__
            if trace is not None and trace.tb_next is not None:
                raise  # f was entered: what is wrong was told there
        from funcgrad.torch.signatures import Signature, Signatures

        if single:
            signature = Signature(texts[0])
            got = []
            for k, x in enumerate((*args[method:], *kwargs.values())):
                fits = k < signature.positional and signature.parameters[k].accepts(x)
                got.append(type_name(x) if fits else f"!{type_name(x)}!")
            found = ", ".join(got)
            raise TypeError(
                f"{name}() received an invalid combination of arguments - got ({found}), but expected {texts[0]}"
            )
        return f(**Signatures(name, texts).bind(args, kwargs))

    return g


def install(name: str, public: Any, bound: Any, *, method: bool = True, inplace: Any = True, names: tuple[str, ...] = ()) -> None:  # fmt: skip  # noqa: E501
    """Put an elementwise function into torch, on Tensor, and with an underscore behind its name.

    `inplace` may be the function that gives what `name_` writes, where that is another one.
    """
    for n in (name, *names):
        exports[n] = public
        if method:
            setattr(Tensor, n, bound)
        if inplace:
            setattr(Tensor, n + "_", in_place(bound if inplace is True else inplace, n))


def former(x: Tensor) -> Tensor:
    """A tensor with a copy of x's values and with x's history, to be saved by an operation that writes into x."""
    t = new(Tensor)
    t._node, t._nr, t._requires, t._accumulate = x._made_by(), x._nr, x._requires, x._accumulate
    t._value, t._lazy, t._tangent, t._plain = copied(x._value), x._lazy, x._tangent, x._plain
    return t


def unary(
    op: Operation, name: str, doc: str, *, method: bool = True, inplace: Any = True, names: tuple[str, ...] = (),
    call: Callable | None = None,
) -> Callable:  # fmt: skip
    """Declare an elementwise function of one tensor: torch.name, .name() and .name_(), which torch has, too.

    `call` takes the place of the operation where there is something to check first. Gives the fast entry.
    """
    if call is None:
        call = unary_function(op)

    def public(input: Any, *, out: Any = None) -> Any:
        if type(input) is not Tensor:
            check_tensor(name, input)
        found = call(input)
        return found if out is None else write_out(name, found, out, (input,))

    public.__name__ = public.__qualname__ = call.__name__ = call.__qualname__ = name
    public.__doc__ = call.__doc__ = doc
    public = explained(public, name, "(Tensor input, *, Tensor out = None)")
    install(name, public, call, method=method, inplace=inplace, names=names)
    if inplace:
        for n in (name, *names):
            exports[n + "_"] = getattr(Tensor, n + "_")
    return call


def binary(
    op: Operation, name: str, doc: str, *, method: bool = True, inplace: Any = True, names: tuple[str, ...] = (),
    call: Callable | None = None, number: tuple[bool, bool] = (True, True), word: str = "other",
) -> Callable:  # fmt: skip
    """Declare an elementwise function of two operands: torch.name, .name() and .name_(). Gives the fast entry.

    `number` says which of the operands may be a Python number; `word` is what the second is called.
    """
    if call is None:
        call = binary_function(op)
    first, second = (check_operand if n else check_tensor for n in number)
    overloads = (
        ("(Tensor input, Tensor other, *, Tensor out = None)", "(Tensor input, Number other, *, Tensor out = None)")
        if number == (False, True)
        else ()
    )
    simple = [_SIMPLE if n else frozenset((Tensor,)) for n in number]
    simple_first, simple_second = simple

    def public(input: Any, other: Any, *, out: Any = None) -> Any:
        if type(input) not in simple_first or type(other) not in simple_second:
            if overloads:
                check_overloads(name, overloads, input, other)
            first(name, input, "input", 1)
            second(name, other, word, 2)
        found = call(input, other)
        return found if out is None else write_out(name, found, out, (input, other))

    def bound(self: Any, other: Any) -> Any:
        if type(other) not in simple_second:
            second(name, other, word, 1)
        return call(self, other)

    if word != "other":
        public, bound = _renamed(public, word), _renamed(bound, word)
    public.__name__ = public.__qualname__ = bound.__name__ = bound.__qualname__ = call.__name__ = name
    public.__doc__ = bound.__doc__ = doc
    public = explained(public, name, *(overloads or (f"(Tensor input, Tensor {word}, *, Tensor out = None)",)))
    install(name, public, bound, method=method, inplace=inplace, names=names)
    return call


def _renamed(f: Callable, word: str) -> Callable:
    """f, whose second operand may be given by another keyword than `other`."""

    def g(*args: Any, **kwargs: Any) -> Any:
        if word in kwargs:
            kwargs["other"] = kwargs.pop(word)
        return f(*args, **kwargs)

    return g


def operator(
    symbol: str, call: Callable, *, reflected: Callable | None = None, inplace: Callable | None = None
) -> None:
    """Install `x + y` and its kin: `symbol` is "add" for __add__, __radd__ and __iadd__.

    Operands that are neither tensors nor numbers are left to their own class, and then to Python's TypeError.

    Arguments:
        call: gives x + y for a tensor x.
        reflected: gives y + x for a tensor x and a number y, called with x first.
        inplace: `x.add_(y)`.
    """
    for prefix, f in (("", call), ("r", reflected), ("i", inplace)):
        if f is not None:
            setattr(Tensor, f"__{prefix}{symbol}__", _left_to_others(f, f"__{prefix}{symbol}__"))


def _left_to_others(f: Callable, name: str) -> Callable:
    def method(self: Any, other: Any) -> Any:
        if type(other) in _SIMPLE or isinstance(other, (Tensor, *NUMBERS)):
            return f(self, other)
        return NotImplemented

    method.__name__ = method.__qualname__ = name
    return method
