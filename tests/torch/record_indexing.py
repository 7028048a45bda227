"""Record what torch answers to indexing, scattering, masking and filling; the tests ask funcgrad the same questions.

    python tests/torch/record_indexing.py

needs torch and rewrites data/indexing.json, which holds a row for each expression below.
"""

from __future__ import annotations

import json
import warnings
from pathlib import Path
from typing import Any

import numpy as np

DATA = Path(__file__).parent / "data" / "indexing.json"

READS = {
    "indexing": """
        x[1]; x[-1, 2]; x[:, 1]; x[..., None, 3]; x[1:]; x[::2, 1:3]; x[None]; x[...]; x[()]; x[True]; x[i]; x[:, j]
        x[i, j]; x[i[:, None], j]; x[I]; x[:, I]; x[1, i]; x[None, i, 1:]; x[m]; x[m[:, 0]]; x[m, None]; x[[0, 2], 1]
        x[range(2), ..., None]; x[np.array([[2], [0]])]; x[torch.tensor(2), torch.tensor(1)]; x[i.int()]; x.t()[i]
        x.t()[:, i, None]; x[torch.tensor([[0, 2], [1, 1]]).t()]; x[torch.zeros(0, dtype=torch.int64)]
        x[[True, False, True], j]; x[0:3, 1]; x[1:2][0]; s[None]; s[...]; s[torch.tensor(True)]; v[2:0]; v[-3::2]
        x.permute(1, 0)[None, 1:, i]; x[torch.tensor([True, True, False])]; x[m[0].nonzero()[0]]; v[[3.7, 1.2]]
        x[:, torch.tensor([[3, 0]]), None]; x[i, :, None]; x.expand(2, 3, 4)[:, i]; L[i, i]; (L > 3)[i]
    """,
    "scattering": """
        torch.gather(x, 1, I); x.gather(0, torch.tensor([[2, 0, 1, 0]])); torch.gather(v, 0, torch.tensor(1))
        torch.gather(s, 0, torch.tensor([0, 0])); torch.take(x, torch.tensor([[-1, 0], [5, 5]]))
        torch.take_along_dim(x, torch.tensor([[1, 0]]), 1); torch.take_along_dim(x, torch.tensor([3, 3]))
        torch.index_select(x, 1, j); x.index_select(0, torch.tensor(2)); x.t().index_select(0, i)
        s.index_select(0, torch.tensor([0])); x.scatter(1, I, u); x.scatter(1, I, 2.0); x.scatter(1, I, value=3)
        x.scatter(0, torch.tensor([[0, 0, 1, 0]]), w[:1]); x.scatter(1, torch.zeros(0, 4).long(), w.detach())
        x.scatter_add(0, I, u); v.scatter_add(0, torch.tensor([1, 1, 0]), v[1:]); x.index_add(0, i, w)
        x.index_add(0, j, w, alpha=3); x.index_copy(0, i, w); v.index_copy(0, torch.tensor([2]), s)
        x.index_fill(0, i, 3.0); x.index_fill(1, torch.tensor([3]), s); x.put(torch.tensor([1, -1]), u[0])
        x.put(torch.tensor([1, 1]), u[0], accumulate=True); x.scatter_reduce(1, I, u, 'sum')
        x.scatter_reduce(1, I, u, 'sum', include_self=False); x.scatter_reduce(1, I * 0, u, 'prod')
        x.scatter_reduce(1, I * 0, u, 'prod', include_self=False); x.scatter_reduce(1, I * 0 + 1, u, 'mean')
        x.scatter_reduce(1, I * 0 + 1, u, 'mean', include_self=False); x.scatter_reduce(1, I * 0 + 1, u, 'amax')
        x.scatter_reduce(1, I * 0 + 2, u, 'amin', include_self=False); x.index_reduce(0, j, w, 'prod')
        x.index_reduce(0, j, w, 'mean', include_self=False); x.index_reduce(0, i, w, 'amax')
        x.index_reduce(0, j, w, 'amin'); L.scatter_reduce(1, I * 0, I * 3, 'mean'); x.scatter(1, I, 3.0, reduce='add')
        x.scatter(1, I, u, reduce='multiply').detach()
    """,
    "masking": """
        torch.masked_select(x, m); torch.masked_select(x, m[1]); torch.masked_select(v, m)
        torch.masked_select(s, torch.tensor(True)); x.masked_fill(m, 1.5); x.masked_fill(m, s)
        x.t().masked_fill(m.t(), 0); v.masked_fill(m, -1.0); L.masked_fill(m, 2.7); x.masked_scatter(m, w * 2)
        x.masked_scatter(m[1], v.repeat(3)); torch.nonzero(m); torch.nonzero(torch.tensor(3.0))
        torch.argwhere(L[1] > 5); torch.nonzero(m, as_tuple=True)[1]; torch.nonzero_static(m, size=2)
        torch.nonzero_static(m[0], size=3, fill_value=7); torch.masked_fill(x, m, True)
    """,
    "filling": """
        torch.fill(x, 2); torch.fill(x, s); torch.fill(L, 1.7); torch.fill(x.t(), v[1])
    """,
}
WRITES = {
    "indexing": """
        y[0] = 1.0; y[0] = v; y[0, 1] = s; y[:2] = v; y[:] = 0; y[...] = v; y[None] = s; y[True] = w[:1]; y[False] = 0
        y[i] = 3; y[i] = w; y[j] = w; y[:, j] = u[:, :1].sum(); y[1, i] = u[0]; y[m] = s; y[m] = -1; y[i, j] = u[1]
        y[y > 5] = y.sum(); y[0] = y[1] * 2; y[1:][0] = v; y.t()[1] = 7; y[0][1] = s; y[[0, 2]] = v; y[::2, 1:3] = u
        y[2] = torch.tensor([1, 2, 3, 4]); y.index_put_((j,), w, accumulate=True); y.index_put_((m,), s)
        y[torch.tensor(1)] = s; y[0] = w[:1]; y[np.array([0, 1]), [2, 3]] = u[0]; y[i] = w[:1, None, :1][0]
    """,
    "scattering": """
        y.scatter_(1, I, u); y.scatter_(1, I, 2.0); y.scatter_add_(0, I, u); y.index_add_(0, j, w)
        y.index_copy_(0, i, w); y.index_fill_(1, j, s); y.put_(i, u[1]); y.scatter_reduce_(1, I * 0, u, 'prod')
        y.index_reduce_(0, j, w, 'mean'); y[0].scatter_(0, i, 9.0); y.t().index_add_(1, i, w.t())
    """,
    "masking": """
        y.masked_fill_(m, 2); y.masked_fill_(m, s); y[1].masked_fill_(m[1], s); y.masked_scatter_(m, w)
    """,
    "filling": """
        y.copy_(v); y.copy_(v.double()); y.copy_(5); y.copy_(x.t().reshape(3, 4)); y[0].copy_(v); y.fill_(2); y.fill_(s)
        y[1].fill_(s); y.zero_(); y[:, 2].zero_(); y.fill_diagonal_(9); y.t().fill_diagonal_(8, wrap=True)
        y = torch.fill(y, s); y = torch.fill(y, 2) * v; y.copy_(y); y[0] = y[0]; torch.zero_(y[1]); torch.fill_(y[1], 3)
    """,
}
ERRORS = {
    "indexing": """
        x[3]; x[0, -5]; x[0, 0, 0]; s[0]; s[1]; s[:]; x[::-1]; x[::0]; x[1.5]; x[None, 'a']; x[{}]; x[1.0:2]; x[2**70]
        x[[2**70]]; x[[1j]]; x[np.array(['a'])]; x[np.bool_(True)]; x[torch.tensor([1.0])]
        x[torch.tensor([0, 1], dtype=torch.int16)]; x[torch.tensor([0, 5])]; x[:, torch.tensor([0, -5])]
        x[torch.tensor([True, False])]; x[:, m]; x[i, torch.tensor([0, 1, 2])]; torch.zeros(0, 3)[torch.tensor([0])]
        del x[0]; z[0] = [1, 2, 3, 4]; z[0] = np.float32(1); z[0] = None; z[0] = 1j; L[0] = 10**20; z[0] = v[:2]
        z[0] = w; z[:0] = w; z[i] = v[:3]; z[i] = torch.zeros(5, 2, 4); z[i] = L[0]; z[torch.tensor([7])] = 0
        z[m] = torch.arange(5.0); z[torch.tensor([1, 0, 1], dtype=torch.uint8)] = 7; x[0] = 1; x[i] = 1; z[i] = z[1]
        z[1:] = z[:-1]; z.index_put_(i, s); z.index_put_((0,), s); z.index_put_((i,), 1.0)
        z.index_put_((i, i, i), torch.tensor(1.0))
    """,
    "scattering": """
        torch.gather(x, 2, I); torch.gather(x, 1, I.float()); torch.gather(x, 1, -I); torch.gather(x, 1, I + 3)
        torch.gather(x, 1, torch.zeros(4, 2, dtype=torch.int64)); torch.gather(x, 0, i); torch.gather(x, 1)
        torch.gather(x, 1.5, I); torch.gather(x, 1, [0]); torch.take(x, torch.tensor([12])); torch.take(x, i.int())
        torch.take(torch.zeros(0), i); torch.take_along_dim(x, i, 1); torch.take_along_dim(x, I.int(), 1)
        torch.take_along_dim(x, I, 1); torch.index_select(x, 0, I); torch.index_select(x, 0, i.float())
        torch.index_select(x, 0, torch.tensor([-1])); torch.index_select(x, 1, torch.tensor([4]))
        x.scatter(1, I, u.double()); x.scatter(1, I.float(), u); x.scatter(1, I, torch.ones(1, 2))
        x.scatter(1, I + 3, u)
        x.scatter(1, i, torch.ones(2)); x.scatter(1, I, 1j); x.scatter(1, I, u, reduce='mean'); x.scatter_add(1, I, 1.0)
        x.scatter_reduce(1, I, u, 'foo'); x.index_add(0, i.float(), w); x.index_add(0, I, w)
        x.index_add(0, torch.tensor([0]), w); x.index_add(0, i, u); x.index_add(0, i, w.double())
        x.index_add(0, torch.tensor([0, 3]), w); x.index_copy(0, i.int(), w); x.index_copy(0, i, w.double())
        x.index_copy(0, i, u); x.index_copy(0, torch.tensor([0, 3]), w); x.index_fill(0, i, u)
        x.index_fill(0, torch.tensor([3]), 1.0); x.index_fill(0, i, 'a'); x.index_reduce(0, i, w, 'sum'); x.put(i, v)
        x.put(torch.tensor([12]), s.detach()[None]); x.scatter(1, I, u, reduce='add').sum().backward()
        x.scatter_(1, I, u); torch.zeros(3).expand(2, 3).scatter_(0, torch.tensor([[0]]), 1.0)
        z.scatter_(0, I, z[:2]); z.index_add_(0, i, z[:2])
    """,
    "masking": """
        torch.masked_select(x, L); torch.masked_select(x, m[:2]); x.masked_fill(m, v); x.masked_fill(L, 1.0)
        x.masked_fill(m, 1j); x.masked_fill(m, 'a'); L.int().masked_fill(m, 2**40)
        z.masked_fill_(torch.ones(2, 3, 4) > 0, 1.0); x.masked_scatter(m, v[:2]); x.masked_scatter(m, L)
        x.masked_scatter(L, x); torch.nonzero(m, out=torch.zeros(0)); torch.nonzero(m, out=L, as_tuple=True)
        torch.nonzero([1])
    """,
    "filling": """
        z.copy_(torch.zeros(3)); z.copy_(torch.zeros(2, 3, 4)); z.copy_([1]); z.fill_(v); z.fill_(1j); z.fill_(1e300)
        torch.zeros(3, dtype=torch.int8).fill_(300); torch.zeros(3, dtype=torch.int64).fill_(float('nan')); z.fill_('a')
        v.fill_diagonal_(1); torch.zeros(2, 3, 4).fill_diagonal_(1); torch.zeros(3).expand(2, 3).copy_(z[0, :3])
        x.copy_(z); x.zero_(); x.apply_(abs); z.map_(L, max); z.map_(x, max)
    """,
}
LEAVES = "xvswu"


def names(torch: Any) -> dict[str, Any]:
    """What the expressions may use."""
    found = {
        "torch": torch,
        "np": np,
        "x": torch.arange(12.0).reshape(3, 4),
        "v": torch.arange(4.0),
        "s": torch.tensor(5.0),
        "w": torch.full((2, 4), 2.0),
        "u": torch.tensor([[2.0, 3.0], [4.0, 5.0]]),
        "i": torch.tensor([0, 2]),
        "j": torch.tensor([1, 1]),
        "I": torch.tensor([[0, 1], [1, 2]]),
        "L": torch.arange(12).reshape(3, 4),
    }
    found["m"] = found["L"] % 3 == 1
    for leaf in LEAVES:
        found[leaf].requires_grad_()
    found["y"], found["z"] = found["x"] * 1, found["x"].detach().clone()
    return found


def values(t: Any) -> list:
    return [float(f"{e:.5g}") for e in t.reshape(-1).tolist()]


def described(torch: Any, t: Any, space: dict[str, Any]) -> list:
    """Shape, strides, dtype, name of the node, values, and the gradients of the sum of squares."""
    found: dict[str, list] = {}
    if t.requires_grad and type(t.grad_fn).__name__ != "NotImplemented":
        leaves = [space[k] for k in LEAVES]
        grads = torch.autograd.grad((t * t).sum(), leaves, allow_unused=True)
        found = {k: values(g) for k, g in zip(LEAVES, grads, strict=True) if g is not None}
    node = None if t.grad_fn is None else type(t.grad_fn).__name__
    return [list(t.shape), list(t.stride()), str(t.dtype), node, values(t), found]


def read(torch: Any, expression: str) -> list:
    space = names(torch)
    return described(torch, eval(expression, space), space)


def write(torch: Any, statement: str) -> list:
    space = names(torch)
    exec(statement, space)
    return described(torch, space["y"], space)


KINDS = {"read": (READS, read), "write": (WRITES, write), "error": (ERRORS, write)}


def expressions(kind: str, family: str) -> list[str]:
    """The expressions of a kind and family, one by one."""
    return [e.strip() for line in KINDS[kind][0][family].splitlines() for e in line.split(";") if e.strip()]


def ask(torch: Any, kind: str, expression: str) -> list:
    """What torch, or funcgrad.torch, answers: a description of the result, or the class and text of an error."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            return KINDS[kind][1](torch, expression)
        except Exception as raised:
            return [type(raised).__name__, str(raised)]


def record() -> None:
    import torch

    rows = [
        json.dumps([family, kind, e, ask(torch, kind, e)])
        for family in READS
        for kind in KINDS
        for e in expressions(kind, family)
    ]
    DATA.write_text("[\n" + ",\n".join(rows) + "\n]\n", encoding="utf-8")


if __name__ == "__main__":
    record()
