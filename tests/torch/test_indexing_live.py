"""Every form of an index, and every function that takes indices, on many shapes and dtypes, against PyTorch."""

from __future__ import annotations

import runpy
from pathlib import Path

import pytest

pytest.importorskip("torch")
differences = runpy.run_path(str(Path(__file__).parent / "live.py"))["differences"]

BASES = (
    "torch.tensor(2.5)", "torch.zeros(0)", "torch.zeros(0, 3)", "torch.zeros(2, 0)", "torch.ones(1)",
    "torch.tensor([1.5, -2., 3.])", "torch.arange(6.).reshape(2, 3)", "torch.arange(6.).reshape(2, 3).t()",
    "torch.arange(12.).reshape(2, 3, 2)", "torch.tensor([1 + 2j, -3j])", "torch.tensor([True, False])",
    "torch.tensor([[1, 2], [3, 4]])", "torch.ones(3, dtype=torch.bfloat16)", "torch.tensor(True)",
    "torch.arange(4.)[::2]",
)  # fmt: skip
INDICES = (
    "0", "-1", "5", "None", "...", "()", ":", "1:", "0:0", "True", "[0]", "[0, 0]", "[]", "[True]", "[[0, 0]]",
    "torch.tensor(0)", "torch.tensor([0])", "torch.tensor([-1])", "torch.tensor([])", "torch.tensor([5])",
    "torch.tensor(True)", "torch.tensor([True])", "x > 0", "x.bool()", "x", "np.int64(0)", "np.array([0])", "0, 0",
    "..., 0", "None, 0, None", ":, 0", "..., 1:", "[0], 0", "0, torch.tensor([0])", ":, torch.tensor([0])", "1.5",
    "'a'",
    "torch.tensor(1.5)", "torch.tensor([0], dtype=torch.int16)", "torch.tensor([1], dtype=torch.uint8)", "2:1", "{}",
)  # fmt: skip
VALUES = (
    "0.5", "torch.tensor(2.)", "x.clone()", "torch.ones(2)", "False", "x[0]", "torch.tensor([3.])", "1j", "[1.]",
    "np.float32(2)", "torch.ones(1, 1, 1)",
)  # fmt: skip
LONG = "torch.zeros(x.shape, dtype=torch.int64)"
FUNCTIONS = (
    "x.index_select({d}, torch.tensor([0, 0]))", "x.index_select({d}, torch.tensor([]))", f"x.gather({{d}}, {LONG})",
    "x.gather({d}, torch.tensor([0]))", "x.gather({d}, torch.tensor([]))", f"x.scatter({{d}}, {LONG}, x)",
    "x.scatter({d}, torch.tensor([0]), x)", "x.scatter({d}, torch.tensor([]), x)", f"x.scatter({{d}}, {LONG}, 2)",
    f"x.scatter_add({{d}}, {LONG}, x)", "x.scatter({d}, torch.tensor([0]), 1, reduce='add')",
    *[f"x.scatter_reduce({{d}}, {LONG}, x, '{r}')" for r in ("sum", "prod", "mean", "amax", "amin")],
    *[f"x.scatter_reduce({{d}}, {LONG}, x, '{r}', include_self=False)" for r in ("mean", "amax")],
    "x.index_reduce({d}, torch.tensor([0]), x.narrow({d}, 0, 1), 'amax')",
    "x.index_add({d}, torch.tensor([0]), x.narrow({d}, 0, 1))",
    "x.index_add({d}, torch.tensor([0]), x.narrow({d}, 0, 1), alpha=2)",
    "x.index_copy({d}, torch.tensor([0]), x.narrow({d}, -1, 1))", "x.index_fill({d}, torch.tensor([0]), 1.5)",
    "torch.take_along_dim(x, x.argsort(dim={d}), dim={d})", "torch.select_scatter(x, x.select({d}, 0) * 2, {d}, -1)",
    "torch.take(x, torch.tensor([0, 0]))", "torch.take(x, torch.tensor([], dtype=torch.int64))",
    "x.masked_select(x != 0)", "x.put(torch.tensor([0]), x.reshape(-1)[:1], accumulate=True)",
    "x.index_put((torch.tensor([0]),), torch.tensor(2, dtype=x.dtype), accumulate=True)", "x.masked_fill(x != 0, 1)",
    "x.index_fill_({d}, torch.tensor([0]), 0)", f"x.scatter_({{d}}, {LONG}, torch.ones_like(x))",
)  # fmt: skip


@pytest.mark.parametrize("index", INDICES)
def test_index(index: str) -> None:
    found = []
    for base in BASES:
        programs = [(f"x = {base}", f"y = x[{index}]")]
        programs += [(f"x = {base}.clone()", f"x[{index}] = {v}") for v in VALUES]
        for lines in programs:
            found += [f"{lines}: {d}" for d in differences(*lines)]
    assert not found, "\n".join(found)


@pytest.mark.parametrize("function", FUNCTIONS)
def test_function(function: str) -> None:
    found = []
    for base in BASES:
        floating = not any(word in base for word in ("True", "[[1", "j"))
        for d in (0, -1):
            call = "y = " + function.format(d=d)
            found += [f"{base} {call}: {line}" for line in differences(f"x = {base}.clone()", call)]
            if floating and "_(" not in function:
                start = f"x = {base}.clone().requires_grad_()"
                found += [f"{start} {call}: {line}" for line in differences(start, call)]
    assert not found, "\n".join(found)
