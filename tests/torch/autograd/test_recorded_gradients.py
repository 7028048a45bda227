"""Gradients that are recorded: their nodes are those of PyTorch's formulas, their numbers those of the rules.

And whose memory they lie in, recorded or not: versions, strides, views.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from funcgrad import torch as ours
from funcgrad.torch.declare.op import ROWS
from funcgrad.torch.tensor.formulas import FORMULAS
from funcgrad.torch.tensor.later import complete

complete()  # all rows

OPERATIONS = """
abs(x); neg(x); exp(x); log(x); sqrt(x); sin(x); cos(x); tan(x); tanh(x); sigmoid(x); relu(x); square(x); reciprocal(x)
rsqrt(x); exp2(x); expm1(x); log1p(x); log2(x); log10(x); asin(x); acos(x); atan(x); sinh(x); cosh(x); asinh(x)
atanh(x); acosh(x + 1); erf(x); erfc(x); erfinv(x); lgamma(x); digamma(x); sinc(x); logit(x); logit(x, 0.1); clone(x)
special.entr(x); special.erfcx(x); special.i0e(x); nan_to_num(x)
x + y; x - y; x * y; x / y; x ** y; x + v; x - v; x * v; x / v; x ** v; v - x; v / x; x * s; x / s; s - x; s / x
x + 1; 1 - x; x * 2; 2 / x; x / 2; x ** 2; x ** 3; x ** 0.5; 2 ** x
add(x, y, alpha=2); sub(x, y, alpha=2); rsub(x, y)
maximum(x, y); minimum(x, y); maximum(x, v); fmax(x, y); fmin(x, y); atan2(x, y); atan2(x, v); hypot(x, y); hypot(x, v)
logaddexp(x, y); logaddexp2(x, v); xlogy(x, y); xlogy(x, v); special.xlog1py(x, y); remainder(x, y); fmod(x, y)
dist(x, y); dist(x, v)
addcmul(x, y, v); addcmul(x, y, v, value=2); addcdiv(x, y, v, value=2); lerp(x, y, 0.3); lerp(x, y, v)
sum(x); sum(x, 0); sum(x, 1, keepdim=True); sum(x, (0, 1)); mean(x); mean(x, 0); mean(x, 1, keepdim=True); prod(x)
prod(x, 0); prod(x, 1, keepdim=True); var(x); var(x, dim=0); std(x); std(x, dim=0); std(x, dim=1, keepdim=True)
var_mean(x)[0]; var_mean(x, dim=0)[0]; std_mean(x)[0]; std_mean(x, dim=1, keepdim=True)[0]; std_mean(x)[1]
amax(x, 0); amin(x, 1, keepdim=True); max(x); min(x); max(x, 0)[0]; min(x, 1, keepdim=True)[0]; median(x)
median(x, 0)[0]; nansum(x); nansum(x, 0); kthvalue(x, 1)[0]; sort(x)[0]; topk(x, 2)[0]; cummax(x, 0)[0]; cummin(x, 1)[0]
norm(x); norm(x, dim=0); norm(x, 1); norm(x, 3, dim=0); norm(x, 0.5); norm(x, float('inf')); norm(x, 1.5, dim=1)
linalg.vector_norm(x, 2, dim=1, keepdim=True); logsumexp(x, 0); cumsum(x, 0); cumprod(x, 0); cumprod(x, 1)
logcumsumexp(x, 0); logcumsumexp(x, 1); softmax(x, 0); softmax(x, 1); log_softmax(x, 1)
clamp(x, 0.4, 0.8); clamp(x, min=0.5); where(x > 0.5, x, y); where(x > 0.5, x, v); masked_fill(x, x > 0.5, 0.25)
t(x); transpose(x, 0, 1); permute(x, (1, 0)); x.mT; x.unsqueeze(0); x[None]; x[None].squeeze(0); x.unsqueeze(-1)
x.view(-1); x.reshape(3, 2); x.expand(2, 2, 3); x.flatten(); tril(x); cat((x, y)); stack((x, y)); x.repeat(2, 1)
tile(x, (2,)); flip(x, (0,)); x[0]; x[:, 1:]; x[:, ::2]; x.narrow(1, 0, 2); x.select(1, 1)
x @ u; x @ v; v @ v; bmm(x[None], u[None]); x[None] @ u; addmm(w, x, u); outer(v, v)
fill(x, s); (x * y).fill_(s); (x * y).copy_(v)
"""
EXPRESSIONS = [e.strip() for e in OPERATIONS.replace("\n", ";").split(";") if e.strip()]
VALUES = {
    "x": [[0.3125, 0.75, 0.4375], [0.625, 0.375, 0.875]],
    "y": [[0.875, 0.5, 0.6875], [0.25, 0.8125, 0.5625]],
    "v": [0.375, 0.9375, 0.625],
    "s": 0.6875,
    "u": [[0.5, 0.75], [0.25, 0.375], [0.875, 0.625]],
    "w": [[1.0, 2.0], [0.5, 0.25]],
}


def value(torch: Any, expression: str, dtype: str = "float32") -> tuple[Any, list]:
    """The value of an expression in torch's functions, and the leaves that it was made of."""
    leaves = {n: torch.tensor(a, dtype=getattr(torch, dtype), requires_grad=True) for n, a in VALUES.items()}
    return evaluated(torch, expression, leaves), [leaves[n] for n in used(expression)]


def used(expression: str) -> list[str]:
    """The leaves that an expression names."""
    return [n for n in VALUES if n in compile(expression, "", "eval").co_names]


def evaluated(torch: Any, expression: str, leaves: dict[str, Any]) -> Any:
    functions = {n: getattr(torch, n) for n in dir(torch) if not n.startswith("_") and n != "float"}
    return eval(expression, functions | leaves)


def seen(g: Any) -> Any:
    """What can be seen of a gradient: where it lies, and the nodes that it comes from."""
    if g is None:
        return None
    node = g.grad_fn
    graph = node and (type(node).__name__, [(n and type(n).__name__, i) for n, i in node.next_functions])
    return tuple(g.shape), g.stride(), g._version, g._is_view(), graph


def outcome(torch: Any, expression: str, loss: str, create_graph: bool) -> list:
    out, leaves = value(torch, expression)
    of = {"sum": lambda t: t.sum(), "squares": lambda t: (t * t).sum(), "itself": lambda t: t}[loss](out)
    ones = None if of.ndim == 0 else torch.ones_like(of)
    return [seen(g) for g in torch.autograd.grad(of, leaves, ones, create_graph=create_graph, allow_unused=True)]


@pytest.mark.parametrize("expression", EXPRESSIONS)
def test_nodes_and_memory_are_those_of_torch(expression: str) -> None:
    theirs = pytest.importorskip("torch")
    for loss in ("sum", "squares", "itself"):
        for create_graph in (False, True):
            expected = outcome(theirs, expression, loss, create_graph)
            assert outcome(ours, expression, loss, create_graph) == expected, (loss, create_graph)


@pytest.mark.parametrize("expression", EXPRESSIONS)
def test_formulas_agree_with_rules_and_differences(expression: str) -> None:
    def first(create_graph: bool, shift: Any = None) -> tuple[Any, list]:
        out, leaves = value(ours, expression, "float64")
        if shift is not None:
            leaves[0].data += shift
            out = evaluated(ours, expression, dict(zip(used(expression), leaves, strict=True)))
        grads = ours.autograd.grad((out * out).sum(), leaves, create_graph=create_graph, allow_unused=True)
        return grads, leaves

    by_formula, leaves = first(True)
    by_rule, _ = first(False)
    for f, r in zip(by_formula, by_rule, strict=True):
        np.testing.assert_allclose(f.detach().numpy(), r.numpy(), rtol=1e-12, atol=1e-13)
    direction = ours.tensor(np.cos(np.arange(leaves[0].numel())).reshape(tuple(leaves[0].shape)))
    total = sum(((g * (k + 1)).sum() for k, g in enumerate(by_formula)), ours.zeros((), dtype=ours.float64))
    if not total.requires_grad:
        return
    (second,) = ours.autograd.grad(total, leaves[0], allow_unused=True, materialize_grads=True)
    h = 1e-6
    up, down = first(False, h * direction)[0], first(False, -h * direction)[0]
    slope = sum(float((u - d).sum()) * (k + 1) for k, (u, d) in enumerate(zip(up, down, strict=True))) / (2 * h)
    assert float((second * direction).sum()) == pytest.approx(slope, rel=2e-5, abs=2e-5)


def test_every_formula_is_used_by_an_expression() -> None:
    found: set[str] = set()

    def visit(node: Any) -> None:
        if node is not None:
            found.add(type(node).__name__)
            for n, _ in node.next_functions:
                visit(n)

    for expression in EXPRESSIONS:
        visit(value(ours, expression)[0].grad_fn)
    # Those of networks are there once torch.nn is; golden scripts differentiate them twice.
    networks = [row.records for row in ROWS.values() if row.body.__module__.startswith("funcgrad.torch.ops.nn.")]
    missing = set(FORMULAS) - found - {operation.name for records in networks for operation in records}
    assert missing <= {
        "SortBackward1", "ModeBackward0", "NanmedianBackward0", "NanmedianBackward1", "MedianBackward1",
        "CopysignBackward0", "Xlog1PyBackward0", "TBackward0", "SqueezeBackward0", "SqueezeBackward2",
    }  # fmt: skip


def test_a_node_that_saved_less_than_its_formula_asks_for() -> None:
    # The tangent of a softmax multiplies by what no node saved; its gradient comes from the rule.
    def tangent(x: Any) -> Any:
        with ours.autograd.forward_ad.dual_level():
            dual = ours.autograd.forward_ad.make_dual(x, ours.tensor([1.0, 2.0, -1.0], dtype=ours.float64))
            out = ours.maximum((dual**2).softmax(-1), dual * 0.125)
            return ours.autograd.forward_ad.unpack_dual(out).tangent

    x = ours.tensor([0.5, 0.25, 1.5], dtype=ours.float64, requires_grad=True)
    weights = ours.tensor([1.0, -2.0, 3.0], dtype=ours.float64)
    (g,) = ours.autograd.grad((tangent(x) * weights).sum(), x, create_graph=True)
    h = 1e-6
    slopes = []
    for step in np.eye(3) * h:
        up, down = (tangent(x.detach() + sign * ours.tensor(step)) for sign in (1, -1))
        slopes.append(float(((up - down) * weights).sum()) / (2 * h))
    np.testing.assert_allclose(g.detach().numpy(), slopes, rtol=1e-7, atol=1e-8)
