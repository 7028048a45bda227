"""`Optimizer`: groups of parameters, what is remembered of each, hooks, and the way to and from a checkpoint."""

from __future__ import annotations

import functools
import warnings
from collections import OrderedDict, defaultdict
from collections.abc import Callable, Iterable
from copy import deepcopy
from itertools import chain
from typing import Any

from funcgrad.core.faces import publish
from funcgrad.torch.base import dtypes
from funcgrad.torch.base.modes import enable_grad, set_grad_enabled
from funcgrad.torch.base.naming import reduce_by_place, show_as_torch
from funcgrad.torch.ops.constructors import tensor
from funcgrad.torch.tensor.journal import event, journal
from funcgrad.torch.tensor.tensor import Tensor
from funcgrad.torch.texts import optim as texts
from funcgrad.torch.utils.hooks import RemovableHandle

__all__ = ["Optimizer", "register_optimizer_step_post_hook", "register_optimizer_step_pre_hook"]

_global_optimizer_pre_hooks: dict[int, Callable] = OrderedDict()
_global_optimizer_post_hooks: dict[int, Callable] = OrderedDict()


ParamsT = Any
"""What an optimiser takes as parameters, by torch's name for the annotation."""


class _RequiredParameter:
    """What stands in the defaults for an option that each group has to give."""

    def __repr__(self) -> str:
        return "<required parameter>"


required = _RequiredParameter()


def register_optimizer_step_pre_hook(hook: Callable) -> RemovableHandle:
    """Have `hook(optimizer, args, kwargs)` called before each step of any optimiser; see `register_step_pre_hook`."""
    return _register(_global_optimizer_pre_hooks, hook)


def register_optimizer_step_post_hook(hook: Callable) -> RemovableHandle:
    """Have `hook(optimizer, args, kwargs)` called after each step of any optimiser."""
    return _register(_global_optimizer_post_hooks, hook)


def _register(hooks: Any, hook: Callable, prepend: bool = False) -> RemovableHandle:
    handle = RemovableHandle(hooks)
    hooks[handle.id] = hook
    if prepend:
        hooks.move_to_end(handle.id, last=False)
    return handle


class Optimizer:
    """The base of all optimisers.

    Arguments:
        params: tensors, or pairs (name, tensor), or dicts: each is a group, with its "params" and options of its own.
        defaults: the options of groups that do not give them.

    Attributes:
        param_groups: the groups, as dicts; schedules change their options.
        state: what is remembered of each parameter, a dict by parameter.
        defaults: the options of groups that do not give them.
    """

    _optimizer_step_pre_hooks: dict[int, Callable]
    _optimizer_step_post_hooks: dict[int, Callable]
    _optimizer_state_dict_pre_hooks: dict[int, Callable]
    _optimizer_state_dict_post_hooks: dict[int, Callable]
    _optimizer_load_state_dict_pre_hooks: dict[int, Callable]
    _optimizer_load_state_dict_post_hooks: dict[int, Callable]

    def __init__(self, params: Any, defaults: dict[str, Any]) -> None:
        self.defaults = defaults
        self._prepare()
        if isinstance(params, Tensor):
            raise TypeError(texts.PARAMS_NO_ITERABLE.format(kind=_type_name(params)))
        self.state: defaultdict[Any, Any] = defaultdict(dict)
        self.param_groups: list[dict[str, Any]] = []
        groups = list(params)
        if not groups:
            raise ValueError("optimizer got an empty parameter list")
        if not isinstance(groups[0], dict):
            groups = [{"params": groups}]
        for group in groups:
            self.add_param_group(group)

    def _prepare(self) -> None:
        """Have the hooks of this instance, and a step that calls them."""
        for name in Optimizer.__annotations__:
            if name not in self.__dict__:
                setattr(self, name, OrderedDict())
        self._patch_step_function()

    def _patch_step_function(self) -> None:
        cls: Any = type(self)
        if not getattr(cls.step, "hooked", False):
            cls.step = self.profile_hook_step(cls.step)
            cls.step.hooked = True

    __reduce_ex__ = reduce_by_place

    def __getstate__(self) -> dict[str, Any]:
        return {"defaults": self.defaults, "state": self.state, "param_groups": self.param_groups}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        self._prepare()
        self.defaults.setdefault("differentiable", False)

    def __repr__(self) -> str:
        text = type(self).__name__ + " ("
        for i, group in enumerate(self.param_groups):
            options = [f"    {key}: {group[key]}\n" for key in sorted(group) if key != "params"]
            text += f"\nParameter Group {i}\n" + "".join(options)
        return text + ")"

    # Steps.

    def step(self, closure: Callable | None = None) -> Any:
        """Change the parameters as their gradients say.

        Arguments:
            closure: computes the loss anew, with its gradients, and returns it.

        Returns:
            What the closure returned.
        """
        raise NotImplementedError

    @staticmethod
    def profile_hook_step(func: Callable) -> Callable:
        """A step that calls the hooks before and after it."""

        @functools.wraps(func)
        def wrapper(*args: Any, **kwargs: Any) -> Any:
            self = args[0]
            if _global_optimizer_pre_hooks or self._optimizer_step_pre_hooks:
                for hook in chain(_global_optimizer_pre_hooks.values(), self._optimizer_step_pre_hooks.values()):
                    result = hook(self, args, kwargs)
                    if result is not None:
                        if not isinstance(result, tuple) or len(result) != 2:
                            raise RuntimeError(texts.PRE_HOOK_RESULT.format(step=func, result=result))
                        args, kwargs = result
            if journal.on:
                event("step()")
            found = func(*args, **kwargs)
            if self._optimizer_step_post_hooks or _global_optimizer_post_hooks:
                for hook in chain(self._optimizer_step_post_hooks.values(), _global_optimizer_post_hooks.values()):
                    hook(self, args, kwargs)
            return found

        return wrapper

    def zero_grad(self, set_to_none: bool = True) -> None:
        """Take the gradients of all parameters away, or make them zero."""
        cleared: list[int] = []
        for group in self.param_groups:
            for p in group["params"]:
                grad = p._grad
                if grad is None:
                    continue
                cleared.append(p._entry)
                if set_to_none:
                    p._grad = None
                else:
                    if grad.grad_fn is not None:
                        grad.detach_()
                    elif grad._requires:
                        grad.requires_grad_(False)
                    grad.zero_()
        if journal.on:
            event("zero_grad()", sources=tuple(cleared))

    # Hooks.

    def register_step_pre_hook(self, hook: Callable) -> RemovableHandle:
        """Have `hook(optimizer, args, kwargs)` called before each step; it may return others to be used instead."""
        return _register(self._optimizer_step_pre_hooks, hook)

    def register_step_post_hook(self, hook: Callable) -> RemovableHandle:
        """Have `hook(optimizer, args, kwargs)` called after each step."""
        return _register(self._optimizer_step_post_hooks, hook)

    def register_state_dict_pre_hook(self, hook: Callable, prepend: bool = False) -> RemovableHandle:
        """Have `hook(optimizer)` called before `state_dict`."""
        return _register(self._optimizer_state_dict_pre_hooks, hook, prepend)

    def register_state_dict_post_hook(self, hook: Callable, prepend: bool = False) -> RemovableHandle:
        """Have `hook(optimizer, state_dict)` called after `state_dict`; it may return another one."""
        return _register(self._optimizer_state_dict_post_hooks, hook, prepend)

    def register_load_state_dict_pre_hook(self, hook: Callable, prepend: bool = False) -> RemovableHandle:
        """Have `hook(optimizer, state_dict)` called before `load_state_dict`; it may return another one."""
        return _register(self._optimizer_load_state_dict_pre_hooks, hook, prepend)

    def register_load_state_dict_post_hook(self, hook: Callable, prepend: bool = False) -> RemovableHandle:
        """Have `hook(optimizer)` called after `load_state_dict`."""
        return _register(self._optimizer_load_state_dict_post_hooks, hook, prepend)

    # Checkpoints.

    def state_dict(self) -> dict[str, Any]:
        """What a checkpoint holds: {"state": …, "param_groups": …}, with numbers in the place of parameters.

        Parameters are numbered in the order of the groups; `load_state_dict` goes by this order.
        """
        for hook in self._optimizer_state_dict_pre_hooks.values():
            hook(self)
        numbers: dict[int, int] = {}
        groups = []
        start = 0
        for group in self.param_groups:
            params = group["params"]
            for i, p in enumerate(params, start):
                numbers.setdefault(id(p), i)
            packed = {k: v for k, v in group.items() if k != "params"}
            packed["params"] = [numbers[id(p)] for p in params]
            start += len(params)
            groups.append(packed)
        state = {(numbers[id(k)] if isinstance(k, Tensor) else k): v for k, v in self.state.items()}
        found = {"state": state, "param_groups": groups}
        for hook in self._optimizer_state_dict_post_hooks.values():
            result = hook(self, found)
            if result is not None:
                found = result
        return found

    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        """Take over the options and the state of a checkpoint made by `state_dict`.

        Raises:
            ValueError: it is of other groups.
        """
        state_dict = state_dict.copy()
        for hook in self._optimizer_load_state_dict_pre_hooks.values():
            result = hook(self, state_dict)
            if result is not None:
                state_dict = result
        groups, saved = self.param_groups, deepcopy(state_dict["param_groups"])
        if len(groups) != len(saved):
            raise ValueError(texts.OTHER_GROUPS)
        if any(len(g["params"]) != len(s["params"]) for g, s in zip(groups, saved, strict=True)):
            raise ValueError(texts.OTHER_GROUP_SIZES)
        numbered = {
            n: p for g, s in zip(groups, saved, strict=True) for n, p in zip(s["params"], g["params"], strict=True)
        }
        options = {n: s for s in state_dict["param_groups"] for n in s["params"]}
        state: defaultdict[Any, Any] = defaultdict(dict)
        for key, value in state_dict["state"].items():
            if key in numbered:
                p = numbered[key]
                state[p] = _loaded(p, value, options[key], None)
            else:
                state[key] = value
        for group, loaded in zip(groups, saved, strict=True):
            loaded["params"] = group["params"]
            if "param_names" in group:
                loaded.setdefault("param_names", group["param_names"])
        self.__setstate__({"state": state, "param_groups": saved})
        for hook in self._optimizer_load_state_dict_post_hooks.values():
            hook(self)

    @staticmethod
    def _process_value_according_to_param_policy(
        param: Tensor, value: Tensor, param_id: int, param_groups: list[dict[Any, Any]], key: Any = None
    ) -> Tensor:
        """A tensor of a checkpoint as it belongs to a parameter: in its dtype, but for the number of steps."""
        group = next((g for g in param_groups if param_id in g["params"]), {})
        return _fitting(param, value, group, key)

    # Groups.

    def add_param_group(self, param_group: dict[str, Any]) -> None:
        """Add a group of parameters, such as layers that are trained from now on.

        Arguments:
            param_group: its "params", and those options that are not the defaults.
        """
        if not isinstance(param_group, dict):
            raise TypeError(f"param_group must be a dict, but got {type(param_group)}")
        params = param_group["params"]
        if isinstance(params, Tensor):
            params = [params]
        elif isinstance(params, set):
            raise TypeError(texts.PARAMS_IN_SET)
        else:
            params = list(params)
        names = [p[0] for p in params if isinstance(p, tuple)]
        param_group["params"] = params = [p[1] if isinstance(p, tuple) else p for p in params]
        if names:
            if len(names) != len(params):
                raise ValueError(texts.NAMES_MISSING)
            param_group["param_names"] = names
        for p in params:
            if not isinstance(p, Tensor):
                raise TypeError(texts.NO_TENSOR.format(kind=_type_name(p)))
            if not self.defaults.get("differentiable") and not (p.is_leaf or p.retains_grad):
                raise ValueError("can't optimize a non-leaf Tensor")
        for name, default in self.defaults.items():
            if default is required and name not in param_group:
                raise ValueError(texts.REQUIRED.format(name=name))
            param_group.setdefault(name, default)
        own = set(params)
        if len(own) != len(params):
            warnings.warn(texts.DUPLICATES, stacklevel=3)
        named = "param_names" in param_group
        for group in self.param_groups:
            if named != ("param_names" in group):
                raise ValueError(texts.NAMES_DIFFER.format(how="with names" if named else "without names"))
        if any(not own.isdisjoint(group["params"]) for group in self.param_groups):
            raise ValueError(texts.IN_TWO_GROUPS)
        self.param_groups.append(param_group)

    # What optimisers have in common.

    def _collect(self, group: dict[str, Any], *names: str) -> Any:
        """The parameters of a group that have a gradient, the gradients, and of their states what has these names.

        A state that is empty is begun, see `_begin`.
        """
        params: list = []
        grads: list = []
        columns: list[list] = [[] for _ in names]
        of = self.state
        for p in group["params"]:
            grad = p._grad
            if grad is None:
                continue
            params.append(p)
            grads.append(grad)
            if not names:
                continue
            state = of[p]
            if not state:
                self._begin(state, p, group)
            for column, name in zip(columns, names, strict=True):
                column.append(state[name])
        return params, grads, *columns

    def _begin(self, state: dict[str, Any], p: Tensor, group: dict[str, Any]) -> None:
        """Fill the state of a parameter before its first step."""

    def _fill_in(self, **options: Any) -> None:
        """Give groups of older checkpoints the options, and tensors for numbers of steps, that they lack."""
        for group in self.param_groups:
            for name, value in options.items():
                group.setdefault(name, value)
            for p in group["params"]:
                state = self.state.get(p)
                if state:
                    for name in ("step", "mu_product", "eta", "mu"):
                        if name in state and not isinstance(state[name], Tensor):
                            state[name] = counter(float(state[name]), group.get("fused"))


def _type_name(x: Any) -> str:
    """The name of a type, as PyTorch writes it: with its module, but for builtins."""
    if isinstance(x, Tensor):
        return x.type()
    kind = type(x)
    return kind.__name__ if kind.__module__ == "builtins" else f"{kind.__module__}.{kind.__name__}"


def _loaded(p: Tensor, value: Any, group: dict, key: Any) -> Any:
    """A value of a checkpoint, with tensors as they belong to the parameter p."""
    if isinstance(value, Tensor):
        return _fitting(p, value, group, key)
    if isinstance(value, dict):
        return {k: _loaded(p, v, group, k) for k, v in value.items()}
    if isinstance(value, Iterable):
        kind: Any = type(value)
        return kind(_loaded(p, v, group, None) for v in value)
    return value


def _fitting(p: Tensor, value: Tensor, group: dict, key: Any) -> Tensor:
    if key == "step":
        fused = group.get("fused", False) or group.get("capturable", False)
        return value.to(dtype=dtypes.float32) if fused else value
    return value.to(dtype=p.dtype) if p.is_floating_point() else value


def counter(value: float, fused: bool | None = False) -> Tensor:
    """A number of a state that is a tensor, such as that of the steps."""
    double = dtypes.get_default_dtype() is dtypes.float64 and not fused
    return tensor(value, dtype=dtypes.float64 if double else dtypes.float32)


def recorded_if_differentiable(step: Callable) -> Callable:
    """A step whose operations are recorded if the optimiser is differentiable, and not otherwise."""

    @functools.wraps(step)
    def run(*args: Any, **kwargs: Any) -> Any:
        with set_grad_enabled(args[0].defaults["differentiable"]):
            return step(*args, **kwargs)

    return run


def evaluated(closure: Callable | None) -> Any:
    """What the closure of a step returns, which computes gradients; None without one."""
    if closure is None:
        return None
    with enable_grad():
        return closure()


show_as_torch(__name__)
publish(__name__)
