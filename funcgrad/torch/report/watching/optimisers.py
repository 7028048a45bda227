"""Optimisers, their steps, and schedules."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

from funcgrad.torch.optim import lr_scheduler, optimizer
from funcgrad.torch.report.places import here
from funcgrad.torch.report.session import Session
from funcgrad.torch.report.watching.core import Patches, as_user, inside, thread
from funcgrad.torch.report.watching.variables import name_leaves


def watch_optimisers(patches: Patches) -> None:
    session = patches.session
    cls = optimizer.Optimizer
    init, zero_grad, add = vars(cls)["__init__"], vars(cls)["zero_grad"], vars(cls)["add_param_group"]

    @functools.wraps(init)
    def made(self: Any, *args: Any, **kwargs: Any) -> None:
        with_error(session, "Optimizer", args[:1], lambda: init(self, *args, **kwargs))
        session.given(self, here())

    @functools.wraps(zero_grad)
    def cleared(self: Any, *args: Any, **kwargs: Any) -> None:
        session.clearing([p for g in self.param_groups for p in g["params"]], here())
        with inside():
            zero_grad(self, *args, **kwargs)

    @functools.wraps(add)
    def added(self: Any, *args: Any, **kwargs: Any) -> None:
        add(self, *args, **kwargs)
        if id(self) in session.optimisers:
            session.given(self, here())

    patches.set(cls, "__init__", made)
    patches.set(cls, "zero_grad", cleared)
    patches.set(cls, "add_param_group", added)

    def before(o: Any, args: tuple, kwargs: dict) -> Any:
        session.stepping(o, here(), bool(args[1:] or kwargs.get("closure")))
        name_leaves(session)
        thread.busy = True
        if len(args) > 1 and callable(args[1]):
            return (args[0], _closure(session, o, args[1]), *args[2:]), kwargs
        if callable(kwargs.get("closure")):
            return args, {**kwargs, "closure": _closure(session, o, kwargs["closure"])}
        return None

    def after(o: Any, args: tuple, kwargs: dict) -> None:
        thread.busy = False
        session.stepped(o)

    optimizer._global_optimizer_pre_hooks[-1] = before
    optimizer._global_optimizer_post_hooks[-1] = after
    patches.undo.append(functools.partial(optimizer._global_optimizer_pre_hooks.__delitem__, -1))
    patches.undo.append(functools.partial(optimizer._global_optimizer_post_hooks.__delitem__, -1))
    base = lr_scheduler.LRScheduler
    begin = vars(base)["__init__"]

    @functools.wraps(begin)
    def scheduled(self: Any, optimizer: Any, *args: Any, **kwargs: Any) -> None:
        begin(self, optimizer, *args, **kwargs)
        known = session.optimisers.get(id(optimizer))
        if known is not None:
            known.scheduled = here()

    patches.set(base, "__init__", scheduled)


def _closure(session: Session, o: Any, closure: Callable) -> Callable:
    """The closure of a step: what it calls is remembered, and the gradients that it makes are the step's."""
    user = as_user(closure)

    @functools.wraps(closure)
    def call(*args: Any, **kwargs: Any) -> Any:
        found = user(*args, **kwargs)
        session.stepping(o, here(), False, again=True)
        return found

    return call


def with_error(session: Session, name: str, args: Any, f: Callable) -> Any:
    """Call f; tell of an exception that it raises."""
    try:
        return f()
    except Exception as error:  # of any kind; it goes on
        session.failed(name, args, error, here())
        raise
