"""Modules: what is assigned to them, called and cleared; and the clipping of gradients."""

from __future__ import annotations

import functools
import sys
from collections.abc import Callable
from typing import Any

from funcgrad.torch import nn
from funcgrad.torch.base import modes
from funcgrad.torch.nn.modules.module import Module
from funcgrad.torch.nn.parameter import Parameter
from funcgrad.torch.report.calls import array_of, nonzero, tensors_in
from funcgrad.torch.report.places import NOWHERE, here
from funcgrad.torch.report.session import Session
from funcgrad.torch.report.watching.core import Patches, inside, thread
from funcgrad.torch.tensor.node import next_number
from funcgrad.torch.tensor.tensor import Tensor

_MOST = 20000
"""The places of so many attributes of modules are remembered."""


def watch_modules(patches: Patches) -> None:
    session = patches.session
    members = vars(Module)
    init, assign, call = members["__init__"], members["__setattr__"], members["__call__"]
    zero_grad, load, parameters = members["zero_grad"], members["load_state_dict"], members["parameters"]

    @functools.wraps(init)
    def made(self: Any, *args: Any, **kwargs: Any) -> None:
        init(self, *args, **kwargs)
        session.modules.add(self)

    @functools.wraps(assign)
    def assigned(self: Any, name: str, value: Any) -> None:
        old = {}
        if isinstance(value, (Parameter, Module)) and not thread.busy:
            was = self.__dict__.get("_parameters", {}).get(name, self.__dict__.get("_modules", {}).get(name))
            if was is not None:
                old = {id(p): p for p in ([was] if isinstance(was, Tensor) else list(was.parameters()))}
        assign(self, name, value)
        if thread.busy:
            return
        place = here()
        if isinstance(value, Parameter):
            session.calls.leaf_of(value, place)
        elif isinstance(value, Module):
            for p in value._parameters.values():
                if p is not None:
                    leaf = session.calls.leaf_of(p, place)
                    if leaf.made == NOWHERE:
                        leaf.made = place
        elif isinstance(value, (list, tuple, dict, Tensor)) and len(session.attributes) < _MOST:
            session.attributes[id(self), name] = place
        for p in old.values():
            known = session.leaves.of(p)
            if known is not None:
                session.replaced[known.key] = (place, name)

    @functools.wraps(call)
    def called(self: Any, *args: Any, **kwargs: Any) -> Any:
        if not thread.busy:
            for t in args:
                leaf = session.leaves.of(t) if isinstance(t, Tensor) else None
                if leaf is not None:
                    leaf.input = True
        if thread.busy or modes.state.transforms or not type(self).__module__.startswith(("torch.", "funcgrad.")):
            return call(self, *args, **kwargs)
        first = next_number()
        result = call(self, *args, **kwargs)
        missing = [t for t in tensors_in(result) if session.log.of(t) is None]
        if missing:
            with inside():
                given = (*args, *kwargs.values(), *self.parameters())
                session.calls.called(type(self).__name__, given, {}, missing, (first, next_number()), here(), False)
        return result

    @functools.wraps(zero_grad)
    def cleared(self: Any, *args: Any, **kwargs: Any) -> None:
        if not thread.busy:
            session.clearing(list(self.parameters()), here())
        with inside():
            zero_grad(self, *args, **kwargs)

    @functools.wraps(load)
    def loaded(self: Any, *args: Any, **kwargs: Any) -> Any:
        for p in self.parameters():
            session.calls.leaf_of(p).loaded = True
        with inside():
            return load(self, *args, **kwargs)

    @functools.wraps(parameters)
    def listed(self: Any, *args: Any, **kwargs: Any) -> Any:
        session.asked_module = self
        return parameters(self, *args, **kwargs)

    for name, f in (
        ("__init__", made),
        ("__setattr__", assigned),
        ("__call__", called),
        ("zero_grad", cleared),
        ("load_state_dict", loaded),
        ("parameters", listed),
    ):
        patches.set(Module, name, f)
    for name in ("register_full_backward_hook", "register_full_backward_pre_hook", "register_backward_hook"):
        patches.set(Module, name, _hooking(session, members[name]))
    utils: Any = nn.utils
    clip = sys.modules["funcgrad.torch.nn.utils.clip_grad"]
    for name in ("clip_grad_norm_", "clip_grad_value_", "clip_grad_norm"):
        f = getattr(clip, name)
        g = _clipping(session, f)
        for owner in (clip, utils):
            if hasattr(owner, name):
                patches.set(owner, name, g)


def _hooking(session: Session, register: Callable) -> Callable:
    @functools.wraps(register)
    def registered(*args: Any, **kwargs: Any) -> Any:
        session.module_hook = here()
        return register(*args, **kwargs)

    return registered


def _clipping(session: Session, f: Callable) -> Callable:
    @functools.wraps(f)
    def clipped(parameters: Any, *args: Any, **kwargs: Any) -> Any:
        listed = [parameters] if isinstance(parameters, Tensor) else list(parameters)
        place = here()
        leaves = [session.leaf(p) for p in listed]
        had = [p for p in listed if p._grad is not None and (v := array_of(p._grad)) is not None and nonzero(v)]
        session.clips[place] += 1
        if not had or not any(leaf.fresh for leaf in leaves):
            session.clips_empty[place] += 1
        fresh = [leaf.fresh for leaf in leaves]
        with inside():
            again = parameters if isinstance(parameters, (Tensor, list, tuple)) else (p for p in listed)
            found = f(again, *args, **kwargs)
        if had and not any(nonzero(p._grad._value) for p in had):
            session.clips_to_zero[place] += 1
        for leaf, was in zip(leaves, fresh, strict=True):
            leaf.fresh = was
        return found

    return clipped
