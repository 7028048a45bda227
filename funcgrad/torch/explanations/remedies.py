"""For each kind of cut what to change, and the line as it would be then."""

from __future__ import annotations

import re

from funcgrad.torch.explanations.explanation import Explanation
from funcgrad.torch.tensor.journal import Entry

WORDS = {
    "detach()": "take detach() out",
    "detach_()": "take detach_() out",
    ".data": "take .data out",
    "no_grad": "compute this line outside of torch.no_grad() (block, decorator), or after set_grad_enabled(True)",
    "inference_mode": "compute this line outside of torch.inference_mode() (`with` block, decorator)",
    "copy": "use the tensor itself instead of a copy by its values; clone() copies and keeps the history",
    "deepcopy": "compute with the one that is trained, or train the copy",
    "Parameter": "make the nn.Parameter once, as the first thing, and compute from it; wrapping a result starts anew",
    "item()": "keep the tensor instead of the number; take item() or float() only for printing",
    "float()": "keep the tensor instead of the number; take item() or float() only for printing",
    "int()": "keep the tensor instead of the number; integers have no derivative",
    "complex()": "keep the tensor instead of the number",
    "tolist()": "keep the tensor instead of the numbers; torch.stack joins tensors and keeps their history",
    "numpy()": "compute with torch's functions instead of NumPy's; the names are mostly the same",
    "integers": "keep floats: integers have no derivative",
    "booleans": "compute with the values instead of a comparison: it is a step without a slope; sigmoid is a soft one",
}

_LIST = re.compile(r"torch\.tensor\((\w+)(?:, *requires_grad ?= ?True)?\)")
_DROPPED = {"detach()": ".detach()", ".data": ".data", "item()": ".item()", "detach_()": ".detach_()"}


def advise(found: Explanation, entry: Entry, condition: str = "") -> None:
    """Say what to change about a cut."""
    cut = entry.cut or entry.what
    line = "" if entry.place is None else entry.place.text
    if cut == "item()" and ".item(" not in line:  # torch.tensor read the numbers
        stacked = _LIST.sub(r"torch.stack(\1)", line)
        found.advise(
            f"{condition}torch.stack joins tensors and keeps their history; torch.tensor reads numbers out of them",
            entry,
            stacked if stacked != line else "",
        )
        return
    text = WORDS.get(cut, f"use something else than {entry.what}, which has no derivative")
    if entry.what in ("argmax", "argmin", "indices", "argsort"):
        text += "; instead of the index of the largest use the weights of a softmax"
    instead = line
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
    if cut == "deepcopy":
        return "by copy.deepcopy: the copy is a tensor of its own"
    if cut == "Parameter":
        return "by nn.Parameter(...): it takes the values and no history"
    if cut == "integers" and entry.what == "to_copy":
        return "by a conversion to integers"
    if cut in ("integers", "booleans"):
        return f"by {entry.what}, which gives {cut}"
    if cut == "a result without derivative":
        return f"by {entry.what}, which has no derivative"
    return f"by {cut}"
