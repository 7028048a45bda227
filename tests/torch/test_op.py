"""Rows of operations: what is derived from them, and that nothing depends on when they were declared."""

import inspect
import json
import subprocess
import sys
from pathlib import Path

import pytest

from funcgrad import torch
from funcgrad.torch.declare.op import ROWS, UNARY, namespaces, op
from funcgrad.torch.declare.signatures import Signature

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
    with pytest.raises(TypeError, match="torch's operation 'sum' is declared twice"):
        op("sum", "(Tensor input)")(lambda x: x)
    with pytest.raises(TypeError, match=r"Tensor\.sum is declared twice"):
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


def names_of_second_derivatives(listed: str) -> list[list[str]]:
    """The operation of each primitive in a new process, which imports the files of operations in an order."""
    code = (
        "import json, pkgutil\n"
        "modules = pkgutil.iter_modules\n"
        f"pkgutil.iter_modules = lambda *args: {listed}\n"
        "from funcgrad import torch\n"
        "from funcgrad.torch.tensor.operation import by_primitive\n"
        "print(json.dumps(sorted([p.name, o.name] for p, o in by_primitive.items())))\n"
    )
    return json.loads(subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout)


def test_second_derivatives_are_named_whatever_the_order_of_imports():
    names = names_of_second_derivatives("modules(*args)")
    assert len(names) > 300
    assert names == names_of_second_derivatives("reversed(list(modules(*args)))")


# What is recorded.

GIVEN = {"int": 0, "float": 0.5, "Number": 2.0, "bool": False, "tuple of ints": (0,), "str": "none", "float+": 0.5}


def called(name):
    """The results of an operation for 2 x 2 matrices that require grad, with the plainest arguments; or None."""
    row = ROWS[name]
    space, _, short = name.rpartition(".")
    f = getattr(torch.Tensor, short) if space == "Tensor" else namespaces[space][short]
    for text in row.signatures:
        needed = [p for p in Signature(text.lstrip("-")).parameters if not p.optional]
        matrix = torch.tensor([[2.0, 0.5], [0.5, 1.0]], requires_grad=True)
        args = [
            matrix * 1 if p.type == "Tensor" else (matrix,) if "Tensors" in p.type else GIVEN.get(p.type)
            for p in needed
        ]
        try:
            found = f(*args)
        except (TypeError, RuntimeError, IndexError, ValueError, AttributeError):
            continue
        return [t for t in (found if isinstance(found, (tuple, list)) else (found,)) if isinstance(t, torch.Tensor)]
    return None


def recorded(name):
    """The names of the nodes that a call of an operation made, beside those of its arguments."""
    found = called(name) or []
    names = {t.grad_fn.name().removeprefix("torch::autograd::") for t in found if t.grad_fn is not None}
    return names - {"MulBackward0", "CopySlices"}  # those of its arguments


ALSO = {
    "fft.ifft": {"ConjBackward0"},
    "fft.ihfft": {"ConjBackward0"},
    "svd": {"TransposeBackward0"},
    "native_dropout": {"CloneBackward0"},
    "special.round": {"RoundBackward1"},
}
"""Nodes of other operations that results may show: V of svd is a transposed view."""


@pytest.mark.filterwarnings("ignore")
def test_rows_name_the_nodes_that_are_recorded():
    nodes = {name: recorded(name) for name in ROWS if ROWS[name].records}
    said = {n: {r.name for r in ROWS[n].records} | ALSO.get(n, set()) for n in nodes}
    wrong = {n: found for n, found in nodes.items() if not found <= said[n]}
    assert not wrong
    assert sum(map(bool, nodes.values())) > 200  # calls that were recorded at all


# Functions that write in place.

WRITERS = {
    n.rstrip("_") + "_": row
    for name, row in ROWS.items()
    if "." not in name.removeprefix("Tensor.")
    for n in (row.name.removeprefix("Tensor."), *row.names)
}


def given(p, x):
    """An argument that fits a parameter, for the tensor that is written."""
    if "Tensors" in p.type:
        return (torch.tensor([1, 0]),)
    return x + 1 if p.type == "Tensor" else GIVEN[p.type]


def outcome(f, x, *args, **kwargs):
    """What a call gives: the error, or what is in the tensor then, and whether that is the result."""
    try:
        found = f(**kwargs) if x is None else f(x, *args, **kwargs)
    except (RuntimeError, TypeError) as e:
        return type(e)
    return found is kwargs.get("input", x), str(kwargs.get("input", x))


@pytest.mark.parametrize("start", [[[0.25, 0.5], [0.5, 0.75]], [[1, 2], [3, 4]], [0.25, 0.5]], ids=str)
@pytest.mark.parametrize("name", [n for n in namespaces[""] if n.endswith("_") and hasattr(torch.Tensor, n)])
def test_functions_that_write_do_as_the_methods(name, start):
    """By place and by keyword; and again, when the entry knows the types."""
    function, method = namespaces[""][name], getattr(torch.Tensor, name)
    texts = WRITERS[name].names.get(name.rstrip("_")) or WRITERS[name].signatures
    for text in [t for t in texts if t.startswith(("(Tensor input", "(Tensor self"))] + [UNARY] * (not texts):
        first, *others = [p for p in Signature(text).parameters if not p.optional]
        for _ in range(2):
            x = torch.tensor(start)
            named = {p.name: given(p, x) for p in others}
            placed = [named[p.name] for p in others if not p.keyword_only]
            rest = {p.name: named[p.name] for p in others if p.keyword_only}
            want = outcome(method, x.clone(), *placed, **rest)
            assert outcome(function, x.clone(), *placed, **rest) == want
            assert outcome(method, x.clone(), **named) == want
            assert outcome(function, x.clone(), **named) == want
            if first.name == "input":
                assert outcome(function, None, input=x.clone(), **named) == want
