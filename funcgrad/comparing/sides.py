"""One computation on one of the two faces: value, gradients, what was recorded, and the source."""

from __future__ import annotations

import inspect
import textwrap
from collections.abc import Callable, Sequence
from types import ModuleType
from typing import Any, NamedTuple

import numpy as np

from funcgrad import torch
from funcgrad.core import tree
from funcgrad.core.array import wrap
from funcgrad.core.types import PyTree
from funcgrad.debug.explain.explain import explain
from funcgrad.draw import draw as draw_function
from funcgrad.draw import draw_tape
from funcgrad.draw.drawing import Drawing
from funcgrad.errors import ArgumentError
from funcgrad.torch.explanations.tensors import explain_pair
from funcgrad.transforms.vjp import vjp


class Side(NamedTuple):
    """What one face gave.

    Attributes:
        face: "torch" or "functional".
        name, source: of the function; the source is empty if it cannot be read.
        values: the leaves of the result, as ndarrays.
        gradients: for each argument with a gradient an ndarray, or None if nothing leads from the result to it.
        recorded: what was recorded for the backward pass, as text, the first operation first.
        draw: makes a picture of it.
        why: says why an argument, given by name, gets no gradient.
    """

    face: str
    name: str
    source: str
    values: list[np.ndarray]
    gradients: list[np.ndarray | None]
    recorded: str
    draw: Callable[[], Drawing]
    why: Callable[[str], str]


def widened(x: Any) -> Any:
    """A leaf of the arguments as an ndarray, in double precision if it is one of floating-point or complex numbers."""
    if isinstance(x, (bool, str, bytes)) or x is None:
        return x
    a = np.array(x)
    if a.dtype.kind not in "biufc":
        return x
    return a.astype({"f": np.float64, "c": np.complex128}.get(a.dtype.kind, a.dtype))


def is_differentiated(x: Any) -> bool:
    return isinstance(x, np.ndarray) and x.dtype.kind in "fc"


def source_of(f: Callable) -> str:
    """The source of a function without the blanks in front of all lines."""
    try:
        return textwrap.dedent(inspect.getsource(inspect.unwrap(f))).rstrip()
    except (OSError, TypeError):
        return ""


def torch_side(f: Callable, leaves: Sequence[Any], structure: Any, names: Sequence[str]) -> Side:
    """Run a function of tensors, and its backward pass unless it runs that itself."""
    _refuse_pytorch(f)
    default = torch.get_default_dtype()
    torch.set_default_dtype(torch.float64)
    try:
        given = [
            torch.asarray(x, copy=True, requires_grad=is_differentiated(x)) if isinstance(x, np.ndarray) else x
            for x in leaves
        ]
        out = f(*structure.unflatten(given))
        results = tree.leaves(out)
        for r in results:
            if not isinstance(r, torch.Tensor):
                raise ArgumentError(f"compare: the torch function must return tensors, got {r!r} of {type(r).__name__}")
        followed = [x for x in given if isinstance(x, torch.Tensor) and x.requires_grad]
        ends = [r for r in results if r.requires_grad]
        if ends and all(x.grad is None for x in followed):
            torch.autograd.backward(ends, [torch.ones_like(r) for r in ends], retain_graph=True)
    finally:
        torch.set_default_dtype(default)
    values = [r.detach().resolve_conj().numpy() for r in results]
    found = [None if x.grad is None else x.grad.detach().resolve_conj().numpy() for x in followed]
    named = dict(zip(names, followed, strict=True))
    recorded = history_text(results, named)

    def draw() -> Drawing:
        several = len(results) > 1
        ends = {f"result {k}" if several else "result": r for k, r in enumerate(results)}
        shown: dict[str, Any] = named | ends
        return torch.draw(**shown)

    def why(name: str) -> str:
        return "\n".join([str(explain_pair(named[name], r, name, "the result", kept=False)) for r in results])

    return Side("torch", _name(f), source_of(f), values, found, recorded, draw, why)


def _refuse_pytorch(f: Callable) -> None:
    """PyTorch itself knows nothing of these tensors."""
    code, names = getattr(f, "__code__", None), getattr(f, "__globals__", {})
    for name in () if code is None else code.co_names:
        module = names.get(name)
        if isinstance(module, ModuleType) and module.__name__.partition(".")[0] == "torch":
            raise ArgumentError(
                f"compare: {_name(f)} is written with PyTorch itself, which it calls {name}. Write it with `from "
                f"funcgrad import torch`, or let funcgrad.torch.install() lead `import torch` there"
            )


def functional_side(f: Callable, leaves: Sequence[Any], structure: Any, names: Sequence[str]) -> Side:
    """Run a function of Arrays, and pull ones back."""
    places = [k for k, x in enumerate(leaves) if is_differentiated(x)]

    def of_floats(*xs: Any) -> PyTree:
        given = list(leaves)
        for k, x in zip(places, xs, strict=True):
            given[k] = x
        return f(*structure.unflatten([wrap(x) if type(x) is np.ndarray else x for x in given]))

    out, pullback = vjp(of_floats, *[leaves[k] for k in places])
    ones = tree.map(lambda o: np.ones(o.shape, o.dtype if o.dtype.kind in "fc" else "V"), out)
    gradients: list[np.ndarray | None] = [np.conj(np.asarray(g)) for g in pullback(ones)]  # as torch has it
    values = [np.asarray(o) for o in tree.leaves(out)]
    header = ", ".join(f"{letter} is {name}" for letter, name in zip(_letters(len(names)), names, strict=True))
    recorded = f"# {header}\n{pullback.tape}"

    def draw() -> Drawing:
        if all(isinstance(x, np.ndarray) for x in leaves):
            return draw_function(f)(*structure.unflatten(leaves))
        return draw_tape(pullback.tape)

    def why(name: str) -> str:
        findings = explain(f, *structure.unflatten(leaves)).findings
        return "\n".join([line for found in findings if name in found.variables for line in found.lines()])

    return Side("functional", _name(f), source_of(f), values, gradients, recorded, draw, why)


def _name(f: Callable) -> str:
    return getattr(f, "__name__", type(f).__name__)


def _letters(n: int) -> list[str]:
    """Names for values in the order of tapes: a, b, …, z, aa, …"""
    found = []
    for k in range(n):
        text, k = "", k + 1
        while k:
            k, rest = divmod(k - 1, 26)
            text = chr(ord("a") + rest) + text
        found.append(text)
    return found


def history_text(results: Sequence[Any], leaves: dict[str, Any]) -> str:
    """The nodes that lead to some tensors, in the form of a tape: leaves first, then the newest last."""
    order = _forward_order([r.grad_fn for r in results if r.grad_fn is not None])
    variables = {id(x): name for name, x in leaves.items()}
    operations = [n for n in order if not hasattr(n, "variable")]
    letters = _letters(len(leaves) + len(order))
    named: dict[Any, str] = {}
    inputs = []
    for letter, (name, x) in zip(letters, leaves.items(), strict=False):
        inputs.append(f"{letter}: {str(x.dtype).removeprefix('torch.')}[{','.join(map(str, x.shape))}]")
        named[name] = letter
    for n in order:
        if hasattr(n, "variable"):
            named[n] = named.get(variables.get(id(n.variable), ""), "another leaf")
    rest = iter(letters[len(leaves) :])
    header = ", ".join(f"{named[name]} is {name}" for name in leaves)
    lines = [f"# {header}", f"history({', '.join(inputs)}):"]
    for n in operations:
        named[n] = next(rest)
        operands = ", ".join("_" if m is None else named[m] for m, _ in n.next_functions)
        lines.append(f"  {named[n]} = {n.name()}({operands})")
    ends = [named[r.grad_fn] if r.grad_fn is not None else "no grad_fn" for r in results]
    return "\n".join([*lines, f"  return {', '.join(ends)}"])


def _forward_order(ends: Sequence[Any]) -> list[Any]:
    """All nodes behind some nodes, each after those that it leads to; without recursion."""
    order: list[Any] = []
    done: set[Any] = set()
    pending = [(n, False) for n in reversed(ends)]
    while pending:
        n, expanded = pending.pop()
        if n in done:
            continue
        if expanded:
            done.add(n)
            order.append(n)
            continue
        pending.append((n, True))
        pending += [(m, False) for m, _ in reversed(n.next_functions) if m is not None and m not in done]
    return order
