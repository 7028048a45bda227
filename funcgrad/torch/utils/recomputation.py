"""How a checkpointed region is recomputed: hooks on saved tensors keep but a place, which is filled in backward.

In the forward pass each tensor that the region saves becomes a `Place`. The first of them that backward needs has the
function run once more; the tensors that are saved then belong, in the same order, to the places.
"""

from __future__ import annotations

import weakref
from collections import defaultdict
from collections.abc import Callable
from itertools import count
from typing import Any

from funcgrad.torch.autograd.saved_tensor import SavedTensor
from funcgrad.torch.autograd.saving_hooks import saved_tensors_hooks
from funcgrad.torch.base.modes import enable_grad, no_grad, state
from funcgrad.torch.tensor.tensor import Tensor
from funcgrad.torch.texts import checkpoint as texts


class CheckpointError(RuntimeError):
    """The recomputed forward pass is not like the first."""


class _StopRecomputationError(Exception):
    """Everything that backward needs has been recomputed."""


class _Token:
    """Stands for one recomputed tensor, which dies when its token does."""

    __slots__ = ("__weakref__",)


class Place:
    """What a node keeps of a saved tensor: for each backward walk the token of the recomputed one."""

    __slots__ = ("__weakref__", "tokens")

    def __init__(self) -> None:
        self.tokens: dict[Any, _Token | None] = {}


class Frame:
    """One checkpointed call.

    Arguments:
        recompute: runs the function again, given its tensor arguments.
        early_stop: whether recomputation ends as soon as all places are filled.
        explain: called with a CheckpointError instead of raising it, or None.
        metadata: what of a saved tensor has to be the same when it is recomputed.
    """

    def __init__(self, recompute: Callable, early_stop: bool, explain: Callable | None, metadata: Callable) -> None:
        self.recompute, self.early_stop, self.explain, self.metadata = recompute, early_stop, explain, metadata
        self.args: list = []
        self.places: list[Any] = []
        self.seen: list[Any] = []  # the metadata of each place
        self.tensors: Any = defaultdict(weakref.WeakKeyDictionary)  # by walk: recomputed tensors by token
        self.counts: dict[Any, int] = defaultdict(int)
        self.done: set = set()
        self.forward_completed = self.ignore_mismatch = False

    def save_arguments(self, args: tuple) -> None:
        """Keep the arguments, tensors with their version."""
        self.args = [SavedTensor(a, False) if isinstance(a, Tensor) else a for a in args]

    def arguments(self) -> list:
        """The arguments, as they were."""
        return [a.unpack(None) if isinstance(a, SavedTensor) else a for a in self.args]

    def pack(self, x: Any) -> Place:
        """In the forward pass: a place for a tensor."""
        place = Place()
        self.places.append(weakref.ref(place))
        with no_grad():
            self.seen.append(self.metadata(x))
        return place

    def unpack(self, place: Place) -> Any:
        """In backward: the tensor of a place, which is recomputed if need be."""
        try:
            return self._unpack(place)
        except CheckpointError as e:
            if self.explain is None:
                raise
            self.explain(e)
            raise

    def _unpack(self, place: Place) -> Any:
        walk = _current()
        if walk not in self.done:
            args = self.arguments()
            try:
                with saved_tensors_hooks(lambda x: self._collect(x, walk), lambda x: x), enable_grad():
                    self.recompute(*args)
            except _StopRecomputationError:
                pass
            self.done.add(walk)
            self._check(walk)
        token = place.tokens.get(walk)
        if token is None:
            raise CheckpointError(texts.UNPACKED_TWICE)
        found = self.tensors[walk][token]
        place.tokens[walk] = None
        return found

    def _collect(self, x: Any, walk: Any) -> Any:
        """While recomputing: put a tensor into its place."""
        x = x.detach() if x.requires_grad else x
        k = self.counts[walk]
        self.counts[walk] += 1
        if k >= len(self.places):
            if not self.forward_completed:  # a nested backward in the middle of forward
                self.ignore_mismatch = True
                return x
            raise CheckpointError(texts.MORE_SAVED)
        place = self.places[k]()
        if place is not None:  # the node that kept it may be gone
            token = place.tokens[walk] = _Token()
            self.tensors[walk][token] = x
        if self.early_stop and self.counts[walk] == len(self.places):
            raise _StopRecomputationError
        return x

    def _check(self, walk: Any) -> None:
        """What was recomputed has to be like what was there."""
        if self.ignore_mismatch:
            return
        if len(self.places) != self.counts[walk]:
            raise CheckpointError(texts.OTHER_NUMBER_SAVED.format(first=len(self.places), second=self.counts[walk]))
        different = ""
        for k, (held, before) in enumerate(zip(self.places, self.seen, strict=True)):
            place = held()
            if place is None:
                continue
            now = self.metadata(self.tensors[walk][place.tokens[walk]])
            if before != now:
                different += texts.ONE_DIFFERENT.format(k=k, before=before, now=now)
        if different:
            raise CheckpointError(texts.METADATA_DIFFER.format(different=different))


_single = count().__next__


def _current() -> Any:
    """What recomputed tensors belong to: the group or walk that is running; outside of them each time another one."""
    if state.exec_group is not None:
        return state.exec_group
    return state.walk.number if state.walk is not None else ("outside", _single())
