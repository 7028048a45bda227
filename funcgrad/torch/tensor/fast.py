"""`apply` written out for the commonest operands: the entries that programs on small tensors spend their time in."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy import ndarray

from funcgrad.core.array import Array
from funcgrad.core.trace import DeadTrace
from funcgrad.torch.base.modes import state
from funcgrad.torch.base.quiet import quiet
from funcgrad.torch.base.storage import laid_out
from funcgrad.torch.tensor.graph_tracer import GraphTracer
from funcgrad.torch.tensor.journal import MASK, getframe, in_mode, innermost, journal, log, of_users, unrecorded, wrote
from funcgrad.torch.tensor.levels import check_first_example
from funcgrad.torch.tensor.node import next_edge, next_number
from funcgrad.torch.tensor.operation import Operation, apply, of_inference_mode, saved_versions, through
from funcgrad.torch.tensor.promotion import check_broadcast
from funcgrad.torch.tensor.tensor import Tensor
from funcgrad.torch.tensor.traced import lay_out
from funcgrad.torch.tensor.values import F4, F8, FAST, new, requires, wrapped


def in_transform(op: Operation, args: tuple) -> Any:
    """An operation on tensors of which one is not plain."""
    t = _in_transform(op, args)
    elementwise = len(args) == 1 or op.promote is not None or op.result is not None
    if elementwise and isinstance(t._value, Array) and len(t._value.shape) > 1:
        lay_out(t, args)
    return t


def _in_transform(op: Operation, args: tuple) -> Any:
    """`apply`, written out for tensors of one floating dtype and numbers in transforms from which nothing is hidden."""
    transforms = state.transforms
    if not (transforms and transforms[-1].seen and state.grad and state.forward_grad):
        return apply(op, args, {})
    kind, values = None, []
    for a in args:
        if type(a) in FAST:
            v = a._value
            if a._lazy or a._tangent is not None or (kind is not None and v.dtype is not kind):
                return apply(op, args, {})
            kind = v.dtype
            if isinstance(v, Array):
                if type(v._trace) is DeadTrace:
                    return apply(op, args, {})
            elif requires(a):
                v = GraphTracer.of(a, v)
        elif type(a) is float or type(a) is int:
            v = a
        else:
            return apply(op, args, {})
        values.append(v)
    if kind is not F4 and kind is not F8:
        return apply(op, args, {})
    if len(args) == 2 and op.edges is None and op.result is None:
        check_first_example(*args)
    if op.promote is not None and type(args[-1]) in FAST and values[0].shape != values[-1].shape:
        check_broadcast(values)
    t = wrapped(through(op, values, {}))
    t._operation = op.name
    return t


def unary_function(op: Operation) -> Callable:
    """A function of one tensor."""
    impl, recordings, cls, name = op.impl, op.recordings, op.cls, op.name
    unseen_by_autograd = op.blind and not op.zero
    ignored: dict[str, Any] = {}
    mask = (True,)

    def call(x: Any) -> Any:
        if type(x) not in FAST:
            return apply(op, (x,), {})
        if not x._plain:
            return in_transform(op, (x,))
        a = x._value
        kind = a.dtype
        if (kind is not F4 and kind is not F8) or state.slow:
            return apply(op, (x,), {})
        out = quiet.run(impl, a)
        if type(out) is not ndarray:
            out = np.asarray(out)
        elif out.ndim > 1 and out.strides != a.strides:
            out = laid_out(out, (a,))
        t = new(Tensor)
        t._value = out
        if unseen_by_autograd or not state.grad:
            if state.inference:
                t._inference = True
            if x._entry and journal.on:
                if state.grad:
                    unrecorded(name, (x,), t)
                else:
                    in_mode(name, (x._entry,), t, out.shape, out.dtype, 2)
            return t
        edge = None if x._node is None and not x._requires and x._view is None else next_edge(x)
        if edge is None or x._inference or (recording := recordings[mask]) is None:
            if x._entry and journal.on:
                unrecorded(name, (x,), t)
            return t
        plan = recording.plan
        node = cls()
        number = next_number()
        node.number, node.plan, node.op, node.params, node.linked = number, plan, op, ignored, (0,)
        node.inputs, node.numbers = (edge,), (x._nr,)
        node.shape, node.dtype = shape, kind = out.shape, out.dtype
        node.residuals = plan.keep(out, ignored, a)
        t._node = node
        if journal.on:
            frame = getframe(1)
            code = frame.f_code
            if code.co_filename not in of_users:
                frame = innermost(frame)
                code = frame.f_code
            running, lasti, t._entry = journal.running, frame.f_lasti, number
            log[number & MASK] = (number, name, None, True, shape, kind, code, lasti, running, x._entry)
        node.saved = saved_versions(recording, (x,), (t,)) if recording.has_saved else ()
        return t

    return call


_FIRST, _SECOND, _BOTH = (True, False), (False, True), (True, True)


def binary_function(op: Operation) -> Callable:
    """A function of two operands, the first of which is a tensor."""
    impl, recordings, cls, name = op.impl, op.recordings, op.cls, op.name
    unseen_by_autograd = op.blind and not op.zero
    ignored: dict[str, Any] = {}

    def call(x: Any, y: Any) -> Any:
        if type(x) not in FAST:
            return apply(op, (x, y), {})
        if not x._plain:
            return in_transform(op, (x, y))
        a = x._value
        kind = a.dtype
        if (kind is not F4 and kind is not F8) or state.slow:
            return apply(op, (x, y), {})
        if type(y) in FAST:
            b = y._value
            if not y._plain or b.dtype is not kind:
                return in_transform(op, (x, y))
            other = y
        elif type(y) is float or type(y) is int:
            b, other = y, None
        else:
            return apply(op, (x, y), {})
        try:
            out = quiet.run(impl, a, b)
        except (ValueError, OverflowError):  # shapes that do not fit, an int beyond any float
            return apply(op, (x, y), {})
        if type(out) is not ndarray:
            out = np.asarray(out)
        elif out.ndim > 1 and out.strides != a.strides:
            out = laid_out(out, (a, b))
        t = new(Tensor)
        t._value = out
        if unseen_by_autograd or not state.grad:
            if state.inference:
                t._inference = True
            if (x._entry or (other is not None and y._entry)) and journal.on:
                if state.grad:
                    unrecorded(name, (x, y), t)
                else:
                    in_mode(name, (x._entry, 0 if other is None else y._entry), t, out.shape, out.dtype, 3)
            return t
        i = None if x._node is None and not x._requires and x._view is None else next_edge(x)
        j = None if other is None or (y._node is None and not y._requires and y._view is None) else next_edge(y)
        if i is None:
            if j is None:
                if (x._entry or (other is not None and y._entry)) and journal.on:
                    unrecorded(name, (x, y), t)
                return t
            recording = recordings[_SECOND]
            inputs: tuple = (j,)
            numbers: tuple = (y._nr,)
        elif j is None:
            recording, inputs, numbers = recordings[_FIRST], (i,), (x._nr,)
        else:
            recording, inputs, numbers = recordings[_BOTH], (i, j), (x._nr, y._nr)
        if recording is None or (x._inference and of_inference_mode(op, (x, y))):
            if journal.on:
                unrecorded(name, (x, y), t)
            return t
        node = cls()
        shape = out.shape
        plan = recording.trusted
        if plan is None or a.shape != shape or (other is not None and b.shape != shape) or out.dtype is not kind:
            plan = recording.plan
        number = next_number()
        node.number, node.plan, node.op, node.params, node.linked = number, plan, op, ignored, recording.linked
        node.inputs, node.numbers = inputs, numbers
        node.shape, node.dtype = shape, out.dtype
        node.residuals = plan.keep(out, ignored, a, b)
        t._node = node
        if journal.on:
            frame = getframe(2)
            code = frame.f_code
            if code.co_filename not in of_users:
                frame = innermost(frame)
                code = frame.f_code
            running, lasti, t._entry = journal.running, frame.f_lasti, number
            log[number & MASK] = (
                number,
                name,
                None,
                True,
                shape,
                kind,
                code,
                lasti,
                running,
                x._entry,
                0 if other is None else y._entry,
            )
        node.saved = saved_versions(recording, (x, y), (t,)) if recording.has_saved else ()
        return t

    return call


_WRITTEN = {"multiply": "mul", "subtract": "sub", "divide": "div", "true_divide": "div"}
"""How torch calls what NumPy has another name for."""


def write_quickly(ufunc: Any, x: Any, y: Any, alpha: Any = 1) -> bool:
    """Write ufunc(x, alpha * y) into x, if that is all there is to it: nothing is recorded; gives whether it was."""
    if type(x) not in FAST or not x._plain or x._inference or state.slow or state.before_write is not None:
        return False
    a = x._value
    kind = a.dtype
    if (kind is not F4 and kind is not F8) or not a.flags.c_contiguous:
        return False
    if state.grad and (x._requires or x._node is not None or x._view is not None):
        return False
    if type(y) in FAST:
        b = y._value
        if not y._plain or b.dtype is not kind or (x._store is not None and x._store is y._store and x is not y):
            return False
        if state.grad and (y._requires or y._node is not None or y._view is not None):
            return False
    elif type(y) is float or type(y) is int:
        b = y
    else:
        return False
    try:
        if alpha != 1:
            b = quiet.run(np.multiply, b, alpha)
        quiet.run(ufunc, a, b, a)
    except (ValueError, OverflowError):  # shapes that do not fit, an int beyond any float, memory that is read only
        return False
    x._bump()
    if journal.on:
        wrote(x, _WRITTEN.get(ufunc.__name__, ufunc.__name__) + "_", (y._entry,) if type(y) in FAST else ())
    return True
