"""Short programs run with PyTorch and with funcgrad.torch: what can be seen of their variables, errors and warnings.

Used where a whole family is compared: every operation of a kind on every shape, dtype or mode. PyTorch has to be
installed.
"""

from __future__ import annotations

import math
import re
import warnings
from typing import Any

import numpy as np
import pytest

from funcgrad import torch as ours

theirs = pytest.importorskip("torch")

SEEN = (
    "dtype", "shape", "stride", "storage_offset", "requires_grad", "is_leaf", "_version", "is_inference", "_is_view",
)  # fmt: skip
UNITS = {"float16": 2.0**-10, "bfloat16": 2.0**-7, "float32": 2.0**-23, "complex64": 2.0**-23}


def differences(*statements: str) -> list[str]:
    """What differs after a program, one line for each thing."""
    (a, log_a), (b, log_b) = (_run(torch, statements) for torch in (theirs, ours))
    found = []
    for statement, x, y in zip(statements, log_a, log_b, strict=True):
        if x != y:
            found.append(f"{statement}: {x} in PyTorch, {y} here")
    for name in sorted(a.keys() | b.keys()):
        x, y = a.get(name), b.get(name)
        if x is None or y is None:
            found.append(f"{name} is only in {'PyTorch' if y is None else 'funcgrad'}")
        elif isinstance(x, dict) and isinstance(y, dict):
            found += [f"{name}.{k}: {x[k]} in PyTorch, {y[k]} here" for k in x if not _same(k, x, y)]
        elif x != y:
            found.append(f"{name}: {x} in PyTorch, {y} here")
    return found


def check(*statements: str) -> None:
    """Both do the same."""
    found = differences(*statements)
    assert not found, "\n".join([*statements, "--", *found])


def _run(torch: Any, statements: tuple[str, ...]) -> tuple[dict[str, Any], list]:
    scope: dict[str, Any] = {"torch": torch, "np": np, "math": math}
    log = []
    torch.set_warn_always(True)
    for statement in statements:
        error = None
        with warnings.catch_warnings(record=True) as given:
            warnings.simplefilter("always")
            try:
                exec(statement, scope)
            except Exception as e:  # every error is compared, by its type and text
                error = type(e).__name__, _text(e)
        log.append((error, [(w.category.__name__, _text(w.message)) for w in given]))
    torch.set_warn_always(False)
    found: dict[str, Any] = {}
    tensors: dict[int, str] = {}
    kept = {n: v for n, v in scope.items() if n not in ("torch", "np", "math") and not n.startswith("__")}
    for name, value in kept.items():
        _name(torch, name, value, tensors)
    for name, value in kept.items():
        _describe(torch, name, value, found, tensors)
    return found, log


def _text(x: Any) -> str:
    text = re.sub(r"\s*\(Triggered internally at [^)]*\)", "", str(x))
    return re.sub(r"\s*Exception raised from .*", "", re.sub(r"0x[0-9a-f]+", "0x", text), flags=re.S).strip()


def _name(torch: Any, name: str, value: Any, tensors: dict[int, str]) -> None:
    if isinstance(value, torch.Tensor):
        tensors.setdefault(id(value), name)
    elif isinstance(value, (tuple, list)):
        for k, v in enumerate(value):
            _name(torch, f"{name}[{k}]", v, tensors)


def _describe(torch: Any, name: str, value: Any, found: dict, tensors: dict[int, str]) -> None:
    if isinstance(value, (tuple, list)) and not isinstance(value, torch.Size):
        found[name] = f"{type(value).__name__} of {len(value)}"
        for k, v in enumerate(value):
            _describe(torch, f"{name}[{k}]", v, found, tensors)
    elif isinstance(value, torch.Tensor):
        found[name] = {k: _attempt(value, k) for k in SEEN} | _history(torch, value, tensors)
    else:
        found[name] = _text(value)


def _attempt(t: Any, name: str) -> str:
    try:
        x = getattr(t, name)
        return str(x() if callable(x) else x)
    except RuntimeError as e:
        return _text(e)


def _history(torch: Any, t: Any, tensors: dict[int, str]) -> dict[str, Any]:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            node, base = t.grad_fn, t._base
        except RuntimeError as e:
            return {"grad_fn": _text(e)}
        edges = () if node is None else [None if n is None else type(n).__name__ for n, _ in node.next_functions]
        value = t.detach().resolve_conj().resolve_neg()
        return {
            "grad_fn": None if node is None else type(node).__name__,
            "next_functions": edges,
            "_base": None if base is None else tensors.get(id(base), "another"),
            "value": (value.float() if value.dtype is torch.bfloat16 else value).numpy().copy(),
        }


def _same(what: str, x: dict, y: dict) -> bool:
    if what not in y:
        return False
    if what != "value" or x["dtype"] != y["dtype"] or x["shape"] != y["shape"]:
        return what == "value" or bool(x[what] == y[what])
    a, b = x["value"], y["value"]
    unit = UNITS.get(x["dtype"].removeprefix("torch."), 2.0**-52)
    return np.allclose(a, b, 512 * unit, 512 * unit, equal_nan=True)
