"""What a program asks of a tensor's gradient and history: .grad, .data, requires_grad, hooks."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

from funcgrad.torch.base.storage import pointer
from funcgrad.torch.report.calls import array_of, nonzero
from funcgrad.torch.report.places import here
from funcgrad.torch.report.session import Session
from funcgrad.torch.report.watching.core import Patches, direct, thread, watched
from funcgrad.torch.tensor.tensor import Tensor


def watch_histories(patches: Patches) -> None:
    session, calls = patches.session, patches.session.calls
    data, grad, requires = (vars(Tensor)[n] for n in ("data", "grad", "requires_grad"))

    def set_data(t: Any, other: Any) -> None:
        before = None if array_of(t) is None else pointer(t._value)
        data.fset(t, other)
        if not thread.busy and isinstance(other, Tensor):
            leaf = session.leaves.of(t)
            same = array_of(other) is not None and pointer(other._value) == before  # w.data -= ... wrote already
            if leaf is not None and not same and direct():
                calls.updated(leaf, "data", [calls.entry_of(other).number], here())

    def get_grad(t: Any) -> Any:
        found = grad.fget(t)
        if not thread.busy and direct():
            _read(session, t, found)
        return found

    def set_grad(t: Any, value: Any) -> None:
        if not thread.busy and value is None:
            session.clearing([t], here())
        grad.fset(t, value)
        if not thread.busy and value is not None and direct():
            leaf = session.leaf(t)
            leaf.given += 1
            leaf.fresh, leaf.used = True, None

    def set_requires(t: Any, value: bool) -> None:
        requires.fset(t, value)
        if not thread.busy:
            _switched(session, t, value)

    patches.set(Tensor, "data", property(watched("data", data.fget), set_data, data.fdel))
    patches.set(Tensor, "grad", property(get_grad, set_grad, grad.fdel))
    patches.set(Tensor, "requires_grad", property(requires.fget, set_requires, requires.fdel))
    switch: Any = vars(Tensor)["requires_grad_"]

    @functools.wraps(switch)
    def requires_grad_(t: Any, *args: Any, **kwargs: Any) -> Any:
        found = switch(t, *args, **kwargs)
        if not thread.busy:
            _switched(session, t, t.requires_grad)
        return found

    patches.set(Tensor, "requires_grad_", requires_grad_)
    register: Any = vars(Tensor)["register_hook"]

    @functools.wraps(register)
    def register_hook(t: Any, hook: Callable) -> Any:
        session.hooks[id(hook)] = here()
        return register(t, hook)

    patches.set(Tensor, "register_hook", register_hook)
    zero: Any = vars(Tensor)["zero_"]

    @functools.wraps(zero)
    def zero_(t: Any, *args: Any, **kwargs: Any) -> Any:
        if not thread.busy:
            entry = session.log.of(t)
            leaf = session.leaves.by_key.get(entry.gradient) if entry is not None and entry.gradient else None
            if leaf is not None and leaf.tensor is not None:
                place = here()
                leaf.reads.pop(place, None)  # it was read to be cleared
                session.clearing([leaf.tensor], place)
        return zero(t, *args, **kwargs)

    patches.set(Tensor, "zero_", zero_)


def _read(session: Session, t: Any, found: Any) -> None:
    """The program looks at .grad."""
    place = here()
    if not t.is_leaf:
        if found is None:
            session.non_leaf_reads.setdefault((place,), (session.log.of(t), place))
        return
    if not t.requires_grad and session.leaves.of(t) is None:
        if found is None and len(session.plain_reads) < 1000:
            session.plain_reads.setdefault((place,), (session.calls.entry_of(t), place))
        return
    leaf = session.leaf(t)
    value = None if found is None else array_of(found)
    full = value is not None and nonzero(value)
    (leaf.reads if full else leaf.reads_empty)[place] += 1
    if full:
        if leaf.read_again == place and not leaf.optimisers and not leaf.updates:
            leaf.doubled[leaf.arrived] += 1
        leaf.read = leaf.read or place
    if found is not None:
        entry = session.log.of(found)
        if entry is None:
            entry = session.log.add(found, what=".grad", place=place)
        entry.gradient = leaf.key


def _switched(session: Session, t: Any, value: bool) -> None:
    place = here()
    if not t.is_leaf:
        return
    leaf = session.calls.leaf_of(t, place)
    if value:
        leaf.thawed = place
        leaf.late = session.count
    else:
        leaf.frozen = place
    entry = session.log.of(t)
    if entry is not None and entry.leaf:
        entry.requires = value
