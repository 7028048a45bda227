"""What a call of a torch function says: which values it read, what it made of them, and what it cut off."""

from __future__ import annotations

import ast
from collections import Counter, deque
from typing import Any

import numpy as np

from funcgrad.torch.base.modes import state
from funcgrad.torch.report.entries import Entry, Log
from funcgrad.torch.report.leaves import Leaf, Leaves, mark
from funcgrad.torch.report.places import NOWHERE, Place, lines_behind, statement
from funcgrad.torch.tensor.node import AccumulateGrad
from funcgrad.torch.tensor.tensor import Tensor

LEAVING = {
    "item": "item()", "tolist": "tolist()", "numpy": "numpy()", "__float__": "float()", "__int__": "int()",
    "__array__": "NumPy",
}  # fmt: skip
"""How values leave to Python and NumPy; comparisons of them decide, but are no values."""
UNSEEN = {"detach": "detach()", "data": ".data", "detach_": "detach_()"}
COPYING = {
    "tensor": "torch.tensor()", "new_tensor": "new_tensor()", "as_tensor": "torch.as_tensor()",
    "Tensor": "torch.Tensor()", "from_numpy": "torch.from_numpy()", "asarray": "torch.asarray()",
    "Parameter": "nn.Parameter()",
}  # fmt: skip
_SHAPE_ONLY = frozenset([
    "zeros_like", "ones_like", "empty_like", "full_like", "rand_like", "randn_like", "randint_like", "new_zeros",
    "new_ones", "new_empty", "new_full", "requires_grad_", "deepcopy", "is_floating_point", "manual_seed",
])  # fmt: skip
"""What looks at shapes and dtypes of its operands, not at their values."""
_INTEGERS = frozenset("iub")


def tensors_in(value: Any, depth: int = 0) -> list[Any]:
    """The tensors in a value, and in the lists, tuples and dicts that it is made of."""
    if isinstance(value, Tensor):
        return [value]
    if depth < 4 and isinstance(value, (list, tuple, set)):
        return [t for v in value for t in tensors_in(v, depth + 1)]
    if depth < 4 and isinstance(value, dict):
        return [t for v in value.values() for t in tensors_in(v, depth + 1)]
    return []


def arrays_in(value: Any, depth: int = 0) -> bool:
    """Whether a value holds numbers of Python or NumPy that are no whole ones."""
    if isinstance(value, np.ndarray):
        return value.dtype.kind == "f"
    if isinstance(value, (float, np.floating)):
        return True
    return depth < 3 and isinstance(value, (list, tuple)) and any(arrays_in(v, depth + 1) for v in value[:8])


def array_of(tensor: Any) -> np.ndarray | None:
    """The values of a tensor as an ndarray, each once if they are repeated; None of what is being transformed."""
    value = tensor._value
    if type(value) is not np.ndarray:
        return None
    if 0 in value.strides and value.size > 1:
        value = value[tuple([slice(0, 1) if s == 0 else slice(None) for s in value.strides])]
    return value


def nonzero(value: np.ndarray) -> bool:
    """Whether a value is not zero; NaN is not."""
    with np.errstate(all="ignore"):
        return bool(value.any())


def largest(value: np.ndarray) -> float:
    """The largest absolute value, NaN if one is."""
    with np.errstate(all="ignore"):
        return float(np.abs(value).max()) if value.size else 0.0


def described(tensor: Any) -> dict[str, Any]:
    """What an entry says of the values of a tensor."""
    value = array_of(tensor)
    if value is None:
        return {"requires": tensor.requires_grad}
    whole = tensor._value
    said = {"requires": tensor.requires_grad, "size": whole.size, "shape": whole.shape, "kind": value.dtype.kind}
    if value.dtype.kind in "fc" and value.size:
        if not np.isfinite(value).all():
            said["bad"] = "nan" if np.isnan(value).any() else "inf"
        said["zero"] = not nonzero(value)
    elif value.size:
        said["zero"] = not nonzero(value)
    return said


class Calls:
    """Makes the entries."""

    def __init__(self, log: Log, leaves: Leaves) -> None:
        self.log, self.leaves = log, leaves
        self.regions: list[tuple[str, Place | None]] = []
        self.left: dict[tuple[str, int], deque[int]] = {}  # the last entries of values that left to Python, by line
        self.recent: deque[tuple[Any, int]] = deque(maxlen=2000)  # (number, entry) of those that were single ones
        self.written: dict[int, tuple[Any, deque]] = {}  # by version counter: (counter, what wrote, the last few)
        self.notes: dict[tuple, Entry] = {}
        self.updates = 0
        self.walks = 0
        self.switched: Place | None = None  # where recording was switched off until further notice
        self.cuts: Counter = Counter()  # (place, cut, region)

    # Entries of operands.

    def entry_of(self, tensor: Any) -> Entry:
        """The entry of an operand, made if it has none."""
        entry = self.log.of(tensor)
        if entry is not None:
            if entry.requires != tensor.requires_grad and entry.leaf:
                entry.requires = tensor.requires_grad
            return entry
        if tensor.requires_grad and is_leaf(tensor):
            return (self.leaf_of(tensor).entry and self.log.of(tensor)) or self._data(tensor)
        if tensor.requires_grad:
            sources = tuple([self.entry_of(leaf).number for leaf in graph_leaves(tensor)])
            return self.log.add(tensor, what="values", sources=sources, **described(tensor))
        return self._data(tensor)

    def _data(self, tensor: Any) -> Entry:
        return self.log.add(tensor, what="data", **described(tensor))

    def leaf_of(self, tensor: Any, made: Place = NOWHERE) -> Leaf:
        """The record of a leaf, made if there is none."""
        leaf = self.leaves.of(tensor)
        if leaf is not None:
            return leaf
        known = self.log.of(tensor)
        leaf = self.leaves.add(tensor, known.place if known is not None and known.place.line else made)
        leaf.born = self.walks
        value = array_of(tensor)
        if value is not None and value.dtype.kind == "f":
            leaf.first = leaf.largest = largest(value)
        if known is None:
            known = self.log.add(tensor, pinned=True, what="leaf", place=made, **described(tensor))
        known.leaf, known.requires, leaf.entry = leaf.key, tensor.requires_grad, known.number
        return leaf

    # Calls.

    def called(
        self, name: str, args: tuple, kwargs: dict, result: Any, nodes: tuple[int, int], place: Place, direct: bool
    ) -> None:
        """A function was called, outermost; direct: by the user's code itself."""
        if name in LEAVING:
            self._left(name, args[0], result, place)
            return
        made = [args[0]] if name == "__setitem__" else tensors_in(result)
        if not made or name in _SHAPE_ONLY:
            if name in _SHAPE_ONLY:
                for t in made:
                    if self.log.of(t) is None:
                        self._new(t, name, place, ())
            return
        given = tensors_in(args) + tensors_in(kwargs)
        sources = list(dict.fromkeys(self.entry_of(t).number for t in given))
        if name in COPYING or arrays_in(args[1:] if given else args):
            sources += [n for n in self._from_python(args, place) if n not in sources]
        for t in dict.fromkeys(made, None):
            if any(t is g for g in given):
                if not (name.endswith("_") or name.startswith("__i") or "out" in kwargs):
                    continue  # it was given back as it is
                self._wrote(name, t, sources, nodes, place, direct)
            else:
                entry = self._new(t, name, place, tuple(sources))
                if name in UNSEEN:
                    source = self.entry_of(given[0])
                    entry.alias, entry.gradient = source.number, source.gradient
                self.log.nodes(*nodes, entry)

    def _new(self, t: Any, name: str, place: Place, sources: tuple[int, ...]) -> Entry:
        cut, region = self._cut(t, name, sources, place)
        said = described(t)
        entry = self.log.add(t, what=name, place=place, sources=sources, cut=cut, region=region, **said)
        if cut is not None:
            self._note(place, cut, region)
        if t.requires_grad and is_leaf(t):
            self.leaf_of(t, place)
        return entry

    def _cut(self, t: Any, name: str, sources: Any, place: Place) -> tuple[str | None, Place | None]:
        """Why no gradient passes to the sources of a new value."""
        if t.requires_grad and not is_leaf(t):
            return None, None
        if not any(e is not None and e.requires for e in map(self.log.find, sources)):
            return None, None
        if name in UNSEEN:
            return UNSEEN[name], None
        if name in COPYING:
            return COPYING[name], None
        if not state.grad:
            mode, where = next(((m, p) for m, p in reversed(self.regions) if m), ("no_grad", None))
            return (mode, where) if where is not None or self.switched is None else ("set_grad_enabled", self.switched)
        if t._value.dtype.kind in _INTEGERS:
            return "integers", None
        return "a result without derivative", None

    def _note(self, place: Place, cut: str, region: Place | None) -> None:
        if len(self.cuts) < 500 or (place, cut, region) in self.cuts:
            self.cuts[place, cut, region] += 1

    def _left(self, name: str, t: Any, result: Any, place: Place) -> None:
        """Values left to Python or NumPy."""
        source = self.entry_of(t)
        if t._value.dtype.kind not in "fc" and not source.sources:
            return
        entry = self.log.add(None, what=LEAVING[name], place=place, sources=(source.number,), size=t._value.size)
        if source.requires:
            entry.cut = LEAVING[name]
            self._note(place, entry.cut, None)
        self.left.setdefault((place.file, place.line), deque(maxlen=8)).append(entry.number)
        if isinstance(result, float):
            self.recent.append((result, entry.number))
        if len(self.left) > 4000:
            del self.left[next(iter(self.left))]

    def _from_python(self, args: tuple, place: Place) -> list[int]:
        """The entries of values that left to Python and came back here, as far as that can be said."""
        numbers = [a for a in args if isinstance(a, float)]
        found = [n for value, n in self.recent if value in numbers] if numbers else []
        if found:
            return found[-1:]
        if not self.left:
            return []
        lines = lines_behind(place.file, place.line)
        return sorted([n for line in lines for n in self.left.get((place.file, line), ())])[-16:]

    def _wrote(self, name: str, t: Any, sources: list[int], nodes: tuple[int, int], place: Place, direct: bool) -> None:
        """A function wrote into one of its operands."""
        before = self.entry_of(t)
        counter = t._counter
        if counter is not None:
            held = self.written.get(id(counter))
            if held is None or held[0] is not counter:
                held = self.written[id(counter)] = (counter, deque(maxlen=16))
                if len(self.written) > 5000:
                    del self.written[next(iter(self.written))]
            held[1].append((counter[0], place, name))
        said = described(t)
        leaf = self.leaves.of(t)
        if leaf is not None and is_leaf(t):
            if said.get("zero", False) and not before.zero:
                leaf.filled = place
            before.zero, before.bad = said.get("zero", False), said.get("bad", "")
            if direct:
                self.updated(leaf, name, sources, place)
            return
        if before.gradient:
            before.zero, before.bad = said.get("zero", False), said.get("bad", "")
            return
        whole = None if t._view is None else self.leaves.of(t._view.base)
        if whole is not None and not state.grad:
            if direct:
                self.updated(whole, name, sources, place)
            return
        target = self.log.find(before.alias) if before.alias else None
        entry = self.log.add(t, what=name, place=place, sources=tuple(sources), **said)
        entry.alias, entry.gradient = before.alias, before.gradient
        if not t.requires_grad:
            entry.cut, entry.region = self._cut(t, name, sources, place)
        elif not state.grad:
            self.notes["changed", place.file, place.line] = entry
        if target is not None:
            owner = self.leaves.by_key.get(target.leaf)
            if owner is not None:
                if said.get("zero", False) and not target.zero:
                    owner.filled = place
                target.zero, target.bad = said.get("zero", False), said.get("bad", "")
                if direct:
                    self.updated(owner, name, sources, place)
            elif target.requires:
                self.notes["changed", place.file, place.line] = entry
        self.log.nodes(*nodes, entry)

    def updated(self, leaf: Leaf, name: str, sources: list[int], place: Place) -> None:
        """The program wrote into a leaf, without recording."""
        leaf.updates[place] += 1
        t = leaf.tensor
        value = None if t is None else array_of(t)
        if value is not None and value.dtype.kind == "f" and np.isfinite(now := largest(value)):
            leaf.largest = max(leaf.largest, now)
        self.updates += 1
        if name == "copy_":
            leaf.loaded = True
        if any(self._uses(leaf, source) for source in map(self.log.find, sources) if source is not None):
            self.consumed(leaf, place)

    def _uses(self, leaf: Leaf, source: Entry) -> bool:
        """Whether a value was computed from the gradient that a leaf has now."""
        if source.gradient == leaf.key:
            return True
        return any(
            entry.number > leaf.arrived_at
            and any(e is not None and e.gradient == leaf.key for e in (entry, *map(self.log.find, entry.sources)))
            for entry in self.log.before(source, 60)
        )

    def consumed(self, leaf: Leaf, place: Place) -> None:
        """An update of the program's own used the gradient of a leaf."""
        t = leaf.tensor
        if t is None or t._grad is None:
            return
        value = array_of(t._grad)
        if value is None:
            return
        now = mark(value)
        if not leaf.fresh and leaf.used == now and nonzero(value):
            leaf.stale[place] += 1
        if leaf.mixed is not None:
            leaf.doubled[leaf.mixed] += 1
        leaf.fresh, leaf.used = False, now


def is_leaf(t: Any) -> bool:
    """Whether no recorded operation made a tensor; False of a view whose history cannot be told any more."""
    try:
        return bool(t.is_leaf)
    except RuntimeError:
        return False


def graph_leaves(tensor: Any) -> list[Any]:
    """The leaves that a tensor's graph leads to."""
    start = tensor.grad_fn
    seen, order, found = {start}, [start], []
    for node in order:
        for i in node.inputs:
            if i not in seen and len(seen) < 20000:
                seen.add(i)
                order.append(i)
        if type(node) is AccumulateGrad:
            found.append(node.variable)
    return found


def tests_for_none(place: Place) -> bool:
    """Whether the statement at a place asks whether something is None."""
    s = statement(place)
    test = getattr(s, "test", s)
    return test is not None and any(
        isinstance(n, ast.Compare) and any(isinstance(c, ast.Constant) and c.value is None for c in n.comparators)
        for n in ast.walk(test)
    )
