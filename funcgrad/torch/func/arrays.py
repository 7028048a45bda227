"""`on_arrays` and `as_function`: functions of tensors, and modules, for the functional face.

There a function takes arrays and gives arrays, is told its parameters, and changes nothing. So `fg.grad`, `fg.vmap` and
`fg.jit` can take a model written for torch, and a whole training step is compiled as one program.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from typing import Any

import numpy as np

from funcgrad.core import tree
from funcgrad.core.array import Array, wrap
from funcgrad.core.scope import scoped
from funcgrad.core.trace import innermost
from funcgrad.torch.base.modes import no_grad, state
from funcgrad.torch.func.modules import functional_call
from funcgrad.torch.random.deferred import Deferred, continue_from, current_state, generator_at
from funcgrad.torch.tensor.levels import GRAD, JVP, VMAP, Level
from funcgrad.torch.tensor.tensor import Tensor
from funcgrad.torch.tensor.values import raw, wrapped
from funcgrad.torch.texts import func as texts
from funcgrad.torch.texts import randomness as randomness_texts
from funcgrad.transforms.jvp import JvpTrace
from funcgrad.transforms.vjp import VjpTrace
from funcgrad.transforms.vmap import BatchTrace

_KINDS = ((VjpTrace, GRAD), (JvpTrace, JVP), (BatchTrace, VMAP))


def on_arrays(func: Callable) -> Callable:
    """A function of tensors as one of the functional face's arrays.

    Arguments:
        func: takes pytrees of tensors, and gives one; a loss of `torch.nn.functional` for example.

    Returns:
        A function that takes arrays where func takes tensors, and gives Arrays. What func writes into its arguments
        stays unseen outside. `fg.grad`, `fg.vmap`, `fg.jit` and the others take it. It gives a RuntimeError where
        random numbers are drawn in a function that is compiled or batched.

    Example:
        >>> from funcgrad import torch
        >>> f = torch.func.on_arrays(lambda x: torch.relu(x).sum())
        >>> fg.jit(fg.grad(f))(np.array([-1.0, 2.0], "float32"))
        Array([0., 1.], dtype=float32)
    """

    @functools.wraps(func)
    def wrapper(*args: Any, **kwargs: Any) -> Any:
        with transforms_known(), drawing_from(None):
            inside, named = tree.map(_entering, (args, kwargs))
            out = func(*inside, **named)
        return tree.map(_leaving, out)

    return wrapper


def as_function(model: Any, state: bool = False) -> tuple:
    """A module as a function of its parameters, for `fg.grad`, `fg.vmap` and `fg.jit`.

    Arguments:
        model: a module. That it is training or evaluating is looked at when the function is called, or compiled.
        state: whether there is more than the parameters: buffers that a call changes, as those of BatchNorm, and
            random numbers, as for Dropout. The function takes the state then, and gives the new one.

    Returns:
        `(f, params)`: `f(params, *inputs)` gives what `model(*inputs)` gives; params is a dict of Arrays by name.
        With state `(f, params, state)`: `f(params, state, *inputs)` gives `(outputs, state)`. `f.load(params)` and
        `f.load(params, state)` write into the model what was learned.

    Raises:
        RuntimeError: by `f` without state, where a call changes a buffer, or draws random numbers in a function that
            is compiled or batched.

    Example:
        >>> from funcgrad import torch
        >>> f, params = torch.func.as_function(torch.nn.Linear(2, 1))
        >>> step = fg.jit(fg.grad(lambda params, x: f(params, x).sum()))
        >>> step(params, np.ones((3, 2), "float32"))
        {'bias': Array([3.], dtype=float32), 'weight': Array([[3., 3.]], dtype=float32)}
    """
    params = {name: _copied(p) for name, p in model.named_parameters()}
    if not state:
        return ModuleFunction(model), params
    buffers = {name: _copied(b) for name, b in model.named_buffers()}
    return StatefulFunction(model), params, {"buffers": buffers, "random": wrap(current_state())}


class ModuleFunction:
    """A module as a function of its parameters; made by `as_function`.

    Arguments:
        model: the module.
    """

    def __init__(self, model: Any) -> None:
        self.model = model

    def __call__(self, params: dict[str, Any], /, *inputs: Any, **named: Any) -> Any:
        buffers = {name: _copied(b) for name, b in self.model.named_buffers()}
        out, changed = _called(self.model, params, buffers, inputs, named, None)
        if changed:
            raise RuntimeError(texts.BUFFERS_CHANGED.format(kind=type(self.model).__name__, names=", ".join(changed)))
        return out

    def load(self, params: dict[str, Any]) -> None:
        """Write parameters into the model."""
        _load(dict(self.model.named_parameters()), params)


class StatefulFunction(ModuleFunction):
    """A module as a function of its parameters and its state; made by `as_function`."""

    def __call__(self, params: dict[str, Any], state: dict[str, Any], /, *inputs: Any, **named: Any) -> Any:
        draws = Deferred(state["random"])
        out, changed = _called(self.model, params, state["buffers"], inputs, named, draws)
        return out, {"buffers": {**state["buffers"], **changed}, "random": draws.state}

    def load(self, params: dict[str, Any], state: dict[str, Any] | None = None) -> None:
        """Write parameters, and buffers, into the model; the default generator goes on where the state's is."""
        super().load(params)
        if state is not None:
            _load(dict(self.model.named_buffers()), state["buffers"])
            continue_from(np.asarray(state["random"]))


def _called(
    model: Any, params: dict[str, Any], buffers: dict[str, Any], inputs: tuple, named: dict[str, Any], draws: Any
) -> tuple[Any, dict[str, Any]]:
    """What a module gives for these parameters, buffers and inputs, and the buffers that are others afterwards."""
    with transforms_known(), drawing_from(draws):
        given = {name: _entering(x) for name, x in (*params.items(), *buffers.items())}
        before = {name: (given[name], given[name]._version) for name in buffers}
        args, kwargs = tree.map(_entering, (inputs, named))
        out = functional_call(model, given, args, kwargs)
        after = {name: (given[name], given[name]._version) for name in buffers}
    changed = {
        name: _leaving(t)
        for name, (t, version) in after.items()
        if t is not before[name][0] or version != before[name][1]
    }
    return tree.map(_leaving, out), changed


def _load(own: dict[str, Any], given: dict[str, Any]) -> None:
    """Write arrays into the tensors of a module that have these names."""
    if own.keys() != given.keys():
        raise RuntimeError(texts.OTHER_NAMES.format(names=", ".join(sorted(own.keys() ^ given.keys()))))
    with no_grad():
        for name, x in given.items():
            if own[name].shape != x.shape:
                raise RuntimeError(texts.OTHER_SHAPE.format(name=name, own=tuple(own[name].shape), given=x.shape))
            own[name].copy_(wrapped(np.array(x)))


def _copied(t: Tensor) -> Array:
    return wrap(np.array(raw(t)))


def _entering(x: Any) -> Any:
    """An array as a tensor that nobody else can see written into; others as they are."""
    if isinstance(x, (np.ndarray, np.generic)):
        return wrapped(np.array(x))
    if not isinstance(x, Array):
        return x
    return wrapped(np.array(x._value) if type(x) is Array else x)


def _leaving(x: Any) -> Any:
    return wrap(raw(x)) if isinstance(x, Tensor) else x


@scoped
def drawing_from(draws: Deferred | None) -> Iterator[None]:
    """Within it random numbers come from a state, if there is one, and in a program are drawn when it runs."""
    if not _deferring():
        if draws is None:
            yield
            return
        with generator_at(np.asarray(draws.state)):
            yield
            draws.state = wrap(current_state())
        return
    before, state.deferred = state.deferred, draws or Deferred(None)
    start = current_state()
    try:
        yield
    finally:
        state.deferred = before
    if not np.array_equal(start, current_state()):
        continue_from(start)
        raise RuntimeError(randomness_texts.DRAWN_AT_ONCE)


def _deferring() -> bool:
    """Whether what is drawn now would be the same for all examples of a batch, or at all runs of a program."""
    trace = innermost()
    while trace is not None:
        if trace.symbolic or isinstance(trace, BatchTrace):
            return True
        trace = trace.outer
    return False


@scoped
def transforms_known() -> Iterator[None]:
    """Within it the transforms of the functional face that run are known to tensors, for no_grad() and detach().

    torch's own graph is off.
    """
    known = {id(level.trace) for level in state.transforms}
    found = []
    trace = innermost()
    while trace is not None:
        kind = next((kind for cls, kind in _KINDS if isinstance(trace, cls)), None)
        if kind is not None and id(trace) not in known:
            found.append((kind, trace))
        trace = trace.outer
    with no_grad(), ExitStack() as levels:
        for kind, running in reversed(found):
            levels.enter_context(Level(kind, running))
        yield
