"""Making tensors, from sizes and from data: as torch does it, down to the errors."""

from __future__ import annotations

import runpy
import warnings
from pathlib import Path

import numpy as np
import pytest

from funcgrad import torch

DIALOGUES = runpy.run_path(str(Path(__file__).parent / "dialogues.py"))


@pytest.mark.parametrize("block", DIALOGUES["blocks"]("creation"), ids=DIALOGUES["label"])
def test_as_torch(block: str) -> None:
    assert DIALOGUES["replay"](block, torch) == block


def test_from_numpy_shares_memory_both_ways() -> None:
    a = np.arange(6.0).reshape(2, 3)
    t = torch.from_numpy(a.T)
    t[0, 1] = 9
    a[0, 2] = 7
    assert a[1, 0] == 9
    assert t[2, 0] == 7
    assert t.stride() == (1, 3)


def test_tensor_copies_and_as_tensor_does_not() -> None:
    a = np.zeros(2)
    torch.tensor(a)[0] = 1
    assert a[0] == 0
    torch.as_tensor(a)[0] = 1
    assert a[0] == 1


@pytest.mark.parametrize("numbers", [[1, 2.5, True], [[1, 2], [3, 4]], 3, 2.5, 1j, [[]], [[[1.0]]]])
def test_tensor_holds_what_numpy_holds(numbers: object) -> None:
    np.testing.assert_array_equal(torch.tensor(numbers).numpy(), np.array(numbers))


def test_large_nested_lists() -> None:
    rows = [[float(i * j) for i in range(50)] for j in range(40)]
    np.testing.assert_array_equal(torch.tensor(rows).numpy(), np.array(rows, np.float32))


@pytest.mark.parametrize("n", [1, 2, 8, 34, 100])
def test_linspace_is_symmetric(n: int) -> None:
    up, down = torch.linspace(-3, 5, n), torch.linspace(5, -3, n)
    if n > 1:
        assert up.tolist() == down.flip(0).tolist()
    assert up[0] == -3


def test_leaves_of_inference_mode() -> None:
    with torch.inference_mode():
        t = torch.zeros(2, requires_grad=True)
    assert t.is_inference()
    assert t.requires_grad


def test_default_device() -> None:
    with torch.device("cpu"):
        assert torch.zeros(2).device == torch.device("cpu")
    with torch.device("cuda"), pytest.raises(AssertionError, match="Torch not compiled with CUDA enabled"):
        torch.zeros(2)
    assert torch.get_default_device() == torch.device("cpu")


def test_legacy_constructors_name_dtypes_as_cpp_does() -> None:
    with pytest.raises(TypeError, match=r"got TensorOptions\(dtype=short unsigned int, device=cpu"):
        torch.FloatTensor(torch.zeros(2, dtype=torch.uint16))


@pytest.mark.parametrize(
    "call",
    [
        "torch.tensor(m)",
        "m.new_tensor(m)",
        "torch.tensor([np.ones(2), np.ones(2)])",
        "torch.range(1, 3)",
        "torch.arange(3, out=torch.zeros(1))",
        "torch.frombuffer(b'abcd', dtype=torch.int8)",
        "torch.asarray(torch.ones(2, requires_grad=True))",
        "torch.mm(m, m, out=torch.zeros(1))",
        "torch.linalg.inv(m, out=torch.zeros(1))",
        "torch.cholesky(m)",
        "m.qr()",
        "torch.lu(m)",
        "m.triangular_solve(m)",
        "torch.ones(2).copy_(torch.ones(2) * 1j)",
        "torch.ones(2).fill_(torch.tensor(1j))",
        "torch.index_reduce(m, 0, torch.tensor([0]), m[:1], 'prod')",
        "m.clone().scatter_(0, torch.tensor([[0]]), m, reduce='add')",
        "torch.ones(1, 3).expand(2, 3).masked_fill_(torch.tensor(True), 1)",
        "torch.searchsorted(torch.arange(8.0)[::2], m)",
        "torch.tensor(1.0).mT",
        "torch.tensor(1.0).adjoint()",
        "torch.meshgrid(m[0])",
    ],
)
def test_warnings_name_the_line_of_the_call(call: str) -> None:
    m = torch.tensor([[2.0, 1.0], [1.0, 3.0]])
    torch.set_warn_always(True)
    try:
        for _ in range(2):  # arguments of known types take another way
            with warnings.catch_warnings(record=True) as given:
                warnings.simplefilter("always")
                exec(compile(call, "here", "exec"), {"torch": torch, "np": np, "m": m})
            assert given
            assert {w.filename for w in given} == {"here"}
    finally:
        torch.set_warn_always(False)
