"""The benchmarks' workloads: what they do with arrays is groups, all of them machine code, or the whole program is."""

import sys
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("llvmlite")

from funcgrad.compile.native import target as native

BENCHMARKS = Path(__file__).parents[3] / "benchmarks"


@pytest.fixture
def workloads(monkeypatch):
    monkeypatch.syspath_prepend(str(BENCHMARKS))
    before = set(sys.modules)
    from cases import jit_libraries, jit_networks, jit_statistics

    yield jit_libraries.funcgrad_jit, {w.name: w for m in (jit_networks, jit_statistics) for w in m.WORKLOADS}
    for name in set(sys.modules) - before:
        if name.partition(".")[0] == "cases":
            del sys.modules[name]


@pytest.mark.parametrize("name", ["mlp", "attention", "mixture", "logistic", "elementwise"])
def test_no_group_is_left_to_numpy(name, workloads, monkeypatch):
    def watched(original):
        def part(*args):
            made = original(*args)
            taken.setdefault(original, []).append(made is not None)
            return made

        return part

    taken, group, program = {}, native.group_part, native.program_part
    monkeypatch.setattr(native, "group_part", watched(group))
    monkeypatch.setattr(native, "program_part", watched(program))
    compiled, by_name = workloads
    w = by_name[name]
    arrays = tuple(map(np.asarray, w.make(np.random.default_rng(0))))
    results = [leaves(compiled(w, arrays, backend)()) for backend in ("native", "numpy")]
    assert taken[program] == [True] or (taken[group] and all(taken[group]))
    for a, b in zip(*results, strict=True):
        np.testing.assert_allclose(a, b, rtol=1e-11, atol=1e-12 * np.max(np.abs(b)))


def leaves(result):
    value, gradients = result
    return [np.asarray(value), *map(np.asarray, gradients)]
