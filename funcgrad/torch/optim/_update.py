"""Carrying out a rule for each parameter of a group: in memory where that is all there is to it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from funcgrad.torch.base.modes import state
from funcgrad.torch.declare.op import namespaces
from funcgrad.torch.optim._arithmetic import OnArrays, OnTensors
from funcgrad.torch.optim._recorded import recorded
from funcgrad.torch.tensor.tensor import Tensor
from funcgrad.torch.tensor.values import F4, F8, FAST, wrapped
from funcgrad.torch.texts import optim as texts

_torch = namespaces[""]

_CAPTURABLE = ["cuda", "xpu", "hpu", "privateuseone"]


def each(
    rule: Callable,
    params: list,
    grads: list,
    *columns: list,
    steps: list | None = None,
    others: Sequence[list] = (),
    writes: int = 1,
    maximize: bool = False,
    foreach: bool | None = None,
    differentiable: bool = False,
    fused: bool | None = None,
    grad_scale: Tensor | None = None,
    found_inf: Tensor | None = None,
    **numbers: Any,
) -> list:
    """Call `rule(arithmetic, step, param, grad, *state, *others, **numbers)` for each parameter; gives the results.

    Arguments:
        rule: writes into param and what it is given of the state.
        params, grads: the parameters, and their gradients.
        columns: lists as long, of the parts of their states; a part may be None.
        steps: the tensors that count the steps, which go up by one.
        others: lists as long, of tensors of one element in their states, which rules get as they are.
        writes: how often torch's own step writes into a parameter, whose version tells.
        maximize: whether the gradients count the other way round.
        foreach: computing all at once, which is the same here, but is never recorded.
        differentiable: whether the steps may be recorded.
        fused: the way of computing that knows of a gradient scaler.
        grad_scale, found_inf: what that gives to an optimiser which is fused.
        numbers: of the rule; tensors of one element are differentiated.
    """
    if foreach and differentiable and params:
        raise AssertionError("_foreach ops don't support autograd")
    if not fused and (grad_scale is not None or found_inf is not None):
        raise AssertionError("Expected grad_scale and found_inf to be None")
    if found_inf is not None and found_inf.item():
        return []
    if grad_scale is not None:
        for g in grads:
            g.div_(grad_scale)
    in_memory = not (state.grad or state.slow or state.before_write is not None)
    for name, number in numbers.items():
        if isinstance(number, Tensor):
            in_memory = False
            numbers[name] = scalar(number)
        elif isinstance(number, np.generic):  # which NumPy would let decide the dtype
            numbers[name] = number.item()
    counts = [None] * len(params) if steps is None else steps
    with np.errstate(all="ignore"):
        return [
            _one(rule, in_memory, writes, maximize, count, list(tensors), [column[i] for column in others], numbers)
            for i, (count, *tensors) in enumerate(zip(counts, params, grads, *columns, strict=True))
        ]


def _one(
    rule: Callable,
    in_memory: bool,
    writes: int,
    maximize: bool,
    count: Tensor | None,
    tensors: list,
    others: list,
    numbers: dict[str, Any],
) -> Any:
    """Carry out the rule for one parameter, its gradient and its state."""
    step = 0 if count is None else _advance(count)
    if state.recorder is not None:
        return recorded(rule, writes, maximize, step, tensors, others, numbers)
    values = _in_memory(tensors) if in_memory else None
    if values is not None:
        if maximize:
            values[1] = -values[1]
        result = rule(OnArrays, step, *values, *others, **numbers)
        for _ in range(writes - 1):
            tensors[0]._bump()
        del tensors[1]
        for t in tensors:
            if t is not None:
                t._bump()
        return None if result is None else wrapped(result)
    if maximize:
        tensors[1] = -tensors[1]
    if not tensors[0].is_complex():
        return rule(OnTensors, step, *tensors, *others, **numbers)
    tensors = [None if t is None else _torch["view_as_real"](t) for t in tensors]
    result = rule(OnTensors, step, *tensors, *others, **numbers)
    return None if result is None else _torch["view_as_complex"](result)


def _in_memory(tensors: list) -> list | None:
    """The ndarrays of a parameter, its gradient and its state, if computing with these is all there is to a step."""
    value = tensors[0]._value
    kind, shape, strides = value.dtype, value.shape, value.strides
    if (kind is not F4 and kind is not F8) or not value.flags.c_contiguous:
        return None
    if not shape:  # what NumPy computes from 0-d arrays are numbers, into which nothing can be written
        return None
    values: list = []
    for t in tensors:
        if t is None:
            values.append(None)
            continue
        v = t._value
        if not t._plain or type(t) not in FAST or v.dtype is not kind or v.shape != shape or t._inference:
            return None
        if v.strides != strides and t is not tensors[1]:
            return None
        values.append(v)
    return values


def _advance(count: Tensor) -> Any:
    """One more step; gives how many there were now."""
    if state.recorder is not None:
        return state.recorder.advance(count)
    value = count._value
    if count._plain and not state.slow:
        np.add(value, 1, out=value, casting="unsafe")
        count._bump()
        return value.item()
    count.add_(1)
    return count.item()


def scalar(x: Any) -> Any:
    """A tensor of one element without dimensions; a number as it is."""
    return x.squeeze() if isinstance(x, Tensor) and x.dim() else x


def check_capturable(params: list, what: str = "params and state_steps", xla: bool = True) -> None:
    """Raise torch's error: no step of a cpu can be captured."""
    if params:
        devices = [*_CAPTURABLE, "xla"] if xla else _CAPTURABLE
        raise AssertionError(texts.CAPTURABLE.format(what=what, devices=devices))


def check_counters(tensors: list, name: str = "state_steps") -> None:
    """Raise torch's error if the numbers of steps are no tensors."""
    for t in tensors:
        if not isinstance(t, Tensor):
            raise RuntimeError(texts.STEPS_NO_TENSORS.format(name=name))


def check_fused(p: Tensor) -> None:
    """Raise torch's error if a parameter can't be stepped by fused=True."""
    if not p.is_floating_point():
        raise RuntimeError(texts.FUSED_NEEDS_FLOATS.format(dtype=p.dtype, device=p.device.type))


def check_lr(lr: Any) -> None:
    """Raise torch's error if a learning rate is negative, or a tensor of several elements."""
    if isinstance(lr, Tensor) and lr.numel() != 1:
        raise ValueError("Tensor lr must be 1-element")
    check_at_least_0("learning rate", lr)


def check_at_least_0(name: str, value: Any) -> None:
    """Raise torch's error if an option is negative or no number."""
    if not value >= 0.0:
        raise ValueError(f"Invalid {name}: {value}")


def check_betas(betas: tuple) -> None:
    """Raise torch's error if one of two factors is not between 0 and 1."""
    for i in 0, 1:
        if not 0.0 <= betas[i] < 1.0:
            raise ValueError(f"Invalid beta parameter at index {i}: {betas[i]}")


def check_fused_alone(fused: bool | None, foreach: bool | None, differentiable: bool) -> None:
    """Raise torch's error if fused=True goes with another way of computing."""
    if fused and differentiable:
        raise RuntimeError("`fused` does not support `differentiable`")
    if fused and foreach:
        raise RuntimeError(texts.FUSED_AND_FOREACH)


zeros_like, full_like = _torch["zeros_like"], _torch["full_like"]
"""The beginnings of what is remembered of a parameter."""
