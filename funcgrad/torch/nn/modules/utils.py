"""What modules share: numbers repeated for each dimension, and prefixes of keys."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from funcgrad.core.faces import publish

__all__ = ["consume_prefix_in_state_dict_if_present"]


def _ntuple(n: int, name: str = "parse") -> Callable[[Any], tuple]:
    """A function that makes a tuple of n equal items of one, and of several a tuple of them as they are."""

    def parse(x: Any) -> tuple:
        return tuple(x) if isinstance(x, Iterable) else (x,) * n

    parse.__name__ = name
    return parse


_single, _pair, _triple, _quadruple = (
    _ntuple(n, name) for n, name in ((1, "_single"), (2, "_pair"), (3, "_triple"), (4, "_quadruple"))
)


def _reverse_repeat_tuple(t: tuple, n: int) -> tuple:
    """The items from last to first, each n times: widths of dimensions as `functional.pad` takes them."""
    return tuple([x for x in reversed(t) for _ in range(n)])


def _list_with_default(out_size: list[int | None] | int, defaults: list[int]) -> list[int] | int:
    """Sizes, where None stands for the one of the input, which is at the end of defaults."""
    if isinstance(out_size, (int, bool)):
        return out_size
    if len(defaults) <= len(out_size):
        raise ValueError(f"Input dimension should be at least {len(out_size) + 1}")
    pairs = zip(out_size, defaults[-len(out_size) :], strict=True)
    return [d if n is None else n for n, d in pairs]


def consume_prefix_in_state_dict_if_present(state_dict: dict[str, Any], prefix: str) -> None:
    """Take a prefix off the keys of a state dict, in place.

    Arguments:
        state_dict: keys without the prefix stay as they are.
        prefix: such as "module.".

    Example:
        >>> from funcgrad import torch
        >>> state = {"module.weight": torch.zeros(1)}
        >>> torch.nn.modules.utils.consume_prefix_in_state_dict_if_present(state, "module.")
        >>> state
        {'weight': tensor([0.])}
    """
    for key in list(state_dict):
        if key.startswith(prefix):
            state_dict[key[len(prefix) :]] = state_dict.pop(key)
    metadata = getattr(state_dict, "_metadata", None)
    if metadata is not None:
        # of modules: "" is the whole, "module" is what the prefix names, "module.layer" a part of it
        for key in list(metadata):
            if key and (key == prefix.removesuffix(".") or key.startswith(prefix)):
                metadata[key[len(prefix) :]] = metadata.pop(key)


publish(__name__)
