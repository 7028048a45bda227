"""`op`: the one row that declares an operation of torch, from which all that is public of it is derived.

    @op("logaddexp2", "(Tensor input, Tensor other, *, Tensor out = None)", kernel=LOGADDEXP2)
    def logaddexp2(input, other): ...

gives `torch.logaddexp2`, `Tensor.logaddexp2`, `out=`, torch's errors about arguments and a true `inspect.signature`. A
row says once: the name and where it is found, the signatures in PyTorch's spelling, the function that computes it (the
*body*), the operations that it records, the form that writes in place, and what errors call it.

The arguments are compared with the signatures before the body runs, which therefore runs once and sees arguments that
fit. That costs little, because whether arguments fit is mostly known from their types: an entry remembers which
combinations of types do, and looks at the arguments one by one only where a combination is new or a value decides.
"""

from __future__ import annotations

import functools
import inspect
import sys
from collections.abc import Callable, Sequence
from keyword import iskeyword
from typing import Any, NamedTuple

from funcgrad.torch.base import overloads
from funcgrad.torch.base.dtypes import dtype
from funcgrad.torch.base.generator import Generator
from funcgrad.torch.base.meta import Size, device, layout, memory_format
from funcgrad.torch.base.parameters import parameters
from funcgrad.torch.declare import kernels
from funcgrad.torch.declare.autocast import autocasting, uncast
from funcgrad.torch.declare.kernels import OPERANDS, chosen
from funcgrad.torch.declare.overrides import call_overriding, overriding
from funcgrad.torch.declare.signatures import (
    HIDDEN,
    Parameter,
    Signature,
    Signatures,
    have_room,
    method_form,
    plain_ints,
    without_out,
)
from funcgrad.torch.declare.writing import count_writes, in_place, write_out
from funcgrad.torch.tensor.fast import binary_function, unary_function
from funcgrad.torch.tensor.later import Functions, Later
from funcgrad.torch.tensor.members import add_member
from funcgrad.torch.tensor.operation import Operation
from funcgrad.torch.tensor.tensor import Tensor

ROWS: dict[str, Row] = {}
"""Every operation of torch, by name; those of a namespace as "linalg.inv", what is a method only as "Tensor.view"."""

namespaces = {space: Functions() for space in ("", "_nn", "fft", "linalg", "special")}
"""The functions of torch (""), torch.linalg, torch.fft, torch.special and torch._C._nn ("_nn"), by name."""

UNARY = "(Tensor input, *, Tensor out = None)"
"""The signature of an elementwise function of one tensor."""
TWO_TENSORS = "(Tensor input, Tensor other, *, Tensor out = None)"
WITH_NUMBER = (TWO_TENSORS, "(Tensor input, Number other, *, Tensor out = None)")
"""Those of one of two operands, the second of which may be a number."""
EITHER_NUMBER = (TWO_TENSORS, "(Number self, Tensor other, *, Tensor out = None)", WITH_NUMBER[1])
"""Those of one of two operands, either of which may be a number."""
EITHER_NUMBER_SHORT = (TWO_TENSORS, "(Number self, Tensor other)", WITH_NUMBER[1])
"""Those of such a function that takes out= only where the first is a tensor."""


class Row(NamedTuple):
    """What is declared of an operation; see `op`."""

    name: str
    signatures: tuple[str, ...]
    body: Callable
    has_method: bool
    inplace: bool | str | Callable
    names: dict[str, tuple[str, ...]]
    kernel: Any
    records: tuple[Operation, ...]
    into: Callable
    out_name: str
    exact: bool | str
    castable: str
    writes: int | tuple[int, int]


def op(
    name: str,
    *signatures: str,
    method: bool | None = None,
    inplace: bool | str | Callable = False,
    inplace_function: bool | tuple[str, ...] = False,
    names: Sequence[str] | dict[str, tuple[str, ...]] = (),
    kernel: Operation | Callable | None = None,
    records: Operation | Sequence[Operation] = (),
    into: Callable = kernels.into,
    out_name: str = "",
    exact: bool | str = False,
    castable: str = "",
    writes: int | tuple[int, int] = 0,
    form: str | Callable[[tuple, dict], str] = "",
    refusal: str | Callable[[tuple], str] = "",
    doc: str = "",
) -> Callable[[Callable | Operation], Any]:
    """Declare an operation. What is decorated is its body, and stays as it is for callers within the package.

    The body takes its arguments by torch's names, or in the same place where it calls them differently: one parameter
    may stand for `input` of one overload and `self` of another. It takes no out, unless it has a parameter of this
    name: functions that make tensors write into it themselves. It may be an `Operation`: that computes itself.

    Arguments:
        name: "sum" for torch.sum and Tensor.sum; "linalg.inv" for a function of a namespace; "Tensor.view" for what is
            a method only; "_nn.gelu" for what only torch.nn.functional shows.
        signatures: its overloads, as torch prints them; see `declare.signatures`. None: the function is written in
            Python in PyTorch, too, and Python itself compares the arguments.
        method: whether it is a method of tensors, too; by default a function of torch is one, that of a namespace not.
        inplace: whether there is `name_`, which writes the result into the tensor; or the function that computes what
            this one writes, if that is another than the body; or "itself": the body writes into the tensor when it is
            called with inplace=True.
        inplace_function: whether `name_` is in the namespace, too; a tuple says for which of the names.
        names: further names for the same thing; a dict says their own signatures (none: the same).
        kernel: the elementwise operation that it is, or a function that chooses it by the keywords. The shapes and
            dtypes of out= and of the tensor written in place are then looked at before anything is computed.
        records: the operations that it records, whose nodes grad_fn shows, where they are not just the kernel.
        into: what writes an elementwise result into out=, if not `kernels.into`.
        out_name: what errors about out= call it, if not by its name.
        exact: whether out= must have the very dtype of the result; a text says so in words of its own; "several": where
            there are several results.
        castable: "function: result", or several results: how errors call them where out= has a dtype that the result
            cannot be cast to.
        writes: how often torch writes into the results, see `declare.writing.count_writes`.
        form: the overload of `name_` that PyTorch's dispatcher names in errors of transforms: ".Tensor"; with a bar
            ".Tensor|.Scalar", the first if one of the arguments is a tensor; or a function of args and kwargs.
        refusal: how `name_` computes, as far as errors of vmap show it: one of the words in `base.overloads`.
        doc: the docstring, where the body is no function with a name and one.

    Raises:
        TypeError: there is a function or method of that name already.
    """

    def declare(given: Callable | Operation) -> Any:
        if name in ROWS:
            raise TypeError(f"torch's operation {name!r} is declared twice")
        body, computed = (_computing(given), kernel or given) if isinstance(given, Operation) else (given, kernel)
        if doc:
            body.__name__ = body.__qualname__ = name.rpartition(".")[2]
            body.__doc__, body.__module__ = doc, sys._getframe(1).f_globals["__name__"]
        if writes and computed is not None:
            body = _counting_kernel(body, writes, "" if chosen(computed, {}).result == "bool" else name)
        space, _, short = name.rpartition(".")
        if not signatures:
            body.__name__, body.__qualname__ = short, name  # as Python's errors about arguments call it
        body = autocasting(name, body)
        recorded = (records,) if isinstance(records, Operation) else records
        row = ROWS[name] = Row(
            name=name,
            signatures=signatures,
            body=body,
            has_method=(not space if method is None else method) or space == "Tensor",
            inplace=inplace,
            names=names if isinstance(names, dict) else dict.fromkeys(names, ()),
            kernel=computed,
            records=tuple([r for r in (computed, *recorded) if isinstance(r, Operation)]),
            into=into,
            out_name=out_name or name.removeprefix("Tensor.").removeprefix("_nn.").replace(".", "_"),
            exact=exact,
            castable=castable,
            writes=writes,
        )
        for n, own_signatures in {short: (), **row.names}.items():
            texts = own_signatures or signatures
            if space != "Tensor":
                add_function(space, n, _function(row, n, texts))
            if row.has_method:
                add_member(Tensor, n, _method(row, n, texts))
            if inplace:
                add_member(Tensor, n + "_", _written(row, n, method_forms(texts), method=True))
                if inplace_function is True or (inplace_function and n in inplace_function):
                    add_function(space, n + "_", _written(row, n, tuple([without_out(t) for t in texts]), method=False))
            if form or refusal:
                overloads.say(n.rstrip("_") + "_", form, refusal)
        return body

    return declare


def _computing(operation: Operation) -> Callable:
    """The function that an elementwise operation of one tensor, or of two operands, is."""
    return unary_function(operation) if len(operation.operands) == 1 else binary_function(operation)


def add_function(space: str, name: str, f: Callable) -> None:
    """Have a namespace show a function.

    Raises:
        TypeError: it has one of that name.
    """
    into = namespaces[space]
    if name in into:
        raise TypeError(f"torch.{space + '.' * bool(space)}{name} is declared twice")
    into[name] = f


def announce(module: str, functions: Sequence[str], methods: Sequence[str]) -> None:
    """Have what a module declares found by its names, which load it.

    Arguments:
        module: its name.
        functions: "sum", "linalg.inv".
        methods: of Tensor.
    """
    for name in functions:
        space, _, short = name.rpartition(".")
        namespaces[space].later[short] = module
    for name in methods:
        if name not in vars(Tensor):
            setattr(Tensor, name, Later(Tensor, name, module))


# The three things that are made of a body.


def _function(row: Row, name: str, texts: tuple[str, ...]) -> Callable:
    """torch.name."""
    if not texts:
        return row.body
    space = row.name.rpartition(".")[0]
    known_as = name if space in ("", "_nn") else f"{space}_{name}"
    shown = _presented(_entry(row, row.body, known_as, texts), row.body, known_as, texts)
    if space == "_nn":  # modules hold such functions, and pickles of these name the place where they are found
        shown.__module__ = "funcgrad.torch.nn.functional"
    return shown


def _method(row: Row, name: str, texts: tuple[str, ...]) -> Callable:
    """Tensor.name."""
    texts = method_forms(texts)
    if not texts or (texts == ("()",) and row.kernel is not None):
        return row.body
    return _presented(_entry(row, row.body, name, texts, method=True), row.body, name, texts, method=True)


def _written(row: Row, name: str, texts: tuple[str, ...], method: bool) -> Callable:
    """Tensor.name_ or torch.name_, which writes what the body computes into the tensor."""
    body: Any = row.inplace if callable(row.inplace) else uncast(row.body)
    recorded = row.kernel is None or chosen(row.kernel, {}).result != "bool" or row.inplace is not True
    if row.inplace == "itself":
        g: Any = functools.partial(body, inplace=True)
        g.__doc__ = f"As `{name}`, writing the result into this tensor."
    else:
        g = in_place(body, name, row.kernel, recorded=recorded)
    g.__module__ = body.__module__
    entry = _entry(row, g, name + "_", texts, method=method, parameters=("self", *parameters_of(body)[1:]))
    return _presented(entry, g, name + "_", texts, method)


def method_forms(texts: tuple[str, ...]) -> tuple[str, ...]:
    """The signatures of a method: without the first argument, which is the tensor itself, and out=."""
    first = {t: t.rstrip(")").partition(",")[0] for t in texts}
    own = [t for t in texts if first[t].endswith((" input", " beta"))]
    if not any(first[t].endswith(" input") for t in own):
        own = list(texts)
    return tuple([method_form(t) for t in own if not t.startswith("(Number self")])


def _counting_kernel(body: Callable, writes: Any, name: str) -> Callable:
    """A function of one tensor, whose results torch writes into; of its name, if autograd sees the writing."""

    @functools.wraps(body)
    def call(x: Any) -> Any:
        if not x._inference:
            return body(x)
        if name:
            kernels.check_not_recorded(name, x)
        found = body(x)
        count_writes(found, writes)
        return found

    return call


# Entries.


def _entry(
    row: Row,
    body: Callable,
    name: str,
    texts: tuple[str, ...],
    *,
    method: bool = False,
    parameters: tuple[str, ...] = (),
) -> Callable:
    """The function that compares arguments with signatures, and calls the body.

    Arguments:
        row: what it is of.
        body: what computes it.
        name: what errors call it.
        texts: the signatures.
        method: whether the first argument is the tensor itself, and no part of the signatures.
        parameters: the names of the body's parameters, where its own are not those.
    """
    fits: set[tuple] = set()  # types of arguments that are the body's
    packs: set[tuple] = set()  # types of ints that make up one of the body's arguments
    selves = 1 if method else 0
    tuples = _TUPLES if any("tuple of " in t for t in texts) else frozenset()  # types of which what they hold decides
    counted = row.writes and row.kernel is None and not parameters
    signatures: Any = None
    space = row.name.rpartition(".")[0]

    def entry(*args: Any, **kwargs: Any) -> Any:
        if not kwargs:  # the commonest calls, for which the general way costs as much as a small sum
            n = len(args)
            if n == 1:
                (x,) = args
                if (type(x),) in fits and not (counted and x._inference):
                    return body(x)
                if type(x) in tuples and (_kind(x),) in fits and not counted:
                    return body(x)
            elif n == 2:
                x, y = args
                if (type(x), type(y)) in fits and not (counted and x._inference):
                    return body(x, y)
                if type(y) in tuples and (type(x), _kind(y)) in fits and not (counted and x._inference):
                    return body(x, y)
            elif n == 3:
                x, y, z = args
                if (type(x), type(y), type(z)) in fits and not (counted and x._inference):
                    return body(x, y, z)
        key = (*map(type, args), *kwargs, *map(type, kwargs.values())) if kwargs else tuple(map(type, args))
        if key in packs and have_room(args[selves:]):
            args = (*args[:selves], args[selves:])
        elif key not in fits:
            args, kwargs, write = compared(args, kwargs, key)
            if write is not None:
                return write(lambda: uncast(body)(*args, **kwargs))
        found = body(*args, **kwargs)  # from here in any case: warnings count the calls up to the user's
        if counted and args and args[0]._inference:
            count_writes(found, row.writes)
        return found

    def compared(args: tuple, kwargs: dict[str, Any], key: tuple) -> tuple[tuple, dict[str, Any], Any]:
        """The arguments as the body takes them, and what writes its result into out=, if that is given."""
        nonlocal signatures, parameters
        if not tuples.isdisjoint(key):
            key = (*map(_kind, args), *kwargs, *map(_kind, kwargs.values()))
            if key in fits:
                return args, kwargs, None
        if signatures is None:
            signatures, parameters = Signatures(name, texts), parameters or parameters_of(body)
        try:
            signature, bound = signatures.match(args[selves:], kwargs)
        except TypeError:
            others = overriding((*args, *kwargs.values()))
            if not others:
                raise
            function = vars(Tensor)[name] if method else namespaces[space][name.removeprefix(f"{space}_")]
            known_as = f"{'torch._C.TensorBase' if method else 'torch'}.{name}"
            return args, kwargs, lambda compute: call_overriding(function, known_as, others, args, kwargs)
        if signature in signatures.deprecated:
            signatures.advise_against(signature, stacklevel=3)
        out = None if "out" in parameters else bound.pop("out", None)
        if "out" not in kwargs and (args or not counted):
            fit = _fit(signature, bound, args[selves:], kwargs, parameters[selves:])
            if fit is not None:
                (fits if fit else packs).add(key)
        args, kwargs = _placed(signature, bound, parameters[selves:], args[:selves])
        return args, kwargs, None if out is None else functools.partial(_into, row, name, out, bound)

    return entry


def _into(row: Row, name: str, out: Any, bound: dict[str, Any], compute: Callable) -> Any:
    """The result, written into out=.

    Arguments:
        row: of the operation.
        name: of the function.
        out: what was given as out=.
        bound: the other arguments, by torch's names.
        compute: a function of no arguments that gives the result.
    """
    if row.kernel is None:
        result = compute()
        asked = isinstance(bound.get("dtype"), dtype)  # that of the result was named, too
        exact = isinstance(result, tuple) if row.exact == "several" else row.exact or asked
        return write_out(name, result, out, tuple(bound.values()), exact, row.castable)
    operands = tuple([a for n, a in bound.items() if n in OPERANDS and a is not None])
    return row.into(row.out_name, chosen(row.kernel, bound), operands, out, compute)


def _placed(
    signature: Signature, bound: dict[str, Any], parameters: tuple[str, ...], selves: tuple
) -> tuple[tuple, dict[str, Any]]:
    """Arguments as a body takes them: by place as long as none is left out, others by name.

    What the body does not know by the signature's name is what it has names of its own for, in the same order.
    """
    names = [p.name for p in signature.parameters]
    own = dict(
        zip((n for n in names if n not in parameters), (n for n in parameters if n and n not in names), strict=False)
    )
    given = dict(bound) if "**" in parameters else {own.get(n, n): x for n, x in bound.items()}
    args = list(selves)
    for n in parameters:
        if n not in given:
            break
        args.append(given.pop(n))
    return tuple(args), given


_DECIDED = frozenset((bool, int, float, complex, str, type(None), dtype, device, layout, memory_format, Generator))
"""Types of which every value fits where one does."""


_TUPLES = frozenset((tuple, list, Size))
"""Types of which what they hold decides."""
_INTS, _TENSORS = {int}, {Tensor}


def _kind(x: Any) -> Any:
    """The type of an argument; of a tuple or list what it holds, if that is all ints or all tensors."""
    kind = type(x)
    if kind in _TUPLES and x:
        inside = set(map(type, x))
        if inside == _INTS:
            return "ints" if have_room(x) else kind
        if inside == _TENSORS or all(issubclass(k, Tensor) for k in inside):
            return "tensors"
    return kind


def _fit(
    signature: Signature,
    bound: dict[str, Any],
    args: tuple,
    kwargs: dict[str, Any],
    parameters: tuple[str, ...],
) -> bool | None:
    """How the body can be called with all arguments of these types; None if values decide, or names differ.

    Arguments:
        signature: which they fit.
        bound: the arguments by its names.
        args, kwargs: the arguments as they were given.
        parameters: of the body.
    """
    for p in signature.parameters:
        if p.name in bound and not _decides(p, bound[p.name]):
            return None
    if any(bound.get(n) is not x or (n not in parameters and "**" not in parameters) for n, x in kwargs.items()):
        return None
    if "**" in parameters and [n for n in bound if n in kwargs] != list(kwargs):
        return None  # the body would see the keywords in another order
    if signature.int_list and args and type(args[0]) is int:
        return False if plain_ints(args) else None
    if parameters[:1] == ("*",):
        return True if all(x is a for x, a in zip(bound.values(), args, strict=False)) else None
    if len(args) > len(parameters) or any(x is not a for x, a in zip(bound.values(), args, strict=False)):
        return None
    for n, own in zip(tuple(bound)[: len(args)], parameters, strict=False):
        if n != own and n in parameters:
            return None
    return True


def _decides(p: Parameter, x: Any) -> bool:
    """Whether every argument of x's type fits this parameter, as x does."""
    if p.type in ("Any", "object"):
        return True
    if isinstance(x, Tensor):
        return p.type == "Tensor"
    if type(x) in _TUPLES:
        return {"tuple of Tensors": "tensors", "tuple of ints": "ints"}.get(p.type) == _kind(x)
    return type(x) in _DECIDED


def parameters_of(f: Callable) -> tuple[str, ...]:
    """The names of a function's parameters: "*" and "**" are those for all other arguments, and one without a name
    stands before those that are keywords only."""
    found = parameters(f)
    mark = ("*",) if found.further else ("",) if found.by_keyword else ()
    return (*found.by_place, *mark, *found.by_keyword, *(("**",) if found.options else ()))


# What is seen of them.


class _Shown:
    """Gives `inspect.signature` what torch writes, when it is asked for: no import pays for it.

    It stands where the function would that a public one wraps, for there `inspect` asks first.
    """

    def __init__(self, texts: tuple[str, ...], method: bool, declared_in: str) -> None:
        self.texts, self.method, self.declared_in = texts, method, declared_in

    @property
    def __signature__(self) -> inspect.Signature:
        return shown_signature(self.texts, self.method)


def _presented(g: Any, body: Callable, name: str, texts: tuple[str, ...], method: bool = False) -> Any:
    g.__name__ = g.__qualname__ = name
    g.__doc__, g.__module__ = body.__doc__, body.__module__
    g.__wrapped__ = _Shown(texts, method, body.__module__)
    return g


def shown_signature(texts: tuple[str, ...], method: bool = False) -> inspect.Signature:
    """What Python shows of a function that torch writes so: the longest overload; what others lack is optional.

    Example:
        >>> from funcgrad.torch.declare.op import shown_signature
        >>> str(shown_signature(("(Tensor input)", "(Tensor input, int dim, bool keepdim = False)")))
        "(input: 'Tensor', dim: 'int' = None, keepdim: 'bool' = False)"
    """
    forms = [Signature(t) for t in texts if t[0] not in HIDDEN]
    longest = max(forms, key=lambda s: len(s.parameters))
    everywhere = set.intersection(*[{p.name for p in s.parameters} for s in forms])
    found = [inspect.Parameter("self", inspect.Parameter.POSITIONAL_ONLY)] if method else []
    optional = False
    for p in longest.parameters:
        kind = inspect.Parameter.KEYWORD_ONLY if p.keyword_only else inspect.Parameter.POSITIONAL_OR_KEYWORD
        optional = not p.keyword_only and (optional or p.optional or p.name not in everywhere)
        default = p.default if p.optional else None if optional or p.name not in everywhere else inspect.Parameter.empty
        shown = p.name + "_" * iskeyword(p.name)  # `from`, which Python takes in a dict of keywords only
        found.append(inspect.Parameter(shown, kind, default=default, annotation=p.type))
    return inspect.Signature(found)
