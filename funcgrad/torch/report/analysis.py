"""From what a session saw to findings."""

from __future__ import annotations

import ast
from collections import defaultdict
from collections.abc import Iterator
from typing import Any

from funcgrad.draw.sources import tree_of
from funcgrad.torch.report.calls import tests_for_none
from funcgrad.torch.report.causes import UNUSED, cause_of_cut
from funcgrad.torch.report.failures import of_failure
from funcgrad.torch.report.findings import Finding, all_names, finding, names, of_cause, ordered, spoken
from funcgrad.torch.report.leaves import Cause, Leaf
from funcgrad.torch.report.places import Place, targets
from funcgrad.torch.report.session import Session


def findings(session: Session, error: BaseException | None, file: str) -> list[Finding]:
    """All findings, the worst first.

    Arguments:
        session: what was seen.
        error: the exception that ended the program, if one did.
        file: the program.
    """
    found: list[Finding] = []
    if error is not None:
        found += of_failure(session, error, file)
    static = list(_not_called(file))
    found += static
    found += _nonfinite(session)
    found += _lost(session, error)
    found += _constants(session)
    found += _zero(session)
    found += _doubled(session)
    found += _stale(session, error)
    found += [f for f in _steps(session, error) if not (f.kind == "no-step" and static)]
    found += _left_out(session)
    found += _clips(session)
    found += _reads(session)
    found += _changed(session)
    wrong = {(f.file, f.line) for f in found}
    found += [n for n in _notes(session) if (n.file, n.line) not in wrong]
    return ordered(found)


def _grouped(pairs: list[tuple[Leaf, Cause]]) -> dict[Cause, list[Leaf]]:
    by: dict[Cause, list[Leaf]] = defaultdict(list)
    for leaf, cause in pairs:
        by[cause].append(leaf)
    return by


# Gradients that do not arrive.


def _wanted(leaf: Leaf) -> bool:
    empty = any(not tests_for_none(p) for p in leaf.reads_empty)
    return bool(leaf.optimisers or leaf.reads or leaf.asked or empty)


def _lost(session: Session, error: BaseException | None) -> Iterator[Finding]:
    pairs, unused = [], []
    for leaf in session.leaves:
        t = leaf.tensor
        if leaf.learns or not _wanted(leaf) or (t is not None and not t.requires_grad):
            continue
        causes = [c for c in leaf.lost if c != UNUSED]
        if causes:
            pairs.append((leaf, max(causes, key=lambda c: leaf.lost[c])))
        elif leaf.lost and leaf.key not in session.replaced:
            unused.append(leaf)
    for cause, leaves in _grouped(pairs).items():
        yield of_cause("loss", cause, f"{names(leaves)}: no gradient arrives, {cause.why}", leaves)
        if cause.region is not None and cause.region != cause.place:
            text = f"recording is switched off here, so that no gradient arrives at {names(leaves)}"
            yield finding("loss", cause.kind, cause.region, text, cause.remedy, all_names(leaves))
    if error is None:
        yield from _unused(session, unused)


def _unused(session: Session, leaves: list[Leaf]) -> Iterator[Finding]:
    of_optimiser = defaultdict(list)
    for leaf in leaves:
        of_optimiser[leaf.optimisers[0] if leaf.optimisers else 0].append(leaf)
    for key, group in of_optimiser.items():
        known = next((o for o in session.optimisers.values() if o.key == key), None)
        if known is not None and not any(
            session.leaves.by_key[k].learns for k in known.leaves if k in session.leaves.by_key
        ):
            text = f"{known.kind} was given {names(group)}, on which the loss does not depend"
            yield finding(
                "loss",
                "optimiser-of-other-parameters",
                known.place,
                text,
                "give it the parameters of the model that is trained",
                all_names(group),
            )
            continue
        if (warned := _not_recomputed(session)) is not None:
            text = f"{names(group)}: no gradient arrives, no input of a reentrant checkpoint requires grad"
            yield finding("loss", "checkpoint", warned, text, "use_reentrant=False", all_names(group))
            continue
        for leaf in group:
            place = leaf.made if leaf.made.line else known.place if known is not None else session.backwards[0].place
            text = f"{names([leaf])}: no gradient arrives, {UNUSED.why}"
            yield finding("loss", "unused", place, text, UNUSED.remedy, all_names([leaf]))


def _not_recomputed(session: Session) -> Place | None:
    """Where checkpoint() warned that it records nothing, if it did."""
    start = "None of the inputs have requires_grad=True"
    return next((place for key, (_, place) in session.warnings.items() if key[0].startswith(start)), None)


def _constants(session: Session) -> Iterator[Finding]:
    for cause, count in session.constants.items():
        if cause.kind in ("detach", "data", "no_grad") and count < session.totals:
            continue  # a choice
        text = f"a term of the loss adds nothing to the gradient: {cause.why}"
        leaves = [
            leaf for k in sorted(session.constant_leaves[cause]) if (leaf := session.leaves.by_key.get(k)) is not None
        ]
        yield of_cause("loss", cause, text, leaves)


# Gradients that are wrong.


def _zero(session: Session) -> Iterator[Finding]:
    pairs = []
    for leaf in session.leaves:
        if leaf.zeros and not leaf.nonzero and not leaf.bad and (_wanted(leaf) or leaf.updates):
            cause = leaf.zeros.most_common(1)[0][0]
            if cause.kind != "stationary" and not _beside(session, leaf):
                pairs.append((leaf, cause))
    for cause, leaves in _grouped(pairs).items():
        times = "each time" if leaves[0].zero > 1 else "everywhere"
        yield of_cause("zero", cause, f"{names(leaves)}: the gradient is zero {times}: {cause.why}", leaves)


def _beside(session: Session, leaf: Leaf) -> bool:
    """Whether a leaf that was made for one step only has others beside it, of the same line, with a gradient."""
    if leaf.optimisers or not leaf.made.line:
        return False
    return any(other.nonzero and other.made == leaf.made for other in session.leaves)


def _nonfinite(session: Session) -> Iterator[Finding]:
    pairs = [(leaf, next(iter(leaf.bads))) for leaf in session.leaves if leaf.bads]  # the first cause
    seen = set()
    for cause, leaves in _grouped(pairs).items():
        seen.add(cause.place)
        if cause.kind == "nonfinite-parameter" and len(pairs) > len(leaves):
            continue
        yield of_cause("nonfinite", cause, f"{names(leaves)}: the gradient is not finite: {cause.why}", leaves)
    for cause in list(session.bad_losses)[:1]:
        if cause.place not in seen and not pairs:
            yield finding(
                "nonfinite",
                cause.kind,
                cause.place,
                f"the loss is not finite: {cause.why}",
                cause.remedy,
                [cause.value],
            )


def _doubled(session: Session) -> Iterator[Finding]:
    by: dict[Place, list[Leaf]] = defaultdict(list)
    again: dict[tuple, list[Leaf]] = defaultdict(list)
    for leaf in session.leaves:
        if leaf.doubled:
            by[leaf.doubled.most_common(1)[0][0]].append(leaf)
        if leaf.twice and not leaf.doubled:
            again[leaf.twice.most_common(1)[0][0]].append(leaf)
    for place, leaves in by.items():
        text = f"{names(leaves)}: the gradient is added to that of the last step, which was not cleared"
        yield finding(
            "doubled",
            "not-cleared",
            place,
            text,
            "call zero_grad() once in each step, before backward()",
            all_names(leaves),
        )
    for (first, second), leaves in again.items():
        text = f"{names(leaves)}: backward runs again on what it ran on at line {first.line}, and the gradient is added"
        yield finding(
            "doubled",
            "backward-again",
            second,
            text,
            "call backward once for the sum, or zero_grad() in between",
            all_names(leaves),
        )


def _stale(session: Session, error: BaseException | None) -> Iterator[Finding]:
    whole = {}
    for known in session.optimisers.values():
        if known.all_stale:
            place = known.places.most_common(1)[0][0]
            leaves = [leaf for k in known.leaves if (leaf := session.leaves.by_key.get(k)) is not None and leaf.stale]
            place = leaves[0].stale.most_common(1)[0][0] if leaves else place
            whole[known.key] = place
            text = f"step() uses gradients of {names(leaves)} that a step has used already: no backward ran in between"
            yield finding(
                "stale", "step-without-backward", place, text, "call backward() before each step()", all_names(leaves)
            )
    by: dict[Place, list[Leaf]] = defaultdict(list)
    for leaf in session.leaves:
        if leaf.stale and not any(k in whole for k in leaf.optimisers):
            by[leaf.frozen or leaf.stale.most_common(1)[0][0]].append(leaf)
    for place, leaves in by.items():
        text = f"{names(leaves)}: a step uses the gradient of an earlier step again, for no new one has arrived"
        yield finding("stale", "old-gradient", place, text, "set .grad to None, with zero_grad()", all_names(leaves))
    outdated: dict[tuple, list[Leaf]] = defaultdict(list)
    for leaf in session.leaves:
        if leaf.old and error is None:
            outdated[leaf.old.most_common(1)[0][0]].append(leaf)
    for (made, _), leaves in outdated.items():
        text = f"{names(leaves)}: the gradient is that of values before the last step: line {made.line} ran before it"
        yield finding("stale", "old-forward", made, text, "compute it anew after each step", all_names(leaves))


def _steps(session: Session, error: BaseException | None) -> Iterator[Finding]:
    for known in session.optimisers.values():
        leaves = [leaf for k in known.leaves if (leaf := session.leaves.by_key.get(k)) is not None]
        learning = [leaf for leaf in leaves if leaf.learns]
        variables = all_names(learning)
        if known.steps and known.zero_rate == known.steps:
            place = known.scheduled or known.place
            yield finding(
                "zero",
                "learning-rate-zero",
                place,
                f"the learning rate of {known.kind} is 0 in every step",
                "a learning rate above 0",
                variables or all_names(leaves),
            )
        if known.steps and known.empty == known.steps and learning:
            step = known.places.most_common(1)[0][0]
            cleared = [p for leaf in learning for p in leaf.discarded]
            backward = learning[0].arrived
            if cleared and not (cleared[0].line < step.line < backward.line and step.function == backward.function):
                text = f"the gradients of {names(learning)} are cleared before a step uses them"
                yield finding(
                    "loss",
                    "cleared-before-step",
                    cleared[0],
                    text,
                    "call zero_grad() before backward(), or after step()",
                    variables,
                )
            else:
                text = f"step() finds no gradients of {names(learning)}: it runs before backward()"
                yield finding("loss", "step-before-backward", step, text, "call step() after backward()", variables)
        if not known.steps and learning and error is None and not any(leaf.reads or leaf.updates for leaf in learning):
            if any(k != known.key for leaf in learning for k in leaf.optimisers):
                continue
            place = learning[0].arrived if learning[0].arrived.line else known.place
            text = f"the gradients of {names(learning)} are computed, and step() is never called"
            yield finding("stale", "no-step", place, text, "call optimizer.step() after backward()", variables)
        if known.steps and not session.count and not any(leaf.given for leaf in leaves):
            step = known.places.most_common(1)[0][0]
            yield finding(
                "loss",
                "no-backward",
                step,
                "step() is called, and backward() never",
                "call backward() before it",
                all_names(leaves),
            )


# Parameters that no optimiser has.


def _left_out(session: Session) -> Iterator[Finding]:
    stepping = [o for o in session.optimisers.values() if o.steps]
    updated = [leaf for leaf in session.leaves if leaf.updates and leaf.nonzero]
    if not stepping and not updated:
        return
    out: dict[tuple, list[Leaf]] = defaultdict(list)
    for leaf in session.leaves:
        t = leaf.tensor
        if not leaf.nonzero or leaf.optimisers or leaf.reads or leaf.updates or leaf.asked or leaf.given or t is None:
            continue
        entry = session.log.find(leaf.entry)
        if entry is not None and entry.cut is not None:  # that is the finding
            continue
        found = _why_left_out(session, leaf, t, stepping, updated)
        if found is not None:
            out[found].append(leaf)
    for (kind, place, why, remedy), leaves in out.items():
        text = f"{names(leaves)}: the gradient arrives, and no optimiser uses it: {why}"
        known = all_names(leaves)
        yield finding("stale", kind, place, text, remedy, known if any(known) else targets(place))


def _why_left_out(session: Session, leaf: Leaf, t: Any, stepping: list, updated: list[Leaf]) -> tuple | None:
    for module in list(session.modules):
        for name, value in vars(module).items():
            if name.startswith("_") or not _holds(value, t, 0):
                continue
            place = session.attributes.get((id(module), name), leaf.made)
            if isinstance(value, (list, tuple, dict)):
                return (
                    "not-registered",
                    place,
                    f"{name} is a plain {type(value).__name__}, in which a module does not look",
                    "use nn.ModuleList, nn.ModuleDict or nn.ParameterList",
                )
            return ("not-registered", place, f"{name} is a tensor and no nn.Parameter", "wrap it in nn.Parameter, once")
    if leaf.parameter:
        owner = next((m for m in list(session.modules) if any(p is t for p in m._parameters.values())), None)
        for key, (place, name) in session.replaced.items():
            old = session.leaves.by_key.get(key)
            if old is not None and old.optimisers and stepping:
                return (
                    "replaced",
                    place,
                    f"{name} was replaced after the optimiser was made",
                    "make the optimiser afterwards",
                )
        if leaf.born and leaf.walks == 1 and stepping:
            return ("made-anew", leaf.made, "it is made anew in each step", "make it once, before the optimiser")
        if not stepping or leaf.loaded or (owner is not None and not owner.training):
            return None
        if leaf.frozen is not None and leaf.thawed is None:
            return None
        if leaf.thawed is not None and leaf.frozen is not None:
            return (
                "unfrozen",
                leaf.thawed,
                "it was unfrozen, and the optimiser was not given it",
                "use add_param_group",
            )
        if not any(
            session.leaves.by_key[k].parameter for o in stepping for k in o.leaves if k in session.leaves.by_key
        ):
            return None
        if owner is None and not leaf.name and leaf.made.line:
            why = "no module holds it, for what is kept was computed from it"
            return ("not-registered", leaf.made, why, "compute first, and wrap the result in nn.Parameter")
        again = [o for o in stepping if all(_has_another(session, k, o.key) for k in o.leaves)]
        if len(stepping) > 1 and again:
            known = again[-1]
            why = f"this {known.kind} was given what another optimiser has already"
            return ("optimiser-of-other-parameters", known.place, why, "give it the parameters that it shall update")
        known = stepping[0]
        return ("left-out", known.place, f"{known.kind} was not given it", "give it all parameters")
    if leaf.walks < 2 or leaf.frozen is not None or leaf.input:
        return None
    if stepping:
        return ("left-out", stepping[0].place, f"{stepping[0].kind} was not given it", "give it to the optimiser, too")
    if updated and not stepping:
        return ("left-out", updated[0].updates.most_common(1)[0][0], "it is never updated", "update it, too")
    return None


def _has_another(session: Session, key: int, optimiser: int) -> bool:
    leaf = session.leaves.by_key.get(key)
    return leaf is not None and any(k != optimiser for k in leaf.optimisers)


def _holds(value: Any, t: Any, depth: int) -> bool:
    """Whether an attribute of a module that is not registered holds a tensor, in lists and in modules, too."""
    if value is t:
        return True
    if depth < 4 and isinstance(value, (list, tuple)):
        return any(_holds(v, t, depth + 1) for v in value)
    if depth < 4 and isinstance(value, dict):
        return any(_holds(v, t, depth + 1) for v in value.values())
    return depth > 0 and hasattr(value, "_parameters") and any(p is t for p in value.parameters())


# The rest.


def _not_called(file: str) -> Iterator[Finding]:
    for n in ast.walk(tree_of(file)):
        if isinstance(n, ast.Expr) and isinstance(n.value, ast.Attribute):
            name = n.value.attr
            if name in ("step", "zero_grad", "backward"):
                severity = "doubled" if name == "zero_grad" else "stale" if name == "step" else "loss"
                text = f"{ast.unparse(n.value)} is not called: the parentheses are missing"
                yield finding(
                    severity, "not-called", Place(file, n.lineno, ""), text, f"write {ast.unparse(n.value)}()", []
                )


def _clips(session: Session) -> Iterator[Finding]:
    for place, count in session.clips.items():
        if session.clips_empty[place] == count and session.count:
            yield finding(
                "stale",
                "clipped-before-backward",
                place,
                "there are no new gradients to clip: backward() runs later",
                "clip between backward() and step()",
                [],
            )
        elif session.clips_to_zero[place] == count - session.clips_empty[place]:
            yield finding("zero", "clipped-to-zero", place, "clipping makes all gradients zero", "a larger bound", [])


def _reads(session: Session) -> Iterator[Finding]:
    for entry, place in session.non_leaf_reads.values():
        made = entry.place if entry is not None and entry.place.line else place
        by = spoken(entry.what) if entry else "an operation"
        text = f".grad, read at line {place.line}, is None: this is no leaf, for {by} made it"
        remedy = "set requires_grad on the result, or call retain_grad() on it"
        yield finding("loss", "non-leaf", made, text, remedy, targets(made) if made != place else [])
    for entry, place in session.plain_reads.values():
        if tests_for_none(place):
            continue
        if entry is not None and entry.cut is not None:
            cause = cause_of_cut(session, entry)
            yield finding(
                "loss",
                cause.kind,
                cause.place,
                f".grad, read at line {place.line}, is None: {cause.why}",
                cause.remedy,
                [cause.value],
            )
        elif entry is not None and entry.place.line:
            yield finding(
                "loss",
                "requires-no-grad",
                entry.place,
                f".grad, read at line {place.line}, is None: the tensor does not require grad",
                "make it with requires_grad=True",
                targets(entry.place),
            )
    for leaf in session.leaves:
        if leaf.nonzero and leaf.cleared is not None and not leaf.reads:
            for place in leaf.reads_empty:
                if not tests_for_none(place):
                    text = f"{names([leaf])}.grad is read after it was cleared at line {leaf.cleared.line}"
                    yield finding(
                        "loss",
                        "read-after-clearing",
                        place,
                        text,
                        "read it between backward() and zero_grad()",
                        all_names([leaf]),
                    )


def _changed(session: Session) -> Iterator[Finding]:
    for entry in session.calls.notes.values():
        text = f"{spoken(entry.what)} changes values behind the back of autograd: the gradient is that of other values"
        yield finding(
            "stale", "changed-unseen", entry.place, text, "compute a new tensor instead", targets(entry.place)
        )


def _notes(session: Session) -> Iterator[Finding]:
    for (place, cut, region), count in session.calls.cuts.items():
        times = f", {count} times" if count > 1 else ""
        where = region if region is not None else place
        yield finding(
            "note",
            "cut",
            where,
            f"{cut} cuts the graph here{times}: no gradient is lost by it",
            "",
            targets(place),
        )
    frozen = [x for x in session.leaves if x.optimisers and x.tensor is not None and not x.tensor.requires_grad]
    by = defaultdict(list)
    for leaf in frozen:
        by[leaf.frozen or leaf.made].append(leaf)
    for place, leaves in by.items():
        yield finding("note", "frozen", place, f"{names(leaves)}: frozen", "", all_names(leaves))
    if session.broken is not None:
        yield incomplete(session, session.backwards[0].place.file if session.backwards else "")
    for (message, _, _), (category, place) in session.warnings.items():
        yield finding("note", "warning", place, f"{category}: {message}", "", [])


def incomplete(session: Session, file: str) -> Finding:
    """That looking on failed, which is a bug of funcgrad."""
    error = session.broken
    text = f"funcgrad failed in looking on, please report it: {type(error).__name__}: {error}"
    return finding("note", "incomplete", Place(file, 1, ""), text, "", [])
