"""Products, conversions and constructors on every shape and dtype, against PyTorch."""

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
    "torch.tensor([[1, 2], [3, 4]])", "torch.ones(3, dtype=torch.bfloat16)",
    "torch.tensor([[1.5, -2.], [0.5, 3.]], dtype=torch.bfloat16)",
    "torch.tensor([[1.5, 2.], [0., 3.]], dtype=torch.float16)",
    "torch.tensor([[-1.], [0.], [2.]])",
)  # fmt: skip
PRODUCTS = (
    "x @ x", "x @ x.mT", "torch.mm(x, x.mT)", "torch.mv(x, torch.ones(3))", "torch.dot(x, x)", "torch.vdot(x, x)",
    "torch.bmm(x, x.mT)", "torch.inner(x, x)", "torch.kron(x, x)", "torch.outer(x, x)", "torch.linalg.vecdot(x, x)",
    "torch.addmm(torch.tensor(1.), x, x)", "torch.addmm(x, x, x, beta=0.5, alpha=2)", "torch.baddbmm(x, x, x)",
    "torch.addmv(x, x, x)", "torch.addr(torch.zeros(1), x, x)", "torch.tensordot(x, x, dims=1)",
    "torch.tensordot(x, x, dims=0)", "torch.tensordot(x, x, dims=([-1], [-1]))", "torch.einsum('i,i->', x, x)",
    "torch.einsum('ij,kj->ik', x, x)", "torch.einsum('...i,...i', x, x)", "torch.linalg.multi_dot([x, x.mT, x])",
    "torch.linalg.matrix_rank(x)", "torch.linalg.matrix_norm(x, 2)", "torch.linalg.matrix_norm(x, 1)",
    "torch.norm(x, p='x')", "torch.linalg.lstsq(x + 0, x)[0].shape", "torch.linalg.eigvals(x).shape",
    "torch.linalg.inv(x)",
    "torch.linalg.cholesky(x)", "torch.linalg.det(x)", "torch.linalg.svdvals(x)", "torch.linalg.solve(x, x)",
)  # fmt: skip
CALLS = (
    "x.item(2)", "x.stride(0)", "x.stride(-1)", "x.stride('a')", "x.size(0)", "x.requires_grad_('a')", "x.tolist()",
    "torch.zeros(2, out=x.dtype)", "torch.zeros(2, out=torch.zeros(3))", "x.numpy(force=True)", "torch.Tensor(x)",
    "torch.from_dlpack(x)", "np.array(x)", "np.array(x, copy=False)", "np.asarray(x)", "__import__('copy').copy(x)",
    "__import__('copy').deepcopy(x)", "x.new_tensor([1, 2])", "torch.as_tensor(x)", "torch.tensor(x.tolist())",
    "list(x)", "torch.full_like(x, 1e5)", "torch.asarray(x, copy=True)", "x.to(torch.bfloat16)", "x.type_as(x)",
)  # fmt: skip
CONSTRUCTORS = (
    "torch.full((2,), 1.5, dtype={d})", "torch.full((2,), 1e5, dtype={d})", "torch.full((1,), 1e5, dtype={d})",
    "torch.arange(3, dtype={d})", "torch.eye(2, dtype={d}, requires_grad=True)", "torch.linspace(0, 1, 4, dtype={d})",
    "torch.logspace(0, 1, 3, dtype={d})", "torch.tensor([1, 2], dtype={d}, requires_grad=True)",
    "torch.scalar_tensor(1.5, dtype={d})", "torch.zeros(2, 0, dtype={d})", "torch.zeros(2, dtype={d}).fill_(1e300)",
    "torch.zeros(2, dtype={d}, out=torch.zeros(3))",
)  # fmt: skip
DTYPES = (
    "bool", "uint8", "int8", "int16", "int32", "int64", "float16", "bfloat16", "float32", "float64", "complex64",
    "complex128",
)  # fmt: skip


@pytest.mark.parametrize("call", PRODUCTS + CALLS)
def test_call(call: str) -> None:
    found = []
    for base in BASES:
        found += [f"{base}: {d}" for d in differences(f"x = {base}", f"y = {call}")]
    assert not found, "\n".join(found)


@pytest.mark.parametrize("call", CONSTRUCTORS)
def test_constructor(call: str) -> None:
    found = []
    for dtype in DTYPES:
        found += differences("y = " + call.format(d=f"torch.{dtype}"))
    assert not found, "\n".join(found)
