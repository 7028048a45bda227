"""Rows of operations: what is derived from them, and that nothing depends on when they were declared."""

import inspect
import json
import subprocess
import sys
from pathlib import Path

import pytest

from funcgrad import torch
from funcgrad.torch.declare.op import ROWS, namespaces, op
from funcgrad.torch.declare.signatures import Signature
from funcgrad.torch.tensor.operation import ambiguous, by_primitive

SCHEMAS = json.loads((Path(__file__).parent / "data" / "schemas.json").read_text())
OPTIONS = {"dtype", "layout", "device", "pin_memory", "requires_grad", "memory_format", "out", "generator", "names"}
"""What functions that make tensors have in common, which stands elsewhere in PyTorch's own schemas."""
SELF = {"input", "self"}
"""What the schemas call self, which need not be the first, and of which the rest is compared."""


def without_self(names: list[str]) -> list[str]:
    """The other arguments."""
    return [n for n in names if n not in SELF]


PARSED_BY_HAND = {"Tensor.copy_", "nonzero"}
"""What PyTorch's Python binding reads in a way of its own: `other` for `src`, `as_tuple`."""


@pytest.mark.parametrize("name", [n for n in ROWS if n not in PARSED_BY_HAND])
def test_signatures_are_those_of_pytorch(name):
    """Names and order of arguments are those that PyTorch declares; the first is called self there or by a name."""
    known = SCHEMAS.get(name.removeprefix("Tensor.").replace(".", "_"), [])
    forms = [[a for a in f if a not in OPTIONS] for f in known]
    for text in ROWS[name].signatures:
        if known and text[0] != "-" and "Any " not in text:
            own = [p.name for p in Signature(text).parameters if p.name not in OPTIONS]
            same = [f for f in forms if len(f) == len(own)]
            assert any(f[1:] == own[1:] or without_self(f) == without_self(own) for f in same), (text, forms)


def test_the_signature_is_shown():
    shown = "(input: 'Tensor', dim: 'tuple of ints' = None, keepdim: 'bool' = False, *, dtype: 'torch.dtype' = None, "
    assert str(inspect.signature(torch.sum)) == shown + "out: 'Tensor' = None)"
    shown = "(self, /, dim: 'tuple of ints' = None, keepdim: 'bool' = False, *, dtype: 'torch.dtype' = None)"
    assert str(inspect.signature(torch.Tensor.sum)) == shown


@pytest.mark.parametrize("name", [n for n, r in ROWS.items() if r.signatures])
def test_every_signature_is_one_that_python_knows(name):
    space, _, short = name.rpartition(".")
    found = getattr(torch.Tensor, short) if space == "Tensor" else namespaces[space][short]
    names = [p.rstrip("_") for p in inspect.signature(found).parameters if p not in ("self", "input")]
    every = {p.name.rstrip("_") for s in ROWS[name].signatures for p in Signature(s.lstrip("-")).parameters}
    assert set(names) <= every


def test_a_name_is_declared_once():
    with pytest.raises(ValueError, match="torch's operation 'sum' is declared twice"):
        op("sum", "(Tensor input)")(lambda x: x)
    with pytest.raises(ValueError, match=r"Tensor\.sum is declared twice"):
        op("Tensor.sum", "(Tensor self)")(lambda x: x)
    ROWS.pop("Tensor.sum")


CALLS = {
    "prod": lambda t: torch.prod(t, 0),
    "logsumexp": lambda t: torch.logsumexp(t, 0),
    "cumprod": lambda t: torch.cumprod(t, 0),
    "norm": lambda t: t.norm(),
    "mul": lambda t: torch.mul(t, other=t),
    "max": lambda t: t.max(dim=0),
    "std": lambda t: t.std(axis=0),
}


@pytest.mark.parametrize("name", CALLS)
def test_a_body_runs_once(name):
    """An error from inside, such as a hook's, is the caller's: it is no reason to look at the arguments again."""
    calls = []

    def pack(t):
        calls.append(t)
        raise TypeError("not to be packed")

    t = torch.tensor([[1.0, 2.0], [3.0, 4.0]], requires_grad=True)
    with (
        pytest.raises(TypeError, match="not to be packed"),
        torch.autograd.graph.saved_tensors_hooks(pack, lambda t: t),
    ):
        CALLS[name](t)
    assert len(calls) == 1


def test_arguments_of_new_types_are_compared_again():
    """An entry remembers which types fit; what fits by its value alone is looked at each time."""
    x = torch.arange(6.0).reshape(2, 3)
    for _ in range(2):
        assert x.sum(torch.tensor(0)).shape == (3,)
        with pytest.raises(TypeError, match=r"invalid combination of arguments - got \(Tensor\)"):
            x.sum(torch.tensor([0.5]))
        with pytest.raises(TypeError):
            x.sum((0, 0.5))
        assert x.sum((0, 1)).shape == ()
        assert torch.sum(x, axis=1, keepdims=True).shape == (2, 1)
        assert x.permute(1, 0).shape == x.permute((1, 0)).shape == (3, 2)


def test_second_derivatives_are_named_whatever_the_order_of_imports():
    assert not ambiguous
    code = (
        "import json, pkgutil\n"
        "listed = pkgutil.iter_modules\n"
        "pkgutil.iter_modules = lambda *a, **k: reversed(list(listed(*a, **k)))\n"
        "from funcgrad import torch\n"
        "from funcgrad.torch.tensor.operation import by_primitive\n"
        "print(json.dumps(sorted([p.name, o.name] for p, o in by_primitive.items())))\n"
    )
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    assert json.loads(found) == sorted([p.name, o.name] for p, o in by_primitive.items())
