"""A pickle machine for files that are not trusted: tensors and plain containers, and nothing else.

A pickle is a program for a machine with a stack. This one knows the instructions that files of `torch.save` are made
of. A name in the file stands for an entry of a table, never for what Python would import. Calling is allowed for the
few entries of `_MAKERS`, each of which checks its arguments and makes no more than the file holds; state is set only on
objects that the file itself has made, and never in the place of a method. Whoever loads the file may trust further
classes and functions (`torch.serialization.add_safe_globals`); these are called with whatever the file says.
https://docs.pytorch.org/docs/stable/notes/serialization.html#weights-only-security
"""

from __future__ import annotations

import codecs
import struct
import warnings
from _compat_pickle import IMPORT_MAPPING, NAME_MAPPING
from collections import Counter, OrderedDict
from collections.abc import Callable, Mapping
from pickle import UnpicklingError, decode_long
from types import BuiltinFunctionType, FunctionType
from typing import IO, Any

from funcgrad.torch.base import dtypes, meta
from funcgrad.torch.base.storage import TypedStorage, UntypedStorage
from funcgrad.torch.ops import copying, parameter
from funcgrad.torch.ops.parameter import Parameter
from funcgrad.torch.serialization.file_names import NAMES, name_of
from funcgrad.torch.tensor.tensor import Tensor
from funcgrad.torch.texts import serialization as texts

PLAIN: dict[tuple[str, str], Any] = {
    ("collections", "OrderedDict"): OrderedDict,
    ("collections", "Counter"): Counter,
    ("_codecs", "encode"): codecs.encode,
    **{("builtins", c.__name__): c for c in (set, bytearray, complex)},
}
"""What a file may name beside torch's own."""

_BLOCKED = ("sys", "os", "posix", "nt")
_CONTAINERS = (dict, OrderedDict, Counter)
_KEY_SIZE, _KEY_DEPTH = 1000, 50  # Python hashes a tuple anew each time, with all that is in it
_PROTOCOL = 2
_NAMED = (type, FunctionType, BuiltinFunctionType)  # what can be called under a name


# What a file may call. Each maker takes the arguments that the file gives, and refuses what torch.save never writes.


def _encode(args: tuple) -> bytes:
    """The bytes that a file spells as text: pickle's protocol 2 has none."""
    text, encoding = args
    if type(text) is not str or encoding not in ("latin1", "latin-1"):
        raise TypeError
    return text.encode("latin-1")


def _bytearray(args: tuple) -> bytearray:
    if len(args) == 2:
        return bytearray(_encode(args))
    return bytearray(*[x for x in args if _is(x, bytes)])


def _complex(args: tuple) -> complex:
    real, imaginary = args
    return complex(float(_is(real, float, int)), float(_is(imaginary, float, int)))


def _set(args: tuple) -> set:
    return {_key(x) for members in args[:1] for x in _is(members, list, tuple)}


def _ordered(args: tuple) -> OrderedDict:
    made: OrderedDict = OrderedDict()
    for pairs in args[:1]:
        for pair in _is(pairs, list, tuple):
            key, value = _is(pair, list, tuple)
            made[_key(key)] = value
    return made


def _counter(args: tuple) -> Counter:
    return Counter(*[_is(x, dict) for x in args[:1]])


def _size(args: tuple) -> meta.Size:
    (sizes,) = args
    return meta.Size(_ints(sizes))


def _device(args: tuple) -> meta.device:
    name, *index = args
    return meta.device(_is(name, str), *[_int(i) for i in index[:1]])


def _tensor(args: tuple) -> Tensor:
    storage, offset, size, stride, requires_grad, _hooks, *bits = args
    bits = [{k: _is(v, bool) for k, v in _is(b, dict).items()} for b in bits[:1] if b is not None]
    place = _int(offset), _ints(size), _ints(stride)
    return copying.rebuild_tensor(_is(storage, TypedStorage), *place, _is(requires_grad, bool), None, *bits)


def _tensor_of_dtype(args: tuple) -> Tensor:
    storage, offset, size, stride, requires_grad, _hooks, dtype, *bits = args
    if bits and bits[0] is not None:
        raise TypeError
    place = _int(offset), _ints(size), _ints(stride)
    held = _is(storage, TypedStorage, UntypedStorage)
    return copying.rebuild_tensor_of_dtype(held, *place, _is(requires_grad, bool), None, _is(dtype, dtypes.dtype))


def _parameter(args: tuple) -> Any:
    data, requires_grad, _hooks = args
    return parameter.rebuild_parameter(_is(data, Tensor), _is(requires_grad, bool), None)


def _parameter_with_state(args: tuple) -> Any:
    *plain, state = args
    return _with_attributes(_parameter(tuple(plain)), state)


def _empty_tensor(args: tuple) -> Tensor:
    if args:
        raise TypeError
    return Tensor()


_TOO_EARLY = "the file ends before its pickle does"

_MAKERS: dict[Any, Callable[[tuple], Any]] = {
    copying.rebuild_tensor: _tensor,
    copying.rebuild_tensor_of_dtype: _tensor_of_dtype,
    parameter.rebuild_parameter: _parameter,
    parameter.rebuild_parameter_with_state: _parameter_with_state,
    meta._restored_size: _size,
    meta.as_device: _device,
    OrderedDict: _ordered,
    Counter: _counter,
    set: _set,
    bytearray: _bytearray,
    complex: _complex,
    codecs.encode: _encode,
    Tensor: _empty_tensor,
}
_NEW = (Tensor, OrderedDict, Counter, set)  # classes that NEWOBJ may make, as a call does


def shown(x: Any) -> str:
    """x in a message. A few bytes of a file can make an object that takes for ever to print."""
    if isinstance(x, (*_NAMED, int, float, type(None))):
        return repr(x)
    if isinstance(x, (str, bytes)) and len(x) <= 100:
        return repr(x)
    if type(x) in (tuple, list, dict, set) and not x:
        return repr(x)
    return f"an object of {type(x)}"


def _is(x: Any, *kinds: type) -> Any:
    """x, which must be of one of these types."""
    if not isinstance(x, kinds) or (type(x) is bool and bool not in kinds):
        raise TypeError
    return x


def _int(x: Any) -> int:
    if not -(2**63) <= _is(x, int) < 2**63:
        raise OverflowError
    return x


def _ints(x: Any) -> tuple[int, ...]:
    return tuple([_int(n) for n in _is(x, tuple, list)])


def _key(x: Any) -> Any:
    """x, which is to be a key of a dict or a member of a set."""
    left, waiting = _KEY_SIZE, [(x, _KEY_DEPTH)]
    while waiting:
        part, depth = waiting.pop()
        left -= 1
        if left < 0 or depth == 0:
            raise UnpicklingError(texts.KEY_TOO_LARGE.format(size=_KEY_SIZE))
        if isinstance(part, tuple):
            waiting.extend([(p, depth - 1) for p in part[: left + 1]])
    try:
        hash(x)
    except TypeError as e:
        raise UnpicklingError(str(e)) from None
    return x


def _with_attributes(x: Any, state: Any) -> Any:
    """x with the attributes that the user had given it."""
    if isinstance(state, tuple) and len(state) == 2:
        state = {**(state[0] or {}), **(state[1] or {})}
    for name, value in (_is(state, dict) if state else {}).items():
        if type(name) is not str or hasattr(type(x), name) or name in copying.OWN_ATTRIBUTES:
            raise UnpicklingError(texts.OWN_ATTRIBUTE.format(kind=type(x), name=name))
        x.__dict__[name] = value
    return x


class WeightsUnpickler:
    """Reads one pickle of a file that may hold weights only.

    Arguments:
        file: where to read, from its place on.
        persistent_load: gives the storage of which the file has these particulars.
        trusted: what else a file may name, by full name.
        encoding: that of the strings of Python 2; "bytes" leaves them as bytes.

    Raises:
        pickle.UnpicklingError: the file asks for something else, or makes no sense.
        EOFError: it ends too early.
    """

    def __init__(
        self, file: IO[bytes], persistent_load: Callable[[tuple], Any], trusted: Mapping[str, Any], encoding: str
    ) -> None:
        self._file, self._persistent_load, self._encoding = file, persistent_load, encoding
        self._trusted = trusted
        self._stack: list[Any] = []
        self._below: list[list[Any]] = []  # the stacks under the marks
        self._memo: dict[int, Any] = {}
        self._made: dict[int, Any] = {}  # by id: the objects on which state may be set

    def load(self) -> Any:
        """The object."""
        while True:
            (code,) = self._read(1)
            if code == _STOP:
                return self._pop()
            step = _STEPS.get(code)
            if step is None:
                raise UnpicklingError(f"Unsupported operand {code}")
            step(self)

    # The file and the stack.

    def _read(self, n: int) -> bytes:
        data = self._file.read(n)
        if len(data) < n:
            raise EOFError(_TOO_EARLY)
        return data

    def _number(self, form: str) -> Any:
        return struct.unpack(form, self._read(struct.calcsize(form)))[0]

    def _text(self, data: bytes, encoding: str = "utf-8", errors: str = "strict") -> str:
        try:
            return data.decode(encoding, errors)
        except (UnicodeDecodeError, LookupError) as e:
            raise UnpicklingError(str(e)) from None

    def _line(self) -> str:
        line = self._file.readline()
        if not line.endswith(b"\n"):
            raise EOFError(_TOO_EARLY)
        return self._text(line[:-1])

    def _pop(self) -> Any:
        x = self._top()
        del self._stack[-1]
        return x

    def _top(self) -> Any:
        if not self._stack:
            raise UnpicklingError("An instruction needs more values than the stack has")
        return self._stack[-1]

    def _pop_mark(self) -> list[Any]:
        if not self._below:
            raise UnpicklingError("An instruction needs a mark that is not there")
        items, self._stack = self._stack, self._below.pop()
        return items

    # Names, calls and state.

    def _global(self) -> None:
        module, name = self._line(), self._line()
        if (module, name) in NAME_MAPPING:
            module, name = NAME_MAPPING[module, name]
        module = IMPORT_MAPPING.get(module, module)
        full = f"{module}.{name}"
        if module in _BLOCKED:
            raise UnpicklingError(texts.BLOCKED_GLOBAL.format(full=full, module=module))
        known = NAMES.get((module, name)) or PLAIN.get((module, name))
        if known is not None:
            self._stack.append(known)
        elif full in self._trusted:
            self._stack.append(self._trusted[full])
        else:
            full = full.removeprefix("builtins.")
            raise UnpicklingError(texts.UNKNOWN_GLOBAL.format(full=full))

    def _is_trusted(self, x: Any) -> bool:
        return any(x is t for t in self._trusted.values())

    def _reduce(self) -> None:
        args, function = self._pop(), self._pop()
        self._stack.append(self._keep(self._call(function, args)))

    def _call(self, function: Any, args: Any) -> Any:
        if self._is_trusted(function):
            return function(*_is(args, tuple))
        if function is copying.rebuild_from_type:
            return self._checked(function, self._of_type, args)
        maker = _maker(function)
        if maker is None:
            owner = f" which belongs to {shown(function.__self__)}" if hasattr(function, "__self__") else ""
            raise UnpicklingError(texts.UNKNOWN_FUNCTION.format(found=shown(function), owner=owner))
        return self._checked(function, maker, args)

    def _checked(self, function: Any, maker: Callable[[tuple], Any], args: Any) -> Any:
        try:
            return maker(_is(args, tuple))
        except (TypeError, ValueError, OverflowError):
            kinds = [type(x).__name__ for x in args] if isinstance(args, tuple) else type(args).__name__
            _, name = name_of(function) or ("", function.__name__)
            raise UnpicklingError(f"Can not call {name} with arguments {kinds} of these values") from None

    def _of_type(self, args: tuple) -> Any:
        function, kind, inner, state = args
        x = _is(self._call(function, inner), Tensor)
        if kind is not Tensor and kind is not Parameter and not (self._is_trusted(kind) and issubclass(kind, Tensor)):
            raise TypeError
        if type(x) is not kind:
            x.__class__ = kind
        return _with_attributes(x, state)

    def _new(self) -> None:
        args, kind = self._pop(), self._pop()
        if self._is_trusted(kind):
            made = kind.__new__(kind, *_is(args, tuple))
        elif kind is Parameter:
            made = self._checked(kind, lambda args: Parameter(*[_is(x, Tensor, bool) for x in args[:2]]), args)
        elif any(kind is c for c in _NEW):
            made = self._checked(kind, _MAKERS[kind], args)
        else:
            raise UnpicklingError(texts.NEW_OF_OTHER.format(found=shown(kind)))
        self._stack.append(self._keep(made))

    def _keep(self, x: Any) -> Any:
        self._made[id(x)] = x
        return x

    def _build(self) -> None:
        state, x = self._pop(), self._top()
        trusted = self._is_trusted(type(x))
        if id(x) not in self._made or not (trusted or type(x) in (Tensor, Parameter, OrderedDict)):
            raise UnpicklingError(texts.BUILD_OF_OTHER.format(kind=type(x)))
        if type(x) is OrderedDict:
            self._checked(OrderedDict, lambda args: _with_attributes(*args), (x, state))
        elif not trusted:
            self._checked(Tensor.set_, _look_at_storage, (x, state))
        elif hasattr(x, "__setstate__"):
            x.__setstate__(state)
        else:
            state, slots = state if isinstance(state, tuple) and len(state) == 2 else (state, None)
            if state:
                x.__dict__.update(state)
            for name, value in (slots or {}).items():
                setattr(x, name, value)

    # Containers.

    def _append(self) -> None:
        item, x = self._pop(), self._top()
        if type(x) is not list:
            raise UnpicklingError(f"Can only append to lists, but got {type(x)}")
        x.append(item)

    def _appends(self) -> None:
        items, x = self._pop_mark(), self._top()
        if type(x) is not list:
            raise UnpicklingError(f"Can only extend lists, but got {type(x)}")
        x.extend(items)

    def _setitem(self) -> None:
        value, key = self._pop(), self._pop()
        self._set_items("SETITEM", [key, value])

    def _setitems(self) -> None:
        self._set_items("SETITEMS", self._pop_mark())

    def _set_items(self, code: str, items: list[Any]) -> None:
        x = self._top()
        if type(x) not in _CONTAINERS:
            raise UnpicklingError(texts.ITEMS_OF_OTHER.format(code=code, kind=type(x)))
        if len(items) % 2:
            raise UnpicklingError("A key has no value")
        for key, value in zip(items[::2], items[1::2], strict=True):
            x[_key(key)] = value

    def _mark(self) -> None:
        self._below.append(self._stack)
        self._stack = []

    def _tuple(self) -> None:
        items = tuple(self._pop_mark())
        self._stack.append(items)

    def _tuple_of(self, n: int) -> None:
        items = [self._pop() for _ in range(n)]
        self._stack.append(tuple(reversed(items)))

    # Texts, numbers, storages.

    def _unicode(self) -> None:
        self._stack.append(self._text(self._read(self._number("<I")), errors="surrogatepass"))

    def _string(self) -> None:
        data = self._read(self._number("<B"))
        self._stack.append(data if self._encoding == "bytes" else self._text(data, self._encoding))

    def _long(self) -> None:
        self._stack.append(decode_long(self._read(self._number("<B"))))

    def _persistent(self) -> None:
        particulars = self._pop()
        if type(particulars) not in (tuple, int):
            raise UnpicklingError(texts.PERSISTENT_ID.format(kind=type(particulars)))
        first = particulars[0] if type(particulars) is tuple and particulars else particulars
        if type(first) not in (str, bytes) or first not in ("storage", b"storage"):
            raise UnpicklingError(f"Only persistent_load of storage is allowed, but got {type(first)}")
        self._stack.append(self._persistent_load(particulars))

    def _get(self, form: str) -> None:
        place = self._number(form)
        if place not in self._memo:
            raise UnpicklingError(f"Memo value not found at index {place}")
        self._stack.append(self._memo[place])

    def _put(self, form: str) -> None:
        self._memo[self._number(form)] = self._top()

    def _protocol(self) -> None:
        version = self._number("<B")
        if version != _PROTOCOL:
            warnings.warn(texts.OTHER_PROTOCOL.format(version=version), stacklevel=2)


def _maker(function: Any) -> Callable[[tuple], Any] | None:
    """What makes what a file calls this for; None if it may not be called."""
    return _MAKERS.get(function) if isinstance(function, _NAMED) else None  # other objects may take for ever to hash


def _look_at_storage(args: tuple) -> None:
    """What files of the first versions say of a tensor: let it look at a part of a storage."""
    x, place = args
    x.set_(_tensor((*place, False, None)))


def _constant(make: Callable[[], Any]) -> Callable[[WeightsUnpickler], None]:
    return lambda machine: machine._stack.append(make())


def _number(form: str) -> Callable[[WeightsUnpickler], None]:
    return lambda machine: machine._stack.append(machine._number(form))


_STOP = ord(".")
_STEPS: dict[int, Callable[[WeightsUnpickler], None]] = {
    code[0]: step
    for code, step in {
        b"\x80": WeightsUnpickler._protocol,
        b"c": WeightsUnpickler._global,
        b"R": WeightsUnpickler._reduce,
        b"\x81": WeightsUnpickler._new,
        b"b": WeightsUnpickler._build,
        b"Q": WeightsUnpickler._persistent,
        b"(": WeightsUnpickler._mark,
        b"a": WeightsUnpickler._append,
        b"e": WeightsUnpickler._appends,
        b"s": WeightsUnpickler._setitem,
        b"u": WeightsUnpickler._setitems,
        b"t": WeightsUnpickler._tuple,
        b"\x85": lambda machine: machine._tuple_of(1),
        b"\x86": lambda machine: machine._tuple_of(2),
        b"\x87": lambda machine: machine._tuple_of(3),
        b")": _constant(tuple),
        b"]": _constant(list),
        b"}": _constant(dict),
        b"\x8f": _constant(set),
        b"N": _constant(lambda: None),
        b"\x88": _constant(lambda: True),
        b"\x89": _constant(lambda: False),
        b"J": _number("<i"),
        b"K": _number("<B"),
        b"M": _number("<H"),
        b"G": _number(">d"),
        b"\x8a": WeightsUnpickler._long,
        b"X": WeightsUnpickler._unicode,
        b"U": WeightsUnpickler._string,
        b"h": lambda machine: machine._get("<B"),
        b"j": lambda machine: machine._get("<I"),
        b"q": lambda machine: machine._put("<B"),
        b"r": lambda machine: machine._put("<I"),
    }.items()
}
"""The instructions, by their codes: those that files of `torch.save` are made of."""
