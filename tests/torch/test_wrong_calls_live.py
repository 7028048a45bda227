"""Calls with arguments that do not fit, against PyTorch: which are refused, and in which words."""

from __future__ import annotations

import re
import warnings
from typing import Any

import numpy as np
import pytest

from funcgrad import torch as ours

theirs = pytest.importorskip("torch")

X, V, INTS = "torch.ones(2, 3)", "torch.arange(4.0)", "torch.tensor([1, 0])"
ROW, TWO, NONE = "torch.tensor([[1, 0, 1]])", "torch.ones(2, 3)", "torch.zeros(0)"
DIMS, PARTS = {"dim0": "0", "dim1": "1"}, {"offset": "0", "dim1": "0", "dim2": "1"}
AT, SLICES = {"dim": "0", "index": ROW, "src": TWO}, {"dim": "0", "index": INTS, "source": TWO}
STRIDED = {"size": "(2,)", "stride": "(1,)", "storage_offset": "0"}
SLICE = {"dim": "0", "start": "0", "end": "1", "step": "1"}

# By name: the first argument and the others, by their names; keywords that have to be given so stand behind None.
BOTH: dict[str, tuple[str, dict[Any, str]]] = {
    "adjoint": (X, {}),
    "argsort": (X, {"dim": "0", "descending": "True"}),
    "as_strided": (X, STRIDED),
    "as_strided_scatter": (X, {"src": "torch.zeros(2)", **STRIDED}),
    "broadcast_to": (X, {"size": "(4, 2, 3)"}),
    "chunk": (X, {"chunks": "2", "dim": "0"}),
    "clone": (X, {}),
    "diag": (X, {"diagonal": "0"}),
    "diag_embed": (X, {"offset": "0", "dim1": "-2", "dim2": "-1"}),
    "diagflat": (X, {"offset": "0"}),
    "diagonal": (X, PARTS),
    "diagonal_scatter": (X, {"src": "torch.zeros(2)", **PARTS}),
    "fill_": (X, {"value": "2.0"}),
    "flatten": (X, {"start_dim": "0", "end_dim": "1"}),
    "flip": (X, {"dims": "(0,)"}),
    "fliplr": (X, {}),
    "gather": (X, {"dim": "0", "index": ROW}),
    "hsplit": (X, {"sections": "3"}),
    "index_add": (X, SLICES),
    "index_copy": (X, SLICES),
    "index_fill": (X, {"dim": "0", "index": INTS, "value": "2.0"}),
    "index_put": (X, {"indices": f"({INTS},)", "values": "torch.ones(3)", "accumulate": "False"}),
    "index_select": (X, {"dim": "0", "index": INTS}),
    "is_same_size": (X, {"other": X}),
    "masked_fill": (X, {"mask": "torch.ones(2, 3) > 0", "value": "2.0"}),
    "masked_scatter": (X, {"mask": "torch.ones(2, 3) > 0", "source": TWO}),
    "masked_select": (X, {"mask": "torch.ones(2, 3) > 0"}),
    "movedim": (X, {"source": "0", "destination": "1"}),
    "msort": (X, {}),
    "narrow": (X, {"dim": "0", "start": "0", "length": "1"}),
    "narrow_copy": (X, {"dim": "0", "start": "0", "length": "1"}),
    "permute": (X, {"dims": "(1, 0)"}),
    "put": (X, {"index": INTS, "source": "torch.ones(2)", "accumulate": "False"}),
    "ravel": (X, {}),
    "repeat_interleave": (X, {"repeats": "2", "dim": "0"}),
    "reshape": (X, {"shape": "(3, 2)"}),
    "resize_as_": (X, {"the_template": V}),
    "roll": (X, {"shifts": "1", "dims": "0"}),
    "rot90": (X, {"k": "1", "dims": "(0, 1)"}),
    "scatter": (X, AT),
    "scatter_add": (X, AT),
    "scatter_reduce": (X, {**AT, "reduce": "'sum'"}),
    "select": (X, {"dim": "0", "index": "1"}),
    "select_scatter": (X, {"src": "torch.zeros(3)", "dim": "0", "index": "0"}),
    "slice_scatter": (X, {"src": "torch.zeros(1, 3)", **SLICE}),
    "sort": (X, {"dim": "0", "descending": "True"}),
    "split_with_sizes": (X, {"split_sizes": "(1, 1)", "dim": "0"}),
    "squeeze": (X, {"dim": "0"}),
    "swapaxes": (X, {"axis0": "0", "axis1": "1"}),
    "t": (X, {}),
    "take": (X, {"index": INTS}),
    "take_along_dim": (X, {"indices": ROW, "dim": "0"}),
    "tile": (X, {"dims": "(2, 1)"}),
    "topk": (X, {"k": "1", "dim": "0", "largest": "True", "sorted": "True"}),
    "transpose": (X, DIMS),
    "tril": (X, {"diagonal": "0"}),
    "unbind": (X, {"dim": "0"}),
    "unsqueeze": (X, {"dim": "0"}),
    "zero_": (X, {}),
}  # fmt: skip  (a table)
FUNCTIONS: dict[str, tuple[str, dict[Any, str]]] = {
    "as_strided_copy": (X, STRIDED),
    "bucketize": (V, {"boundaries": V}),
    "cat": (f"[{X}, {X}]", {"dim": "0"}),
    "combinations": (V, {"r": "2", "with_replacement": "False"}),
    "diagonal_copy": (X, PARTS),
    "fill": (X, {"value": "2.0"}),
    "hstack": (f"[{X}, {X}]", {}),
    "permute_copy": (X, {"dims": "(1, 0)"}),
    "searchsorted": (V, {"input": V}),
    "slice_copy": (X, SLICE),
    "split_copy": (X, {"split_size": "1", "dim": "0"}),
    "squeeze_copy": (X, {"dim": "0"}),
    "stack": (f"[{X}, {X}]", {"dim": "0"}),
    "tril_indices": ("2", {"col": "3", "offset": "0"}),
    "unbind_copy": (X, {"dim": "0"}),
    "view_copy": (X, {"size": "(3, 2)"}),
}  # fmt: skip  (a table)
METHODS: dict[str, tuple[str, dict[Any, str]]] = {
    "contiguous": (X, {}),
    "copy_": (X, {"other": X, "non_blocking": "False"}),
    "expand": (X, {"size": "(4, 2, 3)"}),
    "fill_diagonal_": (X, {"fill_value": "2.0", "wrap": "True"}),
    "index_fill_": (X, {"dim": "0", "index": INTS, "value": "2.0"}),
    "is_set_to": (X, {"tensor": X}),
    "repeat": (X, {"repeats": "(2, 1)"}),
    "resize_": (X, {"size": "(2, 2)"}),
    "scatter_add_": (X, AT),
    "set_": (X, {"source": X}),
    "squeeze_": (X, {"dim": "0"}),
    "swapdims_": (X, DIMS),
    "unfold": (X, {"dimension": "0", "size": "1", "step": "1"}),
    "view": (X, {"size": "(3, 2)"}),
    "view_as": (X, {"other": "torch.zeros(3, 2)"}),
}  # fmt: skip  (a table)
WRONG = ("'a'", "None", "1.5", "2", "True", "(1,)", "[1.5]", "(2, 'a')", "torch.tensor(1.5)", "np.ones(2)")


def calls(head: str, first: str, others: dict[Any, str]) -> list[str]:
    """Calls with too few and too many arguments, others by name, and wrong ones."""
    own = [first] * bool(first)
    values, named = list(others.values()), [f"{n}={v}" for n, v in others.items()]
    given = [own + values[:k] for k in range(len(values) + 1)]
    given += [own + values + extra for extra in (["1"], ["1", "2"], ["foo=1"])] + [own + named, [*own, "foo=1"]]
    for k in range(len(values)):
        for wrong in WRONG:
            given.append([*own, *values[:k], wrong, *values[k + 1 :]])
            given.append([*own, *values[:k], f"{list(others)[k]}={wrong}", *named[k + 1 :]])
    if own:
        given += [[wrong, *values] for wrong in WRONG]
    return [f"{head}({', '.join(g)})" for g in given]


def refused(torch: Any, call: str) -> str | None:
    """The TypeError of a call, in which keywords are listed in any order."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            eval(call, {"torch": torch, "np": np})
        except TypeError as error:
            got = re.search(r"got \((.*?)\), but", str(error), re.DOTALL)
            text = str(error).replace(got[1], ", ".join(sorted(got[1].split(", ")))) if got else str(error)
            return text.split("\n")[0]
        except Exception:  # what is said of anything but the arguments is compared elsewhere
            return None
    return None


CASES = [
    *(("torch." + name, *case) for name, case in (BOTH | FUNCTIONS).items()),
    *((f"({case[0]}).{name}", "", case[1]) for name, case in (BOTH | METHODS).items()),
]


@pytest.mark.parametrize(("head", "first", "others"), CASES, ids=[c[0] for c in CASES])
def test_wrong_calls_are_refused_as_in_pytorch(head: str, first: str, others: dict[Any, str]) -> None:
    found = []
    for call in calls(head, first, others):
        x, y = refused(theirs, call), refused(ours, call)
        if x != y:
            found.append(f"{call}: {x} in PyTorch, {y} here")
    assert not found, "\n".join(found)


WRITTEN_IN_PYTHON = (
    "torch.lu(M, 1)", "M.lu(pivot=1)", "torch.lu(M, None, True)", "torch.norm(M, 1, True)",
    "torch.norm(M, 2, (True,))", "M.norm(2, True)", "M.norm('fro', [True])", "M.norm(2, 1.5)", "M.norm(2, (0.5,))",
    "torch.norm(M, 2, 0, 1)", "M.norm(2, None, 1)", "M.norm('nuc', (0, 0.5))", "torch.tensordot(M, 1)",
    "torch.tensordot(1, M)", "torch.tensordot(M, 1, ([0], [0]))", "torch.unique_consecutive(V, V)",
    "V.unique_consecutive(False, V)", "V.unique_consecutive(1)", "torch.unique(V, True, V)",
    "V.unique(False, False, V)",
)  # fmt: skip
"""Calls of functions that PyTorch has written in Python, and that fail in those that they call."""


@pytest.mark.parametrize("call", WRITTEN_IN_PYTHON)
def test_functions_written_in_python_refuse(call: str) -> None:
    errors = []
    for torch in (theirs, ours):
        names = {"torch": torch, "M": torch.tensor([[2.0, 1.0], [1.0, 3.0]]), "V": torch.tensor([1, 1, 2])}
        with pytest.raises((TypeError, AttributeError, RuntimeError)) as e:
            eval(call, names)
        errors.append((e.type, str(e.value)))
    assert errors[0] == errors[1]


def test_gradients_of_the_real_part_of_an_empty_part_can_be_differentiated() -> None:
    for torch in (theirs, ours):
        y = torch.ones(2, 4, dtype=torch.complex64, requires_grad=True)
        part = (y * 1).tensor_split((2, 2), 1)[1]
        (g,) = torch.autograd.grad((part.real**2).sum() + part.imag.sum(), y, create_graph=True)
        assert g.shape == (2, 4)
        assert not g.detach().numpy().any()


def test_the_numbers_of_devices_say_what_they_are() -> None:
    assert ours.utils.dlpack.DLDeviceType.__doc__ == "DLPack's numbers of the kinds of devices."
