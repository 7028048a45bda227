"""What is switched on in this thread: recording, inference mode, hooks on saved tensors, anomaly detection.

`state` is read by every operation. Each mode below is a context manager, a decorator, and, for the setters, a function
that acts at once.
"""

from __future__ import annotations

import functools
import inspect
import sys
import threading
import warnings
from collections.abc import Callable
from typing import Any

from funcgrad.core.scope import Scope
from funcgrad.torch.texts import graph as texts

new: Any = object.__new__


class State(threading.local):
    """The modes of one thread.

    Attributes:
        grad: whether operations are recorded.
        inference: whether inference mode is on.
        pack_hooks: the stack of (pack, unpack) for saved tensors.
        hooks_disabled: the message of disable_saved_tensors_hooks, or None.
        dual_level: the open level of forward-mode AD, -1 outside.
        duals: the tensors that have a tangent of that level, weakly.
        forward_grad: whether forward-mode derivatives are computed.
        anomaly: whether anomaly detection is on.
        anomaly_nan: whether it looks for nan.
        running: the node that the backward walk is at, for anomaly detection.
        walk: the backward walk that is running.
        depth: how many run within one another.
        exec_group: the GraphExecGroup of checkpoints, if one is open.
        before_write: called with each tensor that is about to be written into, for allow_mutation_on_saved_tensors.
        transforms: the levels.Level of each transform of torch.func that runs, the innermost last.
        pulling: whether `grad` of torch.func is pulling its gradient back, which in torch happens inside of it.
        autocast: the lower precision that operations compute in while autocast is on, else None.
        autocast_caches, autocast_cache: whether parameters are cast once for a block, and those that were, by id.
        autocast_switches: the declare.autocast.Switches of the thread.
        deferred: the random.deferred.Deferred that draws when a compiled function runs, or None.
        awaited: what `item()` of a symbol gives while torch.compile records, _dynamo.awaited.Awaited, or None.
        recorder: the _dynamo.step.Recorder that writes down what backward() and optimisers do, or None.
        compiling: whether a function of torch.compile runs, or is recorded.
        modules: the nn.Modules that run in it, as tensor.journal.Journal.running.
        slow: whether one of pack_hooks, anomaly and transforms is on, so that no operation takes its shortest path.
    """

    slow = False

    grad = True
    inference = False
    pack_hooks: tuple = ()
    hooks_disabled: str | None = None
    dual_level = -1
    duals: Any = None
    forward_grad = True
    anomaly = False
    anomaly_nan = True
    running: Any = None
    transforms: tuple = ()
    walk: Any = None
    depth = 0
    before_write: Any = None
    exec_group: Any = None
    pulling = False
    autocast: Any = None
    autocast_caches = True
    autocast_cache: Any = None
    autocast_switches: Any = None
    deferred: Any = None
    awaited: Any = None
    recorder: Any = None
    compiling = False
    modules: Any = None

    @property
    def batches(self) -> list[tuple[Any, str]]:
        """(trace, randomness) of the vmaps that run, the innermost last."""
        return [(level.trace, level.randomness) for level in self.transforms if level.kind == "vmap"]

    def settle(self) -> None:
        """See whether operations may take their shortest path; whoever changes what that depends on calls it."""
        self.slow = bool(self.pack_hooks or self.anomaly or self.transforms)


state = State()


def give_tangent(t: Any, tangent: Any) -> None:
    """Make `tangent` the forward derivative of a tensor, until the level is left."""
    t._set(tangent=tangent)
    state.duals[id(t)] = t


class _Mode(Scope):
    """A scope that also decorates functions, generators and, as torch has it, classes with a warning."""

    def clone(self) -> Any:
        return type(self)()

    def __call__(self, f: Callable) -> Callable:
        if inspect.isclass(f):
            warnings.warn(texts.CLASS_DECORATED, FutureWarning, stacklevel=2)
            f.__init__ = self(f.__init__)
            return f
        if inspect.isgeneratorfunction(f):
            return self._wrap_generator(f)

        @functools.wraps(f)
        def wrapped(*args: Any, **kwargs: Any) -> Any:
            with self.clone():
                return f(*args, **kwargs)

        return wrapped

    def _wrap_generator(self, f: Callable) -> Callable:
        """The mode is on while the generator runs and off while it is suspended."""

        @functools.wraps(f)
        def wrapped(*args: Any, **kwargs: Any) -> Any:
            gen = f(*args, **kwargs)
            try:
                with self.clone():
                    response = gen.send(None)
                while True:
                    try:
                        request = yield response
                    except GeneratorExit:
                        with self.clone():
                            gen.close()
                        raise
                    except BaseException:  # handed on to the generator
                        with self.clone():
                            response = gen.throw(*sys.exc_info()[1:2])
                    else:
                        with self.clone():
                            response = gen.send(request)
            except StopIteration as stop:
                return stop.value

        return wrapped


class no_grad(_Mode):  # noqa: N801  (torch's name)
    """Operations inside are not recorded; their results do not require grad.

    Example:
        >>> from funcgrad import torch
        >>> x = torch.ones(2, requires_grad=True)
        >>> with torch.no_grad():
        ...     print((x * 2).requires_grad)
        False
    """

    def __new__(cls, f: Any = None) -> Any:
        made = new(cls)
        return made if f is None else made(f)  # `@no_grad` without parentheses

    prev = False  # whether operations were recorded where it was entered

    def __enter__(self) -> None:
        self.prev = state.grad
        self.entered += 1
        state.grad = False

    def leave(self, *error: Any) -> None:
        state.grad = self.prev
        self.entered -= 1


class enable_grad(no_grad):  # noqa: N801  (torch's name)
    """Operations inside are recorded, also within no_grad."""

    def __enter__(self) -> None:
        self.prev = state.grad
        self.entered += 1
        state.grad = not state.inference


class set_grad_enabled(_Mode):  # noqa: N801  (torch's name)
    """Switch recording on or off: at once, and as a context manager until its end."""

    def __init__(self, mode: bool) -> None:
        if not isinstance(mode, bool):
            raise TypeError(
                "set_grad_enabled(): argument 'enabled' (position 1) must be bool, not " + type(mode).__name__
            )
        self.prev, self.mode = state.grad, mode
        state.grad = mode and not state.inference

    def __call__(self, f: Callable) -> Callable:
        state.grad = self.prev  # as a decorator it does nothing yet
        return super().__call__(f)

    def __enter__(self) -> None:
        self.entered += 1
        state.grad = self.mode and not state.inference

    def leave(self, *error: Any) -> None:
        state.grad = self.prev
        self.entered -= 1

    def __str__(self) -> str:
        return f"{type(self).__module__}.set_grad_enabled(mode={self.mode})"

    def clone(self) -> set_grad_enabled:
        made = object.__new__(type(self))
        made.prev, made.mode = state.grad, self.mode
        return made


class inference_mode(_Mode):  # noqa: N801  (torch's name)
    """As no_grad; besides, tensors made inside are inference tensors, which can never be recorded."""

    def __new__(cls, mode: Any = True) -> Any:
        made = new(cls)
        if isinstance(mode, bool):
            return made
        cls.__init__(made)
        return made(mode)

    def __init__(self, mode: bool = True) -> None:
        self.mode = mode
        self.prev: tuple[tuple[bool, bool, bool], ...] = ()

    def __enter__(self) -> None:
        self.prev = (*self.prev[: self.entered], (state.grad, state.inference, state.forward_grad))
        self.entered += 1
        state.inference = self.mode
        state.grad = state.forward_grad = not self.mode

    def leave(self, *error: Any) -> None:
        state.grad, state.inference, state.forward_grad = self.prev[self.entered - 1]
        self.entered -= 1

    def clone(self) -> inference_mode:
        return type(self)(self.mode)


def is_grad_enabled() -> bool:
    """Whether operations are recorded."""
    return state.grad


def is_inference_mode_enabled() -> bool:
    """Whether inference mode is on."""
    return state.inference
