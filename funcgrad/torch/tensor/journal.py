"""The journal: what the torch face remembers of where values came from, and where gradients stopped.

A graph knows the operations that made a tensor. It does not know the lines that they stand in, and nothing of what was
cut off from it: `detach()`, `no_grad`, `item()`, a copy. The journal notes both while a program runs. Each operation on
a tensor that requires grad, or that descends from one that did, writes one small entry; the tensor carries its number,
`tensor._entry`, and the node of the graph has the same number, `node.number`.

An entry holds numbers, names, shapes and a place in the code: no tensor, node or frame, so it keeps nothing alive. The
newest entries take the place of the oldest, so the journal never grows beyond `SIZE` of them.

    entry = journal.of(tensor)
    print(entry.what, entry.place)          # mul script.py:3: y = x * 2
    journal.find(entry.sources[0])          # the entry of x
"""

from __future__ import annotations

import os
import re
import sys
from functools import cache
from pathlib import Path
from types import CodeType
from typing import Any
from weakref import ref

from numpy import ndarray

from funcgrad.core.scope import Scope
from funcgrad.torch.base.dtypes import of_numpy
from funcgrad.torch.base.modes import state
from funcgrad.torch.tensor.node import next_number
from funcgrad.torch.tensor.place import Place

SIZE = 1 << 16
MASK = SIZE - 1
log: list[Any] = [None] * SIZE
"""Entry n at n modulo SIZE: number, what, cut, requires, shape, dtype, code, offset in it, modules, and its sources."""
NUMBER, WHAT, CUT, REQUIRES, SOURCES = 0, 1, 2, 3, 9
_leaves: dict[int, tuple] = {}
"""The entries of leaves, which outlive those of the operations on them."""
_MOST_LEAVES = 1 << 14
getframe = sys._getframe


class Journal:
    """Whether entries are written.

    Attributes:
        on: whether they are.
        left: the number of the last entry of values that left for NumPy or Python, 0 if none did.
        running: the nn.Modules that run, see `enter`; of threads that run some at the same time those of whichever
            called one last.
        failure: the text of the last error about gradients, "" if there was none.
        failed: the number of the entry of what raised it, 0 if it has none.
    """

    __slots__ = ("failed", "failure", "left", "on", "running")

    def __init__(self) -> None:
        self.on, self.left = os.environ.get("FUNCGRAD_JOURNAL", "1") != "0", 0
        self.running: Any = None
        self.failure, self.failed = "", 0


journal = Journal()


class set_journal_enabled(Scope):  # noqa: N801  (as set_grad_enabled)
    """Switch the journal on or off for all threads: at once, and as a context manager until its end.

    The journal remembers for each operation the line that it stands in, and where gradients were cut off; what draws
    and explains graphs reads it. It is on by default, and off from the start with FUNCGRAD_JOURNAL=0.

    Example:
        >>> from funcgrad import torch
        >>> with torch.set_journal_enabled(False):
        ...     x = torch.ones(2, requires_grad=True)  # nobody will know where this line was
    """

    def __init__(self, mode: bool) -> None:
        self.before, self.mode = journal.on, bool(mode)
        journal.on = self.mode

    def __enter__(self) -> None:
        self.entered += 1
        journal.on = self.mode

    def leave(self, *error: Any) -> None:
        journal.on = self.before
        self.entered -= 1


def is_journal_enabled() -> bool:
    """Whether the journal is on."""
    return journal.on


# Writing.


_OWN = (
    str(Path(__file__).parents[2]) + os.sep,
    str(Path(sys.modules[ndarray.__module__].__file__ or "").parent) + os.sep,
)
_FOLDERS = (*_OWN, os.path.dirname(os.__file__) + os.sep, "<frozen ")
of_users: set[str] = set()
_others: set[str] = set()
"""The files of code that ran: the user's own; and those of funcgrad, of NumPy, and of Python's library."""


def is_users(file: str) -> bool:
    """Whether a file of code is the user's own; from now on that is known."""
    found = not file.startswith(_FOLDERS) or ("-packages" in file and not file.startswith(_OWN))
    (of_users if found else _others).add(file)
    return found


def innermost(frame: Any) -> Any:
    """The innermost frame, from one on, that is the user's; the outermost if there is none."""
    while True:
        file = frame.f_code.co_filename
        if file not in _others and (file in of_users or is_users(file)):
            return frame
        before = frame.f_back
        if before is None:
            return frame
        frame = before


def note(
    number: int,
    what: str,
    cut: str | None,
    requires: bool,
    shape: tuple | None,
    dtype: Any,
    sources: tuple[int, ...],
    within: int = 2,
) -> int:
    """Write an entry, whose place is the innermost line of the user's own code; gives its number.

    The shortest paths in `fast` have this written out.

    Arguments:
        number: of the entry, from `next_number`.
        what: the operation: the name of its node, or how the user calls it.
        cut: why no gradient passes, None if one does or there was none to pass; "no_grad" and "inference_mode" also
            where there was none to pass.
        requires: whether the result requires grad.
        shape, dtype: of the result.
        sources: the numbers of the entries of its operands, 0 for those that have none.
        within: how many calls, this one among them, lead here from the user's code at least: to look at fewer frames.
    """
    running = state.modules
    if running is not None and running[3] is not None:
        code, lasti = running[3:]
    else:
        frame = getframe(within)
        code = frame.f_code
        if code.co_filename not in of_users:
            frame = innermost(frame)
            code = frame.f_code
        lasti = frame.f_lasti
    known = (number, what, cut, requires, shape, dtype, code, lasti, running)
    log[number & MASK] = known + sources  # twice as fast as a tuple of all with a star
    return number


def beside(entry: int, number: int, what: str, value: Any, source: int) -> None:
    """Write the entry of another operation in the same line as one that was written just now."""
    raw = log[entry & MASK]
    log[number & MASK] = (number, what, None, True, value.shape, value.dtype, raw[6], raw[7], raw[8], source)


def enter(module: Any) -> tuple:
    """What `state.modules` is while a module runs.

    It is a linked list, the innermost first: the same for the module around it, or None; the name of its class; itself,
    weakly; and the code, with the offset in it, of the user's line that all within belongs to. That is the line of the
    call, where none of the user's code can run inside; else None.
    """
    around = state.modules
    cls = type(module)
    forward = cls.forward
    if forward in _closed or _is_closed(forward):
        frame = getframe(2)
        code = frame.f_code
        if code.co_filename in of_users:
            return around, cls.__name__, ref(module), code, frame.f_lasti
        if around is not None:
            return around, cls.__name__, ref(module), around[3], around[4]
    return around, cls.__name__, ref(module), None, 0


_closed: set[Any] = set()
"""Those functions `forward` of modules that are funcgrad's own, and call nothing that the user gave them."""


def _is_closed(forward: Any) -> bool:
    code = getattr(forward, "__code__", None)
    file = "" if code is None else code.co_filename
    found = file.startswith(_OWN) and not file.endswith(("transformer.py", "loss.py"))
    if found:
        _closed.add(forward)
    return found


def entries(values: Any) -> tuple[int, ...]:
    """The numbers of the entries of those that are tensors."""
    if len(values) == 1:
        return (getattr(values[0], "_entry", 0),)
    return tuple([getattr(x, "_entry", 0) for x in values])


def event(what: str, *tensors: Any, cut: str | None = None, sources: tuple[int, ...] = ()) -> int:
    """Note what happens to tensors, or to those with some entries, and makes none: backward(), step(), zero_grad()."""
    return note(next_number(), what, cut, False, None, None, sources or entries(tensors))


def failed(number: int, error: BaseException) -> None:
    """Note that what an event tells of failed."""
    journal.failure, journal.failed = str(error), number
    raw = _raw(number)
    if raw is not None:
        log[number & MASK] = (number, f"{raw[WHAT]} failed", *raw[2:])


def refused(what: str, text: str, t: Any) -> RuntimeError:
    """The error of what autograd does not do with a tensor; its text is remembered, as that of a failed backward()."""
    error = RuntimeError(text)
    failed(event(what, t) if journal.on else 0, error)
    return error


def follow(what: str, sources: tuple, made: Any, cut: str | None) -> None:
    """Note a tensor that requires no grad, made of values that have a history."""
    value = made._value
    made._entry = note(next_number(), what, cut, False, value.shape, value.dtype, sources)


def leaf(t: Any, what: str, cut: str | None = None) -> None:
    """Note a tensor that requires grad from here on; what it was before is its source."""
    value = t._value
    number = note(next_number(), what, cut, True, value.shape, value.dtype, (t._entry,))
    _keep_leaf(log[number & MASK])
    t._entry = number


def _keep_leaf(raw: tuple) -> None:
    if len(_leaves) >= _MOST_LEAVES:
        _leaves.pop(next(iter(_leaves)), None)
    _leaves[raw[NUMBER]] = raw


def in_mode(what: str, sources: tuple, made: Any, shape: tuple, dtype: Any, within: int) -> None:
    """Note a result where nothing is recorded: `note` written out."""
    frame = getframe(within)
    code = frame.f_code
    if code.co_filename not in of_users:
        frame = innermost(frame)
        code = frame.f_code
    made._entry = number = next_number()
    cut = "no_grad" if not made._inference else "inference_mode"
    known = (number, what, cut, False, shape, dtype, code, frame.f_lasti, journal.running)
    log[number & MASK] = known + sources


def unrecorded(what: str, args: Any, made: Any) -> None:
    """Note results that the graph knows nothing of, if one of the operands has a history."""
    sources = entries(args)
    if any(sources):
        for t in made if type(made) is tuple else (made,):
            follow(what, sources, t, reason(args, t))


def followed(what: str, made: Any, *args: Any) -> Any:
    """A tensor or several, which no Operation made, noted as `unrecorded` does; gives them."""
    if journal.on:
        unrecorded(what, args, made)
    return made


def reason(args: Any, made: Any) -> str | None:
    """Why no gradient passes from operands to a result that has no node; None if they require none themselves."""
    if not any(_requires(a) for a in args):
        return None
    if state.inference:
        return "inference_mode"
    if not state.grad:
        return "no_grad"
    kind = made._value.dtype.kind
    return "integers" if kind in "iu" else "booleans" if kind == "b" else "a result without derivative"


def _requires(x: Any) -> bool:
    return hasattr(x, "_entry") and (x._requires or x._node is not None or x._linked())


def wrote(x: Any, what: str, sources: tuple[int, ...]) -> None:
    """Note values written into a tensor without the graph taking note; sources are entries of what was written."""
    if not x._entry and not any(sources):
        return
    value, requires = x._value, _requires(x)
    cut = None if state.grad else "inference_mode" if state.inference else "no_grad"
    number = note(next_number(), what, cut, requires, value.shape, value.dtype, (x._entry, *sources))
    if not requires:  # it descends from what was written; a leaf stays the leaf that it is
        x._entry = number
        if x._view is not None and not _requires(x._view.base):
            x._view.base._entry = number


def left(what: str, t: Any) -> int:
    """Note values that leave for Python or NumPy."""
    journal.left = note(next_number(), what, what, False, t._value.shape, t._value.dtype, (t._entry,))
    return journal.left


# Memory that is shared with NumPy.

_lent: dict[int, tuple[Any, int]] = {}
"""By the id of an ndarray that owns memory: a weak reference to it, and the entry of the `numpy()` that gave it."""
_MOST_LENT = 4096


def owner(array: ndarray) -> ndarray:
    """The array whose memory this one shows."""
    while isinstance(array.base, ndarray):
        array = array.base
    return array


def lend(array: ndarray, t: Any) -> None:
    """Note that a tensor gave its memory to NumPy."""
    number, owning = left("numpy()", t), owner(array)
    key = id(owning)
    if len(_lent) >= _MOST_LENT:
        _lent.pop(next(iter(_lent)), None)
    _lent[key] = ref(owning, lambda gone: _lent.pop(key, None)), number


def borrowed(what: str, array: Any, made: Any) -> None:
    """Note a tensor made of NumPy's data: of memory that a tensor gave away, or of numbers that nobody knows.

    Called where `journal.left` says that values have left before.
    """
    number = lent(array) if isinstance(array, ndarray) else 0
    follow(what, (number,), made, "numpy()" if number else None)


def lent(array: ndarray) -> int:
    """The entry of the `numpy()` that gave an array its memory, 0 if none did."""
    known = _lent.get(id(owner(array)))
    return known[1] if known is not None and known[0]() is not None else 0


def gathered(what: str, since: int, made: Any) -> None:
    """Note a tensor made of numbers, for which the values of other tensors were read: the entries after one."""
    sources = tuple([raw[NUMBER] for raw in _raw_since(since) if raw[CUT] == "item()"])
    if sources:
        follow(what, sources, made, None)


# Reading.


class Entry:
    """What the journal knows of one operation.

    Attributes:
        number: of the entry; nodes of the graph have the same.
        what: the operation, as a user calls it: "mul", "detach()", "leaf", "parameter", "backward()".
        sources: the numbers of the entries of its operands; of those that have any.
        cut: None, or why no gradient passes: "detach()", "no_grad", "integers", "copy" and the like.
        place: the line of the user's code, None if nobody knows.
        module: the nn.Modules that were running, the outermost first: (name of the class, name in its parent).
        calls: a number for each of these, by which one call of a module is told from the next.
        shape, dtype: of the result, None for an event.
        requires: whether the result requires grad.
    """

    __slots__ = ("_lasti", "_modules", "_place", "cut", "dtype", "number", "requires", "shape", "sources", "what")

    def __init__(self, raw: tuple) -> None:
        self.number, what, self.cut, self.requires, self.shape, dtype, self._place, self._lasti, self._modules = raw[
            :SOURCES
        ]
        self.what = called(what)
        self.sources = tuple([n for n in raw[SOURCES:] if n])
        self.dtype = None if dtype is None else of_numpy(dtype)
        if self.cut in _MODES and not any(_may_require(n) for n in self.sources):
            self.cut = None

    @property
    def place(self) -> Place | None:
        if isinstance(self._place, CodeType):
            self._place = Place.of(self._place, self._lasti)
        found: Place | None = self._place
        return found

    @property
    def module(self) -> tuple[tuple[str, str | None], ...]:
        return _path(self._modules)[0]

    @property
    def running(self) -> Any:
        """The innermost nn.Module that was running, None if none was, or it is gone."""
        return None if self._modules is None else self._modules[2]()

    @property
    def calls(self) -> tuple[int, ...]:
        return _path(self._modules)[1]

    def __repr__(self) -> str:
        cut = f", cut by {self.cut}" if self.cut else ""
        return f"<Entry {self.number}: {self.what}{cut}, {self.place}>"


@cache
def called(what: str) -> str:
    """How a user calls an operation, of the name of its node: "MulBackward0" is "mul"."""
    name, found, rest = what.rpartition("Backward")
    if not found or not (rest.isdigit() or rest in ("", "s")):
        return what
    name = name.rpartition("::")[2]
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", name).lower()


def _path(modules: Any) -> tuple[tuple[tuple[str, str | None], ...], tuple[int, ...]]:
    """The running modules and their calls, of a linked list, the innermost first: (those around, class, itself, …)."""
    found: list[tuple[str, str | None]] = []
    calls = []
    while modules is not None:
        around, cls, held, _, _ = modules
        child, parent = held(), None if around is None else around[2]()
        names = (
            [n for n, m in parent._modules.items() if m is child] if child is not None and parent is not None else []
        )
        found.append((cls, names[0] if names else None))
        calls.append(id(modules))  # which the log holds, so no other call has it
        modules = around
    return tuple(reversed(found)), tuple(reversed(calls))


_MODES = frozenset(("no_grad", "inference_mode"))


def _raw(number: int) -> Any:
    raw = log[number & MASK]
    return raw if raw is not None and raw[NUMBER] == number else _leaves.get(number)


def _may_require(number: int) -> bool:
    """Whether an entry is of what requires grad, or nobody knows any more."""
    raw = _raw(number)
    return raw is None or raw[REQUIRES]


def find(number: int) -> Entry | None:
    """The entry of a number; None if there is none, or newer ones took its place."""
    raw = _raw(number)
    return None if raw is None else Entry(raw)


def of(t: Any) -> Entry | None:
    """The entry of a tensor; None if nothing is remembered of it.

    A leaf that was made while the journal was off gets one here, without a place; so does one whose entry is gone,
    under the number by which the entries of operations on it know it.
    """
    found = find(t._entry) if t._entry else None
    if found is None and t._requires:
        number, value = t._entry, t._value
        if not number:
            number = t._entry = next_number()
        raw = (number, "leaf", None, True, value.shape, value.dtype, None, 0, None)
        _keep_leaf(raw)
        found = find(number)
    return found


def of_node(node: Any) -> Entry | None:
    """The entry of a node of the graph; for the end of a leaf that of the leaf."""
    variable = getattr(node, "variable", None)
    return of(variable) if variable is not None else find(node.number)


def _raw_since(number: int) -> list[tuple]:
    return sorted([raw for raw in log if raw is not None and raw[NUMBER] > number], key=lambda raw: raw[NUMBER])


def since(number: int) -> list[Entry]:
    """The entries after one, the oldest first; all of them after 0."""
    return [Entry(raw) for raw in _raw_since(number)]


def departures() -> list[Entry]:
    """Where values have left for Python or NumPy, the oldest first."""
    return [Entry(raw) for raw in _raw_since(0) if raw[CUT] is not None and raw[CUT] == raw[WHAT] and raw[CUT] in _LEFT]


def writes() -> dict[int, Entry]:
    """The last write of other tensors' values into each that requires grad, unseen by autograd; by its number."""
    found = {}
    for raw in _raw_since(0):
        if raw[REQUIRES] and raw[CUT] in _MODES and raw[WHAT][-1:] == "_" and any(raw[SOURCES + 1 :]):
            found[raw[SOURCES]] = raw
    return {number: Entry(raw) for number, raw in found.items()}


_LEFT = frozenset(("item()", "tolist()", "numpy()"))


def is_leaf(number: int) -> bool:
    """Whether a number is that of something that required grad from there on."""
    return number in _leaves


def leaves() -> list[Entry]:
    """What required grad, the oldest first."""
    return [Entry(raw) for raw in list(_leaves.values())]
