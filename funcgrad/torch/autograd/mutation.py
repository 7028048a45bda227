"""`allow_mutation_on_saved_tensors`: what backward needs is copied before it is written over."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Generator
from typing import Any
from weakref import WeakKeyDictionary, WeakValueDictionary

from funcgrad.core.scope import scoped
from funcgrad.torch.autograd.saving_hooks import saved_tensors_hooks
from funcgrad.torch.base.modes import no_grad, state
from funcgrad.torch.texts import autograd as texts


class _Handle:
    """Stands in a node for a tensor that it saved."""

    __slots__ = ("__weakref__",)


class _Kept:
    """The tensors that were saved within the context.

    Attributes:
        original: by handle, tensors that nobody has written into.
        cloned: by handle, copies of those that somebody has.
        tid_to_weakhandle: by tensor, address and version, its handle.
        sid_to_tid: by address and version, all tensors that look at this memory.
    """

    def __init__(self) -> None:
        self.original: Any = WeakKeyDictionary()
        self.cloned: Any = WeakKeyDictionary()
        self.tid_to_weakhandle: Any = WeakValueDictionary()
        self.sid_to_tid: Any = defaultdict(set)

    def clear(self) -> None:
        """Forget everything."""
        for held in (self.original, self.cloned, self.tid_to_weakhandle, self.sid_to_tid):
            held.clear()

    def pack(self, tensor: Any) -> _Handle:
        """Keep a tensor that is being saved."""
        memory = tensor._storage().pointer, tensor._version
        key = (id(tensor), *memory)
        self.sid_to_tid[memory].add(key)
        handle = self.tid_to_weakhandle.get(key)
        if handle is None:
            handle = self.tid_to_weakhandle[key] = _Handle()
            self.original[handle] = tensor
        return handle

    def unpack(self, handle: _Handle) -> Any:
        """The tensor as it was when it was saved."""
        if state.before_write is None:
            raise AssertionError(texts.OUTSIDE_OF_MUTATION)
        if handle in self.cloned:
            return self.cloned[handle]
        if handle not in self.original:
            raise AssertionError(texts.OUTSIDE_OF_MUTATION)
        return self.original[handle]

    def before_write(self, tensor: Any) -> None:
        """Copy what is saved of the memory that is about to be written into."""
        for key in self.sid_to_tid.get((tensor._storage().pointer, tensor._version), ()):
            handle = self.tid_to_weakhandle.get(key)
            if handle is not None and handle not in self.cloned:
                with no_grad():
                    self.cloned[handle] = self.original.pop(handle).clone()


@scoped
def allow_mutation_on_saved_tensors() -> Generator[_Kept, None, None]:
    """Within it, tensors that backward needs may be written into: a copy of them is made first.

    Example:
        >>> from funcgrad import torch
        >>> x = torch.tensor(3.0, requires_grad=True)
        >>> with torch.autograd.graph.allow_mutation_on_saved_tensors():
        ...     y = x.clone()
        ...     z = y * y
        ...     _ = y.add_(1)
        ...     z.backward()
        >>> x.grad
        tensor(6.)
    """
    if state.before_write is not None:
        raise RuntimeError("allow_mutation_on_saved_tensors contexts cannot be nested")
    kept = _Kept()
    with saved_tensors_hooks(kept.pack, kept.unpack):
        state.before_write = kept.before_write
        try:
            yield kept
        finally:
            state.before_write = None
            kept.clear()
