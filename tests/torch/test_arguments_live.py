"""Arguments of wrong types and numbers, against PyTorch: a row's signatures say what PyTorch's say."""

from __future__ import annotations

import runpy
from pathlib import Path

import pytest

pytest.importorskip("torch")
differences = runpy.run_path(str(Path(__file__).parent / "live.py"))["differences"]

A, B, V = "torch.tensor([[2., 1.], [1., 3.]])", "torch.tensor([[1., 2.], [3., 5.]])", "torch.tensor([1., 2.])"
SIZE = "(2, 3)"
FAMILIES: dict[str, tuple[tuple[str, ...], ...]] = {
    "sizes": (
        ("torch.zeros", "2", "3"), ("torch.zeros", SIZE), ("torch.ones", SIZE), ("torch.full", SIZE, "1.5"),
        ("torch.eye", "2"), ("torch.eye", "2", "3"), ("torch.empty_permuted", "(2, 0)", "(1, 0)"),
        (f"{A}.new_zeros", "2", "3"), (f"{A}.new_full", SIZE, "1.5"), ("torch.zeros_like", A),
        ("torch.full_like", A, "2"), ("torch.vander", V, "2"),
    ),
    "sequences": (
        ("torch.arange", "3"), ("torch.arange", "1", "7", "2"), ("torch.range", "1", "3"),
        ("torch.linspace", "0", "1", "3"), ("torch.logspace", "0", "1", "3"),
    ),
    "data": (("torch.tensor", "[1., 2.]"), ("torch.as_tensor", "[1., 2.]"), (f"{A}.new_tensor", "[1., 2.]")),
    "random": (
        ("torch.rand", SIZE), ("torch.randint", "5", SIZE), ("torch.randint", "2", "5", SIZE), ("torch.randperm", "4"),
        ("torch.rand_like", A), ("torch.normal", A, "2."), ("torch.bernoulli", "torch.tensor([0.2, 0.5])", "0.3"),
        (f"{A}.uniform_", "0.", "2."), (f"{A}.normal_", "1.", "2."), (f"{A}.random_", "2", "5"),
        (f"{A}.bernoulli_", "0.3"), ("torch.dropout", A, "0.5", "True"), ("torch.poisson", A),
    ),
    "fft": (
        ("torch.fft.fft", V, "2", "0"), ("torch.fft.irfft", V, "2"), ("torch.fft.fft2", A, "(2, 2)", "(0, 1)"),
        ("torch.fft.rfftn", A), ("torch.fft.fftfreq", "4", "0.5"), ("torch.fft.fftshift", A, "0"),
    ),
    "linalg": (
        ("torch.linalg.inv", A), ("torch.inverse", A), ("torch.linalg.solve", A, B), ("torch.linalg.eigh", A, '"U"'),
        ("torch.linalg.cholesky", A), ("torch.linalg.qr", A, '"r"'), ("torch.linalg.svd", A, "False"),
        ("torch.linalg.lstsq", A, B, "0.1"), ("torch.linalg.matrix_norm", A, '"nuc"', "(0, 1)", "True"),
        ("torch.linalg.norm", A, "2", "(0, 1)", "True"), ("torch.linalg.matrix_power", A, "2"),
        ("torch.svd", A, "True", "False"), ("torch.cholesky_solve", A, B, "True"), (f"{A}.det",), (f"{A}.logdet",),
        ("torch.linalg.tensorsolve", "torch.eye(4).reshape(2, 2, 2, 2)", A, "(2, 3)"),
    ),
    "elementwise": (
        ("torch.exp", A), ("torch.round", A), ("torch.nan_to_num", A, "1."), ("torch.add", A, B),
        ("torch.subtract", A, B), ("torch.rsub", A, B), ("torch.true_divide", A, "2."), ("torch.remainder", A, "2"),
        ("torch.float_power", A, "2"), ("torch.clamp", A, "0", "1"), ("torch.heaviside", A, B), ("torch.frexp", A),
        ("torch.lerp", A, B, "0.5"), ("torch.eq", A, B), ("torch.isin", A, B), (f"{A}.where", f"{A} > 1", "2."),
        ("torch.complex", A, B), ("torch.view_as_real", "torch.tensor([1j])"), ("torch.logit", A, "0.1"),
        ("torch.celu", A, "1."), ("torch.prelu", A, "torch.tensor(0.5)"),
    ),
    "special": (
        ("torch.special.erf", A), ("torch.special.xlogy", A, B), ("torch.special.gammainc", A, B),
        ("torch.polygamma", "1", A), (f"{A}.polygamma", "1"), ("torch.special.chebyshev_polynomial_t", A, "2"),
        ("torch.special.round", A), ("torch.special.softmax", A, "0"), ("torch.special.logsumexp", A, "0", "True"),
    ),
    "reductions": (
        ("torch.sum", A, "0", "True"), ("torch.prod", A, "0", "True"), ("torch.count_nonzero", A, "0"),
        (f"{A}.sum_to_size", "1", "2"), ("torch.max", A, B), ("torch.amax", A, "0", "True"), ("torch.cumsum", A, "0"),
        ("torch.trapezoid", A, B), ("torch.dist", A, B, "2"), ("torch.std", A, "0", "True", "True"),
        ("torch.histogram", V, "3"), ("torch.bincount", "torch.tensor([1, 2])", V, "3"), ("torch.median", A, "0"),
        ("torch.quantile", A, "0.5", "0", "True"),
    ),
    "dtypes": (
        (f"{A}.type_as", B), ("torch.is_nonzero", "torch.tensor(1.)"), ("torch.result_type", A, "2"),
        ("torch.promote_types", "torch.int32", "torch.float32"), (f"{A}.to_dense",), ("torch.nonzero", A),
    ),
    "products": (
        ("torch.mm", A, B), ("torch.mv", A, V), (f"{A}.mm", B), ("torch.dot", V, V), ("torch.matmul", A, B),
        ("torch.outer", V, V), ("torch.inner", A, V), ("torch.kron", A, B), ("torch.linalg.vecdot", A, B),
    ),
}  # fmt: skip
BAD = ("None", '"x"', "object", "np.ones(2)", "[1.5]", '(1, "a")', "torch.float32")


def calls(name: str, *arguments: str) -> list[str]:
    """Calls in which one argument is bad, missing, one too many, or has a keyword that nobody knows."""
    found = [[*arguments[:i], bad, *arguments[i + 1 :]] for i in range(len(arguments)) for bad in BAD]
    found += [list(arguments[:i]) for i in range(len(arguments))]
    found += [[*arguments, "foo=1"], ["foo=1"], [*arguments, "None", "None", "None"]]
    return [f"{name}({', '.join(f)})" for f in found]


@pytest.mark.parametrize("family", FAMILIES)
def test_bad_arguments(family: str) -> None:
    found = []
    for name, *arguments in FAMILIES[family]:
        for call in calls(name, *arguments):
            found += [f"{call}: {d}" for d in differences("torch.manual_seed(0)", f"y = {call}")]
    assert not found, "\n".join(found)


@pytest.mark.parametrize("name", ["torch.FloatTensor", "torch.ones(2).new"])
def test_bad_arguments_of_legacy_constructors(name: str) -> None:
    bad = ("[1., 2.], 1", "foo=1", "2, size=(2,)", "2, device=1.5", "(1, 'a')", "None", "2, 'x'", "torch.Size((2, 3))")
    found = [f"{b}: {d}" for b in bad for d in differences(f"y = {name}({b}).shape")]
    assert not found, "\n".join(found)
