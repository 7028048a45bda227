"""For each kind of cut what to change, and the line as it would be then."""

from __future__ import annotations

from funcgrad.torch.explanations.explanation import Explanation
from funcgrad.torch.tensor.journal import Entry

WORDS = {
    "detach()": "take detach() out",
    "detach_()": "take detach_() out",
    ".data": "take .data out",
    "no_grad": "take this line out of torch.no_grad() (a `with` block or a decorator)",
    "inference_mode": "take this line out of torch.inference_mode() (a `with` block or a decorator)",
    "copy": "use the tensor itself instead of a copy by its values; clone() copies and keeps the history",
    "Parameter": "make the nn.Parameter once, as the first thing, and compute from it; wrapping a result starts anew",
    "item()": "keep the tensor instead of the number; take item() or float() only for printing",
    "tolist()": "keep the tensor instead of the numbers; torch.stack joins tensors and keeps their history",
    "numpy()": "compute with torch's functions instead of NumPy's; the names are mostly the same",
    "integers": "keep floats: integers have no derivative. Instead of an index (argmax) use softmax weights",
    "booleans": "compute with the values instead of a comparison: it is a step without a slope; sigmoid is a soft one",
}

_DROPPED = {"detach()": ".detach()", ".data": ".data", "item()": ".item()", "detach_()": ".detach_()"}


def advise(found: Explanation, entry: Entry, condition: str = "") -> None:
    """Say what to change about a cut."""
    cut = entry.cut or entry.what
    text = WORDS.get(cut, f"use something else than {entry.what}, which has no derivative")
    instead = "" if entry.place is None else entry.place.text
    dropped = _DROPPED.get(cut, "")
    instead = instead.replace(dropped, "") if dropped and dropped in instead else ""
    left, _, right = instead.partition("=")
    found.advise(condition + text, entry, "" if left.strip() == right.strip() else instead)


def what_cut(entry: Entry) -> str:
    """A cut in words."""
    cut = entry.cut
    if cut in ("no_grad", "inference_mode"):
        return f"by {cut}: {entry.what} was computed inside of it"
    if cut == "copy":
        return f"by a copy: {entry.what} takes the values and no history"
    if cut == "Parameter":
        return "by nn.Parameter(...): it takes the values and no history"
    if cut in ("integers", "booleans"):
        return f"by {entry.what}, which gives {cut}"
    if cut == "a result without derivative":
        return f"by {entry.what}, which has no derivative"
    return f"by {cut}"
