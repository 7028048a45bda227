"""Indexing: what torch answered to record_indexing.py, and that views are views, loops linear and gradients exact."""

from __future__ import annotations

import json
import runpy
import time
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from funcgrad import torch

HERE = Path(__file__).parent
ask = runpy.run_path(str(HERE / "record_indexing.py"))["ask"]
ROWS = [row for row in json.loads((HERE / "data" / "indexing.json").read_text()) if row[0] == "indexing"]


@pytest.mark.parametrize(("kind", "expression", "answer"), [row[1:] for row in ROWS], ids=[row[2] for row in ROWS])
def test_same_answer_as_torch(kind: str, expression: str, answer: list) -> None:
    assert ask(torch, kind, expression) == answer


def test_every_expression_is_recorded() -> None:
    recorder = runpy.run_path(str(HERE / "record_indexing.py"))
    wanted = {(f, k, e) for f in recorder["READS"] for k in recorder["KINDS"] for e in recorder["expressions"](k, f)}
    assert {tuple(row[:3]) for row in json.loads((HERE / "data" / "indexing.json").read_text())} == wanted


@pytest.mark.parametrize("index", [0, -1, slice(1, None), (slice(None), 2), (Ellipsis, 0), None, Ellipsis, (), (0, 1)])
def test_basic_indexing_shares_memory(index: Any) -> None:
    x = torch.zeros(3, 4)
    part = x[index]
    assert part._base is x and part.untyped_storage().data_ptr() == x.untyped_storage().data_ptr()
    part.fill_(1)
    assert x.sum() == part.numel() and x._version == 1


@pytest.mark.parametrize("index", [[0, 2], (slice(None), [1]), True, np.array([0])])
def test_advanced_indexing_copies(index: Any) -> None:
    x = torch.zeros(3, 4)
    part = x[index]
    assert part._base is None
    part.fill_(1)
    assert x.sum() == 0


def chain(node: Any) -> list[str]:
    found = []
    while node is not None:
        found.append(node.name())
        node = node.next_functions[0][0] if node.next_functions else None
    return found


def test_one_view_for_each_part_of_an_index() -> None:
    x = torch.ones(2, 3, 4, requires_grad=True)
    leaf = "torch::autograd::AccumulateGrad"
    assert chain(x[0, 1:].grad_fn) == ["SliceBackward0", "SelectBackward0", leaf]
    assert chain(x[:, None, 1].grad_fn) == ["SelectBackward0", "UnsqueezeBackward0", leaf]
    assert chain(x[0:2, 1].grad_fn) == ["SelectBackward0", leaf]  # a slice that takes everything is none
    assert chain(x[1, [0, 2]].grad_fn) == ["IndexBackward0", "SelectBackward0", leaf]


def test_saved_attributes() -> None:
    x = torch.ones(3, 4, requires_grad=True)
    node = x[:, -1].grad_fn
    assert (node._saved_dim, node._saved_index, node._saved_self_sym_sizes) == (1, 2**64 - 1, (3, 4))
    node = x[1:-1].grad_fn
    assert (node._saved_dim, node._saved_start, node._saved_end, node._saved_step) == (0, 1, 2**64 - 1, 1)
    i = torch.tensor([0, 2])
    assert x[:, i].grad_fn._saved_indices == (None, i)


WARNINGS = [
    ("x[[[0, 1], [1, 1]]]", "Using a non-tuple sequence for multidimensional indexing is deprecated"),
    ("x[[None, 1]]", "Using a non-tuple sequence for multidimensional indexing is deprecated"),
    ("x[torch.tensor([1, 0, 1], dtype=torch.uint8)]", "indexing with dtype torch.uint8 is now deprecated"),
    ("x.expand(2, 3, 4)[torch.tensor([0])] = 1", "Use of index_put_ on expanded tensors is deprecated"),
]


@pytest.mark.parametrize(("statement", "text"), WARNINGS)
def test_warnings_name_the_line_that_indexes(statement: str, text: str) -> None:
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        exec(compile(statement, "user.py", "exec"), {"x": torch.zeros(3, 4), "torch": torch})
    assert [str(w.message).startswith(text) and w.filename == "user.py" for w in caught] == [True]


@pytest.mark.parametrize("statement", ["i.zero_()", "m.logical_not_()"])
def test_tensors_of_indices_are_watched(statement: str) -> None:
    x, i, m = torch.ones(3, requires_grad=True), torch.tensor([0, 2]), torch.tensor([True, False, True])
    y = x[i] + x[m]
    y2 = (x * 1).index_put_((i,), y.detach()).index_put_((m,), y.detach())
    exec(statement, {"i": i, "m": m})
    for t in (y, y2):
        with pytest.raises(RuntimeError, match="modified by an inplace operation"):
            t.sum().backward(retain_graph=True)


def test_gradient_of_a_place_that_is_written_to_twice_goes_to_both() -> None:
    v = torch.tensor([1.0, 2.0], requires_grad=True)
    x = torch.zeros(2)
    x[torch.tensor([0, 0])] = v
    assert x.tolist() == [2, 0]
    x.sum().backward()
    assert v.grad.tolist() == [1, 1]


SMOOTH = [
    lambda x: x[torch.tensor([0, 0, 2])],
    lambda x: x[1:, ::2] * x[0, 1],
    lambda x: x[x.detach() > 0.7],
    lambda x: x.t()[[0, 1], None],
    lambda x: x.clone().index_put_((torch.tensor([1, 1]),), x[:2] ** 2, accumulate=True),
    lambda x: _assigned(x * 1, (slice(None), torch.tensor([0, 2])), x[:, :2] * 3),
    lambda x: _assigned(x * 1, 0, x[1] * x[2]),
]


def _assigned(y: Any, index: Any, value: Any) -> Any:
    y[index] = value
    return y


@pytest.mark.parametrize("f", SMOOTH)
def test_derivatives_of_both_orders(f: Any) -> None:
    start = np.random.default_rng(0).random((3, 4)) + 0.2

    def loss(a: np.ndarray) -> tuple[float, np.ndarray, np.ndarray]:
        x = torch.tensor(a, requires_grad=True)
        value = (f(x) ** 3).sum()
        (g,) = torch.autograd.grad(value, x, create_graph=True)
        (h,) = torch.autograd.grad((g**2).sum(), x)
        return value.item(), g.detach().numpy(), h.numpy()

    _, g, h = loss(start)
    step = 1e-6 * np.random.default_rng(1).standard_normal(start.shape)
    up, down = loss(start + step), loss(start - step)
    assert up[0] - down[0] == pytest.approx(2 * (g * step).sum(), rel=1e-5)
    assert (up[1] ** 2).sum() - (down[1] ** 2).sum() == pytest.approx(2 * (h * step).sum(), rel=1e-5)


@pytest.mark.parametrize("f", SMOOTH)
def test_forward_mode(f: Any) -> None:
    rng = np.random.default_rng(0)
    x, t = torch.tensor(rng.random((3, 4)) + 0.2, requires_grad=True), torch.tensor(rng.random((3, 4)))
    (g,) = torch.autograd.grad((f(x) ** 2).sum(), x)
    with torch.autograd.forward_ad.dual_level():
        out = (f(torch.autograd.forward_ad.make_dual(x.detach(), t)) ** 2).sum()
        assert torch.autograd.forward_ad.unpack_dual(out).tangent.item() == pytest.approx((g * t).sum().item())


def test_reading_every_element_costs_what_it_reads() -> None:
    def seconds(n: int) -> float:
        x = torch.ones(n, requires_grad=True)
        start = time.perf_counter()
        total = x[0] * 0
        for k in range(n):
            total = total + x[k]
        total.backward()
        assert x.grad.sum() == n
        return time.perf_counter() - start

    seconds(100)
    assert seconds(4000) < 40 * max(seconds(400), 1e-3)


def test_a_gradient_of_indices_fits_a_dimension_of_size_1():
    """A cotangent may be a list of indexed parts. The singular values of A Aᵀ + 2 add up to its trace."""
    a = torch.tensor([[[-0.5, 0.25], [1.0, 0.75]]], dtype=torch.float64, requires_grad=True)
    values = torch.linalg.svd(a @ a.mT + 2 * torch.eye(2, dtype=torch.float64)).S
    twice = values.index_add(-2, torch.tensor([0]), values.narrow(-2, 0, 1))
    twice.sum().backward()
    assert torch.allclose(a.grad, 4 * a)
