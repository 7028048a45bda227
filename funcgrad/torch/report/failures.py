"""What an exception that ended a program means, and the line that caused it."""

from __future__ import annotations

from types import TracebackType
from typing import Any

from funcgrad.callers import _is_users
from funcgrad.torch.report.causes import UNUSED, backward_of_function, cause_of_cut, path_from
from funcgrad.torch.report.entries import Entry
from funcgrad.torch.report.findings import Finding, all_names, finding, names, spoken
from funcgrad.torch.report.leaves import Leaf
from funcgrad.torch.report.places import Place, lines_behind, targets, values_in
from funcgrad.torch.report.session import Session
from funcgrad.torch.report.walks import leaf_nodes


def raised_at(error: BaseException, file: str) -> Place:
    """The innermost line of the user's code in a traceback."""
    found, t = Place(file, 1, ""), error.__traceback__
    while isinstance(t, TracebackType):
        if _is_users(t.tb_frame):
            found = Place(t.tb_frame.f_code.co_filename, t.tb_lineno, t.tb_frame.f_code.co_name)
        t = t.tb_next
    return found


def of_failure(session: Session, error: BaseException, file: str) -> list[Finding]:
    """The findings: the line that raised, and before it the line that is to blame, if it is another one."""
    place = raised_at(error, file)
    text = f"{type(error).__name__}: {str(error).splitlines()[0] if str(error) else ''}"
    blamed = _blamed(session, error, place, str(error))
    kind = blamed.kind if blamed is not None else "raised"
    found = [] if blamed is None else [blamed]
    if blamed is not None and not blamed.variables:
        blamed.variables = values_in(place)
    if session.cut_region is not None and (session.cut_region.file, session.cut_region.line) != (
        place.file,
        place.line,
    ):
        found.append(
            finding(
                "error",
                kind,
                session.cut_region,
                "recording is switched off here",
                "",
                blamed.variables if blamed else [],
            )
        )
    if blamed is None or (blamed.file, blamed.line) != (place.file, place.line):
        remedy = f"see line {blamed.line}" if blamed is not None else ""
        found.append(
            finding("error", kind, place, text, remedy, [*(blamed.variables if blamed else ()), *values_in(place)])
        )
    elif blamed is not None:
        blamed.text = f"{text} ({blamed.text})"
    return found


def _blamed(session: Session, error: BaseException, place: Place, text: str) -> Finding | None:
    failure = session.failure if session.failure is not None and session.failure.error is error else None
    entries = [] if failure is None else [e for n in failure.args if (e := session.log.find(n)) is not None]
    if "does not require grad and does not have a grad_fn" in text or "not have been used in the graph" in text:
        return _without_history(session, entries, place)
    if "modified by an inplace operation" in text:
        return _written(session, failure)
    if "backward through the graph a second time" in text or "they have already been freed" in text:
        return _second_time(session, failure, place)
    if "only for scalar outputs" in text and entries:
        e = entries[0]
        return finding(
            "error",
            "no-scalar",
            e.place if e.place.line else place,
            f"the loss has shape {list(e.shape)}",
            "take its mean() or sum() before backward()",
            targets(e.place),
        )
    if "non-leaf Tensor" in text and "optimize" in text:
        for e in entries:
            if e.sources and e.requires and not e.leaf:
                return finding(
                    "error",
                    "non-leaf",
                    e.place,
                    f"{spoken(e.what)} made it, so it is no leaf",
                    "set requires_grad on the result of the operation",
                    targets(e.place),
                )
    if "empty parameter list" in text:
        return _no_parameters(session, place)
    if "object has no attribute 'backward'" in text:
        return _number(session, place)
    if "NoneType" in text:
        return _none(session, place)
    if "numpy() on Tensor that requires grad" in text:
        return finding(
            "error",
            "numpy",
            place,
            "NumPy cannot record what it does",
            "stay with torch's functions; detach() first, if no gradient shall pass",
            values_in(place),
        )
    if "leaf Variable that requires grad is being used in an in-place" in text:
        return finding(
            "error",
            "in-place-on-leaf",
            place,
            "a leaf is written into while operations are recorded",
            "write inside of torch.no_grad()",
            targets(place),
        )
    if "Inference tensors cannot be saved" in text:
        for e in entries:
            for source in session.log.before(e, 200):
                if source.region is not None and source.cut == "inference_mode":
                    return finding(
                        "error",
                        "inference_mode",
                        source.place,
                        "made in inference_mode, it can never be recorded",
                        "use torch.no_grad(), or clone() it outside",
                        targets(source.place),
                    )
    if "support the deepcopy protocol" in text:
        for (owner, name), at in session.attributes.items():
            module = next((m for m in list(session.modules) if id(m) == owner), None)
            value = None if module is None else vars(module).get(name)
            if value is not None and getattr(value, "grad_fn", None) is not None:
                return finding(
                    "error",
                    "copy-of-a-result",
                    at,
                    f"{name} holds a result with its history, which is not copied",
                    "store it with detach()",
                    [name],
                )
    if "returned an incorrect number of gradients" in text and failure is not None:
        at = backward_of_function(failure.node) or place
        return finding(
            "error", "custom-function", at, "a gradient for each input is expected", "return None for the others", []
        )
    if "requires_grad flags of leaf" in text or "can require gradients" in text:
        return finding(
            "error", "requires-grad", place, "only leaves of floating dtype can require gradients", "", targets(place)
        )
    return None


def _without_history(session: Session, entries: list[Entry], place: Place) -> Finding | None:
    """Nothing that the loss was computed from requires grad, or something was not used: where the history was cut."""
    toward: dict[int, Entry] = {}
    order, seen = list(entries), {e.number for e in entries}
    for entry in order:
        for n in (*entry.sources, *((entry.alias,) if entry.alias else ())):
            if n not in seen and len(seen) < 30000:
                seen.add(n)
                source = session.log.find(n)
                if source is not None:
                    toward[n] = entry
                    order.append(source)
    cuts = [e for e in order if e.cut is not None]
    if any(
        leaf.frozen is not None and leaf.walks and leaf.entry in seen and not _requires(leaf) for leaf in session.leaves
    ):
        cuts = []  # what learned before does so no longer
    leaves = [leaf for leaf in session.leaves if leaf.entry in seen]
    if cuts:
        trained = [leaf for leaf in leaves if leaf.optimisers] or leaves
        first = None
        for leaf in trained:
            first = next((e for e in path_from(leaf.entry, toward) if e.cut is not None), None)
            if first is not None:
                break
        cause = cause_of_cut(session, first if first is not None else cuts[-1])
        session.cut_region = cause.region
        asked = [known for x in session.asked_for if (known := session.leaves.of(x)) is not None]
        variables = [*all_names([*trained[:8], *asked]), cause.value]
        return finding(
            "error", cause.kind, cause.place, f"the history of the loss ends here: {cause.why}", cause.remedy, variables
        )
    frozen = [
        leaf for leaf in leaves if leaf.frozen is not None and leaf.tensor is not None and not leaf.tensor.requires_grad
    ]
    if frozen:
        at = max((leaf.frozen for leaf in frozen if leaf.frozen is not None), key=lambda p: p.line)
        return finding(
            "error",
            "frozen",
            at,
            f"{names(frozen)}: frozen, so the loss depends on nothing that requires grad",
            "leave requires_grad on for what is trained",
            [leaf.name for leaf in frozen],
        )
    if not leaves and session.optimisers and entries and entries[0].place.line:
        return finding(
            "error",
            "loss-of-data",
            entries[0].place,
            "the loss is computed of data alone",
            "compute it of what the model gives",
            values_in(entries[0].place),
        )
    data = [e for e in order if e.what not in ("data",) and not e.sources and e.kind == "f" and e.place.line]
    if data and not leaves:
        e = data[0]
        return finding(
            "error",
            "requires-no-grad",
            e.place,
            "nothing that the loss depends on requires grad",
            "make what shall be trained with requires_grad=True",
            targets(e.place),
        )
    return None


def _requires(leaf: Leaf) -> bool:
    return leaf.tensor is not None and bool(leaf.tensor.requires_grad)


def _written(session: Session, failure: Any) -> Finding | None:
    if failure is None or failure.node is None:
        return None
    made = session.log.of_node(failure.node)
    for _, counter, version in getattr(failure.node, "saved", None) or ():
        held = session.calls.written.get(id(counter)) if counter is not None else None
        if counter is None or counter[0] == version or held is None or held[0] is not counter:
            continue
        for at, where, what in held[1]:
            if at > version:
                used = f", and {made.place} needs the value for backward" if made is not None else ""
                variables = [*values_in(where), *(values_in(made.place) if made is not None else ())]
                variables += [
                    n
                    for leaf in (leaf_nodes(failure.node))
                    if (known := session.leaves.of(leaf.variable)) is not None
                    for n in all_names([known])
                ]
                return finding(
                    "error",
                    "in-place",
                    where,
                    f"{spoken(what)} overwrites a value{used}",
                    "compute a new tensor instead of writing in place, or clone() before",
                    variables,
                )
    return _stepped_since(session, failure)


def _stepped_since(session: Session, failure: Any) -> Finding | None:
    """What was overwritten is a parameter, by a step."""
    variables = []
    for _, counter, version in getattr(failure.node, "saved", None) or ():
        if counter is not None and counter[0] != version:
            variables += all_names([x for x in session.leaves.alive() if x.tensor._counter is counter])
    again = [b for b in session.backwards if set(b.roots) & set(session.backwards[-1].roots)]
    loss = again[0].losses[0] if len(again) > 1 and again[0].losses else None
    if loss is not None and loss.place.line:
        return finding(
            "error",
            "old-loss",
            loss.place,
            "this loss is computed once, and step() overwrites parameters that its graph still needs",
            "compute the loss anew in each step",
            [*targets(loss.place), *variables],
        )
    for known in session.optimisers.values():
        if known.steps:
            step = known.places.most_common(1)[0][0]
            return finding(
                "error",
                "step-between",
                step,
                "step() overwrites parameters that this graph still needs",
                "compute the loss anew after each step, or detach() what is carried over",
                variables,
            )
    return None


def _second_time(session: Session, failure: Any, place: Place) -> Finding | None:
    made = None if failure is None or failure.node is None else session.log.of_node(failure.node)
    if made is None or not made.place.line:
        return None
    return finding(
        "error",
        "backward-again",
        made.place,
        "its graph was freed by an earlier backward(), and is needed again",
        "compute it anew in each step, detach() what is carried over, or backward(retain_graph=True)",
        targets(made.place),
    )


def _number(session: Session, place: Place) -> Finding | None:
    """The loss has become a number: where."""
    for line in sorted(lines_behind(place.file, place.line), reverse=True):
        entries = [e for n in session.calls.left.get((place.file, line), ()) if (e := session.log.find(n)) is not None]
        for e in entries:
            if e.cut is not None:
                cause = cause_of_cut(session, e)
                variables = [*values_in(e.place), *values_in(place)]
                return finding("error", cause.kind, e.place, f"{e.what} makes a number of it", cause.remedy, variables)
    return None


def _no_parameters(session: Session, place: Place) -> Finding | None:
    module = session.asked_module
    for (owner, name), at in session.attributes.items():
        if module is not None and owner == id(module):
            value = vars(module).get(name)
            kind = type(value).__name__
            return finding(
                "error",
                "not-registered",
                at,
                f"{name} is a plain {kind}, in which a module does not look",
                "use nn.ModuleList or nn.Parameter",
                [name],
            )
    return None


def _none(session: Session, place: Place) -> Finding | None:
    for entry, read in reversed(list(session.non_leaf_reads.values())):
        if read == place and entry is not None and entry.place.line:
            return finding(
                "error",
                "non-leaf",
                entry.place,
                f"{spoken(entry.what)} makes a tensor that is no leaf, so .grad is None",
                "update in place under torch.no_grad()",
                targets(entry.place),
            )
    for entry, read in reversed(list(session.plain_reads.values())):
        if read == place and entry is not None and entry.place.line:
            if entry.cut is not None:
                cause = cause_of_cut(session, entry)
                return finding(
                    "error", cause.kind, cause.place, f".grad is None: {cause.why}", cause.remedy, [cause.value]
                )
            return finding(
                "error",
                "requires-no-grad",
                entry.place,
                "it does not require grad, so .grad is None",
                "make it with requires_grad=True",
                targets(entry.place),
            )
    for leaf in session.leaves:
        if place in leaf.reads_empty and not leaf.learns:
            cause = next((c for c in leaf.lost if c.place.line), UNUSED)
            if cause is not UNUSED:
                return finding(
                    "error",
                    cause.kind,
                    cause.place,
                    f"{names([leaf])}.grad is None: {cause.why}",
                    cause.remedy,
                    [leaf.name],
                )
    return None
