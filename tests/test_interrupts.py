"""A KeyboardInterrupt leaves no transform running and no mode on, wherever it arrives.

Python looks for signals when a function begins, after a call and when a loop goes round. The first test raises an
exception at each of these places in turn, in all of funcgrad, while a transform or a mode is entered and left; in what
scopes are made of, at every instruction. The tracebacks are kept, as notebooks do. The second one uses real signals.
"""

import dis
import gc
import os
import signal
import sys
import threading
import time
from contextlib import ExitStack
from functools import cache

import numpy as np
import pytest

import funcgrad as fg
import funcgrad.numpy as fnp
from funcgrad import torch
from funcgrad.compile import disable
from funcgrad.core import trace
from funcgrad.core.array import Array
from funcgrad.core.scope import Replaced, Scope, scoped
from funcgrad.debug import watch
from funcgrad.lax import staging
from funcgrad.torch.autograd import forward_ad
from funcgrad.torch.base import meta, printing
from funcgrad.torch.base.modes import State, state
from funcgrad.torch.utils import checkpoint as torch_checkpoint

X = fnp.array([0.3, 0.7])
T = torch.tensor([0.3, 0.7])
SQUARES = lambda x: fnp.sum(x * x)


def _backward():
    x = torch.ones(2, requires_grad=True)
    (x * x).sum().backward()


def _block(make):
    """A program with a block of a mode."""

    def run():
        with make():
            pass

    return run


@scoped
def _generated(box):
    before = box[0]
    try:
        box[0] = before + 1
        yield
    finally:
        box[0] = before


class _Box:
    value = 0


BOX, NUMBER = _Box(), [0]
HELD = torch.no_grad()  # one object, used again
PROGRAMS = {
    "grad": lambda: fg.grad(SQUARES)(X),
    "value_and_grad of a number": lambda: fg.value_and_grad(lambda x: x * x)(2.0),
    "grad of grad": lambda: fg.grad(lambda x: fg.grad(lambda y: y * y * x)(x))(2.0),
    "vjp": lambda: fg.vjp(SQUARES, X)[1](1.0),
    "jvp": lambda: fg.jvp(SQUARES, (X,), (X,)),
    "vmap": lambda: fg.vmap(fnp.sin)(X),
    "vmap of grad": lambda: fg.vmap(fg.grad(fnp.sin))(X),
    "linearize": lambda: fg.linearize(SQUARES, X)[1](X),
    "linear_transpose": lambda: fg.linear_transpose(fnp.sum, X)(1.0),
    "hessian": lambda: fg.hessian(SQUARES)(X),
    "make_tape": lambda: fg.make_tape(SQUARES)(X)(X),
    "eval_shape": lambda: fg.eval_shape(SQUARES, X),
    "jit": lambda: fg.jit(lambda x: fnp.sin(x) * 2.0)(X),
    "checkpoint": lambda: fg.grad(fg.checkpoint(SQUARES))(X),
    "cond": lambda: fg.lax.cond(True, fnp.sin, fnp.cos, X),
    "cond in jit": lambda: fg.jit(lambda x: fg.lax.cond(x[0] > 0, fnp.sin, fnp.cos, x))(X),
    "scan in grad": lambda: fg.grad(lambda x: fg.lax.scan(lambda c, y: (c * y, None), 1.0, x)[0])(X),
    "custom_vjp in vmap": lambda: fg.vmap(fg.grad(RULED))(X),
    "named axis": lambda: fg.vmap(lambda x: fg.lax.psum(x, "i"), axis_name="i")(X),
    "debug.nans": lambda: fg.debug.nans(fg.grad(SQUARES))(X),
    "debug.nans block": _block(fg.debug.nans),
    "disable_jit": _block(fg.disable_jit),
    "no_grad": _block(torch.no_grad),
    "no_grad, held": _block(lambda: HELD),
    "no_grad, decorator": torch.no_grad()(lambda: None),
    "no_grad in no_grad": lambda: torch.no_grad()(_block(torch.no_grad))(),
    "enable_grad": _block(torch.enable_grad),
    "inference_mode": _block(torch.inference_mode),
    "device": _block(lambda: torch.device("cpu")),
    "detect_anomaly": _block(lambda: torch.autograd.detect_anomaly()),
    "saved_tensors_hooks": _block(lambda: torch.autograd.graph.saved_tensors_hooks(lambda t: t, lambda t: t)),
    "disable_saved_tensors_hooks": _block(lambda: torch.autograd.graph.disable_saved_tensors_hooks("no")),
    "allow_mutation": _block(torch.autograd.graph.allow_mutation_on_saved_tensors),
    "dual_level": _block(forward_ad.dual_level),
    "printoptions": _block(lambda: printing.printoptions(precision=2)),
    "set_checkpoint_early_stop": _block(lambda: torch_checkpoint.set_checkpoint_early_stop(False)),
    "GraphExecGroup": _block(torch_checkpoint.GraphExecGroup),
    "backward": _backward,
    "torch.func.grad": lambda: torch.func.grad(lambda t: (t * t).sum())(T),
    "torch.func.vmap": lambda: torch.func.vmap(lambda t: t * t)(T),
    "torch.func.jvp": lambda: torch.func.jvp(lambda t: t * t, (T,), (T,)),
    "torch.func.jacrev": lambda: torch.func.jacrev(lambda t: t * t)(T),
    "generated": _block(lambda: _generated(NUMBER)),
    "replaced": _block(lambda: Replaced((BOX, "value", 1))),
}
RULED = fg.custom_vjp(lambda x: x * x)
RULED.defvjp(lambda x: (x * x, x), lambda r, g: (2 * r * g,))


def what_is_on() -> dict:
    """All that transforms and modes switch on."""
    modes = {k: getattr(state, k) for k in vars(State) if not k.startswith("_") and not callable(getattr(state, k))}
    modes.pop("batches")
    modes["duals"] = modes["duals"] is not None
    return {
        **modes,
        "trace": trace.innermost(),
        "observer": trace.observer.get(),
        "collector": gc.isenabled(),
        "watching": set(watch._watching),
        "evaluation": type(Array._trace),
        "errors": np.geterr(),
        "staging": staging._writes.get(),
        "jit": (disable.disabled(), disable.switches[0]),
        "devices": list(meta._contexts),
        "printing": printing.get_printoptions(),
        "checkpoint": (torch_checkpoint._early_stop, torch_checkpoint._debug),
        "box": (BOX.value, NUMBER[0]),
    }


FOLDER = os.path.dirname(fg.__file__)
SCOPES = ("__enter__", "leave", "__get__", "_leave")
AFTER = {op for name, op in dis.opmap.items() if name.startswith("CALL") or name == "JUMP_BACKWARD"}


class Interruption:
    """Raises KeyboardInterrupt at the n-th place where one might arrive."""

    def __init__(self, n: int) -> None:
        self.left, self.where = n, None
        self.scopes: list[bool] = []  # for each place that was passed whether it is in what scopes are made of

    def __call__(self, frame, event, arg):
        """Called when a function begins, which is a place."""
        code = frame.f_code
        if not code.co_filename.startswith(FOLDER) and code is not _generated.__wrapped__.__code__:
            return None
        if code.co_name == "__del__":
            return None
        frame.f_trace_opcodes, frame.f_trace_lines = True, False
        self.strike(frame)
        everywhere, bytecode, last = code.co_name in SCOPES, opcodes(code), None

        def each(frame, event, arg):
            nonlocal last
            if event == "opcode":
                if everywhere or (
                    last is not None and bytecode[last] in AFTER and same_handler(code, last, frame.f_lasti)
                ):
                    self.strike(frame)
                last = frame.f_lasti
            return each

        return each

    def strike(self, frame) -> None:
        self.left -= 1
        self.scopes.append(frame.f_code.co_name in SCOPES)
        if self.left == 0:
            self.where = f"{frame.f_code.co_filename}:{frame.f_lineno} {frame.f_code.co_name}"
            raise KeyboardInterrupt


@cache
def opcodes(code) -> bytes:
    return code.co_code


@cache
def same_handler(code, first: int, second: int) -> bool:
    """Whether what is raised at two instructions is handled at one place.

    Python raises after a call, but as if the call had raised; a trace function can only raise at the next instruction,
    which after `return f()` at the end of a `with` block is no longer covered by the block.
    """
    table = dis._parse_exception_table(code)
    return len({next((e.target for e in table if e.start <= at < e.end), None) for at in (first, second)}) == 1


def interrupted(program, n: int):
    """Run a program and interrupt it at the n-th place: where that was, and the exception; None if it came through."""
    strike, before = Interruption(n), sys.gettrace()  # a measurement of coverage goes on afterwards
    sys.settrace(strike)
    try:
        program()
    except KeyboardInterrupt as e:
        return strike.where, e
    except BaseException as e:  # torch's own errors that take the place of what was raised inside
        if strike.where is None:
            raise
        return strike.where, e
    finally:
        sys.settrace(before)
    return (strike.where, None) if strike.where else None


def places(program, most: int | None) -> list[int]:
    """The places where a program is to be interrupted: all, or some of those in scopes and fewer of the others."""
    strike, before = Interruption(0), sys.gettrace()
    sys.settrace(strike)
    try:
        program()
    finally:
        sys.settrace(before)
    if most is None:
        return list(range(1, len(strike.scopes) + 1))
    within = [n for n, scope in enumerate(strike.scopes, 1) if scope]
    others = [n for n, scope in enumerate(strike.scopes, 1) if not scope]
    return sorted(within[:: 1 + len(within) // most] + others[:: 1 + 2 * len(others) // most])


@pytest.fixture
def unheard():
    """Python reports exceptions in finalizers and goes on; one that this file raises there is no news."""
    before, sys.unraisablehook = sys.unraisablehook, lambda report: None
    yield
    sys.unraisablehook = before


@pytest.mark.filterwarnings("ignore:Anomaly Detection")
@pytest.mark.parametrize("most", [80, pytest.param(None, marks=pytest.mark.slow)])
@pytest.mark.parametrize("name", PROGRAMS)
def test_at_every_place(name, most, unheard):
    program = PROGRAMS[name]
    program()  # what is made once is there
    before, kept = what_is_on(), []
    for n in places(program, most):
        found = interrupted(program, n)
        if found is None:  # a program takes a shorter way when it has been interrupted: something is made already
            continue
        kept.append(found[1])
        after = what_is_on()
        assert after == before, (found[0], {k: (before[k], v) for k, v in after.items() if v != before[k]})
    assert len(kept) >= 3
    program()
    assert what_is_on() == before


@pytest.mark.slow
@pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="there are no timers here")
@pytest.mark.filterwarnings("ignore:Anomaly Detection")
def test_real_signals(unheard):
    """For a minute interrupts arrive at any moment in loops over all programs."""
    random = np.random.default_rng(0)
    before, kept, failed, end = what_is_on(), [], [], time.monotonic() + 60

    def interrupt(number, frame):
        raise KeyboardInterrupt

    def loop():
        for _ in range(10**6):
            program()

    heard = signal.signal(signal.SIGALRM, interrupt)
    try:
        while time.monotonic() < end:
            name = random.choice([name for name in PROGRAMS if name != "debug.nans"])
            program = PROGRAMS[name]
            try:
                try:
                    signal.setitimer(signal.ITIMER_REAL, random.uniform(2e-4, 5e-3))
                    loop()
                finally:
                    signal.setitimer(signal.ITIMER_REAL, 0)
            except BaseException as e:  # the interrupt, or what became of it
                kept = [*kept[-200:], e]
            after = what_is_on()
            if after != before:
                failed.append((name, {k: (before[k], v) for k, v in after.items() if v != before[k]}))
                break
    finally:
        signal.signal(signal.SIGALRM, heard)
    assert not failed
    assert len(kept) > 100


def test_a_block_that_was_entered_by_hand_stays_open():
    """As in PyTorch: there is no `with` statement whose end would end it."""

    def by_hand():
        torch.no_grad().__enter__()

    by_hand()
    assert not torch.is_grad_enabled()
    torch.set_grad_enabled(True)
    mode = torch.no_grad()
    mode.__enter__()
    assert mode.__exit__ is not None and callable(type(mode).__exit__)  # to look at it ends nothing
    assert not torch.is_grad_enabled()
    mode.__exit__(None, None, None)
    assert torch.is_grad_enabled()


def test_scopes_in_an_exit_stack():
    with ExitStack() as stack:
        stack.enter_context(torch.no_grad())
        stack.enter_context(torch.autograd.graph.saved_tensors_hooks(lambda t: t, lambda t: t))
        assert not torch.is_grad_enabled() and state.pack_hooks
    assert torch.is_grad_enabled() and not state.pack_hooks and not state.slow


def test_a_generator_that_is_left_behind():
    def numbers():
        with torch.no_grad():
            yield torch.is_grad_enabled()

    g = numbers()
    assert next(g) is False
    del g
    assert torch.is_grad_enabled()


def test_scopes_pass_what_happens_inside():
    class Quiet(Scope):
        def __enter__(self):
            self.entered += 1
            return self

        def leave(self, *error):
            self.seen = error
            self.entered -= 1
            return True

    with Quiet() as quiet:
        raise ValueError("mine")
    assert quiet.seen[0] is ValueError and str(quiet.seen[1]) == "mine" and quiet.entered == 0
    with pytest.raises(ZeroDivisionError), _generated(NUMBER):
        assert NUMBER == [1]
        raise ZeroDivisionError
    assert NUMBER == [0]


def test_threads_have_modes_of_their_own():
    found = []

    def work():
        with torch.no_grad():
            found.append(torch.is_grad_enabled())
        found.append(torch.is_grad_enabled())

    with torch.enable_grad():
        thread = threading.Thread(target=work)
        thread.start()
        thread.join()
        assert found == [False, True] and torch.is_grad_enabled()
