"""Looking on at a program: every function of the torch face tells a session what it was called with and gave.

The functions stay what they are for the program: same names, signatures, results, errors, warnings.
"""

from __future__ import annotations

import functools
import os
import sys
import threading
import warnings
from collections.abc import Callable
from contextlib import contextmanager
from types import TracebackType
from typing import Any

import funcgrad.torch as face
from funcgrad.torch import autograd, nn
from funcgrad.torch.autograd.backward import backward as backward_of
from funcgrad.torch.base import modes
from funcgrad.torch.base.storage import pointer
from funcgrad.torch.declare.op import namespaces
from funcgrad.torch.nn import functional
from funcgrad.torch.nn.modules.module import Module
from funcgrad.torch.nn.parameter import Parameter
from funcgrad.torch.optim import lr_scheduler, optimizer
from funcgrad.torch.report.calls import LEAVING, array_of, tensors_in
from funcgrad.torch.report.places import NOWHERE, Place, here
from funcgrad.torch.report.session import Session
from funcgrad.torch.report.walks import Observer
from funcgrad.torch.tensor.engine import Walk
from funcgrad.torch.tensor.later import complete
from funcgrad.torch.tensor.node import next_number
from funcgrad.torch.tensor.tensor import Tensor

_OWN = os.path.abspath(__file__)
_PACKAGE = os.path.dirname(os.path.dirname(os.path.dirname(_OWN))) + os.sep


class _Thread(threading.local):
    """Whether a call is being carried out, within which nothing is remembered."""

    busy = False


_thread = _Thread()


def _direct(depth: int = 2) -> bool:
    """Whether the user's code itself called, and not funcgrad on its behalf."""
    return not sys._getframe(depth).f_code.co_filename.startswith(_PACKAGE)


@contextmanager
def _inside() -> Any:
    before, _thread.busy = _thread.busy, True
    try:
        yield
    finally:
        _thread.busy = before


def _as_user(f: Callable) -> Callable:
    """A function of the user's that funcgrad calls: what it calls is remembered."""

    @functools.wraps(f)
    def call(*args: Any, **kwargs: Any) -> Any:
        before, _thread.busy = _thread.busy, False
        try:
            return f(*args, **kwargs)
        finally:
            _thread.busy = before

    return call


class Watching:
    """Patches the torch face for a session, and undoes it."""

    def __init__(self, session: Session) -> None:
        self.session = session
        self._undo: list[Callable[[], None]] = []

    def __enter__(self) -> Watching:
        _thread.busy = False
        self._functions()
        self._methods()
        self._histories()
        self._walks()
        self._optimisers()
        self._modules()
        self._modes()
        self._warnings()
        return self

    def __exit__(self, *error: object) -> None:
        for undo in reversed(self._undo):
            undo()
        self._undo.clear()
        _thread.busy = False

    # How something is replaced.

    def set(self, owner: Any, name: str, value: Any) -> None:
        """Replace an attribute until the end."""
        own = vars(owner)
        had, old = name in own, own.get(name)
        setattr(owner, name, value)
        self._undo.append((lambda: setattr(owner, name, old)) if had else (lambda: delattr(owner, name)))

    def _watched(self, name: str, f: Callable) -> Callable:
        """A function that tells what it was called with and gave, where it is called outermost."""
        session = self.session

        @functools.wraps(f)
        def call(*args: Any, **kwargs: Any) -> Any:
            if _thread.busy or modes.state.transforms:
                return f(*args, **kwargs)
            _thread.busy = True
            try:
                first = next_number()
                result = f(*args, **kwargs)
                session.calls.called(name, args, kwargs, result, (first, next_number()), here(), _direct())
            except Exception as error:  # of any kind; it goes on
                session.failed(name, args, error, here())
                raise
            finally:
                _thread.busy = False
            return result

        return call

    # Functions and methods.

    def _functions(self) -> None:
        complete()  # what is declared later would not be watched
        for name, f in namespaces[""].all().items():
            vars(face).setdefault(name, f)
        known: dict[int, tuple[Any, Callable]] = {}
        spaces: list[tuple[dict, str]] = [(namespaces[s].all(), s) for s in namespaces]
        for names, _ in spaces:
            for name, f in list(names.items()):
                if callable(f) and not isinstance(f, type) and name not in _NO_VALUES:
                    known.setdefault(id(f), (f, self._watched(name, f)))
        for name, f in list(vars(functional).items()):
            if callable(f) and not isinstance(f, type) and name[0] != "_":
                known.setdefault(id(f), (f, self._watched(name, f)))
        owners: list[Any] = [face, functional, face.linalg, face.fft, face.special]
        for owner in owners:
            for name, f in list(vars(owner).items()):
                if id(f) in known:
                    self.set(owner, name, known[id(f)][1])
        for names, _ in spaces:
            for name, f in list(names.items()):
                if id(f) in known:
                    names[name] = known[id(f)][1]
                    self._undo.append(functools.partial(names.__setitem__, name, f))

    def _methods(self) -> None:
        for name, f in list(vars(Tensor).items()):
            module = getattr(f, "__module__", "") or ""
            if name in _NO_VALUES or (name[0] == "_" and name[:2] != "__"):
                continue
            if callable(f) and not isinstance(f, (type, staticmethod, classmethod)):
                ours = module.startswith(("funcgrad.torch.ops.", "funcgrad.torch.declare.operators"))
                if ours or module == "funcgrad.torch.tensor.fast" or name in LEAVING or name in ("detach", "detach_"):
                    self.set(Tensor, name, self._watched(name, f))
        for name in ("T", "mT", "H", "mH", "real", "imag"):
            shown: Any = vars(Tensor)[name]
            self.set(Tensor, name, property(self._watched(name, shown.fget), shown.fset, shown.fdel))
        make: Any = vars(Tensor)["__new__"]
        self.set(Tensor, "__new__", staticmethod(self._watched("Tensor", make.__func__)))
        new: Any = vars(Parameter)["__new__"]

        def parameter(cls: type, *args: Any, **kwargs: Any) -> Any:
            return watched_new(*args, cls_=cls, **kwargs)

        def made(*args: Any, cls_: Any, **kwargs: Any) -> Any:
            return new.__func__(cls_, *args, **kwargs) if isinstance(new, staticmethod) else new(cls_, *args, **kwargs)

        watched_new = self._watched("Parameter", made)
        self.set(Parameter, "__new__", staticmethod(parameter))
        for cls in (Tensor, Parameter):
            copied: Any = vars(cls)["__deepcopy__"]
            self.set(cls, "__deepcopy__", self._watched("deepcopy", copied))
        apply: Any = vars(autograd.Function)["apply"].__func__
        watched_apply = self._watched("Function.apply", apply)
        session = self.session

        def applied(cls: Any, *args: Any, **kwargs: Any) -> Any:
            session.functions.add(cls)
            return watched_apply(cls, *args, **kwargs)

        self.set(autograd.Function, "apply", classmethod(functools.wraps(apply)(applied)))

    # What autograd tells of a tensor and takes from it.

    def _histories(self) -> None:
        session, calls = self.session, self.session.calls
        data, grad, requires = (vars(Tensor)[n] for n in ("data", "grad", "requires_grad"))

        def set_data(t: Any, other: Any) -> None:
            before = None if array_of(t) is None else pointer(t._value)
            data.fset(t, other)
            if not _thread.busy and isinstance(other, Tensor):
                leaf = session.leaves.of(t)
                same = array_of(other) is not None and pointer(other._value) == before  # w.data -= ... wrote already
                if leaf is not None and not same and _direct():
                    calls.updated(leaf, "data", [calls.entry_of(other).number], here())

        def get_grad(t: Any) -> Any:
            found = grad.fget(t)
            if not _thread.busy and _direct():
                self._read(t, found)
            return found

        def set_grad(t: Any, value: Any) -> None:
            if not _thread.busy and value is None:
                session.clearing([t], here())
            grad.fset(t, value)
            if not _thread.busy and value is not None and _direct():
                leaf = session.leaf(t)
                leaf.given += 1
                leaf.fresh, leaf.used = True, None

        def set_requires(t: Any, value: bool) -> None:
            requires.fset(t, value)
            if not _thread.busy:
                self._switched(t, value)

        self.set(Tensor, "data", property(self._watched("data", data.fget), set_data, data.fdel))
        self.set(Tensor, "grad", property(get_grad, set_grad, grad.fdel))
        self.set(Tensor, "requires_grad", property(requires.fget, set_requires, requires.fdel))
        switch: Any = vars(Tensor)["requires_grad_"]

        @functools.wraps(switch)
        def requires_grad_(t: Any, *args: Any, **kwargs: Any) -> Any:
            found = switch(t, *args, **kwargs)
            if not _thread.busy:
                self._switched(t, t.requires_grad)
            return found

        self.set(Tensor, "requires_grad_", requires_grad_)
        register: Any = vars(Tensor)["register_hook"]

        @functools.wraps(register)
        def register_hook(t: Any, hook: Callable) -> Any:
            session.hooks[id(hook)] = here()
            return register(t, hook)

        self.set(Tensor, "register_hook", register_hook)
        zero: Any = vars(Tensor)["zero_"]

        @functools.wraps(zero)
        def zero_(t: Any, *args: Any, **kwargs: Any) -> Any:
            if not _thread.busy:
                entry = session.log.of(t)
                leaf = session.leaves.by_key.get(entry.gradient) if entry is not None and entry.gradient else None
                if leaf is not None and leaf.tensor is not None:
                    session.clearing([leaf.tensor], here())
            return zero(t, *args, **kwargs)

        self.set(Tensor, "zero_", zero_)

    def _read(self, t: Any, found: Any) -> None:
        """The program looks at .grad."""
        session, place = self.session, here()
        if not t.is_leaf:
            if found is None:
                session.non_leaf_reads.setdefault((place, id(t)), (session.log.of(t), place))
            return
        if not t.requires_grad and session.leaves.of(t) is None:
            if found is None and len(session.plain_reads) < 1000:
                session.plain_reads.setdefault((place,), (session.calls.entry_of(t), place))
            return
        leaf = session.leaf(t)
        value = None if found is None else array_of(found)
        full = value is not None and value.any()
        (leaf.reads if full else leaf.reads_empty)[place] += 1
        if found is not None:
            entry = session.log.of(found)
            if entry is None:
                entry = session.log.add(found, what=".grad", place=place)
            entry.gradient = leaf.key

    def _switched(self, t: Any, value: bool) -> None:
        session, place = self.session, here()
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

    # Walks.

    def _walks(self) -> None:
        session = self.session
        backward = backward_of
        grad: Any = autograd.grad
        method: Any = vars(Tensor)["backward"]

        def watched(f: Callable, asked: bool) -> Callable:
            @functools.wraps(f)
            def call(tensors: Any, *args: Any, **kwargs: Any) -> Any:
                if _thread.busy or modes.state.transforms:
                    return f(tensors, *args, **kwargs)
                place = here()
                roots = tensors_in(tensors)
                event = session.began(roots, place, asked)
                self._again(event, roots, place)
                observer = Observer(session.leaves)
                observer.add_up = session.leaf
                observer.accumulates = functools.partial(session.accumulates, place=place)
                before, Walk.observer = Walk.observer, observer
                first = next_number()
                try:
                    with _inside():
                        found = f(tensors, *args, **kwargs)
                except Exception as error:  # of any kind; it goes on
                    session.failed("backward", [tensors], error, place, observer.node)
                    if asked:
                        session.asked_for = tensors_in(args[:1]) + tensors_in(kwargs.get("inputs"))
                    raise
                finally:
                    Walk.observer = before
                inputs: Any = (args[0] if args else kwargs.get("inputs")) if asked else []
                inputs = list(inputs.values()) if isinstance(inputs, dict) else inputs
                inputs = list(inputs) if isinstance(inputs, (list, tuple)) else [inputs]
                with _inside():
                    session.ended(event, observer, inputs, found)
                    self._look_around()
                    if asked:
                        sources = [e.number for e in event.losses]
                        for x, g in zip(inputs, found if isinstance(found, tuple) else (found,), strict=False):
                            if g is not None and isinstance(g, Tensor):
                                entry = session.log.add(
                                    g,
                                    what="autograd.grad",
                                    place=place,
                                    sources=tuple(sources),
                                    requires=g.requires_grad,
                                )
                                entry.cut = None if g.requires_grad else "autograd.grad"
                                leaf = session.leaves.of(x) if isinstance(x, Tensor) else None
                                entry.gradient = leaf.key if leaf is not None else 0
                                session.log.nodes(first, next_number(), entry)
                return found

            return call

        self.set(Tensor, "backward", watched(method, False))
        for owner in (autograd, sys.modules["funcgrad.torch.autograd.backward"]):
            if owner is autograd:
                self.set(
                    owner, "backward", watched(autograd.backward if callable(autograd.backward) else backward, False)
                )
            self.set(owner, "grad", watched(grad, True))

    def _again(self, event: Any, roots: list, place: Place) -> None:
        """Whether backward ran before on a part of the graph that it is about to run on."""
        session = self.session
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
                    if value is not None and value.any() and leaf.fresh:
                        leaf.twice[event_again] += 1
                break
        for number in event.roots:
            session.roots.append((number, place))

    def _look_around(self) -> None:
        """Name the leaves that variables of the running functions hold, the first few times."""
        session = self.session
        if session.count > 5 and all(leaf.name for leaf in session.leaves.alive() if leaf.matters):
            return
        if session.count > 200:
            return
        look_around(session)

    # Optimisers and schedules.

    def _optimisers(self) -> None:
        session = self.session
        cls = optimizer.Optimizer
        init, zero_grad, add = vars(cls)["__init__"], vars(cls)["zero_grad"], vars(cls)["add_param_group"]

        @functools.wraps(init)
        def made(self: Any, *args: Any, **kwargs: Any) -> None:
            with_error(session, "Optimizer", args[:1], lambda: init(self, *args, **kwargs))
            session.given(self, here())

        @functools.wraps(zero_grad)
        def cleared(self: Any, *args: Any, **kwargs: Any) -> None:
            place = here()
            known = session.optimiser(self, place)
            known.clears[place] += 1
            session.clearing([p for g in self.param_groups for p in g["params"]], place)
            with _inside():
                zero_grad(self, *args, **kwargs)

        @functools.wraps(add)
        def added(self: Any, *args: Any, **kwargs: Any) -> None:
            add(self, *args, **kwargs)
            if id(self) in session.optimisers:
                session.given(self, here())

        self.set(cls, "__init__", made)
        self.set(cls, "zero_grad", cleared)
        self.set(cls, "add_param_group", added)

        def before(o: Any, args: tuple, kwargs: dict) -> Any:
            session.stepping(o, here(), bool(args[1:] or kwargs.get("closure")))
            self._look_around()
            _thread.busy = True
            if len(args) > 1 and callable(args[1]):
                return (args[0], _closure(session, o, args[1]), *args[2:]), kwargs
            if callable(kwargs.get("closure")):
                return args, {**kwargs, "closure": _closure(session, o, kwargs["closure"])}
            return None

        def after(o: Any, args: tuple, kwargs: dict) -> None:
            _thread.busy = False
            session.stepped(o)

        optimizer._global_optimizer_pre_hooks[-1] = before
        optimizer._global_optimizer_post_hooks[-1] = after
        self._undo.append(functools.partial(optimizer._global_optimizer_pre_hooks.__delitem__, -1))
        self._undo.append(functools.partial(optimizer._global_optimizer_post_hooks.__delitem__, -1))
        base = lr_scheduler.LRScheduler
        begin = vars(base)["__init__"]

        @functools.wraps(begin)
        def scheduled(self: Any, optimizer: Any, *args: Any, **kwargs: Any) -> None:
            begin(self, optimizer, *args, **kwargs)
            known = session.named(optimizer)
            if known is not None:
                known.scheduled = here()

        self.set(base, "__init__", scheduled)

    # Modules.

    def _modules(self) -> None:
        session = self.session
        members = vars(Module)
        init, assign, call = members["__init__"], members["__setattr__"], members["__call__"]
        zero_grad, train, load, parameters = (
            members["zero_grad"], members["train"], members["load_state_dict"], members["parameters"],
        )  # fmt: skip

        @functools.wraps(init)
        def made(self: Any, *args: Any, **kwargs: Any) -> None:
            init(self, *args, **kwargs)
            session.modules.add(self)

        @functools.wraps(assign)
        def assigned(self: Any, name: str, value: Any) -> None:
            old = {}
            if isinstance(value, (Parameter, Module)) and not _thread.busy:
                was = self.__dict__.get("_parameters", {}).get(name, self.__dict__.get("_modules", {}).get(name))
                if was is not None:
                    old = {id(p): p for p in ([was] if isinstance(was, Tensor) else list(was.parameters()))}
            assign(self, name, value)
            if _thread.busy:
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
            elif isinstance(value, (list, tuple, dict, Tensor)):
                session.attributes[id(self), name] = place
            for p in old.values():
                known = session.leaves.of(p)
                if known is not None:
                    session.replaced[known.key] = (place, name)

        @functools.wraps(call)
        def called(self: Any, *args: Any, **kwargs: Any) -> Any:
            if not _thread.busy:
                for t in args:
                    leaf = session.leaves.of(t) if isinstance(t, Tensor) else None
                    if leaf is not None:
                        leaf.input = True
            if _thread.busy or modes.state.transforms or not type(self).__module__.startswith(("torch.", "funcgrad.")):
                return call(self, *args, **kwargs)
            first = next_number()
            result = call(self, *args, **kwargs)
            missing = [t for t in tensors_in(result) if session.log.of(t) is None]
            if missing:
                with _inside():
                    given = (*args, *kwargs.values(), *self.parameters())
                    session.calls.called(type(self).__name__, given, {}, missing, (first, next_number()), here(), False)
            return result

        @functools.wraps(zero_grad)
        def cleared(self: Any, *args: Any, **kwargs: Any) -> None:
            if not _thread.busy:
                place = here()
                session.clearing(list(self.parameters()), place)
                for key in {k for p in self.parameters() if (leaf := session.leaves.of(p)) for k in leaf.optimisers}:
                    for known in session.optimisers.values():
                        if known.key == key:
                            known.clears[place] += 1
            with _inside():
                zero_grad(self, *args, **kwargs)

        @functools.wraps(train)
        def trained(self: Any, mode: bool = True) -> Any:
            if not mode:
                session.evaluated.add(self)
            return train(self, mode)

        @functools.wraps(load)
        def loaded(self: Any, *args: Any, **kwargs: Any) -> Any:
            for p in self.parameters():
                session.calls.leaf_of(p).loaded = True
            with _inside():
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
            ("train", trained),
            ("load_state_dict", loaded),
            ("parameters", listed),
        ):
            self.set(Module, name, f)
        utils: Any = nn.utils
        clip = sys.modules["funcgrad.torch.nn.utils.clip_grad"]
        for name in ("clip_grad_norm_", "clip_grad_value_", "clip_grad_norm"):
            f = getattr(clip, name)
            g = self._clipping(f)
            for owner in (clip, utils):
                if hasattr(owner, name):
                    self.set(owner, name, g)

    def _clipping(self, f: Callable) -> Callable:
        session = self.session

        @functools.wraps(f)
        def clipped(parameters: Any, *args: Any, **kwargs: Any) -> Any:
            listed = [parameters] if isinstance(parameters, Tensor) else list(parameters)
            place = here()
            leaves = [session.leaf(p) for p in listed]
            had = [p for p in listed if p._grad is not None and (v := array_of(p._grad)) is not None and v.any()]
            session.clips[place] += 1
            if not had or not any(leaf.fresh for leaf in leaves):
                session.clips_empty[place] += 1
            fresh = [leaf.fresh for leaf in leaves]
            with _inside():
                found = f(listed, *args, **kwargs)
            if had and not any(p._grad._value.any() for p in had):
                session.clips_to_zero[place] += 1
            for leaf, was in zip(leaves, fresh, strict=True):
                leaf.fresh = was
            return found

        return clipped

    # Modes and warnings.

    def _modes(self) -> None:
        calls, regions = self.session.calls, self.session.calls.regions
        for cls in (modes.no_grad, modes.inference_mode, modes.set_grad_enabled):
            enter, leave = cls.__enter__, cls.leave

            def entered(self: Any, enter: Any = enter, name: str = cls.__name__) -> Any:
                found = enter(self)
                calls.switched = getattr(self, "_switched", calls.switched)
                if not modes.state.grad:
                    regions.append((name, getattr(self, "_decorates", None) or (here() if _direct() else None)))
                else:
                    regions.append(("", None))
                return found

            def left(self: Any, *error: Any, leave: Any = leave) -> Any:
                if regions:
                    regions.pop()
                return leave(self, *error)

            self.set(cls, "__enter__", entered)
            self.set(cls, "leave", left)
        enter_on, leave_on = modes.enable_grad.__enter__, modes.enable_grad.leave

        def on(self: Any) -> Any:
            regions.append(("", None))
            return enter_on_own(self)

        enter_on_own = vars(modes.enable_grad)["__enter__"]
        del enter_on, leave_on
        self.set(modes.enable_grad, "__enter__", on)
        call, clone = modes._Mode.__call__, modes._Mode.clone

        def decorated(self: Any, f: Callable) -> Callable:
            if _direct():
                self._decorates = here()
            return call(self, f)

        def cloned(self: Any, clone: Any = clone) -> Any:
            made = clone(self)
            made._decorates = getattr(self, "_decorates", None)
            return made

        self.set(modes._Mode, "__call__", decorated)
        self.set(modes._Mode, "clone", cloned)
        init = modes.set_grad_enabled.__init__

        def switched(self: Any, mode: bool) -> None:
            init(self, mode)
            self._switched = calls.switched  # if it is entered, it is no switch
            calls.switched = None if mode else here()

        self.set(modes.set_grad_enabled, "__init__", switched)

    def _warnings(self) -> None:
        session, warn, show = self.session, warnings.warn, warnings.showwarning

        def warned(message: Any, category: Any = None, stacklevel: int = 1, source: Any = None) -> None:
            level, left = 1, stacklevel
            frame = sys._getframe(1)
            while frame is not None and left > 1:
                frame = frame.f_back  # type: ignore[assignment]  # the end of the stack ends the loop
                level += 1
                if frame is not None and frame.f_code.co_filename != _OWN:
                    left -= 1
            warn(message, category, level + 1, source)

        def shown(message: Any, category: Any, filename: str, lineno: int, *rest: Any, **more: Any) -> None:
            key = (str(message), filename, lineno)
            if len(session.warnings) < 500:
                session.warnings.setdefault(key, (category.__name__, Place(filename, lineno, "")))
            show(message, category, filename, lineno, *rest, **more)

        self.set(warnings, "warn", warned)
        self.set(warnings, "showwarning", shown)


def _closure(session: Session, o: Any, closure: Callable) -> Callable:
    """The closure of a step: what it calls is remembered, and the gradients that it makes are the step's."""
    user = _as_user(closure)

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


def look_around(session: Session) -> None:
    """Name the leaves that the variables of the running functions of the user hold."""
    frame: Any = sys._getframe(1)
    scopes: list[dict[str, Any]] = []
    while frame is not None:
        users = not frame.f_code.co_filename.startswith((_PACKAGE, "<"))
        if users and (frame.f_globals.get("__name__") == "__main__" or not scopes):
            scopes.append(frame.f_locals)
        frame = frame.f_back
    session.names.look(scopes[::-1], lambda v: isinstance(v, Module) and "_parameters" in vars(v))


def without_ours(traceback: TracebackType | None) -> None:
    """Take the frames of this file out of a traceback."""
    while traceback is not None:
        following = traceback.tb_next
        while following is not None and following.tb_frame.f_code.co_filename == _OWN:
            following = following.tb_next
        traceback.tb_next = following
        traceback = following


_NO_VALUES = frozenset([
    "__bool__", "__contains__", "__deepcopy__", "__dir__", "__format__", "__hash__", "__index__", "__init__", "__len__",
    "__new__", "__reduce_ex__", "__repr__", "__str__", "allclose", "backward", "can_cast", "equal", "is_complex",
    "is_contiguous", "is_floating_point", "is_inference", "is_pinned", "is_same_size", "is_set_to", "is_shared",
    "is_tensor", "isclose", "numel", "promote_types", "register_hook", "requires_grad_", "result_type", "retain_grad",
    "share_memory_", "storage", "type", "typename",
])  # fmt: skip
"""What gives no values that go on."""
