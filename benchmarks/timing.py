"""How the benchmarks measure: interleaved rounds, ratios within a round, results checked before anything is timed."""

from __future__ import annotations

import gc
import random
import statistics
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from importlib.util import find_spec
from typing import Any

import numpy as np

PEERS = ("numpy", "eager", "autograd", "torch", "jax")
TITLES = {
    "funcgrad": "funcgrad",
    "numpy": "NumPy by hand",
    "eager": "funcgrad, not compiled",
    "autograd": "autograd",
    "torch": "torch",
    "jax": "jax, no jit",
}


@dataclass
class Case:
    """One computation in the words of each library.

    Attributes:
        name: for `--only`.
        title: what is computed.
        versions: for each library a function that prepares everything and gives the function to be timed.
        targets: for each peer the least acceptable ratio of its time to that of funcgrad.
        operations: how many recorded operations there are, for a time per operation; 0 if that says nothing.
        digits: to how many the results are compared.
    """

    name: str
    title: str
    versions: dict[str, Callable[[], Callable[[], Any]]]
    targets: dict[str, float] = field(default_factory=dict)
    operations: int = 0
    digits: int = 9


@dataclass
class Row:
    """One line of the report: a number, its unit, and the bound it should keep, if there is one."""

    what: str
    value: float | None  # None: the library is not installed
    unit: str = ""
    note: str = ""
    at_least: float | None = None
    at_most: float | None = None

    @property
    def missed(self) -> bool:
        if self.value is None:
            return False
        return (self.at_least is not None and self.value < self.at_least) or (
            self.at_most is not None and self.value > self.at_most
        )

    def __str__(self) -> str:
        if self.value is None:
            return f"  {self.what:<34}{'not installed':>14}"
        number = f"{self.value:,.0f}" if abs(self.value) >= 1000 else f"{self.value:.3g}"
        target = f">= {self.at_least:.3g}" if self.at_least is not None else ""
        target = f"<= {self.at_most:.3g}" if self.at_most is not None else target
        verdict = f"target {target}{'   MISSED' if self.missed else ''}" if target else ""
        return f"  {self.what:<34}{number:>9} {self.unit:<12}{self.note:<28}{verdict}".rstrip()


def installed(library: str) -> bool:
    return find_spec(library) is not None


def arrays(result: Any) -> list[np.ndarray]:
    """The arrays in nested lists, tuples and dicts, as ndarrays."""
    if isinstance(result, dict):
        result = [result[k] for k in sorted(result)]
    if isinstance(result, list | tuple):
        return [a for r in result for a in arrays(r)]
    return [np.asarray(result)]


def check_equal(results: dict[str, Any], digits: int = 9) -> None:
    """All libraries computed the same numbers.

    Raises:
        AssertionError: one did not.
    """
    (first, reference), *others = [(library, arrays(r)) for library, r in results.items()]
    for library, found in others:
        assert len(found) == len(reference), f"{library} gives {len(found)} arrays, {first} {len(reference)}"
        for a, b in zip(found, reference, strict=True):
            scale = np.max(np.abs(b), initial=1e-300)
            close = {"rtol": 10.0**-digits, "atol": 10.0 ** -(digits + 2)}
            np.testing.assert_allclose(a / scale, b / scale, **close, err_msg=f"{library} vs {first}")


def seconds_per_call(f: Callable[[], Any], calls: int) -> float:
    gc.collect()
    start = time.perf_counter()
    for _ in range(calls):
        f()
    return (time.perf_counter() - start) / calls


def calls_for(f: Callable[[], Any], seconds: float) -> int:
    """How many calls take about that long."""
    f()
    once = seconds_per_call(f, 1)
    return max(1, round(seconds / max(once, 1e-7)))


def interleaved(functions: dict[str, Callable[[], Any]], rounds: int, seconds: float = 0.05) -> dict[str, list[float]]:
    """Seconds per call of each function in each round. Every round times each once, in random order."""
    calls = {name: calls_for(f, seconds) for name, f in functions.items()}
    times: dict[str, list[float]] = {name: [] for name in functions}
    order = list(functions)
    shuffle = random.Random(0).shuffle
    for _ in range(rounds):
        shuffle(order)
        for name in order:
            times[name].append(seconds_per_call(functions[name], calls[name]))
    return times


def median_ratio(a: list[float], b: list[float]) -> float:
    return statistics.median(x / y for x, y in zip(a, b, strict=True))


def run_case(case: Case, rounds: int) -> list[Row]:
    """Check that all installed libraries agree on a case, then time them."""
    functions = {
        name: make()
        for name, make in case.versions.items()
        if name in ("funcgrad", "numpy", "eager") or installed(name)
    }
    check_equal({name: f() for name, f in functions.items()}, case.digits)
    times = interleaved(functions, rounds)
    own = min(times["funcgrad"])
    note = f"{own / case.operations * 1e6:.2f} µs for an operation" if case.operations else ""
    rows = [Row(TITLES["funcgrad"], own * 1e3, "ms", note)]
    for peer in PEERS:
        if peer not in case.versions:
            continue
        if peer not in times:
            rows.append(Row(TITLES[peer], None))
            continue
        best = min(times[peer]) * 1e3
        ratio = median_ratio(times[peer], times["funcgrad"])
        rows.append(Row(TITLES[peer], ratio, "x funcgrad", f"{best:.4g} ms", at_least=case.targets.get(peer)))
    return rows
