"""What `torch.explain` says of one tensor, and of a tensor and a loss."""

from __future__ import annotations

import re
from typing import Any

from funcgrad.draw.tapes import bytes_of
from funcgrad.torch.explanations.explanation import Explanation
from funcgrad.torch.explanations.relation import LEAVING, Relation, depends, nodes_of, number_of
from funcgrad.torch.explanations.remedies import advise, what_cut
from funcgrad.torch.explanations.saved import changed_values
from funcgrad.torch.explanations.statements import feeds, renamed
from funcgrad.torch.tensor import journal
from funcgrad.torch.tensor.journal import Entry

CONVERSIONS = {"to_copy": "a conversion (.to(), .float(), .double(), .half())"}


def explain_tensor(x: Any, name: str) -> Explanation:
    """Whether it is a leaf and requires grad, because of which lines, and whether backward fills .grad."""
    found = Explanation(name)
    found.leaf, found.requires_grad = x.is_leaf, x.requires_grad
    entry = journal.of(x)
    if not found.requires_grad:
        found.fills_grad = False
        _constant(found, x, name, entry)
    elif found.leaf:
        _leaf(found, x, name, entry)
    else:
        _result(found, x, name, entry)
    return found


# A result of operations.


def _result(found: Explanation, x: Any, name: str, entry: Entry | None) -> None:
    what = "an operation" if entry is None else CONVERSIONS.get(entry.what, entry.what)
    found.say(f"{name} is no leaf: {what} made it.", entry)
    origins = _origins(x)
    if origins:
        found.say("It requires grad, because what it is made of does:", *origins[:4])
    found.fills_grad = x.retains_grad
    if found.fills_grad:
        found.say(f"backward fills {name}.grad, because of retain_grad().")
        return
    found.say(f"backward passes through {name} and does not fill {name}.grad: only leaves keep their gradient.")
    if entry is not None and entry.place is not None and renamed(found, name, entry):
        return
    source = origins[0] if len(origins) == 1 else None
    same_line = source is not None and entry is not None and None is not source.place == entry.place
    if source is not None and source.shape != tuple(x.shape):
        same_line = False
    if source is not None and entry is not None and (same_line or entry.what in CONVERSIONS):
        _meant_as_leaf(found, name, entry, source, same_line)
    found.advise(f"to see the gradient of this result, call {name}.retain_grad() before backward()")
    if source is not None and not same_line:
        found.advise("look at the .grad of the leaf made there", source)


def _meant_as_leaf(found: Explanation, name: str, entry: Entry, leaf: Entry, same_line: bool) -> None:
    """A leaf that was changed in a step of its own, so that the result is none."""
    what = CONVERSIONS.get(entry.what, entry.what)
    if same_line:
        found.say(f"The leaf is the tensor before {what} in the same line, which no variable holds.")
    else:
        found.say(f"The leaf is the tensor before {what}.", leaf)
    made = "" if leaf.place is None else _REQUIRES.sub("", leaf.place.text)
    lines = [made] if same_line else [made, "" if entry.place is None else entry.place.text]
    known = same_line and leaf.place is not None and made != leaf.place.text
    found.advise(
        f"if {name} is what you want to train, make it a leaf: require grad last, when its values are made",
        entry,
        "\n".join([*lines, f"{name}.requires_grad_()"]) if known else f"{name} = {name}.detach().requires_grad_()",
    )


_REQUIRES = re.compile(r",? *requires_grad ?= ?True")


def _origins(x: Any) -> list[Entry]:
    """The entries of the leaves that a result comes of."""
    found = []
    for node in nodes_of(x).values():
        if hasattr(node, "variable") and node.variable._requires:
            entry = journal.of(node.variable)
            if entry is not None:
                found.append(entry)
    return sorted(found, key=lambda e: e.number)


# A constant.


def _constant(found: Explanation, x: Any, name: str, entry: Entry | None) -> None:
    kind = x._value.dtype.kind
    if entry is None:
        found.say(f"{name} requires no grad: for backward it is a constant. Nothing that it is made of required grad.")
        late = [e for e in journal.leaves() if e.what == "requires_grad_()" and e.place is not None]
        if late:
            found.say(
                "requires_grad_() was called for other tensors. What had been computed of them before has no history:",
                *late[-3:],
            )
            found.advise("call requires_grad_() before the first operation on the tensor", late[-1])
        if kind in "fc":
            found.advise(f"if {name} is what you want to train, call {name}.requires_grad_() before it is used")
        return
    found.say(f"{name} requires no grad: for backward it is a constant.", entry)
    cuts = cuts_behind(entry)
    if not cuts and not _frozen(found, name, entry):
        _made_of_numbers(found, entry)
    for e in list({(e.cut, e.place): e for e in cuts}.values())[:4]:
        found.cuts.append(e)
        origin = _required(e)
        found.say(f"It comes of a tensor that requires grad, but was cut off {what_cut(e)}:", e)
        if origin is not None and origin.place is not None and origin.place != e.place:
            found.say("What was cut off is the result of", origin)
        advise(found, e)
    if kind in "iub":
        found.say(f"Its dtype is {x.dtype}: only floating point and complex tensors can require grad.")


def _frozen(found: Explanation, name: str, entry: Entry) -> bool:
    """Explain a leaf whose requires_grad was switched off, or a result of such leaves; gives whether it is one."""
    behind = {e.number for e in _behind(entry)}
    switched = [e for e in journal.since(0) if e.what == "requires_grad_(False)" and not behind.isdisjoint(e.sources)]
    if not switched:
        return False
    own = "its requires_grad" if entry.number in switched[-1].sources else "requires_grad of all that it is computed of"
    found.say(f"Somebody switched {own} off:", *switched[-3:])
    found.advise("take this line out, or leave it to those that are not trained", switched[-1])
    return True


def _made_of_numbers(found: Explanation, entry: Entry) -> None:
    """A tensor of numbers that came from elsewhere."""
    roots = [e for e in _behind(entry) if not e.sources]
    numpys = any(e.what in ("from_numpy()", "as_tensor()") for e in roots)
    kinds = {"numpy()"} if numpys else LEAVING
    left = list({e.place: e for e in journal.since(0) if e.cut in kinds and e.number < entry.number}.values())
    left = [e for e in left if any(feeds(e, root) for root in roots)] or left
    found.say(
        "It was made of numbers, whose history is not known: NumPy's arrays and Python's numbers have none.", *roots
    )
    if left:
        found.cuts += left[-3:]
        found.say("Values of tensors with a history became numbers in", *left[-3:])
        advise(found, left[-1])


def _behind(entry: Entry) -> list[Entry]:
    """An entry and all that it comes of."""
    found = {entry.number: entry}
    pending = [entry]
    while pending:
        for n in pending.pop().sources:
            source = journal.find(n)
            if source is not None and n not in found:
                found[n] = source
                pending.append(source)
    return list(found.values())


def cuts_behind(entry: Entry) -> list[Entry]:
    """The nearest entries behind one that cut a gradient off."""
    found, seen, pending = [], {entry.number}, [entry]
    while pending:
        e = pending.pop()
        if e.cut:
            found.append(e)
            if e.what != "from_numpy()":
                continue
        for n in e.sources:
            source = journal.find(n)
            if source is not None and n not in seen and not source.requires:
                seen.add(n)
                pending.append(source)
    return sorted([e for e in found if e.what != "from_numpy()"], key=lambda e: -e.number)


def _required(entry: Entry) -> Entry | None:
    """The entry of what was cut off."""
    return next((s for n in entry.sources if (s := journal.find(n)) is not None and s.requires), None)


# A leaf.

_MADE = {
    "parameter": "It is an nn.Parameter, made in",
    "requires_grad_()": "It does so since requires_grad_() in",
    "deepcopy": "It is a copy, made in",
}


def _leaf(found: Explanation, x: Any, name: str, entry: Entry | None) -> None:
    found.fills_grad = True
    made = _MADE.get("" if entry is None else entry.what, "It was made in")
    found.say(
        f"{name} is a leaf that requires grad." + (f" {made}" if entry is not None and entry.place else ""), entry
    )
    if entry is not None and entry.what in ("parameter", "requires_grad_()", "deepcopy"):
        _had_a_history(found, name, entry)
    number = 0 if entry is None else entry.number
    events = [e for e in journal.since(number) if e.shape is None]
    walks = [e for e in events if e.what == "backward()"]
    through = [e for e in walks[-_MOST_WALKS:] if any(depends(n, number) for n in e.sources)]
    cleared = [e for e in events if e.what in ("zero_grad()", ".grad =") and number in e.sources]
    if x._grad is not None:
        _filled(found, name, through, cleared)
    elif not walks:
        found.say(f"{name}.grad is None, because backward() has not run since then.")
        found.advise("call backward() on a result that depends on it")
    else:
        _not_filled(found, name, number, (through or walks)[-1], cleared)


def _had_a_history(found: Explanation, name: str, entry: Entry) -> None:
    sources = [s for n in entry.sources if (s := journal.find(n)) is not None]
    if entry.cut or (sources and (sources[0].requires or cuts_behind(sources[0]))):
        found.say(
            f"Its values come of other tensors that require grad; to them no gradient passes from {name}:", *sources
        )


_MOST_WALKS = 20
"""Of how many calls of backward() it is looked up what they went through."""


def _filled(found: Explanation, name: str, walks: list[Entry], cleared: list[Entry]) -> None:
    last = cleared[-1].number if cleared else 0
    since = [e for e in walks if e.number > last]
    count = f"{len(since)} or more" if len(since) == _MOST_WALKS else str(len(since))
    if len(since) < 2:
        found.say(f"{name}.grad is filled." + (" backward() ran in" if since else ""), *since)
        return
    found.say(f"{name}.grad is the sum over {count} calls of backward(), since nothing cleared it between:", *since)
    found.advise("call zero_grad() of the optimiser, or set .grad to None, before each backward()", since[-1])


def _not_filled(found: Explanation, name: str, number: int, walk: Entry, cleared: list[Entry]) -> None:
    later = [e for e in cleared if e.number > walk.number]
    relation = Relation(number, walk.sources[0], {}) if walk.sources else None
    if later and (relation is None or relation.path_count):
        found.say(f"{name}.grad is None, because it was cleared after the last backward():", later[-1])
        stepped = [e for e in journal.since(later[-1].number) if e.what == "step()"]
        if stepped:
            found.say("step() came after that, and had no gradient to go by:", stepped[-1])
            found.advise("move this line: in front of backward(), or behind step()", later[-1])
        else:
            found.advise("read .grad between backward() and zero_grad()", later[-1])
        return
    if relation is None:
        found.say(f"{name}.grad is None. backward() started from a result without history:", walk)
        return
    found.say(f"{name}.grad is None after the last backward():", walk)
    _say_relation(found, relation, name, "its loss")
    if relation.path_count:
        found.say("A path leads there, but this backward() did not go along it; backward(inputs=...) fills only those.")


def explain_pair(x: Any, loss: Any, name: str, loss_name: str, kept: bool = True) -> Explanation:
    """The paths from x to the loss, the cuts on them; and what the graph keeps, if that is asked for."""
    found = Explanation(name)
    found.leaf, found.requires_grad = x.is_leaf, x.requires_grad
    start, end = journal.of(x), journal.of(loss)
    nodes = nodes_of(loss)
    if x is loss:
        found.say(f"{name} and {loss_name} are the same tensor.")
    elif not found.requires_grad and start is not None:
        found.take(explain_tensor(x, name))
    elif start is None:
        found.say(f"{name} requires no grad, and did not when {loss_name} was computed; there is nothing to follow.")
        found.advise(f"call {name}.requires_grad_() before its first use")
    else:
        number = 0 if loss.grad_fn is None else number_of(loss.grad_fn)
        relation = Relation(start.number, number if end is None else end.number, nodes)
        found.paths, found.path_count = relation.paths, relation.path_count
        if not (loss.requires_grad or relation.used or relation.numbers):
            _say_too_early(found, start, name, loss_name)
        else:
            if relation.path_count:
                _say_paths(found, relation, name, loss_name)
            _say_relation(found, relation, name, loss_name)
    found.fills_grad = bool(found.path_count) and (found.leaf or x.retains_grad)
    if found.path_count and not found.fills_grad:
        found.say(f"The gradient passes through {name}; {name}.grad is not filled, because {name} is no leaf.")
        found.advise(f"call {name}.retain_grad() before backward()")
    if kept:
        say_what_is_kept(found, loss_name, nodes)
    return found


def _say_too_early(found: Explanation, start: Entry, name: str, loss_name: str) -> None:
    """Of a loss that was computed of nothing that required grad."""
    found.say(f"{loss_name} comes of nothing that required grad, as far as the journal knows.")
    if start.what == "requires_grad_()":
        found.say(f"{name} requires grad only from this line on; what was computed of it before has no history:", start)
        found.advise(f"move this line up, before the first use of {name}", start)
    else:
        found.advise(f"use {name} in the computation of {loss_name}")


def _say_paths(found: Explanation, relation: Relation, name: str, loss_name: str) -> None:
    n = relation.path_count
    count = "One path leads" if n == 1 else f"{n} paths lead"
    few = len(relation.paths)
    shown = "" if n == few else " One of them:" if few == 1 else f" The {few} shortest:"
    found.say(f"{count} from {name} to {loss_name}.{shown}")
    for path in relation.paths:
        found.say("    " + str(path).replace("\n", "\n    "))
        found.say("") if path is not relation.paths[-1] else None
    flat = [p.flat for p in relation.paths if p.flat is not None]
    if flat and len(flat) == n:
        found.say(f"The gradient is zero: {flat[0].what} is flat, its derivative is zero everywhere.", *flat)
        found.advise(
            f"use a smooth function instead of {flat[0].what}, or pass the gradient on: x + (f(x) - x).detach()",
            flat[0],
        )


def _say_relation(found: Explanation, relation: Relation, name: str, loss_name: str) -> None:
    """Why no gradient, or not all of it, comes back from the loss."""
    if relation.cuts:
        found.cuts += relation.cuts
        shown = {(e.cut, e.place): e for e in relation.cuts}  # of several in a line one
        if relation.path_count:  # conditions and indices are cut beside the values that they choose
            shown = {k: e for k, e in shown.items() if e.cut not in ("integers", "booleans")}
        which = "Another path" if relation.path_count else "The path" if len(shown) == 1 else "A path"
        for e in list(shown.values())[:4]:
            found.say(f"{which} from {name} to {loss_name} is cut {what_cut(e)}:", e)
            advise(found, e, "if that is not meant, " if relation.path_count else "")
        if len(shown) > 4:
            found.say(f"And {len(shown) - 4} more are cut.")
        places = {e.place for e in relation.cuts}
        later = [e for e in relation.later if e.place not in places]
        if later and not relation.path_count:
            found.say("On the way further on it would be cut again:", *later[:4])
    if relation.left:
        last = relation.left[-1]
        found.cuts += relation.left[-3:]
        no = "Another way from" if relation.path_count else "No path leads from"
        found.say(f"{no} {name} to {loss_name}: values left the graph through {last.cut} in", *relation.left[-3:])
        found.say("Numbers have no history. A tensor was made of numbers again in", *relation.made[:3])
        advise(found, last, "if that is not meant, " if relation.path_count else "")
    elif relation.used and not relation.path_count and not relation.cuts:
        found.say(f"{loss_name} uses {name}, but {name} required no grad when it did.")
        found.advise(f"call {name}.requires_grad_() before its first use")
    elif not relation.path_count and not relation.cuts:
        _say_unused(found, relation, name, loss_name)


def _say_unused(found: Explanation, relation: Relation, name: str, loss_name: str) -> None:
    used = [e for e in journal.since(relation.x) if relation.x in e.sources and e.shape and e.what[-1:] != "_"]
    found.say(
        f"No path leads from {name} to {loss_name}: it was computed without {name}.", relation.entry(relation.loss)
    )
    start = relation.entry(relation.x)
    if relation.numbers:
        last = relation.numbers[-1]
        found.cuts += relation.numbers[-3:]
        found.say(
            f"Values of it became numbers through {last.cut}, and numbers have no history:", *relation.numbers[-3:]
        )
        advise(found, last, f"if {loss_name} uses that number, ")
    elif used:
        found.say(f"{name} was used here, with results that {loss_name} does not use:", *used[:4])
    elif start is not None and start.what == "requires_grad_()":
        found.say(f"{name} requires grad only since requires_grad_(). What was computed of it before has no history.")
        found.advise(f"move this line up, before the first use of {name}", start)
        return
    else:
        found.say(f"{name} was not used by any operation since it requires grad.")
    found.advise(f"use {name} in the computation of {loss_name}, or leave it out of what is trained")


def say_what_is_kept(found: Explanation, loss_name: str, nodes: dict[int, Any]) -> None:
    found.changed = changed_values(nodes)
    for c in found.changed:
        found.say(
            f"backward will fail: {c.operation} keeps a value for its gradient that was written over since.",
            c.entry,
        )
        found.say("It was written over in" if c.writer else "Nobody knows any more where.", c.writer)
        found.advise("write the result of that line into a new tensor instead of in place", c.writer, c.instead)
    found.kept = sum(bytes_of(n.residuals or ()) for n in nodes.values())
    if any(n.saved is None for n in nodes.values()):
        found.say(f"backward has been through the graph of {loss_name} and freed what it kept; a second time it fails.")
        found.advise("to go through it twice, call backward(retain_graph=True) the first time")
    elif found.kept:
        found.say(f"The graph of {loss_name} keeps {_bytes(found.kept)} for backward, in {len(nodes)} nodes.")


def _bytes(n: int) -> str:
    for unit in ("bytes", "kB", "MB"):
        if n < 1000:
            return f"{n:.3g} {unit}" if unit != "bytes" else f"{n} bytes"
        n = n / 1000  # type: ignore[assignment]  # what is shown need be no int
    return f"{n:.3g} GB"
