"""How elementwise functions become part of torch: `torch.f`, `tensor.f()`, `tensor.f_()`, under all their names.

Each has an operation, which decides in what dtype operands meet, and signatures, with which arguments are compared if
they are not the usual ones.
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from typing import Any

from funcgrad.torch.declare.declare import SIMPLE, count_writes, exports, in_place
from funcgrad.torch.declare.kernels import OPERANDS, check_not_recorded, chosen, into
from funcgrad.torch.declare.signatures import Signature, Signatures, method_form
from funcgrad.torch.tensor.fast import binary_function, unary_function
from funcgrad.torch.tensor.operation import Operation
from funcgrad.torch.tensor.tensor import Tensor

operations: dict[str, Operation] = {}
"""The operations of the functions declared here, by name."""

EITHER_NUMBER = (
    "(Tensor input, Tensor other, *, Tensor out = None)",
    "(Number self, Tensor other, *, Tensor out = None)",
    "(Tensor input, Number other, *, Tensor out = None)",
)
"""The signatures of a function of two operands, either of which may be a number."""
EITHER_NUMBER_SHORT = (EITHER_NUMBER[0], "(Number self, Tensor other)", EITHER_NUMBER[2])
"""Those of such a function that takes out= only where the first is a tensor."""


@functools.cache
def _signatures(name: str, texts: tuple[str, ...]) -> Signatures:
    return Signatures(name, texts)


def bound_arguments(name: str, texts: tuple[str, ...], args: tuple, kwargs: dict[str, Any]) -> dict[str, Any]:
    """Arguments by torch's names; torch's TypeError if they fit none of the signatures."""
    return _signatures(name, texts).bind(args, kwargs)


def _as_signature(text: str) -> inspect.Signature:
    """What Python shows of a function that torch writes so."""
    found: list[inspect.Parameter] = []
    kind: Any = inspect.Parameter.POSITIONAL_OR_KEYWORD
    for part in text[1:-1].split(", "):
        if part == "*":
            kind = inspect.Parameter.KEYWORD_ONLY
        elif part:
            declared, _, default = part.partition(" = ")
            found.append(inspect.Parameter(declared.rpartition(" ")[2], kind, default={"": inspect.Parameter.empty, "1": 1}.get(default)))  # fmt: skip  # noqa: E501
    return inspect.Signature(found)


def _presented(g: Any, name: str, doc: str | None, text: str) -> Any:
    g.__name__ = g.__qualname__ = name
    g.__doc__, g.__signature__ = doc, _as_signature(text)
    return g


def elementwise(
    op: Operation | Callable, name: str, *texts: str, method: bool = True, inplace: Any = True,
    names: dict[str, tuple] | None = None, namespace_inplace: bool = False, out_name: str = "", into: Callable = into,
) -> Callable:  # fmt: skip
    """Declare an elementwise function of several operands: torch.name, .name() and .name_().

    The function that is declared takes its arguments by torch's names, but no out; it may raise any TypeError if they
    are not of the type that it expects.

    Arguments:
        op: the operation that it is, whose promotion decides what it can be written into; or a function that chooses
            it by the keywords.
        name: of the function.
        texts: its signatures, see `funcgrad.torch.declare.signatures`.
        method: whether it is a method, too.
        inplace: whether there is `name_`; or the function that gives what this writes.
        names: further names, and their signatures (none: the same).
        namespace_inplace: whether torch has `name_`, too.
        out_name: what errors about out= call it, if not by its name.
        into: writes the result into out=, if not `kernels.into`.
    """

    def declare(f: Callable) -> Callable:
        operations[name] = chosen(op, {})
        for n, own in {name: texts, **(names or {})}.items():
            forms = own or texts
            exports[n] = function_of(f, op, n, forms, out_name or name, into)
            if method:
                setattr(Tensor, n, method_of(f, n, forms))
            if inplace:
                g = method_of(f if inplace is True else inplace, n + "_", forms)
                g = in_place(g, n, op, _fitting(n + "_", _of_method(forms)))
                setattr(Tensor, n + "_", g)
                if namespace_inplace:
                    exports[n + "_"] = g
        return f

    return declare


def _of_method(texts: tuple[str, ...]) -> tuple[str, ...]:
    return tuple([method_form(t) for t in texts if not t.startswith("(Number self")])


def function_of(
    f: Callable, op: Operation | Callable, name: str, texts: tuple[str, ...], out_name: str = "", into: Callable = into
) -> Callable:
    """The function in the namespace that is f, with out=."""

    def public(*args: Any, **kwargs: Any) -> Any:
        if kwargs and kwargs.get("out") is not None:
            bound = bound_arguments(name, texts, args, kwargs)
            out = bound.pop("out")
            operands = tuple([a for n, a in bound.items() if n in OPERANDS and a is not None])
            arguments = [bound.pop(n) for n in tuple(bound) if n in OPERANDS and n not in ("min", "max")]
            return into(out_name or name, chosen(op, kwargs), operands, out, lambda: f(*arguments, **bound))
        try:
            return f(*args, **kwargs)
        except (TypeError, AttributeError) as error:
            return _again(f, name, texts, args, kwargs, error)

    return _presented(public, name, f.__doc__, texts[0])


def method_of(f: Callable, name: str, texts: tuple[str, ...]) -> Callable:
    """The method that is f, whose signatures as a function are these."""
    texts = _of_method(texts)

    def method(self: Any, *args: Any, **kwargs: Any) -> Any:
        try:
            return f(self, *args, **kwargs)
        except (TypeError, AttributeError) as error:
            return _again(f, name, texts, args, kwargs, error, (self,))

    return _presented(method, name, f.__doc__, "(Tensor self" + (", " + texts[0][1:] if texts[0] != "()" else ")"))


def _again(f: Callable, name: str, texts: tuple, args: tuple, kwargs: dict, error: Exception, first: tuple = ()) -> Any:
    """The call of f with its arguments by torch's names, or torch's error if they do not fit."""
    if type(error) is AttributeError and error.name != "_value":  # of what is no tensor
        raise error
    bound = bound_arguments(name, texts, args, kwargs)
    bound.pop("out", None)
    if bound.keys() == kwargs.keys():
        raise error
    arguments = [bound.pop(n) for n in tuple(bound) if n in OPERANDS and n not in ("min", "max")]
    return f(*first, *arguments, **bound)


def _fitting(name: str, texts: tuple[str, ...]) -> Callable:
    """A function of args and kwargs that raises torch's TypeError if they fit none of the signatures."""
    needed = Signature(texts[0]).fewest
    simple = SIMPLE if needed < 2 and any("Number" in t or "Tensor+" in t for t in texts) else frozenset((Tensor,))

    def fits(args: tuple, kwargs: dict[str, Any]) -> None:
        if kwargs or len(args) != needed or not simple.issuperset(map(type, args)):
            bound_arguments(name, texts, args, kwargs)

    return fits


_WITH_OUT, _WITHOUT_OUT = ("(Tensor input, *, Tensor out = None)",), ("(Tensor input)",)


def unary(
    op: Operation, name: str, doc: str, *, method: bool = True, inplace: Any = True, names: tuple[str, ...] = (),
    call: Callable | None = None, out: bool = True, writes: int = 0, out_name: str = "",
) -> Callable:  # fmt: skip
    """Declare an elementwise function of one tensor: torch.name, .name() and .name_(), which torch has, too.

    Arguments:
        op: the operation.
        name: of the function.
        doc: its docstring.
        method: whether it is a method, too.
        inplace: whether there is `name_`; or the function that gives what this writes.
        names: further names.
        call: takes the place of the operation where there is something to check first.
        out: whether it takes out=.
        writes: how often torch writes into the result, see `declare.count_writes`.
        out_name: what errors about out= call it, if not by its name.
    """
    if call is None:
        call = unary_function(op)
    if writes:
        call = _counting(call, writes, "" if op.result == "bool" else name)
    call.__name__ = call.__qualname__ = name
    call.__doc__ = doc
    operations[name] = op
    for n in (name, *names):
        exports[n] = unary_in_namespace(call, op, n, doc, out_name or name, out)
        if method:
            setattr(Tensor, n, call)
        if inplace:
            g = in_place(call if inplace is True else inplace, n, op, recorded=op.result != "bool")
            setattr(Tensor, n + "_", g)
            exports[n + "_"] = g
    return call


def _counting(f: Callable, writes: int, name: str) -> Callable:
    """f, which torch works out by writing into the result; its name, if autograd sees that."""

    def call(x: Any) -> Any:
        if not x._inference:
            return f(x)
        if name:
            check_not_recorded(name, x)
        found = f(x)
        count_writes(found, writes)
        return found

    return call


def unary_in_namespace(
    call: Callable, op: Operation, name: str, doc: str, out_name: str, takes_out: bool = True
) -> Callable:
    """torch.name for a function of one tensor."""
    texts = _WITH_OUT if takes_out else _WITHOUT_OUT

    def public(*args: Any, **kwargs: Any) -> Any:
        if not kwargs and len(args) == 1 and isinstance(args[0], Tensor):
            return call(args[0])
        bound = bound_arguments(name, texts, args, kwargs)
        x, out = bound["input"], bound.get("out")
        return call(x) if out is None else into(out_name, op, (x,), out, lambda: call(x))

    return _presented(public, name, doc, texts[0])


def binary(
    op: Operation, name: str, doc: str, *, method: bool = True, inplace: Any = True, names: Any = (),
    call: Callable | None = None, number: tuple[bool, bool] = (True, True), word: str = "other",
    texts: tuple[str, ...] = (),
) -> Callable:  # fmt: skip
    """Declare an elementwise function of two operands: torch.name, .name() and .name_(). Gives the fast entry.

    Arguments:
        op: the operation.
        name: of the function.
        doc: its docstring.
        method: whether it is a method, too.
        inplace: whether there is `name_`; or the function that gives what this writes.
        names: further names; a dict of them has signatures of their own.
        call: takes the place of the operation where there is something to check first.
        number: which of the operands may be a Python number.
        word: what the second is called.
        texts: signatures; by default one, or one for each type of the second operand.
    """
    if call is None:
        call = binary_function(op)
    if not texts:
        texts = (
            ("(Tensor input, Tensor other, *, Tensor out = None)", "(Tensor input, Number other, *, Tensor out = None)")
            if number == (False, True)
            else (f"(Tensor{'+' * number[0]} input, Tensor{'+' * number[1]} {word}, *, Tensor out = None)",)
        )
    call.__name__ = name
    call.__doc__ = doc
    operations[name] = op
    for n in (name, *names):
        _binary(op, n, name, call, (names[n] if isinstance(names, dict) and n in names else ()) or texts, doc, method, inplace)  # fmt: skip  # noqa: E501
    return call


def _binary(
    op: Operation, name: str, out_name: str, call: Callable, texts: tuple[str, ...], doc: str, method: bool,
    inplace: Any,
) -> None:  # fmt: skip
    short = _of_method(texts)
    first = SIMPLE if any(t.startswith(("(Tensor+", "(Number")) for t in texts) else frozenset((Tensor,))
    fits = any(" Number " in t or "Tensor+" in t.partition(",")[2] for t in texts)
    second = SIMPLE if fits else frozenset((Tensor,))

    def public(*args: Any, **kwargs: Any) -> Any:
        if not kwargs and len(args) == 2:
            x, y = args
            if type(x) in first and type(y) in second and (type(x) is Tensor or type(y) is Tensor):
                return call(x, y)
        bound = bound_arguments(name, texts, args, kwargs)
        out = bound.pop("out", None)
        x, y = bound.values()
        return call(x, y) if out is None else into(out_name, op, (x, y), out, lambda: call(x, y))

    exports[name] = _presented(public, name, doc, texts[0])
    if method:
        setattr(Tensor, name, _binary_method(call, name, short, second, doc))
    if inplace:
        g = _binary_method(call if inplace is True else inplace, name + "_", short, second, doc)
        recorded = op.result != "bool" or inplace is not True
        setattr(Tensor, name + "_", in_place(g, name, op, _fitting(name + "_", short), recorded))


def _binary_method(call: Callable, name: str, texts: tuple[str, ...], simple: frozenset, doc: str) -> Callable:
    def bound(self: Any, *args: Any, **kwargs: Any) -> Any:
        if not kwargs and len(args) == 1 and type(args[0]) in simple:
            return call(self, args[0])
        (other,) = bound_arguments(name, texts, args, kwargs).values()
        return call(self, other)

    return _presented(bound, name, doc, "(Tensor self, " + texts[0][1:])
