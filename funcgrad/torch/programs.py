"""Running a program as Python would, with `import torch` leading to funcgrad."""

from __future__ import annotations

import builtins
import io
import os
import sys
from collections.abc import Callable
from importlib.machinery import ModuleSpec, SourceFileLoader
from importlib.util import find_spec
from types import CodeType, ModuleType, TracebackType
from typing import Any

from funcgrad.torch import imports
from funcgrad.torch.texts import programs as texts


def main(arguments: list[str]) -> int:
    """Run the program that the arguments of the command name, with the rest of them as its own.

    Returns:
        The exit code.
    """
    return start(arguments, run)


def start(arguments: list[str], runner: Callable[[CodeType, dict[str, Any]], int]) -> int:
    """As `main`, with another function in the place of `run`."""
    if arguments in ([], ["-m"]):
        print(texts.USAGE, end="", file=sys.stderr)
        return 2
    if arguments[0] in ("-h", "--help"):
        print(texts.USAGE, end="")
        return 0
    sys.path.insert(1, os.path.join(os.path.dirname(__file__), "path"))  # for processes that are spawned
    imports.install()
    try:
        if arguments[0] == "-m":
            code, names = _module(arguments[1])
            sys.argv = [names["__file__"], *arguments[2:]]
        else:
            code, names = _script(arguments[0])
            sys.argv = arguments
    except OSError as error:
        print(texts.NO_PROGRAM.format(prog=sys.executable, file=arguments[0], reason=error.strerror), file=sys.stderr)
        return 2
    except SyntaxError as error:
        sys.excepthook(type(error), error.with_traceback(None), None)
        return 1
    except _NotRunnableError as error:
        print(f"{sys.executable}: {error}", file=sys.stderr)
        return 1
    return runner(code, names)


class _NotRunnableError(Exception):
    """There is no such program."""


def _script(path: str) -> tuple[CodeType, dict[str, Any]]:
    """The code of a file, or of the `__main__` in a folder or zip file, and the names that a module has at first."""
    if os.path.isdir(path) or path.endswith((".zip", ".pyz")):
        sys.path[0] = path
        return _module("__main__")
    with io.open_code(os.path.abspath(path)) as file:
        source = file.read()
    if not sys.flags.safe_path:
        sys.path[0] = os.path.dirname(os.path.realpath(path))
    loader = SourceFileLoader("__main__", path)
    names = {"__file__": path, "__loader__": loader, "__spec__": None, "__package__": None, "__cached__": None}
    return compile(source, path, "exec", dont_inherit=True), names


def _module(name: str) -> tuple[CodeType, dict[str, Any]]:
    """As `_script`, of a module that is imported by its name, or of the `__main__` of a package."""
    if name == "__main__":
        del sys.modules[name]  # this program's own
    spec = find_spec(name)
    if spec is not None and spec.submodule_search_locations is not None:
        spec = find_spec(f"{name}.__main__")
        if spec is None:
            raise _NotRunnableError(texts.PACKAGE_WITHOUT_MAIN.format(name=name))
    if spec is None:
        raise _NotRunnableError(f"No module named {name}")
    return _code_of(spec), {
        "__file__": spec.origin,
        "__loader__": spec.loader,
        "__spec__": spec,
        "__package__": spec.parent,
        "__cached__": spec.cached,
    }


def _code_of(spec: ModuleSpec) -> CodeType:
    code = spec.loader.get_code(spec.name) if hasattr(spec.loader, "get_code") else None  # type: ignore[union-attr]  # asked
    if code is None:
        raise _NotRunnableError(f"No code object available for {spec.name}")
    return code


def run(code: CodeType, names: dict[str, Any]) -> int:
    """Execute a program as the module `__main__`; print the traceback of an exception that it lets out.

    Returns:
        The exit code.
    """
    error = execute(code, names)
    return 0 if error is None else show(error)


def execute(code: CodeType, names: dict[str, Any]) -> BaseException | None:
    """Execute a program as the module `__main__`.

    Returns:
        The exception that it lets out, None if it ends well. SystemExit passes through.
    """
    module = ModuleType("__main__")
    module.__dict__.update(names, __builtins__=builtins)
    sys.modules["__main__"] = module
    try:
        exec(code, module.__dict__)  # noqa: S102  # that is what it is for
    except SystemExit:
        raise
    except BaseException as error:  # of any kind, as Python itself does
        return error
    return None


def show(error: BaseException) -> int:
    """Print the traceback of an exception that a program let out.

    Returns:
        The exit code.
    """
    sys.excepthook(type(error), error.with_traceback(_within(error.__traceback__)), error.__traceback__)
    return 130 if isinstance(error, KeyboardInterrupt) else 1


def _within(traceback: TracebackType | None) -> TracebackType | None:
    """The frames of the program, without ours that called it, and those in which an import is refused."""
    while traceback is not None and _file(traceback) == __file__:
        traceback = traceback.tb_next
    last = traceback
    while last is not None:
        if last.tb_next is not None and _file(last.tb_next) == imports.__file__:
            last.tb_next = None
        last = last.tb_next
    return traceback


def _file(traceback: TracebackType) -> str:
    return traceback.tb_frame.f_code.co_filename
