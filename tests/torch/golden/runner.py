"""Runs a golden script with a given torch and returns what it printed, warned and raised, as one text."""

from __future__ import annotations

import builtins
import contextlib
import importlib
import io
import re
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

GOLDEN = Path(__file__).parent


def scripts(*topics: str) -> list[Path]:
    """All golden scripts, or those of the given topics, in alphabetical order."""
    return sorted(path for path in GOLDEN.glob("*/*.py") if not topics or path.parent.name in topics)


def run(script: Path, torch: ModuleType) -> str:
    """Executes a script in a fresh namespace in which `torch` is the given module.

    Arguments:
        script: the file to run.
        torch: what its `import torch` leads to.

    Returns:
        What the script printed. A warning is a line `UserWarning: text` where it occurred, every time it occurred;
        an exception that the script let out is a last line `RuntimeError: text`.
    """
    out = io.StringIO()
    namespace = {
        "__name__": "__main__",
        "__file__": str(script),
        "__builtins__": {**vars(builtins), "__import__": _importer(torch)},
    }
    code = compile(script.read_text(encoding="utf-8"), str(script), "exec")
    with contextlib.redirect_stdout(out), _warnings_written_to(out), _fresh_state(torch):
        try:
            exec(code, namespace)
        except Exception as error:
            print(f"{type(error).__name__}: {error}")
    return _normalise(out.getvalue(), script)


def _importer(torch: ModuleType) -> Callable[..., Any]:
    """An `__import__` for which the name torch, and what lies below it, is the given module."""

    def import_(name: str, globals: Any = None, locals: Any = None, fromlist: Any = (), level: int = 0) -> Any:
        if name.partition(".")[0] != "torch":
            return builtins.__import__(name, globals, locals, fromlist, level)
        module = importlib.import_module(torch.__name__ + name.removeprefix("torch"))
        for item in fromlist or ():  # `from torch.autograd import forward_ad` may be what loads forward_ad
            if not hasattr(module, item):
                importlib.import_module(f"{module.__name__}.{item}")
        return module if fromlist else torch

    return import_


@contextlib.contextmanager
def _warnings_written_to(out: io.StringIO) -> Iterator[None]:
    def write(message: Warning | str, category: type[Warning], *where: object) -> None:
        out.write(f"{category.__name__}: {message}\n")

    with warnings.catch_warnings():
        warnings.simplefilter("always")
        # what NumPy says of the signatures of a tensor's __array__ and __array_wrap__, differently in each version
        warnings.filterwarnings("ignore", "__array", DeprecationWarning)
        # what Python 3.12 says of a fork while threads run, those of the test runner included
        warnings.filterwarnings("ignore", "This process", DeprecationWarning)
        # modules that real torch imports when it first needs them, in whichever script that is
        warnings.filterwarnings("ignore", "`torch.jit", DeprecationWarning)
        warnings.showwarning = write
        yield


@contextlib.contextmanager
def _fresh_state(torch: ModuleType) -> Iterator[None]:
    """Warnings that torch gives once are given always; global settings that a script changed are put back."""
    warn_always = getattr(torch, "set_warn_always", None)
    if warn_always is not None:
        warn_always(True)
    try:
        yield
    finally:
        torch.set_grad_enabled(True)
        torch.set_default_dtype(torch.float32)
        torch.set_printoptions(profile="default")
        torch.autograd.set_detect_anomaly(False)
        if warn_always is not None:
            warn_always(False)


# One frame of a traceback: `  File "...", line 3, in f`, and the lines of source and carets under it.
_FRAME = re.compile(r'^  File "(?P<file>[^"\n]+)", line (?P<rest>[^\n]*)\n(?P<source>(?:    [^\n]*\n)*)', re.MULTILINE)
_CARETS = re.compile(r"^ +[~^]+\n", re.MULTILINE)  # they differ between versions of Python


def _normalise(text: str, script: Path) -> str:
    """Takes out what differs from run to run and from machine to machine."""

    def frame(match: re.Match[str]) -> str:
        if match["file"] != str(script):
            return ""  # a frame of torch or of the test runner
        return f'  File "{script.name}", line {match["rest"]}\n{_CARETS.sub("", match["source"])}'

    text = _FRAME.sub(frame, text)
    text = re.sub(r" ?\(Triggered internally at [^)\n]*\)", "", text)
    return re.sub(r"\b0x[0-9a-fA-F]{6,}", "0x…", text)
