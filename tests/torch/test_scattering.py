"""Scattering, masking and filling: what torch answered to record_indexing.py, and what memory has to do with it."""

from __future__ import annotations

import json
import runpy
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from funcgrad import torch
from funcgrad.torch.declare.arguments import set_warn_always

HERE = Path(__file__).parent
ask = runpy.run_path(str(HERE / "record_indexing.py"))["ask"]
ROWS = [row for row in json.loads((HERE / "data" / "indexing.json").read_text()) if row[0] != "indexing"]


@pytest.mark.parametrize(("kind", "expression", "answer"), [row[1:] for row in ROWS], ids=[row[2] for row in ROWS])
def test_same_answer_as_torch(kind: str, expression: str, answer: list) -> None:
    assert ask(torch, kind, expression) == answer


INDEX, ROW = torch.tensor([[0, 1], [0, 2]]), torch.tensor([0, 0])
SMOOTH = [
    lambda x, v: torch.gather(x, 1, INDEX),
    lambda x, v: torch.take(x, INDEX),
    lambda x, v: x.index_select(0, ROW) * v[:, :1],
    lambda x, v: x.scatter(1, INDEX, v),
    lambda x, v: x.scatter_add(1, INDEX, v),
    lambda x, v: x.index_add(1, ROW, torch.cat([v, v[:1]]), alpha=2),
    lambda x, v: x.index_copy(1, torch.tensor([2, 0]), torch.cat([v, v[:1]])),
    lambda x, v: x.put(INDEX, v, accumulate=True),
    lambda x, v: x.masked_fill(x.detach() > 0.7, v[0, 0]),
    lambda x, v: x.masked_scatter(torch.tensor([True, False, True, False]), torch.cat([v.reshape(-1), v.reshape(-1)])),
    *[
        lambda x, v, how=how, own=own: x.scatter_reduce(0, INDEX, v, how, include_self=own)
        for how in ("sum", "prod", "mean", "amax", "amin")
        for own in (True, False)
    ],
    lambda x, v: x.index_reduce(1, ROW, torch.cat([v, v[:1]]), "prod"),
    lambda x, v: (x * 1).scatter_reduce_(0, INDEX, v, "prod"),
    lambda x, v: (x * 1).scatter_reduce_(0, INDEX, v, "amax"),
    lambda x, v: (x * 1).copy_(v.sum(0, keepdim=True)[:, :1]),
    lambda x, v: _written(x * 1, lambda y: y[1].fill_(v[0, 1])),
    lambda x, v: _written(x * 1, lambda y: y[:, 1].zero_()),
    lambda x, v: _written(x * 1, lambda y: y[:2, :2].masked_fill_(v.detach() > 0.7, v[1, 1])),
]


def _written(y: Any, write: Any) -> Any:
    write(y)
    return y


@pytest.mark.filterwarnings("ignore:index_reduce")  # it is in beta, and says so once in a process
@pytest.mark.parametrize("f", SMOOTH)
def test_derivatives_of_both_orders(f: Any) -> None:
    rng = np.random.default_rng(0)
    start = [rng.random((3, 4)) + 0.2, rng.random((2, 2)) + 0.2]

    def loss(arrays: list) -> tuple[float, float, list, list]:
        xs = [torch.tensor(a, requires_grad=True) for a in arrays]
        value = (f(*xs) ** 3).sum()
        gs = torch.autograd.grad(value, xs, create_graph=True, allow_unused=True)
        square = sum((g**2).sum() for g in gs if g is not None)
        hs = torch.autograd.grad(square, xs, allow_unused=True)
        numbers = [[0 if g is None else g.detach().numpy() for g in found] for found in (gs, hs)]
        return value.item(), square.item(), *numbers

    _, _, gs, hs = loss(start)
    steps = [1e-6 * rng.standard_normal(a.shape) for a in start]
    up, down = (loss([a + sign * s for a, s in zip(start, steps, strict=True)]) for sign in (1, -1))
    for order, found in enumerate((gs, hs)):
        expected = 2 * sum((g * s).sum() for g, s in zip(found, steps, strict=True))
        assert up[order] - down[order] == pytest.approx(expected, rel=1e-5, abs=1e-12)


@pytest.mark.parametrize("f", SMOOTH)
def test_forward_mode(f: Any) -> None:
    rng = np.random.default_rng(0)
    xs = [torch.tensor(rng.random(s) + 0.2, requires_grad=True) for s in ((3, 4), (2, 2))]
    ts = [torch.tensor(rng.random(x.shape)) for x in xs]
    gs = torch.autograd.grad((f(*xs) ** 2).sum(), xs, allow_unused=True)
    with torch.autograd.forward_ad.dual_level():
        duals = [torch.autograd.forward_ad.make_dual(x.detach(), t) for x, t in zip(xs, ts, strict=True)]
        out = torch.autograd.forward_ad.unpack_dual((f(*duals) ** 2).sum()).tangent
        expected = sum((g * t).sum().item() for g, t in zip(gs, ts, strict=True) if g is not None)
        assert out.item() == pytest.approx(expected)


WATCHED = [
    ("x.gather(0, I)", "xI"), ("x.take(I)", "xI"), ("x.index_select(0, i)", "i"), ("x.masked_select(m)", "xm"),
    ("x.masked_fill(m, 1.0)", "m"), ("x.masked_scatter(m, w)", "m"), ("x.index_add(0, i, w)", "iw"),
    ("x.index_copy(0, i, w)", "iw"), ("x.index_fill(0, i, 2.0)", "i"), ("x.scatter(0, I, w)", "I"),
    ("x.scatter_add(0, I, w)", "I"), ("x.scatter_reduce(0, I, w, 'sum')", "xIw"), ("x.put(I, w)", "Iw"),
    ("(x * 1).scatter_reduce_(0, I, w, 'prod')", "Iw"), ("(x * 1).masked_fill_(m, 0.0)", "m"),
    ("(x * 1).copy_(w[0])", ""), ("torch.fill(x, w[0, 0])", ""),
]  # fmt: skip


@pytest.mark.parametrize(("expression", "watched"), WATCHED)
@pytest.mark.parametrize("name", "xwiIm")
def test_what_is_saved_may_not_be_written_into(expression: str, watched: str, name: str) -> None:
    space = {
        "torch": torch,
        "x": torch.arange(12.0).reshape(3, 4).requires_grad_() * 1,
        "w": torch.ones(2, 4, requires_grad=True) * 1,
        "i": torch.tensor([0, 2]),
        "I": torch.tensor([[0, 1, 0, 0], [1, 2, 1, 1]]),
        "m": torch.tensor([[True, False, False, True]] * 3),
    }
    out = eval(expression, space).sum()
    with torch.no_grad():
        space[name].copy_(space[name].clone())
    if name in watched:
        with pytest.raises(RuntimeError, match="modified by an inplace operation"):
            out.backward()
    else:
        out.backward()


def test_copying_converts() -> None:
    x = torch.zeros(3, dtype=torch.int8)
    assert x.copy_(torch.tensor([300.0, -1.7, 1.2])).tolist() == [44, -1, 1]
    assert torch.zeros(2, dtype=torch.bool).copy_(torch.tensor([0.5, 0.0])).tolist() == [True, False]


def test_losing_an_imaginary_part_warns_once() -> None:
    set_warn_always(True)
    try:
        with pytest.warns(UserWarning, match="discards the imaginary part"):
            torch.zeros(1)[0] = torch.tensor(1 + 2j)
    finally:
        set_warn_always(False)


def test_the_gradient_of_a_conversion_has_the_dtype_of_what_was_converted() -> None:
    v = torch.ones(3, dtype=torch.float64, requires_grad=True)
    x = torch.zeros(2, 3)
    x[0] = v
    x.sum().backward()
    assert v.grad.dtype is torch.float64 and v.grad.tolist() == [1, 1, 1]


def test_python_functions_element_by_element() -> None:
    x, y = torch.arange(6.0).reshape(2, 3), torch.full((2, 3), 2.0)
    assert x.t().apply_(lambda a: a + 1).tolist() == [[1, 4], [2, 5], [3, 6]]
    assert x.map_(y, lambda a, b: a * b).tolist() == [[2, 4, 6], [8, 10, 12]]
    assert x.map2_(y[0], y, lambda a, b, c: a + b * c).tolist() == [[6, 8, 10], [12, 14, 16]]


def test_the_diagonal_of_a_tall_matrix_starts_again() -> None:
    x = torch.zeros(7, 3).fill_diagonal_(1, wrap=True)
    assert x.nonzero().tolist() == [[0, 0], [1, 1], [2, 2], [4, 0], [5, 1], [6, 2]]


@pytest.mark.parametrize("write", [lambda x: x.fill_(2), lambda x: x.zero_()])
def test_filling_expanded_memory_is_allowed(write: Any) -> None:
    x = write(torch.ones(3).expand(2, 3))
    assert x.stride() == (0, 1)


def test_reducing_scatter_has_no_derivative() -> None:
    x = torch.zeros(3, requires_grad=True)
    out = x.scatter(0, torch.tensor([0]), 2.0, reduce="multiply")
    assert type(out.grad_fn).__name__ == "NotImplemented"
    with pytest.raises(RuntimeError, match="derivative for aten::scatter is not implemented"):
        out.sum().backward()


def test_results_can_be_written_to_given_tensors() -> None:
    x, i = torch.arange(4.0), torch.tensor([3, 1])
    for f in (torch.take, torch.masked_select):
        out = torch.empty(0)
        second = i if f is torch.take else x % 2 == 1
        assert f(x, second, out=out) is out and sorted(out.tolist()) == [1, 3]
    out = torch.empty(2)
    assert torch.gather(x, 0, i, out=out) is out and out.tolist() == [3, 1]
    assert torch.index_select(x, 0, i, out=out).tolist() == [3, 1]
    assert torch.scatter_add(x, 0, i, torch.ones(2), out=torch.empty(0)).tolist() == [0, 2, 2, 4]
