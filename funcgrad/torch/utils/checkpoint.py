"""`torch.utils.checkpoint`: less memory for more time, by computing what backward needs a second time."""

from __future__ import annotations

import contextlib
import traceback
import warnings
from collections.abc import Callable, Generator, Iterable
from typing import Any

from funcgrad.core.faces import publish
from funcgrad.core.scope import Scope, scoped
from funcgrad.torch import random
from funcgrad.torch.autograd.backward import backward
from funcgrad.torch.autograd.function import Function
from funcgrad.torch.autograd.saving_hooks import saved_tensors_hooks
from funcgrad.torch.base.modes import enable_grad, no_grad, state
from funcgrad.torch.declare import autocast
from funcgrad.torch.tensor.tensor import Tensor
from funcgrad.torch.texts import checkpoint as texts
from funcgrad.torch.utils.recomputation import CheckpointError as CheckpointError
from funcgrad.torch.utils.recomputation import Frame

__all__ = [
    "CheckpointError",
    "CheckpointFunction",
    "GraphExecGroup",
    "check_backward_validity",
    "checkpoint",
    "checkpoint_sequential",
    "detach_variable",
    "noop_context_fn",
    "set_checkpoint_debug_enabled",
    "set_checkpoint_early_stop",
]

_early_stop: bool | None = None
_debug: bool | None = None


def detach_variable(inputs: Any) -> tuple:
    """The inputs, tensors among them as leaves of their own."""
    if not isinstance(inputs, tuple):
        raise RuntimeError(texts.INPUTS_NO_TUPLE.format(kind=type(inputs).__name__))
    return tuple([x.detach().requires_grad_(x.requires_grad) if isinstance(x, Tensor) else x for x in inputs])


def check_backward_validity(inputs: Iterable) -> None:
    """Warn if no input requires grad, for then a reentrant checkpoint gives no gradients."""
    if not any(x.requires_grad for x in inputs if isinstance(x, Tensor)):
        warnings.warn("None of the inputs have requires_grad=True. Gradients will be None", stacklevel=2)


@scoped
def _autocast(setting: tuple) -> Generator[None, None, None]:
    """The precision that operations computed in at an earlier time."""
    before = autocast.enter("cpu", *setting)
    try:
        yield
    finally:
        autocast.leave("cpu", *before)


@scoped
def _random_state(saved: Any) -> Generator[None, None, None]:
    """The random numbers of an earlier time; afterwards those of now go on."""
    if saved is None:
        yield
        return
    now = random.get_rng_state()
    try:
        random.set_rng_state(saved)
        yield
    finally:
        random.set_rng_state(now)


class CheckpointFunction(Function):
    """The reentrant variant: backward runs the function again, recorded, and a backward walk of its own through it."""

    @staticmethod
    def forward(ctx: Any, run_function: Callable, preserve_rng_state: bool, *args: Any) -> Any:
        """Call the function unrecorded."""
        check_backward_validity(args)
        ctx.run_function = run_function
        ctx.random_state = random.get_rng_state() if preserve_rng_state else None
        ctx.autocast = autocast.setting("cpu")
        ctx.inputs = [None if isinstance(a, Tensor) else a for a in args]
        ctx.tensor_indices = [i for i, a in enumerate(args) if isinstance(a, Tensor)]
        ctx.save_for_backward(*[args[i] for i in ctx.tensor_indices])
        with no_grad():
            return run_function(*args)

    @staticmethod
    def backward(ctx: Any, *args: Any) -> tuple:
        """Call the function again, and differentiate it."""
        if state.walk is not None and state.walk.reached is not None:
            raise RuntimeError(texts.REENTRANT_GRAD)
        inputs = list(ctx.inputs)
        for i, tensor in zip(ctx.tensor_indices, ctx.saved_tensors, strict=True):
            inputs[i] = tensor
        detached = detach_variable(tuple(inputs))
        with _random_state(ctx.random_state), _autocast(ctx.autocast), enable_grad():
            outputs = ctx.run_function(*detached)
        outputs = (outputs,) if isinstance(outputs, Tensor) else outputs
        rows = [(out, g) for out, g in zip(outputs, args, strict=True) if isinstance(out, Tensor) and out.requires_grad]
        if not rows:
            raise RuntimeError(texts.NOTHING_TO_DIFFERENTIATE)
        backward([out for out, _ in rows], [g for _, g in rows])
        return (None, None, *[x.grad if isinstance(x, Tensor) else None for x in detached])


def noop_context_fn() -> tuple:
    """Two contexts in which nothing is different."""
    return contextlib.nullcontext(), contextlib.nullcontext()


def checkpoint(
    function: Callable,
    *args: Any,
    use_reentrant: bool | None = None,
    context_fn: Callable[[], tuple] = noop_context_fn,
    determinism_check: str = "default",
    debug: bool = False,
    early_stop: bool = True,
    **kwargs: Any,
) -> Any:
    """Call a function without keeping what backward needs of it; backward calls it again.

    Arguments:
        function: what to call.
        args, kwargs: its arguments; preserve_rng_state=False among them: the second call draws other random numbers.
        use_reentrant: True: the older variant, with a backward walk within backward; False is recommended.
        context_fn: gives two context managers, for the first call and for the second one.
        determinism_check: "default" compares shape, dtype and device of what the two calls save; "none".
        debug: say more in the error if the two calls differ.
        early_stop: end the second call as soon as everything needed is there.

    Returns:
        What the function returns.

    Raises:
        CheckpointError: in backward, if the second call differs from the first.

    Example:
        >>> from funcgrad import torch
        >>> from funcgrad.torch.utils.checkpoint import checkpoint
        >>> x = torch.tensor(2.0, requires_grad=True)
        >>> checkpoint(lambda x: x * x * x, x, use_reentrant=False).backward()
        >>> x.grad
        tensor(12.)
    """
    if use_reentrant is None:
        warnings.warn(texts.USE_REENTRANT, stacklevel=2)
        use_reentrant = True
    preserve = kwargs.pop("preserve_rng_state", True)
    if not use_reentrant:
        options = (preserve, context_fn, determinism_check, debug, early_stop)
        return _checkpoint_without_reentrant(function, args, kwargs, *options)
    if kwargs:
        raise ValueError("Unexpected keyword arguments: " + ",".join(kwargs))
    if context_fn is not noop_context_fn or debug is not False:
        raise ValueError(texts.REENTRANT_OPTIONS)
    return CheckpointFunction.apply(function, preserve, *args)


_METADATA = {
    "default": lambda x: {"shape": x.shape, "dtype": x.dtype, "device": x.device},
    "none": lambda x: None,
}


def _checkpoint_without_reentrant(
    function: Callable,
    args: tuple,
    kwargs: dict,
    preserve_rng_state: bool,
    context_fn: Callable[[], tuple],
    determinism_check: str,
    debug: bool,
    early_stop: bool,
) -> Any:
    log = None
    if debug if _debug is None else _debug:
        if context_fn is not noop_context_fn:
            raise ValueError("debug=True is incompatible with non-default context_fn")
        log = _Log()
    if determinism_check not in _METADATA:
        raise ValueError(texts.DETERMINISM_CHECK.format(known=list(_METADATA), given=determinism_check))
    forward_context, recompute_context = context_fn()
    random_state = random.get_rng_state() if preserve_rng_state else None
    setting = autocast.setting("cpu")

    def recompute(*tensors: Any) -> None:
        with _random_state(random_state), _autocast(setting), recompute_context:
            function(*tensors, **kwargs)

    frame = Frame(
        recompute,
        early_stop if _early_stop is None else _early_stop,
        None if log is None else log.explain,
        _METADATA[determinism_check],
    )
    if not state.grad:
        return function(*args, **kwargs)
    frame.save_arguments(args)
    pack, collect = frame.pack, frame._collect
    if log is not None:
        pack, frame._collect = log.watched(pack, log.first), log.watched(collect, log.second)
    found, completed = None, False
    with saved_tensors_hooks(pack, frame.unpack), forward_context:
        found = function(*args, **kwargs)
        completed = True
    if not completed:
        raise RuntimeError(texts.SUPPRESSED)
    frame.forward_completed = True
    return found


class _Log:
    """With debug=True: what both calls saved, and where."""

    def __init__(self) -> None:
        self.first: list[tuple[str, str]] = []
        self.second: list[tuple[str, str]] = []

    def watched(self, hook: Callable, entries: list) -> Callable:
        """A hook that also keeps a note of each tensor."""

        def call(x: Any, *rest: Any) -> Any:
            shape = ", ".join(map(str, x.shape))
            entries.append((f"{x.dtype}[{shape}]", "".join(traceback.format_stack(limit=12)[:-1])))
            return hook(x, *rest)

        return call

    def explain(self, error: CheckpointError) -> None:
        """Raise the error with the notes."""
        traces = [
            "\n\n".join(
                f"{what}   ({k} of {len(entries)} in {name})\n\n{where}" for k, (what, where) in enumerate(entries, 1)
            )
            for name, entries in (("original", self.first), ("recompute", self.second))
        ]
        saved = ["\n".join(what for what, _ in entries) for entries in (self.first, self.second)]
        raise CheckpointError(texts.EXPLANATION.format(*traces, *saved)) from error


def checkpoint_sequential(
    functions: Any, segments: int, input: Any, use_reentrant: bool | None = None, **kwargs: Any
) -> Any:
    """Call functions one after the other; all but the last of `segments` runs of them are checkpointed.

    Arguments:
        functions: a list of functions, or a torch.nn.Sequential.
        segments: into how many parts the list is cut.
        input: what the first function is given.
        use_reentrant: as in checkpoint.
        kwargs: preserve_rng_state.
    """
    if use_reentrant is None:
        warnings.warn(texts.SEQUENTIAL_USE_REENTRANT, stacklevel=2)
        use_reentrant = True
    preserve = kwargs.pop("preserve_rng_state", True)
    if kwargs:
        raise ValueError("Unexpected keyword arguments: " + ",".join(kwargs))
    steps = list(functions.children()) if hasattr(functions, "children") else list(functions)

    def run(start: int, end: int) -> Callable:
        def forward(x: Any) -> Any:
            for f in steps[start:end]:
                x = f(x)
            return x

        return forward

    size = len(steps) // segments
    last = size * (segments - 1)
    for start in range(0, last, size):
        input = checkpoint(run(start, start + size), input, use_reentrant=use_reentrant, preserve_rng_state=preserve)
    return run(last, len(steps))(input)


@scoped
def set_checkpoint_early_stop(enable: bool) -> Generator[None, None, None]:
    """Within it, whether recomputation ends as soon as everything needed is there, for all calls of checkpoint."""
    global _early_stop
    before = _early_stop
    try:
        _early_stop = enable
        yield
    finally:
        _early_stop = before


@scoped
def set_checkpoint_debug_enabled(enabled: bool | None) -> Generator[None, None, None]:
    """Within it, debug= of all calls of checkpoint."""
    global _debug
    before = _debug
    try:
        _debug = enabled
        yield
    finally:
        _debug = before


class GraphExecGroup(Scope):
    """Several backward walks within it share what is recomputed."""

    def __enter__(self) -> GraphExecGroup:
        if state.exec_group is not None:
            raise RuntimeError(texts.GROUPS_NESTED.format(group=state.exec_group))
        self.entered = 1
        state.exec_group = self
        return self

    def leave(self, *error: object) -> None:
        state.exec_group = None
        self.entered = 0


publish(__name__)
