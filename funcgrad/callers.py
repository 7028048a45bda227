"""Whose code is running: the line of the user's own code, and the function of a library that it called.

Errors name both. A value that SciPy is about to take for plain numbers is found in the depths of SciPy; the frames
between that place and the user's line say which public function the user called.
"""

from __future__ import annotations

import ast
import inspect
import itertools
import linecache
import os
import sys
from collections.abc import Iterator
from types import CodeType, FrameType, ModuleType, TracebackType
from typing import Any

_PACKAGE = os.path.dirname(os.path.abspath(__file__)) + os.sep
_CHECKERS = ("jaxtyping", "beartype")
_LIBRARIES = frozenset(
    {"numpy", "scipy", "pandas", "xarray", "numba", "matplotlib", "sklearn", "statsmodels"} | sys.stdlib_module_names
)
ASSEMBLED = "<funcgrad rule>"
"""The file of functions that are assembled from text (core/rules.py)."""
_passed_over: dict[str, bool] = {ASSEMBLED: True}  # by file, for those that have been asked about


def user_frame(within: CodeType | None = None) -> FrameType | None:
    """The innermost frame of the user's own code: those of funcgrad, libraries and type checkers are passed over.

    Arguments:
        within: code of a function; what called that does not count.
    """
    frame: FrameType | None = sys._getframe(1)
    while frame is not None and frame.f_code is not within:
        if _is_users(frame):
            return frame
        frame = frame.f_back
    return None


def _is_users(frame: FrameType) -> bool:
    path = frame.f_code.co_filename
    passed_over = _passed_over.get(path)
    if passed_over is None:
        package = _package(frame)
        passed_over = path.startswith(_PACKAGE) or package in _LIBRARIES or package in _CHECKERS
        if not path.startswith("<"):  # which is no file, and may be the name of many texts
            _passed_over[path] = passed_over
    return not passed_over


def _package(frame: FrameType) -> str:
    return frame.f_globals.get("__name__", "").partition(".")[0]


def asking_frame(asker: str) -> FrameType | None:
    """The frame that asks for an array, itself or through NumPy: NumPy and type checkers are passed over.

    Arguments:
        asker: the name of the method by which it asks, which is running.
    """
    frame: FrameType | None = sys._getframe(1)
    while frame is not None and (frame.f_code.co_name == asker or _package(frame) in ("numpy", *_CHECKERS)):
        frame = frame.f_back
    return frame


def is_user(frame: FrameType | None) -> bool:
    """Whether a frame that asks is the user's own code: no library, and no call of compiled SciPy."""
    if frame is None or (package := _package(frame)) == "funcgrad" or package in _LIBRARIES:
        return False
    return "scipy" not in sys.modules or not _calls_compiled(frame)


def is_sparse_product(frame: FrameType | None) -> bool:
    """Whether a frame that asks is a sparse matrix of SciPy that is being multiplied."""
    if frame is None or frame.f_code.co_name not in ("_matmul_dispatch", "_mul_dispatch"):
        return False
    return frame.f_globals.get("__name__", "").startswith("scipy.sparse")


def _calls_compiled(frame: FrameType) -> bool:
    """Whether a frame is calling a function of SciPy that has no frame of its own; looked up once for each call."""
    place = (frame.f_code, frame.f_lasti)
    if place not in _compiled:
        _compiled[place] = _compiled_call(frame) is not None
    return _compiled[place]


_compiled: dict[tuple[CodeType, int], bool] = {}


def user_spot(above: int = 1) -> tuple[CodeType, int] | None:
    """The user's code that is being run, and how far it is; `line_of` tells the line.

    A program that is recorded notes it for each operation. The line itself would take twice as long, and the longer the
    later it is in a long function, for the table of lines is read from its beginning.

    Arguments:
        above: how many frames from here on are known to be none of the user's.
    """
    frame: FrameType | None = sys._getframe(above)
    while frame is not None:
        if not _passed_over.get(frame.f_code.co_filename) and _is_users(frame):
            return frame.f_code, frame.f_lasti
        frame = frame.f_back
    return None


def line_of(code: CodeType, at: int) -> tuple[str, int]:
    """File and number of the line to which some code has come."""
    lines = (line for start, stop, line in code.co_lines() if start <= at < stop)
    return code.co_filename, next(lines, None) or code.co_firstlineno


def user_place() -> tuple[str, int] | None:
    """File and number of the line of the user's code that is being run."""
    frame = user_frame()
    return None if frame is None else (frame.f_code.co_filename, frame.f_lineno)


def user_call() -> tuple[FrameType | None, str | None]:
    """The innermost frame of the user's own code, and the name of the public function of funcgrad that it is calling.

    The name is None if the frame calls none, as where it applies an operator.
    """
    frame: FrameType | None = sys._getframe(1)
    inner: list[FrameType] = []
    while frame is not None and not _is_users(frame):
        inner.append(frame)
        frame = frame.f_back
    return frame, next(filter(None, map(_own_function, reversed(inner))), None)


def _own_function(frame: FrameType) -> str | None:
    """The name of the public function or method of funcgrad that a frame runs, if it is one that users call."""
    code = frame.f_code
    if code not in _own_functions:
        name, module = code.co_name, frame.f_globals.get("__name__", "")
        method = code.co_varnames[:1] == ("self",)
        inside = (*_INSIDE, "funcgrad.transforms.") if method else _INSIDE
        hidden = name.startswith(("_", "<")) or not module.startswith("funcgrad.") or module.startswith(inside)
        found = (
            getattr(type(frame.f_locals["self"]), name, None) if method and not hidden else frame.f_globals.get(name)
        )
        _own_functions[code] = None if hidden or _code(found) is not code else name
    return _own_functions[code]


_own_functions: dict[CodeType, str | None] = {}
_INSIDE = ("funcgrad.core.", "funcgrad.compile.", "funcgrad.debug.", "funcgrad.ops.", "funcgrad.numpy.protocols")
"""What of funcgrad carries functions out: the names in there are not those that users call."""


def user_line() -> str:
    """The line of the user's code to mend, as ` (file.py, line 3: y[0] = x)`, or the empty string."""
    place = user_place()
    return "" if place is None else f" ({line_text(*place)})"


def line_text(path: str, number: int) -> str:
    """A line of code, as `file.py, line 3: y[0] = x`."""
    source = linecache.getline(path, number).strip()
    place = f"{os.path.basename(path)}, line {number}"
    return f"{place}: {source}" if source else place


def library_call() -> str | None:
    """The function of a library that the user's code called and that is still running, as `scipy.linalg.solve`.

    None if there is none, or if it is funcgrad that called it.
    """
    user, frames = user_frame(), []
    frame: FrameType | None = sys._getframe(1)
    while frame is not None and frame is not user:
        package = _package(frame)
        if package in _LIBRARIES:
            frames.append(frame)
        elif package == "funcgrad" and not frame.f_globals["__name__"].startswith(_CALLING):
            frames.clear()
        frame = frame.f_back
    name = next(filter(None, map(_public_name, reversed(frames))), None)
    return _compiled_call(user) if name is None and user is not None else name


def failed_call(traceback: TracebackType) -> tuple[str | None, str, list[FrameType], bool] | None:
    """What the user's code was calling when an exception was raised.

    Returns:
        The name of the function, if it is known, the line of the user's code as `user_line` gives it, the frames of the
        library, and whether they had called funcgrad. None if no code of the user was running.
    """
    found = [(t, t.tb_frame) for t in _linked(traceback)]
    last = max([k for k, (_, frame) in enumerate(found) if _is_users(frame)], default=None)
    if last is None:
        return None
    (t, user), inner = found[last], [frame for _, frame in found[last + 1 :]]
    frames = list(itertools.takewhile(lambda frame: _package(frame) != "funcgrad", inner))
    name = next(filter(None, map(_public_name, frames)), None) or (None if inner else _compiled_call(user))
    return name, f" ({line_text(user.f_code.co_filename, t.tb_lineno)})", frames, len(frames) < len(inner)


def _linked(traceback: TracebackType | None) -> Iterator[TracebackType]:
    while traceback is not None:
        yield traceback
        traceback = traceback.tb_next


_CALLING = ("funcgrad.transforms.", "funcgrad.compile.")
"""What of funcgrad calls functions on behalf of the user."""


def counterpart(name: str) -> str | None:
    """The name of funcgrad's own version of a function of SciPy or NumPy, as `funcgrad.scipy.linalg.solve`."""
    candidates = [f"funcgrad.{name}"]
    if name.startswith("scipy."):  # what NumPy has too may be there under NumPy's name
        candidates.append(f"funcgrad.numpy.{name.removeprefix('scipy.')}")
    return next((c for c in candidates if _found(c) is not None), None)


def _found(path: str) -> Any:
    """What a dotted name stands for, or None."""
    package, *rest = path.split(".")
    found: Any = sys.modules.get(package)
    for part in rest:
        found = getattr(found, part, None)
    return found


def _compiled_call(frame: FrameType) -> str | None:
    """The function of SciPy that a frame is calling, if it has no frame of its own: much of SciPy is compiled."""
    positions = next(itertools.islice(frame.f_code.co_positions(), frame.f_lasti // 2, None))
    first, last, start, end = positions
    if first is None or first != last:
        return None
    line = linecache.getline(frame.f_code.co_filename, first).encode()
    try:
        expression = ast.parse(line[start:end].decode(), mode="eval").body
    except (SyntaxError, UnicodeDecodeError):
        return None
    parts: list[str] = []
    target = expression.func if isinstance(expression, ast.Call) else None
    while isinstance(target, ast.Attribute):
        parts.append(target.attr)
        target = target.value
    if not isinstance(target, ast.Name):
        return None
    found = frame.f_locals.get(target.id, frame.f_globals.get(target.id))
    for part in reversed(parts):
        found = getattr(found, part, None) if isinstance(found, (ModuleType, type)) else None
    module, name = getattr(found, "__module__", None) or "", getattr(found, "__name__", "")
    paths = [f"{m}.{name}" for m in _modules_around(module)] if module.startswith("scipy.") else []
    return next((p for p in paths if _found(p) is found), None)


# The public name of the function that a frame runs. SciPy's and NumPy's files are private (scipy.linalg._basic); the
# names that users write are those of the modules around them.


def _public_name(frame: FrameType) -> str | None:
    code, module = frame.f_code, frame.f_globals["__name__"]
    owner = frame.f_locals.get(code.co_varnames[0]) if code.co_argcount else None
    if code.co_varnames[:1] in (("self",), ("cls",)):
        return _public_method(owner, code.co_name)
    name = _public_function(code.co_name, module, code)
    for free in code.co_freevars if name is None else ():  # a decorator's frame holds the function that it wraps
        held = frame.f_locals.get(free)
        if inspect.isfunction(held):
            name = name or _public_function(held.__name__, held.__module__, held.__code__)
    return name


def _modules_around(module: str | None) -> Iterator[str]:
    """The public modules that a module is in, from the outermost on."""
    parts = (module or "").split(".")  # a function that was assembled from text is in none
    for k in range(1, len(parts) + 1):
        if parts[k - 1].startswith("_"):
            return
        yield ".".join(parts[:k])


def _public_function(name: str, module: str, code: CodeType) -> str | None:
    if name.startswith(("_", "<")):
        return None
    around = list(_modules_around(module))
    found = {f"{m}.{name}": _found(f"{m}.{name}") for m in around}
    same = [path for path, function in found.items() if _code(function) is code]
    alike = [path for path, function in found.items() if callable(function)]
    return same[0] if same else alike[-1] if alike else _static_method(name, around, code)


def _static_method(name: str, modules: list[str], code: CodeType) -> str | None:
    for m in modules:
        for kind, value in vars(sys.modules.get(m, object)).items():
            if isinstance(value, type) and kind[0] != "_" and _code(getattr(value, name, None)) is code:
                return f"{m}.{kind}.{name}"
    return None


def _code(function: Any) -> CodeType | None:
    return getattr(_unwrapped(function), "__code__", None)


def _unwrapped(function: Any) -> Any:
    try:
        return inspect.unwrap(function)
    except ValueError:  # wrappers in a circle
        return function


def _public_method(owner: Any, method: str) -> str | None:
    """A method, as `scipy.stats.norm.logpdf`; of an object that is made or called the class."""
    kind = owner if isinstance(owner, type) else type(owner)
    frozen = getattr(owner, "__dict__", {}).get("dist")  # a distribution with its parameters
    for candidate in (owner, frozen):  # scipy.stats.norm is an object, not a class
        for m in _modules_around(type(candidate).__module__):
            for name, value in vars(sys.modules.get(m, object)).items():
                same = value is candidate or (candidate is frozen and type(value) is type(frozen))
                if candidate is not None and same and not name.startswith("_"):
                    return f"{m}.{name}" if method.startswith("_") else f"{m}.{name}.{method}"
    for base in kind.__mro__:
        for m in _modules_around(base.__module__):
            if _found(f"{m}.{base.__name__}") is base and base is not object:
                path = f"{m}.{base.__name__}"
                return path if method.startswith("_") else f"{path}.{method}"
    return None
