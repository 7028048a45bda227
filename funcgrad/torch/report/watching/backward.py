"""backward and autograd.grad."""

from __future__ import annotations

import functools
import sys
from collections.abc import Callable
from typing import Any

from funcgrad.callers import user_frame
from funcgrad.torch import autograd
from funcgrad.torch.base import modes
from funcgrad.torch.drawing import drawing
from funcgrad.torch.report.calls import array_of, nonzero, tensors_in
from funcgrad.torch.report.places import Place, here
from funcgrad.torch.report.session import Backward, Session
from funcgrad.torch.report.walks import Observer
from funcgrad.torch.report.watching.core import Patches, inside, thread
from funcgrad.torch.report.watching.variables import name_leaves, running_scopes
from funcgrad.torch.tensor.engine import Walk
from funcgrad.torch.tensor.node import next_number
from funcgrad.torch.tensor.tensor import Tensor


def watch_walks(patches: Patches) -> None:
    """Both ways to run one."""
    session = patches.session
    module = sys.modules["funcgrad.torch.autograd.backward"]
    patches.set(Tensor, "backward", _walking(session, vars(Tensor)["backward"], False))
    patches.set(autograd, "backward", _walking(session, vars(module)["backward"], False))
    grad = _walking(session, autograd.grad, True)
    for owner in (autograd, module):
        patches.set(owner, "grad", grad)


def _walking(session: Session, f: Callable, asked: bool) -> Callable:
    """A function that runs a walk, with an observer; asked: whether it gives the gradients instead of keeping them."""

    @functools.wraps(f)
    def call(*args: Any, **kwargs: Any) -> Any:
        if thread.busy or modes.state.transforms:
            return f(*args, **kwargs)
        place = here()
        roots = tensors_in(args[0] if args else kwargs.get("outputs", kwargs.get("tensors")))
        inputs = _listed(args[1] if len(args) > 1 else kwargs.get("inputs")) if asked else []
        event = session.began(roots, place, asked)
        _again(session, event, roots, place)
        observer = Observer(session.leaves, session.leaf, functools.partial(session.accumulates, place=place))
        before, Walk.observer = Walk.observer, observer
        first = next_number()
        try:
            with inside():
                found = f(*args, **kwargs)
        except Exception as error:  # of any kind; it goes on
            session.failed("backward", roots, error, place, observer.node)
            session.asked_for = tensors_in(inputs)
            raise
        finally:
            Walk.observer = before
        try:
            with inside():
                grads = _listed(found)
                session.ended(event, observer, inputs, grads)
                name_leaves(session)
                if session.draws and not asked:
                    session.draws = False
                    session.graph = _drawn(roots)
                if asked:
                    _made(session, event, inputs, grads, first)
        except Exception as error:  # of any kind: what fails in looking on must not end the program
            session.stop(error)
        return found

    return call


def _listed(values: Any) -> list[Any]:
    """What autograd.grad takes and gives, as a list."""
    if isinstance(values, dict):
        return list(values.values())
    return list(values) if isinstance(values, (list, tuple)) else [values]


def _made(session: Session, event: Backward, inputs: list, grads: list, first: int) -> None:
    """The entries of gradients that were asked for."""
    sources = tuple([e.number for e in event.losses])
    for x, g in zip(inputs, grads, strict=False):
        if not isinstance(g, Tensor):
            continue
        entry = session.log.add(g, what="autograd.grad", place=event.place, sources=sources, requires=g.requires_grad)
        entry.cut = None if g.requires_grad else "autograd.grad"
        leaf = session.leaves.of(x) if isinstance(x, Tensor) else None
        entry.gradient = leaf.key if leaf is not None else 0
        session.log.nodes(first, next_number(), entry)


def _again(session: Session, event: Any, roots: list, place: Place) -> None:
    """Whether backward ran before on a part of the graph that it is about to run on."""
    if event.asked:
        return
    numbers: set[int] = set()
    order = [t._node for t in roots if t._node is not None]
    seen = set(order)
    for node in order:
        numbers.add(int(node.number))
        for i in node.inputs:
            if i not in seen and len(seen) < 20000:
                seen.add(i)
                order.append(i)
    leaves = {session.leaf(n.variable).key for n in seen if hasattr(n, "variable")}
    for root, where in session.roots:
        if root in numbers:
            event_again = (where, place)
            for key in leaves:
                leaf = session.leaves.by_key[key]
                t = leaf.tensor
                value = None if t is None or t._grad is None else array_of(t._grad)
                if value is not None and nonzero(value) and leaf.fresh:
                    leaf.twice[event_again] += 1
            break
    for number in event.roots:
        session.roots.append((number, place))


def _drawn(roots: list) -> str:
    """A page with the graph that leads to some tensors, which are called as in the functions that are running."""
    try:
        return drawing(tuple(roots), running_scopes(), user_frame(), {}).html()
    except (RuntimeError, ValueError, RecursionError):  # a picture is worth less than the report
        return ""
