"""From a module of LLVM's intermediate representation to machine code in this process."""

from __future__ import annotations

import functools
import importlib
import importlib.util
import os
import platform
import threading
import weakref
from typing import Any

from funcgrad.compile.native import cache
from funcgrad.errors import ArgumentError

_MACHINES = {"x86_64": "+fma", "AMD64": "+fma", "arm64": "", "aarch64": ""}
"""The machines that code is made for, and what they must have: without fused multiply-add each is a call of libm."""


AVX512 = 64  # bytes of a register of processors that have these instructions

working = threading.RLock()
"""Held around each call of LLVM. A process forks between them: its child would find the locks of LLVM and llvmlite held
for good."""
if hasattr(os, "register_at_fork"):  # where processes fork
    os.register_at_fork(before=working.acquire, after_in_parent=working.release, after_in_child=working.release)


@functools.cache
def missing() -> str:
    """Why no native code can be made here; empty if it can."""
    if importlib.util.find_spec("llvmlite") is None:
        return "llvmlite is not installed: pip install 'funcgrad[native]'"
    if platform.machine() not in _MACHINES:
        return f"native code is made for x86-64 and arm64, this is {platform.machine()}"
    need = _MACHINES[platform.machine()]
    if need and need not in target().features.split(","):
        return "this processor has no fused multiply-add"
    return ""


def check_available() -> None:
    """Raise an error that says why no native code can be made here, if that is so.

    Raises:
        ArgumentError: llvmlite is not there, or the processor is of another kind.
    """
    if missing():
        raise ArgumentError(f"jit: backend 'native' cannot be used: {missing()}")


class Target:
    """The processor that code is made for.

    Attributes:
        cpu, features: as LLVM names them.
        version: of LLVM and of what calls it.
        bytes: of a register, from which follows how many lanes there are.
    """

    def __init__(self) -> None:
        llvm: Any = importlib.import_module("llvmlite.binding")
        llvm.initialize_native_target()
        llvm.initialize_native_asmprinter()
        self.llvm = llvm
        self.version = f"{importlib.import_module('llvmlite').__version__} {llvm.llvm_version_info}"
        self.cpu = llvm.get_host_cpu_name()
        self.features = llvm.get_host_cpu_features().flatten()
        has = self.features.split(",")
        self.bytes = AVX512 if "+avx512f" in has and "+avx512dq" in has else 32 if "+avx2" in has else 16

    def machine(self) -> Any:
        """LLVM's view of it."""
        triple = self.llvm.Target.from_default_triple()
        return triple.create_target_machine(opt=2, jit=True, cpu=self.cpu, features=self.features)


@functools.cache
def target() -> Target:
    """The processor of this machine."""
    with working:
        return Target()


class Library:
    """Compiled functions; they can be called as long as it lives.

    Arguments:
        text: of the module.
    """

    def __init__(self, text: str) -> None:
        t = target()
        name = cache.key(text, t.version, t.cpu, t.features)
        code = cache.read(name)
        with working:
            _let_go()
            machine = t.machine()
            if code is None:
                module = t.llvm.parse_assembly(text)
                module.verify()
                code = machine.emit_object(module)
                cache.write(name, code)
            self._engine = t.llvm.create_mcjit_compiler(t.llvm.parse_assembly(""), machine)
            self._engine.add_object_file(t.llvm.ObjectFileRef.from_data(code))
            self._engine.finalize_object()
        weakref.finalize(self, _discard, self._engine).atexit = False

    def address(self, name: str) -> int:
        """Where a function begins."""
        with working:
            return int(self._engine.get_function_address(name))


_discarded: list[Any] = []  # engines that nobody needs


def _discard(engine: Any) -> None:
    """Let machine code go: at once if no call of LLVM is under way, else before the next."""
    _discarded.append(engine)
    if working.acquire(blocking=False):
        try:
            _let_go()
        finally:
            working.release()


def _let_go() -> None:
    """Free what has been discarded; `working` is held, so that no process forks in the midst of it."""
    while _discarded:
        _discarded.pop().close()
