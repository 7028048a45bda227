"""Every operation that gives a view, on tensors of all kinds of shapes and strides, against PyTorch."""

from __future__ import annotations

import runpy
from pathlib import Path

import pytest

pytest.importorskip("torch")
differences = runpy.run_path(str(Path(__file__).parent / "live.py"))["differences"]

BASES = (
    "torch.tensor(2.)", "torch.zeros(0)", "torch.zeros(0, 3)", "torch.zeros(2, 0)", "torch.ones(1)",
    "torch.arange(3.).reshape(1, 3)", "torch.arange(3.).reshape(3, 1)", "torch.arange(6.).reshape(2, 3)",
    "torch.arange(6.).reshape(2, 3).t()", "torch.arange(12.).reshape(2, 3, 2).permute(2, 0, 1)",
    "torch.arange(12.).reshape(3, 4)[:, ::2]", "torch.ones(3, 1).expand(3, 4)", "torch.arange(6.).reshape(2, 3)[2:]",
    "torch.from_numpy(np.ones((3, 0)))", "torch.from_numpy(np.ones((1, 3)).T)", "torch.tensor([1 + 2j, 3j])",
    "torch.arange(6.).reshape(2, 3)[1]",
)  # fmt: skip
VIEWS = (
    "x.view(-1)", "x.view(x.shape)", "x.reshape(x.shape)", "x.reshape(1, -1)", "x.flatten()", "x.t()", "x.mT", "x.H",
    "x.transpose(0, -1)", "x.movedim(0, -1)", "x.unsqueeze(0)", "x.unsqueeze(-1)", "x.squeeze()", "x.squeeze((0, -1))",
    "x.expand(2, *x.shape)", "x.expand_as(x)", "torch.broadcast_tensors(x, torch.ones(1))", "x[0]", "x[-1]", "x[:]",
    "x[1:]", "x[::2]", "x[...]", "x[None]", "x[0:0]", "x[..., 0]", "x[..., 1:]", "x[:, 0]", "x[5:]",
    "x.narrow(0, 0, 1)",
    "x.select(-1, -1)", "x.diagonal()", "x.diagonal(1)", "x.diagonal(-5)", "x.unfold(0, 1, 1)", "x.unfold(0, 0, 1)",
    "x.chunk(2)", "x.chunk(3, -1)", "x.split(1)", "x.split([1, 1])", "x.tensor_split(3)", "x.tensor_split(3, -1)",
    "x.tensor_split((0, 1, 5))", "torch.vsplit(x, (1,))", "x.unbind()", "x.unbind(-1)", "list(x)", "x.detach()",
    "x.data",
    "x.view(torch.int32)", "x.view(torch.float64)", "x.view(torch.int16)", "x.as_strided((1,), (1,))",
    "x.as_strided((0,), (1,))", "x.real", "torch.view_as_real(x)", "x.conj()", "x.unflatten(0, (-1, 1))",
    "torch.meshgrid(x, x, indexing='ij')", "x.nonzero(as_tuple=True)", "torch.where(x)", "x.nonzero()", "x.clone()",
    "x.select_scatter(x.select(0, 0) * 2, 0, 0)", "x.slice_scatter(x[:1] * 2, 0, 0, 1)",
    "x.diagonal_scatter(x.diagonal() * 2)",
)  # fmt: skip
PROGRAMS = {
    "plain": ("x = {base}", "y = {view}"),
    "with history": ("x = ({base}).clone().requires_grad_().mul(1)", "y = {view}"),
    "written": ("x = {base}", "y = {view}", "z = (y if isinstance(y, torch.Tensor) else y[0]).mul_(2)", "w = x[0]"),
    "in inference mode": ("x = {base}\nwith torch.inference_mode(): y = {view}",),
}
KNOWN = {
    # strides of a tensor without elements that NumPy made all zeros are not taken over by these
    ("x.slice_scatter(x[:1] * 2, 0, 0, 1)", "torch.from_numpy(np.ones((3, 0)))"),
    ("x.select_scatter(x.select(0, 0) * 2, 0, 0)", "torch.from_numpy(np.ones((3, 0)))"),
    ("x.diagonal_scatter(x.diagonal() * 2)", "torch.from_numpy(np.ones((3, 0)))"),
}


@pytest.mark.parametrize("program", PROGRAMS)
@pytest.mark.parametrize("view", VIEWS)
def test_view(view: str, program: str) -> None:
    found = []
    for base in BASES:
        complex_scatter = "scatter" in view and "j" in base and program == "with history"
        if (view, base) in KNOWN or complex_scatter:
            continue
        lines = [line.format(base=base, view=view) for line in PROGRAMS[program]]
        found += [f"{lines}: {d}" for d in differences(*lines)]
    assert not found, "\n".join(found)
