"""Runs the lines of a program with two modules, and compares all that can be seen after each."""

from __future__ import annotations

import contextlib
import itertools
import math
import re
import warnings
from collections.abc import Callable
from dataclasses import dataclass, field
from types import ModuleType
from typing import Any

# How far results of one operation may differ, relative to the largest number that took part.
ROUNDING = {
    "torch.float64": 1e-11,
    "torch.complex128": 1e-11,
    "torch.float32": 5e-6,
    "torch.complex64": 5e-6,
    "torch.float16": 4e-3,
    "torch.bfloat16": 3e-2,
}


@dataclass
class Step:
    """One line of a program, and the template that it came from."""

    template: str
    text: str
    in_place: bool = False


@dataclass
class Disagreement:
    """What differed after a line, in the program of which it is the last line."""

    step: Step
    what: str
    reference: object
    candidate: object
    program: list[Step] = field(default_factory=list)

    def __str__(self) -> str:
        return f"# {self.what}\n#   reference: {self.reference}\n#   candidate: {self.candidate}"

    @property
    def kind(self) -> str:
        """What differed, without the name of the tensor."""
        return self.what.rpartition(": ")[2]

    def script(self) -> str:
        """The program as a script that prints what differed."""
        lines = ["import torch", "", *(step.text for step in self.program)]
        match = re.match(r"(\w+): (\w+)", self.what)
        if match and match[1] not in {"raises", "warns"}:
            what = {"value": "", "grad_fn": ".grad_fn", "base": "._base"}.get(match[2], f".{match[2]}")
            call = "()" if match[2] in {"stride", "storage_offset", "_is_view", "is_conj"} else ""
            lines.append(f"print({match[1]}{what}{call})")
        return "\n".join(lines)


class Comparison:
    """Runs lines with both modules and compares all that can be seen."""

    def __init__(self, reference: ModuleType, candidate: ModuleType, signed_zeros: bool = False) -> None:
        self.signed_zeros = signed_zeros
        self.modules = reference, candidate
        self.spaces: tuple[dict[str, Any], dict[str, Any]] = {"torch": reference}, {"torch": candidate}
        self.scale = 1.0  # the largest value that took part in the last line

    def names(self, side: int) -> dict[str, Any]:
        return {name: x for name, x in self.spaces[side].items() if name != "torch" and not name.startswith("__")}

    def forget(self, before: set[str]) -> None:
        for space in self.spaces:
            for name in set(space) - before:
                del space[name]

    def run(self, step: Step) -> Disagreement | None:
        """Runs one line; None if both sides did the same."""
        before = set(self.spaces[0])
        code = compile(step.text, "<program>", "exec")
        read = set(re.findall(r"\bv\d+\b", step.text)) & before
        self.scale = max([1.0, *(largest(self.spaces[0][name]) for name in read)])
        if step.template in {"backward", "grad", "second"}:
            self.scale = max(self.scale, self.largest_gradient())
        outcomes = [self.outcome(code, space) for space in self.spaces]
        for kind, reference, candidate in zip(("raises", "warns"), *outcomes, strict=True):
            if reference != candidate:
                return Disagreement(step, kind, reference, candidate)
        fresh = set(self.names(0)) - before
        # An in-place operation may show in any tensor; any other shows in its results only.
        for name in self.names(0) if not fresh else sorted(fresh):
            found = self.compare(name, gradients=step.template in {"grad", "second"})
            if found is None and step.template == "backward":
                found = self.compare(name, gradients=True, attribute="grad")
            if found is not None:
                return Disagreement(step, *found)
        return None

    def outcome(self, code: Any, space: dict[str, Any]) -> tuple[str, list[str]]:
        raised = ""
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            try:
                exec(code, space)
            except Exception as error:
                raised = clean(f"{type(error).__name__}: {error}")
        return raised, [clean(f"{w.category.__name__}: {w.message}") for w in caught]

    def largest_gradient(self) -> float:
        """The largest gradient of any tensor of the program: rounding is relative to it."""
        torch, space = self.modules[0], self.spaces[0]
        tensors = [x for x in self.names(0).values() if isinstance(x, torch.Tensor) and x.requires_grad]
        with contextlib.suppress(RuntimeError, KeyError):
            grads = torch.autograd.grad(space["loss"], tensors, retain_graph=True, allow_unused=True)
            size = max((largest(g) for g in grads if g is not None), default=1.0)
            return size**2
        return 1.0

    def compare(self, name: str, gradients: bool, attribute: str = "") -> tuple[str, object, object] | None:
        """The first difference between the two values of a name, or of an attribute of them."""
        pair = [space.get(name) for space in self.spaces]
        label = name
        if attribute:
            if not all(map(is_leaf, pair)):
                return None
            pair = [getattr(x, attribute) for x in pair]
            label = f"{name}.{attribute}"
        are_tensors = [isinstance(x, module.Tensor) for x, module in zip(pair, self.modules, strict=True)]
        if not all(are_tensors):
            shown = [clean(repr(x)) for x in pair]
            if any(are_tensors) or not close_text(*shown):
                return f"{label}: value", *shown
            return None
        seen = [self.look(x, side, gradients) for side, x in enumerate(pair)]
        for what, reference in seen[0].items():
            if what != "value" and reference != seen[1][what]:
                return f"{label}: {what}", reference, seen[1][what]
        if self.scale > 1e7:
            return None  # rounding has no bound here
        if not self.values_agree(seen[0]["value"], seen[1]["value"], seen[0]["dtype"], gradients):
            return f"{label}: value", seen[0]["value"], seen[1]["value"]
        if seen[0]["value"] != seen[1]["value"]:
            self.replace_values(pair[1], seen[0]["value"])
        return None

    def look(self, x: Any, side: int, gradient: bool) -> dict[str, object]:
        """All that can be seen of a tensor."""
        names = self.names(side)
        looks: dict[str, Callable[[], object]] = {
            "dtype": lambda: str(x.dtype),
            "shape": lambda: tuple(x.shape),
            "stride": lambda: tuple(x.stride()),
            "requires_grad": lambda: x.requires_grad,
        }
        if not gradient:
            looks |= {
                "storage_offset": lambda: x.storage_offset(),
                "is_leaf": lambda: x.is_leaf,
                "grad_fn": lambda: type(x.grad_fn).__name__,
                "_version": lambda: x._version,
                "_is_view": lambda: x._is_view(),
                "is_conj": lambda: x.is_conj(),
                "base": lambda: [name for name, y in names.items() if y is x._base] if x._is_view() else [],
                "is": lambda: [name for name, y in names.items() if y is x],
            }
        looks["value"] = lambda: x.detach().clone().tolist()
        seen = {}
        for what, read in looks.items():
            try:
                seen[what] = read()
            except Exception as error:
                seen[what] = clean(f"{type(error).__name__}: {error}")
        return seen

    def values_agree(self, a: object, b: object, dtype: str, gradient: bool) -> bool:
        """Whether values agree but for rounding; gradients may have gone through tensors of lower precision."""
        dtypes = [str(getattr(x, "dtype", dtype)) for x in self.names(0).values()] if gradient else [dtype]
        tolerance = max(ROUNDING.get(each, 0.0) for each in dtypes) * (30 if gradient else 1)
        return close(a, b, tolerance, max(self.scale, largest_number(a)), self.signed_zeros)

    def replace_values(self, x: Any, values: object) -> None:
        torch = self.modules[1]
        with contextlib.suppress(RuntimeError), torch.no_grad():  # what overlaps itself cannot be written to
            x.data.copy_(torch.tensor(values, dtype=x.dtype))


def is_leaf(x: Any) -> bool:
    try:
        return bool(getattr(x, "is_leaf", False))
    except RuntimeError:  # a view that an in-place operation made invalid
        return False


def clean(text: str) -> str:
    """Without addresses, and without what says which module a class is of."""
    text = re.sub(r" ?\(Triggered internally at [^)\n]*\)", "", text)
    return re.sub(r"0x[0-9a-f]{6,}", "0x…", text).replace("funcgrad.torch", "torch")


def largest(x: Any) -> float:
    """The largest absolute value in a tensor; infinite if there is a nan."""
    if not hasattr(x, "detach"):
        return 0.0
    return largest_number(x.detach().clone().tolist())


def largest_number(values: object) -> float:
    if isinstance(values, list):
        return max(map(largest_number, values), default=0.0)
    size = abs(values)  # type: ignore[arg-type]
    return math.inf if math.isnan(size) else float(size)


def close(a: Any, b: Any, tolerance: float, scale: float, signed_zeros: bool) -> bool:
    """Whether nested lists of numbers agree: integers exactly, floats within tolerance * scale."""
    if type(a) is not type(b):
        return False
    if isinstance(a, list):
        return len(a) == len(b) and all(map(close, a, b, *map(itertools.repeat, (tolerance, scale, signed_zeros))))
    if isinstance(a, complex):
        return close([a.real, a.imag], [b.real, b.imag], tolerance, scale, signed_zeros)
    if not isinstance(a, float):
        return a == b
    if math.isnan(a) or math.isnan(b):
        return math.isnan(a) and math.isnan(b)
    if a == b:
        return not signed_zeros or math.copysign(1, a) == math.copysign(1, b)
    return abs(a - b) <= tolerance * (scale if math.isfinite(scale) else max(abs(a), 1.0))


NUMBER = re.compile(r"-?\d+\.\d*(?:e[+-]?\d+)?")


def close_text(a: str, b: str) -> bool:
    """Whether texts agree but for the last digits of the numbers in them."""
    if a == b:
        return True
    if len(a) != len(b) or NUMBER.sub("#", a) != NUMBER.sub("#", b):
        return False
    pairs = zip(NUMBER.findall(a), NUMBER.findall(b), strict=True)
    return all(math.isclose(float(x), float(y), rel_tol=1e-4, abs_tol=1e-4) for x, y in pairs)
