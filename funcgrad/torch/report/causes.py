"""Why a gradient did not arrive, was zero, or was not finite: read from the entries and from the walk."""

from __future__ import annotations

import ast
from collections import deque
from typing import Any

from funcgrad.draw.sources import tree_of
from funcgrad.torch.report.entries import Entry
from funcgrad.torch.report.findings import spoken
from funcgrad.torch.report.leaves import Cause, Leaf
from funcgrad.torch.report.places import NOWHERE, Place, targets
from funcgrad.torch.report.walks import Edge, Observer

_REMEDIES = {
    "detach()": "leave out detach(), or keep it for values that are only looked at",
    ".data": "use the tensor itself instead of .data",
    "detach_()": "leave out detach_()",
    "item()": "use the tensor itself in the loss; item() is for printing",
    "float()": "use the tensor itself in the loss; float() is for printing",
    "int()": "whole numbers have no gradient: weight or interpolate the values instead of picking them by an index",
    "tolist()": "stay with tensors: torch.stack instead of tolist()",
    "numpy()": "write the computation with torch's functions instead of NumPy's",
    "NumPy": "write the computation with torch's functions instead of NumPy's",
    "torch.tensor()": "use the tensor itself, or torch.stack for a list of tensors; torch.tensor() copies values only",
    "new_tensor()": "use the tensor itself; new_tensor() copies values only",
    "torch.Tensor()": "use torch.stack; the constructor copies values only",
    "nn.Parameter()": "make the parameter once, and compute with it: nn.Parameter(...) makes a new leaf of the values",
    "integers": "use something differentiable instead, such as softmax, or a loss that takes scores",
    "autograd.grad": "pass create_graph=True",
    "a result without derivative": "use something differentiable instead",
    "no_grad": "move it out of no_grad",
    "inference_mode": "move it out of inference_mode",
    "set_grad_enabled": "switch recording on again before",
}


def lost_causes(session: Any, event: Any, observer: Observer, missing: list[Leaf]) -> list[tuple[Leaf, Cause]]:
    """For leaves that a walk did not reach: where the path from them to the loss was cut."""
    toward: dict[int, Entry] = {}
    found: list[tuple[Leaf, Cause]] = []
    pending = deque(e for e in event.losses if e is not None)
    choices: deque[Entry] = deque()  # they come last: a path on which values themselves went is the one to blame
    seen = {e.number for e in pending}
    while pending or choices:
        entry = pending.popleft() if pending else choices.popleft()
        for number in entry.sources:
            if number in seen or len(seen) > 30000:
                continue
            seen.add(number)
            source = session.log.find(number)
            if source is not None:
                toward[number] = entry
                (choices if _chooses(source) else pending).append(source)
        if entry.alias and entry.alias not in seen and (shared := session.log.find(entry.alias)) is not None:
            seen.add(shared.number)
            toward[shared.number] = entry
            pending.append(shared)
    for leaf in missing:
        if leaf.entry in seen:
            cause = _cut_on_path(session, observer, leaf, toward)
            if cause is not None:
                found.append((leaf, cause))
        else:
            found.append((leaf, _left_at(session, leaf) or UNUSED))
    return found


_DRAWS = {"normal", "bernoulli", "multinomial", "poisson", "binomial"}


def _chooses(entry: Entry) -> bool:
    """Whether it gives indices, conditions or samples, which choose among values and rarely are the loss."""
    return entry.cut == "integers" or (entry.cut is not None and entry.what in _DRAWS)


def _left_at(session: Any, leaf: Leaf) -> Cause | None:
    """Where the values that an unused parameter gave in this step left the graph, if they did."""
    if not leaf.optimisers or leaf.lost.total() > 2:
        return None
    of = {leaf.entry}
    for number in range(session.walked + 1, session.log.last + 1):
        entry = session.log.find(number)
        if entry is None or of.isdisjoint(entry.sources):
            continue
        if entry.cut is None:
            of.add(number)
        elif entry.cut in ("int()", "integers") or leaf.entry not in entry.sources:  # else it is looked at, in a log
            return cause_of_cut(session, entry)
    return None


UNUSED = Cause("unused", NOWHERE, "the loss was computed without it", "use it in computing the loss, or leave it out")


def path_from(leaf_entry: int, toward: dict[int, Entry]) -> list[Entry]:
    """The entries from a leaf on to the loss."""
    found: list[Entry] = []
    at = leaf_entry
    while at in toward and len(found) < 30000:
        found.append(toward[at])
        at = toward[at].number
    return found


def _cut_on_path(session: Any, observer: Observer, leaf: Leaf, toward: dict[int, Entry]) -> Cause | None:
    t = leaf.tensor
    path = path_from(leaf.entry, toward)
    if t is not None and not t.requires_grad:
        return None
    for entry in path:
        if entry.cut is not None:
            return cause_of_cut(session, entry)
    nodes = [t._accumulate()] if t is not None and t._accumulate is not None else []
    edge = observer.missing_at([n for n in nodes if n is not None])
    if edge is not None:
        entry = session.log.of_node(edge.node)
        place = backward_of_function(edge.node) or (entry.place if entry is not None else NOWHERE)
        return Cause(
            "custom-function", place, f"backward of {_short(edge.node)} gave None for it", "return its gradient"
        )
    if leaf.late and path:
        return _too_late(leaf)
    if path and any(e.requires for e in path):
        return _too_late(leaf) if leaf.thawed is not None else None
    return None


def _too_late(leaf: Leaf) -> Cause:
    return Cause(
        "requires-grad-too-late", leaf.thawed or NOWHERE, "requires_grad was switched on after it had been used",
        "call requires_grad_() before the tensor is used",
    )  # fmt: skip


def cause_of_cut(session: Any, entry: Entry) -> Cause:
    """A cut as a cause."""
    cut = str(entry.cut)
    names = targets(entry.place)
    what = entry.what
    place = entry.place
    if cut in ("no_grad", "inference_mode", "set_grad_enabled"):
        updating = any(e is not None and e.gradient for n in entry.sources for e in _near(session, n))
        if updating:
            why = f"{cut} made a new tensor of the updated values instead of writing into the old one"
            remedy = "update in place, w -= lr * w.grad, or call requires_grad_() on the new tensor"
            return Cause("update-makes-new-tensor", place, why, remedy, ", ".join(names))
        if entry.region is not None:
            why = f"recording is off under {cut}, from line {entry.region.line} on"
            return Cause(cut, place, why, _REMEDIES[cut], ", ".join(names), entry.region)
    why = {
        "integers": f"{spoken(what)} gives integers or booleans, which have no gradient",
        "a result without derivative": f"{spoken(what)} has no derivative",
        "autograd.grad": "autograd.grad without create_graph=True gives gradients that cannot be differentiated",
    }.get(cut, f"{cut} cuts the graph")
    return Cause(
        cut.strip(".()").replace("torch.", "").replace(" ", "-"), place, why, _REMEDIES.get(cut, ""), ", ".join(names)
    )


def _near(session: Any, number: int) -> list[Entry]:
    start = session.log.find(number)
    return [] if start is None else [e for e, _ in zip(session.log.before(start, 40), range(40), strict=False)]


def constant_terms(session: Any, event: Any) -> list[tuple[Cause, frozenset[int]]]:
    """Terms that are added to a loss and through which no gradient passes, and the leaves whose values are in them."""
    found = []
    pending = [e for e in event.losses if e is not None and e.requires]
    seen: set[int] = set()
    while pending:
        entry = pending.pop()
        for number in entry.sources:
            if number in seen:
                continue
            seen.add(number)
            source = session.log.find(number)
            if source is None:
                continue
            if source.requires:
                if source.what.strip("_") in _LINEAR and source.size <= max(entry.size, 64):
                    pending.append(source)
                continue
            if entry.what.strip("_") not in _ADDING or source.size != 1:
                continue
            cuts = [e for e in session.log.before(source, 3000) if e.cut is not None]
            off = (e for e in cuts if e.cut in ("no_grad", "set_grad_enabled") and not _chooses(e))
            cut = next(off, cuts[0] if cuts else None)
            if cut is not None and not _used_beside(session, entry, cut):
                found.append(
                    (cause_of_cut(session, cut), frozenset(e.leaf for e in session.log.before(cut, 3000) if e.leaf))
                )
    return found


_ADDING = {"add", "radd", "iadd", "sub", "rsub", "isub", "stack", "cat", "sum"}
_LINEAR = _ADDING | {"mean", "mul", "rmul", "imul", "truediv", "itruediv", "div", "neg", "squeeze", "view", "reshape"}


def _used_beside(session: Any, total: Entry, cut: Entry) -> bool:
    """Whether what was cut off takes part in a term beside it, too, as the maximum does in a logarithm of a sum."""
    live = [e for e in map(session.log.find, total.sources) if e is not None and e.requires]
    return any(e.number == cut.number for term in live for e in session.log.before(term, 3000))


# Zero.

_FLAT = {
    "Round": "round() is flat", "Floor": "floor() is flat", "Ceil": "ceil() is flat", "Trunc": "trunc() is flat",
    "Sign": "sign() is flat", "Sgn": "sgn() is flat", "Bernoulli": "bernoulli() draws, and has no derivative",
    "Heaviside": "heaviside() is flat", "Frac": "", "Fmod": "",
}  # fmt: skip
_DEAD = ("Relu", "LeakyRelu", "Elu", "Threshold", "Hardtanh", "Hardswish", "Hardsigmoid", "Gelu", "Silu", "Softplus")
_SATURATED = ("Sigmoid", "Tanh", "Softmax", "LogSoftmax", "Erf", "LogSigmoid")
_SELECTING = (
    "Where", "MaskedFill", "Index", "Select", "Slice", "Gather", "Max", "Min", "Maximum", "Minimum", "Clamp", "Topk",
)  # fmt: skip


def _short(node: Any) -> str:
    return node.name().partition("Backward")[0].rpartition("::")[2]


def zero_cause(session: Any, event: Any, observer: Observer, leaf: Leaf) -> Cause:
    """Why the gradient that arrived at a leaf is zero."""
    node = observer.nodes.get(leaf.key)
    if node is None:
        return Cause("zero", event.place, "its gradient is zero", "")
    hooks = observer.hook_at(node)
    if hooks:
        place = next((session.hooks[id(h)] for h in hooks if id(h) in session.hooks), event.place)
        return Cause(
            "hook", place, "a hook makes the gradient zero", "return what the hook shall give, or None to leave it"
        )
    edge = observer.zero_at(node)
    if edge is None and any(not e.went.zero for e in observer.into.get(node, ())):
        return Cause("stationary", event.place, "what arrives adds up to zero", "")
    if edge is None:
        return Cause("zero-loss", event.place, "the gradient that backward starts with is zero", "")
    if not edge.went.zero and session.module_hook is None:
        entry = session.log.of_node(edge.node)
        place = event.place if entry is None else entry.place
        why = "what arrives adds up to zero: the result does not change with the value"
        return Cause("cancelled", place, why, "look at what it is normalised by", ", ".join(targets(place)))
    if not edge.went.zero:
        place = session.module_hook or event.place
        return Cause("hook", place, "a hook makes the gradient zero", "return what the hook shall give, or None")
    cause = _zeroed(session, event, observer, edge)
    operands = observer.operands.get(edge.node)
    if operands is not None and any(t is leaf.tensor for t in operands.zero):
        return Cause("stationary", cause.place, "it is zero itself, where the function is flat", "")
    return cause


def _zeroed(session: Any, event: Any, observer: Observer, edge: Edge) -> Cause:
    entry = session.log.of_node(edge.node)
    place = event.place if entry is None else entry.place
    name = _short(edge.node)
    value = "" if entry is None else ", ".join(targets(place))
    operands = observer.operands.get(edge.node)
    if name in _FLAT:
        return Cause(
            "flat",
            place,
            f"{_FLAT[name]}: its gradient is zero everywhere",
            "pass the gradient on by hand (straight-through), or use a smooth function",
            value,
        )
    if hasattr(edge.node, "ctx"):
        at = backward_of_function(edge.node) or place
        return Cause("custom-function", at, f"backward of {name} gives zeros", "return the gradient times grad_output")
    if name in ("Softmax", "LogSoftmax") and entry is not None and _over_one(edge.node):
        return Cause(
            "softmax-over-one",
            place,
            "softmax over a dimension of size 1 is 1 whatever comes in",
            "take the dimension of the classes, or sigmoid for one score",
            value,
        )
    if operands is not None and operands.zero and name not in _DEAD:
        return _zero_operand(session, operands.zero[0], place, name, value)
    if operands is not None and operands.number:
        return Cause("zero-weight", place, "it is multiplied by 0", "use a weight that is not 0", value)
    if name in _DEAD:
        return Cause(
            "dead-activation",
            place,
            f"{name}: all inputs are where it is flat",
            "smaller learning rate or other initial values and biases, or a leaky activation",
            value,
        )
    if name in _SATURATED:
        return Cause(
            "saturated",
            place,
            f"{name} is saturated: its inputs are so large that it is flat there",
            "scale the inputs, or compute the loss from the scores themselves (..._with_logits)",
            value,
        )
    if name in _SELECTING or name.startswith(("Clamp", "Masked", "Index")):
        return Cause(
            "not-selected",
            place,
            f"{name} takes none of its values, so nothing depends on them",
            "check the bounds, the mask or the index",
            value,
        )
    if name == "Embedding":
        return Cause("only-padding", place, "only the padding is looked up", "look at the indices", value)
    return Cause("zero", place, f"{name} gives a zero gradient", "", value)


def _over_one(node: Any) -> bool:
    dim = node.params.get("dim", node.params.get("axis")) if isinstance(node.params, dict) else None
    shape = node.shape
    if isinstance(dim, tuple) and len(dim) == 1:
        dim = dim[0]
    if not isinstance(dim, int) or not shape:
        return False
    dim = dim - (1 << 64) if dim >= 1 << 63 else dim  # as C++ keeps -1
    return bool(shape[dim] == 1)


def _zero_operand(session: Any, tensor: Any, place: Place, name: str, value: str) -> Cause:
    """A factor is zero: since when."""
    entry = session.calls.entry_of(tensor)
    leaf = session.leaves.of(tensor) or session.leaves.by_key.get(entry.leaf)
    while leaf is None and entry is not None:
        zeros = [e for n in entry.sources if (e := session.log.find(n)) is not None and e.zero and e.kind in "fc"]
        if not zeros:
            break
        entry = zeros[0]
        leaf = session.leaves.by_key.get(entry.leaf)
    if leaf is not None:
        at = leaf.filled or (leaf.made if leaf.made.line else place)
        return Cause(
            "zero-weights",
            at,
            f"all values of {leaf.name or 'a factor'} are zero here: what they multiply gets none",
            "begin with small random values",
            leaf.name,
        )
    if entry is None or not entry.place.line:
        return Cause(
            "zero-factor", place, f"{name}: a factor is zero everywhere", "look at where the factor comes from", value
        )
    if entry.what.strip("_") in ("relu", "threshold", "leaky_relu"):
        return Cause(
            "dead-activation",
            entry.place,
            f"{spoken(entry.what)} gives zeros only: all inputs are negative",
            "other initial values and biases, or a leaky activation",
            ", ".join(targets(entry.place)),
        )
    return Cause(
        "zero-factor",
        entry.place,
        f"all values of {', '.join(targets(entry.place)) or 'a factor'} are zero: what they multiply gets none",
        "look at why they are zero",
        ", ".join(targets(entry.place)),
    )


def backward_of_function(node: Any) -> Place | None:
    """Where the backward of a custom Function stands: its return, or its first line."""
    function = getattr(type(getattr(node, "ctx", None)), "_forward_cls", None)
    code = getattr(getattr(function, "backward", None), "__code__", None)
    if code is None:
        return None
    for n in ast.walk(tree_of(code.co_filename)):
        if isinstance(n, ast.FunctionDef) and n.lineno <= code.co_firstlineno + 2 and n.name == "backward":
            first = n.decorator_list[0].lineno if n.decorator_list else n.lineno
            if first == code.co_firstlineno or n.lineno == code.co_firstlineno:
                returns = [s for s in ast.walk(n) if isinstance(s, ast.Return)]
                if returns:
                    return Place(code.co_filename, returns[-1].lineno, "backward")
    return Place(code.co_filename, code.co_firstlineno, "backward")


# Not finite.

_PUT = {
    "masked_fill",
    "masked_fill_",
    "full",
    "fill_",
    "full_like",
    "tensor",
    "where",
    "triu",
    "data",
    "float_info",
    "tril",
}
_REMEDY_OF = {
    "log": "keep the argument away from 0: log(x + 1e-8), clamp(min=...), or log_softmax for probabilities",
    "sqrt": "keep the argument away from 0: sqrt(x + 1e-12)",
    "div": "keep the divisor away from 0",
    "truediv": "keep the divisor away from 0",
    "exp": "subtract the maximum before, or use logsumexp or softmax",
    "norm": "add a small number before the root: the norm has no derivative at 0",
    "std": "std of one value divides by 0: use correction=0, or more values",
    "var": "var of one value divides by 0: use correction=0, or more values",
    "pow": "keep the base away from 0",
    "softmax": "a row that is -inf everywhere has no softmax: leave one entry in",
}


def bad_cause(session: Any, event: Any, observer: Observer, node: Any) -> Cause:
    """Why a loss, or the gradient of a leaf, is not finite."""
    for loss in event.losses:
        if loss is not None and loss.bad:
            return forward_cause(session, loss, event)
    edge = observer.bad_at(node) if node is not None else None
    if edge is None:
        return Cause("nonfinite", event.place, "the gradient is not finite", "")
    grown = exploded(session)
    entry = session.log.of_node(edge.node)
    place = event.place if entry is None else entry.place
    if grown is not None:
        return grown
    name = _short(edge.node)
    if hasattr(edge.node, "ctx"):
        place = backward_of_function(edge.node) or place
    what = name.lower()
    why = f"the derivative of {what}() is not finite there"
    before = [] if entry is None else [e for n in entry.sources if (e := session.log.find(n)) is not None and e.bad]
    if before or (entry is not None and entry.bad):
        why = f"{what}() is not finite where it is not used: its gradient is 0 times infinity"
    remedy = next(
        (r for k, r in _REMEDY_OF.items() if what.startswith(k) or what.endswith(k)), "keep away from that point"
    )
    return Cause("nonfinite-derivative", place, why, remedy, ", ".join(targets(place)))


def forward_cause(session: Any, loss: Entry, event: Any) -> Cause:
    """Where a value stopped being finite on the way to the loss."""
    grown = exploded(session)
    if grown is not None:
        return grown
    entry, seen = loss, set()
    while entry.number not in seen:
        seen.add(entry.number)
        sources = [e for n in entry.sources if (e := session.log.find(n)) is not None and e.bad]
        if entry.bad == "nan":
            worse = [e for e in sources if e.bad == "nan"]
            sources = worse or [e for e in sources if e.what not in _PUT]
        if not sources:
            break
        entry = sources[0]
    place = entry.place if entry.place.line else event.place
    if entry.leaf:
        leaf = session.leaves.by_key.get(entry.leaf)
        at = leaf.made if leaf is not None and leaf.made.line else place
        return Cause(
            "nonfinite-parameter",
            at,
            "its values are not finite",
            "look at the update that made them so",
            "" if leaf is None else leaf.name,
        )
    if entry.what in ("data", "tensor", "from_numpy", "as_tensor"):
        return Cause(
            "nonfinite-data",
            place,
            "the data holds values that are not finite",
            "take them out of the data",
            ", ".join(targets(place)),
        )
    what = entry.what.strip("_")
    remedy = next(
        (r for k, r in _REMEDY_OF.items() if what.lstrip("r").startswith(k) or what.startswith(k)),
        "look at its operands",
    )
    return Cause(
        "nonfinite-value", place, f"{spoken(entry.what)} gives {entry.bad} here", remedy, ", ".join(targets(place))
    )


def exploded(session: Any) -> Cause | None:
    """Whether parameters grew without bound before: the update to blame."""
    grown = [
        leaf
        for leaf in session.leaves.alive()
        if (leaf.optimisers or leaf.updates) and leaf.largest > 1e3 * max(leaf.first, 1.0)
    ]
    finite = [v for v in session.losses if v == v and abs(v) != float("inf")]
    rising = (
        len(finite) > 1 and session.first_loss is not None and abs(finite[-1]) > 1e4 * (abs(session.first_loss) + 1e-3)
    )
    if not grown and not rising:
        return None
    why = "the updates grow from step to step until the values overflow"
    leaf = grown[0] if grown else None
    for known in session.optimisers.values():
        if known.steps and (leaf is None or leaf.key in known.leaves):
            return Cause(
                "exploding",
                known.place,
                why,
                "a smaller learning rate, or clip the gradients",
                ", ".join(x.name for x in grown[:4] if x.name),
            )
    for x in grown:
        if x.updates:
            return Cause(
                "exploding",
                x.updates.most_common(1)[0][0],
                why,
                "a smaller learning rate, or clip the gradients",
                ", ".join(y.name for y in grown[:4] if y.name),
            )
    return None
