"""An optimiser that works on other parameters for a while."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from funcgrad.torch.optim.optimizer import Optimizer
from funcgrad.torch.tensor.tensor import Tensor
from funcgrad.torch.texts import optim as texts


@contextmanager
def swap_in_optimizer_params_and_state(
    optimizer: Optimizer, swapin_parameters: dict[str, Tensor], swapin_optim_state: dict[str, Any]
) -> Iterator[None]:
    """Let an optimiser work on other parameters, with another state, until the context ends.

    Arguments:
        optimizer: the optimiser, which has made a step.
        swapin_parameters: the parameters, by any name, in the order of the optimiser's own.
        swapin_optim_state: what its `state_dict` would be; tensors in it are written into.

    Raises:
        RuntimeError: they do not go with the optimiser.

    Example:
        >>> from funcgrad import torch
        >>> w, other = torch.ones(1, requires_grad=True), torch.zeros(1, requires_grad=True)
        >>> optimizer = torch.optim.SGD([w], lr=0.5, momentum=0.5)
        >>> w.grad = other.grad = torch.ones(1)
        >>> optimizer.step()
        >>> with torch.optim.swap_in_optimizer_params_and_state(optimizer, {"w": other}, optimizer.state_dict()):
        ...     optimizer.step()
        >>> w.item(), other.item()
        (0.5, -0.75)
    """
    groups, state = _checked(optimizer, swapin_parameters, swapin_optim_state)
    before, options = optimizer.state, [dict(group) for group in optimizer.param_groups]
    try:
        swapped: defaultdict[Any, Any] = defaultdict(dict)
        for group, (given, params) in zip(optimizer.param_groups, groups, strict=True):
            group.update({**given, "params": params})
            for p, number in zip(params, given["params"], strict=True):
                swapped[p] = dict(state.get(number, {}))
        optimizer.state = swapped
        yield
    finally:
        for group, kept in zip(optimizer.param_groups, options, strict=True):
            group.clear()
            group.update(kept)
        optimizer.state = before


def _checked(optimizer: Optimizer, parameters: dict[str, Tensor], given: Any) -> tuple[list[tuple[dict, list]], dict]:
    """For each group the options given for it and its parameters; and the state, by number."""
    if not optimizer.state:
        raise RuntimeError(texts.SWAP_BEFORE_STEP)
    if not isinstance(given, dict):
        raise RuntimeError(texts.SWAP_NO_STATE_DICT)
    state, groups = given.get("state"), given.get("param_groups")
    if not isinstance(state, dict):
        raise RuntimeError(texts.SWAP_STATE.format(kind=type(state).__name__))
    if any(isinstance(k, Tensor) for k in state):
        raise RuntimeError(texts.SWAP_STATE_KEYS)
    if any(isinstance(k, int) and not isinstance(v, dict) for k, v in state.items()):
        raise RuntimeError(texts.SWAP_STATE_ENTRIES)
    if not isinstance(groups, list):
        raise RuntimeError(texts.SWAP_GROUPS.format(kind=type(groups).__name__))
    if len(groups) != len(optimizer.param_groups):
        raise RuntimeError(texts.SWAP_GROUP_COUNT)
    flat, offset, numbers, found = list(parameters.values()), 0, set(), []
    for i, (own, group) in enumerate(zip(optimizer.param_groups, groups, strict=True)):
        ids = _numbers(i, own, group)
        numbers.update(ids)
        if offset + len(ids) > len(flat):
            raise RuntimeError(texts.SWAP_ORDER)
        found.append((group, flat[offset : offset + len(ids)]))
        offset += len(ids)
    extra = [k for k in state if k not in numbers]
    if extra:
        raise RuntimeError(texts.SWAP_EXTRA_STATE.format(keys=extra))
    return found, state


def _numbers(i: int, own: dict[str, Any], group: Any) -> list[int]:
    """The numbers of the parameters of a group, which has to be like that of the optimiser."""
    if not isinstance(group, dict):
        raise RuntimeError(texts.SWAP_GROUP)
    ids = group.get("params")
    if not isinstance(ids, list) or not all(isinstance(n, int) for n in ids):
        raise RuntimeError(texts.SWAP_PARAMS)
    if len(ids) != len(own["params"]):
        raise RuntimeError(texts.SWAP_PARAM_COUNT.format(i=i))
    more, less = [k for k in group if k not in own], [k for k in own if k not in group]
    if more or less:
        raise RuntimeError(texts.SWAP_OPTIONS.format(i=i, more=more, less=less))
    return ids


swap_in_optimizer_params_and_state.__module__ = "torch.optim"
