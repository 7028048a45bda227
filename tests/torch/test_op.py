"""Rows of operations: what is derived from them, and that nothing depends on when they were declared."""

import inspect
import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from funcgrad import torch
from funcgrad.torch.declare.op import ROWS, UNARY, namespaces, op
from funcgrad.torch.declare.signatures import HIDDEN, Signature, Signatures
from funcgrad.torch.tensor.later import complete

complete()  # all rows

SCHEMAS = json.loads((Path(__file__).parent / "data" / "schemas.json").read_text())
OPTIONS = {"dtype", "layout", "device", "pin_memory", "requires_grad", "memory_format", "out", "generator", "names"}
"""What functions that make tensors have in common, which stands elsewhere in PyTorch's own schemas."""
SELF = {"input", "self"}
"""What the schemas call self, which need not be the first, and of which the rest is compared."""


def without_self(names: list[str]) -> list[str]:
    """The other arguments."""
    return [n for n in names if n not in SELF]


PARSED_BY_HAND = {"Tensor.copy_", "is_autocast_enabled", "nonzero"}
"""What PyTorch's Python binding reads in a way of its own: `other` for `src`, `device_type`, `as_tuple`."""


@pytest.mark.parametrize("name", sorted(n for n in ROWS if n not in PARSED_BY_HAND))
def test_signatures_are_those_of_pytorch(name):
    """Names and order of arguments are those that PyTorch declares; the first is called self there or by a name."""
    known = SCHEMAS.get(name.removeprefix("Tensor.").replace(".", "_"), [])
    forms = [[a for a in f if a not in OPTIONS] for f in known]
    for text in ROWS[name].signatures:
        if known and text[0] not in HIDDEN and "Any " not in text:
            own = [p.name for p in Signature(text).parameters if p.name not in OPTIONS]
            same = [f for f in forms if len(f) == len(own)]
            assert any(f[1:] == own[1:] or without_self(f) == without_self(own) for f in same), (text, forms)


def test_the_signature_is_shown():
    shown = "(input: 'Tensor', dim: 'tuple of ints' = None, keepdim: 'bool' = False, *, dtype: 'torch.dtype' = None, "
    assert str(inspect.signature(torch.sum)) == shown + "out: 'Tensor' = None)"
    shown = "(self, /, dim: 'tuple of ints' = None, keepdim: 'bool' = False, *, dtype: 'torch.dtype' = None)"
    assert str(inspect.signature(torch.Tensor.sum)) == shown


@pytest.mark.parametrize("name", sorted(n for n, r in ROWS.items() if r.signatures))
def test_every_signature_is_one_that_python_knows(name):
    space, _, short = name.rpartition(".")
    found = getattr(torch.Tensor, short) if space == "Tensor" else namespaces[space][short]
    names = [p.rstrip("_") for p in inspect.signature(found).parameters if p not in ("self", "input")]
    every = {p.name.rstrip("_") for s in ROWS[name].signatures for p in Signature(s.lstrip(HIDDEN)).parameters}
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


def test_what_a_body_calls_differently_is_remembered(monkeypatch):
    def calls():
        return [torch.arange(*a).tolist() for a in ((3,), (1, 3), (1, 6, 2))]

    assert calls() == [[0, 1, 2], [1, 2], [1, 3, 5]]
    monkeypatch.setattr(Signatures, "match", lambda *_: pytest.fail("the arguments are compared again"))
    assert calls() == [[0, 1, 2], [1, 2], [1, 3, 5]]


A, V, W = [[1.0, 2.0], [3.0, 4.0]], [1.0, 2.0], [3.0, 5.0]
IN_PLACE = {
    "addr_": (A, {"vec1": V, "vec2": W}, [[4.0, 7.0], [9.0, 14.0]]),
    "addmv_": (V, {"mat": A, "vec": W}, [14.0, 31.0]),
    "addmm_": (A, {"mat1": A, "mat2": [V, W]}, [[8.0, 14.0], [18.0, 30.0]]),
    "addbmm_": (A, {"batch1": [A], "batch2": [[V, W]]}, [[8.0, 14.0], [18.0, 30.0]]),
    "baddbmm_": ([A], {"batch1": [A], "batch2": [[V, W]]}, [[[8.0, 14.0], [18.0, 30.0]]]),
}
"""The tensor, the factors by name, and what PyTorch writes."""


@pytest.mark.parametrize("name", IN_PLACE)
def test_factors_of_products_in_place_go_by_their_names(name):
    tensor, factors, expected = IN_PLACE[name]
    factors = {n: torch.tensor(x) for n, x in factors.items()}
    turned = dict(reversed(factors.items()))
    (_, first), (word, second) = factors.items()
    for _ in range(2):
        for args, named in (((), factors), ((), turned), ((first,), {word: second}), ((first, second), {})):
            x = torch.tensor(tensor)
            assert getattr(x, name)(*args, **named) is x
            assert x.tolist() == expected
            if name == "addmv_":
                assert torch.addmv_(torch.tensor(tensor), *args, **named).tolist() == expected
                if not args:
                    assert torch.addmv_(**named, input=torch.tensor(tensor)).tolist() == expected


@pytest.mark.filterwarnings("ignore:This overload of")
def test_alpha_may_come_second():
    """The old order of arguments, which PyTorch takes for numbers, too."""
    x = torch.tensor([1.0, 2.0])
    for _ in range(2):
        assert torch.add(x, 2, 3).tolist() == x.add(2, 3).tolist() == torch.add(x, 2, other=3).tolist() == [7, 8]
        assert torch.sub(x, 2, 3).tolist() == x.sub(2, 3).tolist() == x.clone().sub_(2, 3).tolist() == [-5, -4]
        assert torch.add(x, 2, 3, out=torch.empty(2)).tolist() == x.clone().add_(2, 3).tolist() == [7, 8]
        assert torch.add(x, 2, x).tolist() == [3, 6]
        assert torch.add(2, 3, 4).item() == 14
        with pytest.raises(TypeError, match=r"add\(\) takes 2 positional arguments but 3 were given"):
            torch.add(x, x, 4)


SPLITS = {
    "float": ((1.0,), "argument 'split_sizes' (position 2) must be tuple of ints, not float"),
    "str": (("a",), "argument 'split_sizes' (position 2) must be tuple of ints, not str"),
    "dim": (([1, 1], 0.0), "argument 'dim' (position 3) must be int, not float"),
    "inside": (
        ((1, 1.0),),
        "argument 'split_sizes' failed to unpack the object at pos 2 "
        'with error "type must be tuple of ints,but got float"',
    ),
}


@pytest.mark.parametrize("name", SPLITS)
def test_sizes_of_split_are_compared(name):
    args, text = SPLITS[name]
    x = torch.tensor([1.0, 2.0])
    for call in (lambda: torch.split(x, *args), lambda: x.split(*args)):
        with pytest.raises(TypeError) as caught:
            call()
        assert str(caught.value) == "split_with_sizes(): " + text


@pytest.mark.parametrize("name", ["clamp", "clamp_", "clip", "clip_"])
def test_clamp_needs_a_bound(name):
    for x in (torch.tensor([1.0, 2.0]), torch.tensor([1j])):
        for named in ({}, {"max": None}, {"out": torch.empty(2)}):
            if not ("out" in named and name.endswith("_")):
                with pytest.raises(RuntimeError) as caught:
                    getattr(torch, name)(x, **named)
                assert str(caught.value) == "torch.clamp: At least one of 'min' or 'max' must not be None"


def names_of_second_derivatives(listed: str) -> list[list[str]]:
    """The operation of each primitive in a new process, which imports the families of operations in an order."""
    code = (
        "import json\n"
        "from funcgrad.torch.tensor import later\n"
        "from funcgrad.torch.tensor.operation import by_primitive\n"
        f"later.families = dict.fromkeys({listed})\n"
        "later.complete()\n"
        "print(json.dumps(sorted([p.name, o.name] for p, o in by_primitive.items())))\n"
    )
    return json.loads(subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout)


def test_second_derivatives_are_named_whatever_the_order_of_imports():
    names = names_of_second_derivatives("later.families")
    assert len(names) > 300
    assert names == names_of_second_derivatives("reversed(later.families)")


# What is recorded.

GIVEN = {"int": 0, "float": 0.5, "Number": 2.0, "bool": False, "tuple of ints": (0,), "str": "none", "float+": 0.5}


def called(name):
    """The results of an operation for 2 x 2 matrices that require grad, with the plainest arguments; or None."""
    row = ROWS[name]
    space, _, short = name.rpartition(".")
    f = getattr(torch.Tensor, short) if space == "Tensor" else namespaces[space][short]
    for text in row.signatures:
        needed = [p for p in Signature(text.lstrip(HIDDEN)).parameters if not p.optional]
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
    "adaptive_avg_pool1d": {"SqueezeBackward1"},
    "adaptive_max_pool1d": {"SqueezeBackward1"},
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


# Arguments whose values decide, and calls that an entry has seen before.

T = torch.tensor
X = torch.arange(6.0).reshape(2, 3)
TWICE = {
    "one int in a tensor": (lambda: X.sum(T([0])), [3.0, 5.0, 7.0]),
    "one bool in a tensor": (lambda: torch.sum(X, T(True)), [3.0, 12.0]),
    "a number in a tensor": (lambda: torch.add(X[0], 1, alpha=T(2.0)), [2.0, 3.0, 4.0]),
    "a bound in a tensor": (lambda: torch.isclose(T([1.0]), T([1.5]), rtol=T(0.5)), [True]),
    "keywords alone": (lambda: torch.sum(input=X, dim=0), [3.0, 5.0, 7.0]),
    "keywords in another order": (lambda: torch.sum(dim=0, input=X), [3.0, 5.0, 7.0]),
    "in place, by keyword": (lambda: torch.round_(input=T([1.6, 2.4])), [2.0, 2.0]),
    "sizes by keyword": (lambda: torch.zeros(size=(2,)), [0.0, 0.0]),
    "a device": (lambda: torch.ones(2, device=torch.device("cpu")), [1.0, 1.0]),
    "no out": (lambda: torch.sum(X, 0, out=None), [3.0, 5.0, 7.0]),
}


@pytest.mark.parametrize("call", TWICE)
def test_a_call_gives_the_same_again(call):
    f, expected = TWICE[call]
    for _ in range(3):
        assert f().tolist() == expected


def test_results_of_inference_tensors_count_writes_again():
    with torch.inference_mode():
        x = torch.ones(2, 3)
    assert [torch.sum(input=x)._version for _ in range(3)] == [1, 1, 1]


def test_a_bool_of_numpy_is_no_bool():
    with pytest.raises(TypeError, match=r"argument 'keepdim' \(position 3\) must be bool, not numpy.bool"):
        torch.sum(X, 0, np.True_)


def test_a_public_function_is_of_the_module_that_declares_it():
    for name in ("sin", "sin_", "erf", "add", "sum", "clamp_"):
        assert getattr(torch, name).__module__.startswith("funcgrad.torch.ops."), name


# Functions that write in place.

WRITERS = {
    n.rstrip("_") + "_": row
    for name, row in sorted(ROWS.items())
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
@pytest.mark.parametrize("name", sorted(n for n in namespaces[""] if n.endswith("_") and hasattr(torch.Tensor, n)))
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


def test_a_number_may_be_one_of_a_batch():
    found = torch.vmap(lambda x: torch.result_type(x, T([1.0])) is torch.float32 and x)(T([1.0, 2.0]))
    assert found.tolist() == [1.0, 2.0]
