"""`torch.compile` at work: which program a call runs, and when there is none."""

from __future__ import annotations

import functools
import logging
import threading
import weakref
from collections.abc import Callable
from typing import Any

import numpy as np

from funcgrad.compile.disable import disabled
from funcgrad.core.faces import publish
from funcgrad.core.trace import innermost, observer
from funcgrad.torch._dynamo import config
from funcgrad.torch._dynamo.exc import InvalidBackend, Later, Unsupported
from funcgrad.torch._dynamo.guards import Guards
from funcgrad.torch._dynamo.inside import PLAIN, described
from funcgrad.torch._dynamo.program import Program
from funcgrad.torch._dynamo.reach import Reach
from funcgrad.torch._dynamo.recorded import Recorded
from funcgrad.torch._dynamo.step import Step
from funcgrad.torch.base.dtypes import get_default_dtype
from funcgrad.torch.base.modes import state
from funcgrad.torch.base.treespec import flatten
from funcgrad.torch.nn.modules import _hooks
from funcgrad.torch.nn.modules.module import Module
from funcgrad.torch.optim import optimizer
from funcgrad.torch.random.deferred import Planned, Sampled, Watched, continue_from, current_state
from funcgrad.torch.tensor.tensor import Tensor
from funcgrad.torch.texts import compilation as texts

__all__ = ["OptimizedModule", "optimized"]

BACKENDS = ("aot_eager", "cudagraphs", "eager", "inductor", "openxla", "tvm")
log = logging.getLogger("funcgrad.torch.compile")
_recording = threading.RLock()
compiled_calls: weakref.WeakSet[Call] = weakref.WeakSet()


class Call:
    """The calls of a compiled function.

    Arguments:
        f: the function.
        fullgraph: whether what can't be recorded is an error.

    Attributes:
        programs: by kinds of arguments.
        refused: kinds of arguments for which nothing is recorded any more, and why.
    """

    def __init__(self, f: Callable, fullgraph: bool) -> None:
        self.f, self.fullgraph = f, fullgraph
        self.name = getattr(f, "__qualname__", None) or type(f).__name__
        owner = f if isinstance(f, Module) else getattr(f, "__self__", None)
        if isinstance(owner, Module):
            self.name = type(owner).__name__
        self.owner = owner if isinstance(owner, Module) else None
        self.reset()

    def reset(self) -> None:
        """Forget all programs."""
        self.entries: list[Callable] = []
        self.drawn: dict[Any, list] = {}
        self.programs: dict[Any, list[Recorded]] = {}
        self.refused: dict[Any, str] = {}
        self.effects: dict[Any, int] = {}
        self.watches: dict[Any, int] = {}
        self.count, self.said = 0, False

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        if not _quiet():
            if self.fullgraph and not _inside():
                raise Unsupported(texts.FULLGRAPH.format(name=self.name, reason=texts.MODES))
            return self.f(*args, **kwargs)
        for entry in self.entries:
            out = entry(args, kwargs)
            if out is not NotImplemented:
                return out
        before, state.compiling = state.compiling, True
        try:
            return self._general(args, kwargs)
        finally:
            state.compiling = before

    def _general(self, args: tuple, kwargs: dict) -> Any:
        """A call of arguments, or of a state of things, that no entry knows."""
        leaves, spec = flatten((args, kwargs))
        try:
            key = self._key(leaves, spec)
        except Unsupported as error:
            return self._eager(args, kwargs, str(error))
        if key in self.refused:
            return self._eager(args, kwargs, self.refused[key])
        program = next((p for p in self.programs.get(key, ()) if p.holds()), None)
        if program is None:
            try:
                program = self._record(key, leaves, spec)
            except Later:
                return self._watched(key, args, kwargs)
            except Unsupported as error:
                return self._eager(args, kwargs, str(error))
        out = program.run(*[x for x in leaves if isinstance(x, Tensor)])
        return self._eager(args, kwargs, texts.SHARED) if out is NotImplemented else out

    def _watched(self, key: Any, args: tuple, kwargs: dict) -> Any:
        """A call before anything is recorded: see what random numbers it draws."""
        watched = Watched()
        state.deferred = watched
        try:
            return self.f(*args, **kwargs)
        finally:
            state.deferred = None
            self.drawn[key] = watched.kinds

    def recorded(self, args: tuple, kwargs: dict) -> Recorded:
        """The program for these arguments.

        Raises:
            Unsupported: there is none.
        """
        if not _quiet():
            raise Unsupported(texts.MODES)
        leaves, spec = flatten((args, kwargs))
        return self._record(None, leaves, spec)

    def _key(self, leaves: Any, spec: Any) -> tuple:
        """What a program is made for."""
        kinds = []
        for x in leaves:
            if isinstance(x, Tensor):
                kinds.append(described(x))
            elif type(x) in PLAIN:
                kinds.append((type(x), repr(x)))
            else:
                raise Unsupported(texts.ARGUMENT.format(what=f"a {type(x).__name__}"))
        training = None if self.owner is None else self.owner.training
        return (*kinds, str(spec), state.grad, training, get_default_dtype())

    def _record(self, key: Any, leaves: list, spec: Any) -> Recorded:
        """A new program.

        Raises:
            Later: the function has to run eagerly first.
            Unsupported: it can't be recorded for these arguments.
        """
        with _recording:
            if self.count >= config.recompile_limit:
                raise Unsupported(texts.TOO_MANY.format(count=self.count))
            start = current_state()
            draws = Sampled([]) if key is None else Planned(self.drawn.get(key))
            try:
                reach = Reach(self.f)
                if reach.trains and key is not None and key not in self.drawn:
                    raise Later
                kind = Step if reach.trains else Program
                program = kind(self.f, leaves, spec, Guards(reach), draws)
            except Unsupported as error:
                self._refuse(key, str(error))
                raise
            except Later:
                self._expect(key)
                raise
            except Exception as error:  # whatever the function does with what has no value; run eagerly it says so
                if draws.missing:
                    self._expect(key)
                    raise Later from error
                reason = texts.FAILED.format(kind=type(error).__name__, error=str(error).partition("\n")[0])
                self._refuse(key, reason)
                raise Unsupported(reason) from error
            finally:
                if not np.array_equal(start, current_state()):
                    continue_from(start)
            self.count += 1
            self.programs.setdefault(key, []).insert(0, program)
            if program.entry is not None:
                self.entries.insert(0, program.entry)
            return program

    def _refuse(self, key: Any, reason: str) -> None:
        """Record nothing more for such arguments; after an effect once more, for it may have been a cache's filling."""
        seen = self.effects[key] = self.effects.get(key, 0) + 1
        if seen > 1 or not reason.startswith(texts.EFFECT.partition("{")[0]):
            self.refused[key] = reason

    def _expect(self, key: Any) -> None:
        """See that a function is not run eagerly again and again to learn what it draws.

        Raises:
            Unsupported: it was, and draws in another way each time.
        """
        self.watches[key] = self.watches.get(key, 0) + 1
        if self.watches[key] > config.recompile_limit:
            self._refuse(key, texts.DRAWS)
            raise Unsupported(texts.DRAWS)

    def _eager(self, args: tuple, kwargs: dict, reason: str) -> Any:
        if self.fullgraph:
            raise Unsupported(texts.FULLGRAPH.format(name=self.name, reason=reason))
        if not self.said:
            self.said = True
            log.warning(texts.EAGER, self.name, reason)
        return self.f(*args, **kwargs)


def _inside() -> bool:
    """Whether another function is being recorded, or transformed."""
    return bool(state.transforms) or innermost() is not None


def _quiet() -> bool:
    """Whether nothing looks at single operations, and no mode changes them."""
    return not (
        state.slow
        or stance.name == "force_eager"
        or state.inference
        or state.autocast is not None
        or state.dual_level >= 0
        or state.before_write is not None
        or state.exec_group is not None
        or state.deferred is not None
        or disabled()
        or innermost() is not None
        or observer.get() is not None
        or _hooks._global_forward_hooks
        or _hooks._global_forward_pre_hooks
        or _hooks._global_backward_hooks
        or _hooks._global_backward_pre_hooks
        or optimizer._global_optimizer_pre_hooks
        or optimizer._global_optimizer_post_hooks
    )


class Stance:
    """What torch.compiler.set_stance has said."""

    name = "default"


stance = Stance()


class OptimizedModule(Module):
    """A module whose calls are compiled; made by `torch.compile`.

    Arguments:
        mod: the module, which it shares everything with.
        fullgraph: whether what can't be recorded is an error.
    """

    def __init__(self, mod: Module, fullgraph: bool = False) -> None:
        super().__init__()
        self._modules["_orig_mod"] = mod
        self.__dict__["_orig_mod"] = mod
        self.__dict__["forward"] = _wrapped(mod, fullgraph)

    def __reduce__(self) -> Any:
        return type(self), (self._orig_mod,)

    @property
    def training(self) -> bool:
        return self._orig_mod.training

    @training.setter
    def training(self, mode: bool) -> None:
        if "_orig_mod" in self.__dict__:
            self._orig_mod.training = mode

    def __getattr__(self, name: str) -> Any:
        if name == "_orig_mod":
            return self._modules["_orig_mod"]
        return getattr(self._orig_mod, name)

    def __setattr__(self, name: str, value: Any) -> None:
        if name in type(self).__dict__ or name in ("forward", "_compiled_call_impl"):
            super().__setattr__(name, value)
        else:
            setattr(self._orig_mod, name, value)

    def __delattr__(self, name: str) -> None:
        delattr(self._orig_mod, name)

    def __contains__(self, name: Any) -> bool:
        return name in self._orig_mod

    def __len__(self) -> int:
        return len(self._orig_mod)

    def __dir__(self) -> list[str]:
        return [*super().__dir__(), *dir(self._orig_mod)]


OptimizedModule.__module__ = "torch._dynamo.eval_frame"


def _wrapped(f: Any, fullgraph: bool) -> Callable:
    call = Call(f, fullgraph)
    compiled_calls.add(call)

    def compiled(*args: Any, **kwargs: Any) -> Any:
        return call(*args, **kwargs)

    if not isinstance(f, Module):
        functools.update_wrapper(compiled, f)
    compiled._torchdynamo_orig_callable = f  # type: ignore[attr-defined]  # torch's name
    compiled._call = call  # type: ignore[attr-defined]  # what torch._dynamo.explain looks at
    return compiled


def optimized(model: Any, fullgraph: bool = False, backend: Any = "inductor", disable: bool = False) -> Any:
    """A function or module whose calls are compiled."""
    if not callable(model):
        raise AssertionError(texts.NO_FUNCTION.format(kind=type(model)))
    if isinstance(backend, str) and backend not in BACKENDS:
        raise InvalidBackend(texts.BACKEND.format(backend=backend))
    if disable or getattr(model, "_torchdynamo_disable", False):
        return model
    if isinstance(model, OptimizedModule):
        return model
    if isinstance(model, Module):
        return OptimizedModule(model, fullgraph)
    return _wrapped(getattr(model, "_torchdynamo_orig_callable", model), fullgraph)


publish(__name__)
