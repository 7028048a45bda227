"""The entries of tensor/fast.py are `apply` written out: on whatever they are called with they do the same.

The same are value, dtype and strides, the node with what it keeps and whose versions it checks, the gradients in value
and dtype, and the error where there is one.
"""

import gc
import inspect
from types import CodeType, FunctionType

import numpy as np
import pytest

from funcgrad import torch
from funcgrad.core.array import Array
from funcgrad.torch.declare import writing
from funcgrad.torch.func import grad
from funcgrad.torch.ops import memory, overwriting, reducing, splitting
from funcgrad.torch.tensor import fast, operation, views
from funcgrad.torch.tensor.operation import apply


def operations_of(make):
    """The operations that have an entry made by `make`, and their entries; one for each operation."""
    (code,) = [c for c in make.__code__.co_consts if isinstance(c, CodeType)]
    entries = [f for f in gc.get_objects() if type(f) is FunctionType and f.__code__ is code]
    found = {}
    for f in entries:
        op = inspect.getclosurevars(f).nonlocals["op"]
        found.setdefault((op.name, op.primitive.name), pytest.param(op, f, id=f"{op.name}-{op.primitive.name}"))
    return [found[key] for key in sorted(found)]


UNARY, BINARY = operations_of(fast.unary_function), operations_of(fast.binary_function)
WITHOUT_NUMBERS = ("matmul", "power_limits")  # not given numbers: they have none, or another operation for them
KINDS = (torch.float32, torch.float64)


def tensor(*shape, kind=torch.float32, requires=False):
    values = np.random.default_rng(len(shape)).uniform(0.1, 0.9, shape)
    return torch.tensor(values, dtype=kind).requires_grad_(requires)


def outcome(f, *args):
    try:
        return f(*args)
    except (RuntimeError, TypeError, ValueError, IndexError, np.exceptions.ComplexWarning) as error:
        return type(error), str(error)


def same_value(a, b):
    assert type(a) is type(b)
    if isinstance(a, Array):
        assert a._trace is b._trace
        same_value(a._value, b._value)
    elif isinstance(a, tuple):
        assert len(a) == len(b)
        for x, y in zip(a, b, strict=True):
            same_value(x, y)
    elif isinstance(a, np.ndarray):
        assert (a.dtype, a.shape, a.strides) == (b.dtype, b.shape, b.strides)
        np.testing.assert_array_equal(a, b)
    elif isinstance(a, dict):
        assert a.keys() == b.keys()
        same_value(tuple(a.values()), tuple(b.values()))
    else:
        assert a is b or a == b or a != a


def same_node(a, b):
    assert type(a) is type(b)
    if a is None:
        return
    if a.plan is not b.plan:
        assert a.plan is b.plan.trusted, "one of them saw that nothing was broadcast or promoted"
        assert {(i.shape, i.dtype) for i in a.inputs} == {(a.shape, a.dtype)}
    for part in ("op", "params", "linked", "inputs", "numbers", "shape", "dtype", "slow", "outputs"):
        assert getattr(a, part) == getattr(b, part), part
    for name, x, y in zip(b.plan.names, a.residuals, b.residuals, strict=True):
        if name != "pullback":
            same_value(x, y)
    assert [(t, version) for t, _, version in a.saved] == [(t, version) for t, _, version in b.saved]
    assert all(c is d for (t, c, _), (_, d, _) in zip(a.saved, b.saved, strict=True) if t is not None)


def check(op, entry, *args):
    a, b = outcome(entry, *args), outcome(apply, op, args, {})
    if type(b) is tuple:
        assert a == b
        return
    same_value(a._value, b._value)
    assert (a._inference, a.requires_grad) == (b._inference, b.requires_grad)
    same_node(a._node, b._node)
    leaves = [x for x in args if isinstance(x, torch.Tensor) and x.requires_grad]
    if b._node is not None:
        g = torch.full(b.shape, 0.75, dtype=b.dtype)

        def pulled(t):
            return outcome(lambda: torch.autograd.grad(t, leaves, g, allow_unused=True, retain_graph=True))

        general = pulled(b)
        same_gradients(pulled(a), general)
        b._node.slow = True  # the walk has a way of its own for nodes about which nothing is special
        same_gradients(pulled(b), general)


def same_parts(a, b):
    """The same node but for what it shows as saved and keeps."""
    assert type(a) is type(b)
    for part in ("plan", "op", "linked", "inputs", "numbers", "shape", "dtype", "slow", "outputs"):
        assert getattr(a, part) == getattr(b, part), part
    assert [t for t, _, _ in a.saved] == [t for t, _, _ in b.saved]


def same_gradients(a, b):
    if b and isinstance(b[0], type):
        assert a == b
        return
    for x, y in zip(a, b, strict=True):
        assert (x is None) is (y is None)
        if x is not None:
            same_value(x._value, y._value)


@pytest.mark.parametrize("op, entry", UNARY)
def test_one_operand(op, entry):
    for kind in KINDS:
        for x in (tensor(kind=kind), tensor(3, kind=kind), tensor(3, 2, kind=kind).T, tensor(0, 2, kind=kind)):
            check(op, entry, x)
            check(op, entry, x.clone().requires_grad_())
            check(op, entry, x.clone().requires_grad_() * 1)
            check(op, entry, x.clone().requires_grad_().view(x.shape) if x.numel() else x)
    for x in (torch.tensor([1, 2]), tensor(2, kind=torch.complex64), torch.nn.Parameter(tensor(2))):
        check(op, entry, x)
    with torch.no_grad():
        check(op, entry, tensor(3, requires=True))
    with torch.inference_mode():
        check(op, entry, tensor(3))
    in_transform(op, entry, lambda x: (x,))


@pytest.mark.parametrize("op, entry", BINARY)
def test_two_operands(op, entry):
    numbers = () if op.primitive.name in WITHOUT_NUMBERS else (2, 0.5)
    x, y, row, wide = tensor(2, 3), tensor(2, 3) * 1.1, tensor(3), tensor(2, 3, kind=torch.float64)
    pairs = [(x, y), (x, row), (row, x), (x, wide), (wide, wide * 1.1), (x.T, y.T), (tensor(), tensor() * 1.1)]
    pairs += [(x, tensor()), (x, tensor(2, 2)), (x, torch.tensor([1, 2, 3]))]
    pairs += [(a, n) for a in (x, wide, tensor()) for n in numbers]
    for a, b in pairs:
        check(op, entry, a, b)
        for first, second in ((True, False), (False, True), (True, True)):
            c = a.clone().requires_grad_() if first else a
            d = b.clone().requires_grad_() if second and isinstance(b, torch.Tensor) and b.is_floating_point() else b
            check(op, entry, c, d)
    check(op, entry, *[tensor(3, requires=True)] * 2)
    with torch.no_grad():
        check(op, entry, tensor(3, requires=True), row)
    with torch.inference_mode():
        check(op, entry, tensor(3), row)
    in_transform(op, entry, lambda x: (x, x * 1.1))
    in_transform(op, entry, lambda x: (x, row))
    in_transform(op, entry, lambda x: (row, x))
    for n in numbers:
        in_transform(op, entry, lambda x, n=n: (x, n))


def in_transform(op, entry, operands):
    """The same inside of a transform."""
    results = []

    def f(call):
        def inner(x):
            out = outcome(call, *operands(x))
            if type(out) is tuple:
                results.append(out)
                return x.sum()
            results.append((out._operation, out._level.kind, type(out._value)))
            return out.sum() if out.is_floating_point() else x.sum()

        return inner

    x = tensor(3)
    a, b = outcome(grad(f(entry)), x), outcome(grad(f(lambda *args: apply(op, args, {}))), x)
    assert results[0] == results[1]
    if type(b) is tuple:
        assert a == b
    else:
        same_value(a._value, b._value)


# Functions that compute in a way of their own, and say what operation they are.

OWN_WAYS = {
    "sum": lambda x: x.sum(),
    "sum of rows": lambda x: x.sum(1),
    "mean": lambda x: x.mean(),
    "mean, kept": lambda x: x.mean(0, keepdim=True),
    "amax": lambda x: x.amax(),
    "max": lambda x: x.max(),
    "softmax": lambda x: x.softmax(1),
    "log_softmax": lambda x: x.log_softmax(0),
    "view": lambda x: x.view(-1),
    "t": lambda x: x.t(),
    "select": lambda x: x[1],
    "slice": lambda x: x[:, 1:],
    "expand": lambda x: x.expand(2, -1, -1),
    "unsqueeze": lambda x: x.unsqueeze(1),
    "diagonal": lambda x: x.diagonal(),
    "as_strided": lambda x: x.as_strided((2, 2), (1, 2)),
    "real": lambda x: torch.view_as_real(x.to(torch.complex64)),
    "conj": lambda x: x.to(torch.complex64).conj(),
    "flip": lambda x: x.flip(0),
    "roll": lambda x: x.roll(1, 1),
    "rot90": lambda x: x.rot90(),
    "repeat": lambda x: x.repeat(2, 1),
    "tril": lambda x: x.tril(),
    "clone": lambda x: x.clone(),
}


@pytest.mark.parametrize("f", OWN_WAYS.values(), ids=OWN_WAYS)
@pytest.mark.parametrize(
    "make", [lambda x: x, lambda x: x * 1, lambda x: x.view(x.shape)], ids=["leaf", "made", "view"]
)
def test_a_function_with_a_way_of_its_own(f, make, monkeypatch):
    """The node that `link_one` makes is the one that `record` makes of the operation which the function says it is."""
    calls = []
    link_one = operation.link_one
    for module in (memory, reducing, views):
        monkeypatch.setattr(module, "link_one", lambda *args: calls.append(args) or link_one(*args))
    out = f(make(tensor(3, 3, requires=True)))
    op, x, value, params, _, result = calls[-1]
    assert op.name == out.grad_fn.name()
    general = operation.record(op, (x,), [value], params)
    np.testing.assert_array_equal(general._value, result._value)
    assert (general._value.dtype, general._value.shape) == (result._value.dtype, result._value.shape)
    same_parts(result._node, general._node)
    g = torch.full(result.shape, 0.75, dtype=result.dtype)
    same_gradients(*[torch.autograd.grad(t, x, g, retain_graph=True) for t in (result, general)])


SPLITS = {
    "unbind": lambda x: x.unbind(),
    "split": lambda x: x.split(2),
    "split of sizes": lambda x: x.split([1, 2], 1),
    "chunk": lambda x: x.chunk(2, 1),
}


@pytest.mark.parametrize("f", SPLITS.values(), ids=SPLITS)
def test_a_function_that_gives_views_of_parts(f, monkeypatch):
    calls = []
    link_many = operation.link_many
    monkeypatch.setattr(splitting, "link_many", lambda *args: calls.append(args) or link_many(*args))
    f(tensor(3, 3, requires=True) * 1)
    ((op, _, (x,), (value,), params, _, _, results),) = calls
    general = operation.record(op, (x,), [value], params)
    same_parts(results[0]._node, general[0]._node)
    for k, (a, b) in enumerate(zip(results, general, strict=True)):
        assert a._nr == b._nr == k
        np.testing.assert_array_equal(a._value, b._value)
        g = torch.full(a.shape, 0.75, dtype=a.dtype)
        same_gradients(*[torch.autograd.grad(t, x, g, retain_graph=True) for t in (a, b)])


WRITES = {
    "fill_": lambda x, y: x.fill_(2.0),
    "fill_ with a tensor": lambda x, y: x.fill_(y[0, 0]),
    "zero_": lambda x, y: x.zero_(),
    "copy_": lambda x, y: x.copy_(y),
    "copy_ of another dtype": lambda x, y: x.copy_(y.double()),
    "copy_ of a row": lambda x, y: x.copy_(y[0]),
    "scatter_": lambda x, y: x.scatter_(0, torch.tensor([[0, 1, 0]]), y[:1]),
    "scatter_add_": lambda x, y: x.scatter_add_(0, torch.tensor([[0, 1, 0]]), y[:1]),
    "index_add_": lambda x, y: x.index_add_(0, torch.tensor([0, 0, 2]), y),
    "index_put_": lambda x, y: x.index_put_((torch.tensor([0, 2]),), y[:2]),
    "a row": lambda x, y: x.__setitem__(1, y[2]),
}


@pytest.mark.parametrize("f", WRITES.values(), ids=WRITES)
def test_writing_straight_into_memory(f, monkeypatch):
    """What `written` puts into place itself is what it would compute, record and write."""

    def run():
        a, b = tensor(3, 3, requires=True), (tensor(3, 3) * 1.1).requires_grad_()
        x = a * 1
        f(x, b)
        gradients = torch.autograd.grad((x * x).sum(), (a, b), retain_graph=True, allow_unused=True)
        return x, gradients

    def names(node, depth=6):
        below = [names(n, depth - 1) for n, _ in node.next_functions if n is not None] if depth else []
        return node.name(), below

    straight, found = run()
    monkeypatch.setattr(overwriting, "_traced", lambda a: True)
    general, expected = run()
    same_value(straight._value, general._value)
    assert (straight._version, names(straight.grad_fn)) == (general._version, names(general.grad_fn))
    same_gradients(found, expected)


# Writing in place.

WRITTEN = {
    "contiguous": lambda kind: tensor(2, 3, kind=kind),
    "transposed": lambda kind: tensor(3, 2, kind=kind).t(),
    "a view": lambda kind: tensor(4, 3, kind=kind)[1:3],
    "expanded": lambda kind: tensor(1, 3, kind=kind).expand(2, 3),
    "a leaf": lambda kind: tensor(2, 3, kind=kind, requires=True),
    "a result": lambda kind: tensor(2, 3, kind=kind, requires=True) * 1,
    "a view of a leaf": lambda kind: tensor(2, 3, kind=kind, requires=True)[:],
    "a parameter": lambda kind: torch.nn.Parameter(tensor(2, 3, kind=kind)),
    "integers": lambda kind: torch.arange(6).view(2, 3),
    "read only": lambda kind: torch.from_numpy(np.broadcast_to(np.ones((), kind.numpy), (2, 3))),
}
OPERANDS = {
    "the same shape": lambda x, kind: tensor(2, 3, kind=kind),
    "a row": lambda x, kind: tensor(3, kind=kind),
    "too large": lambda x, kind: tensor(4, 2, 3, kind=kind),
    "what does not fit": lambda x, kind: tensor(4, kind=kind),
    "the other dtype": lambda x, kind: tensor(3, kind=torch.float64),
    "one that requires grad": lambda x, kind: tensor(3, kind=kind, requires=True),
    "itself": lambda x, kind: x,
    "its transpose": lambda x, kind: x.t(),
    "a number": lambda x, kind: 0.5,
    "an int": lambda x, kind: 3,
    "a truth": lambda x, kind: True,
}


@pytest.mark.filterwarnings("ignore:The given NumPy array is not writable")
@pytest.mark.parametrize("recording", [True, False], ids=["recording", "no_grad"])
@pytest.mark.parametrize("kind", KINDS, ids=str)
def test_writing_is_the_same_without_the_short_way(monkeypatch, kind, recording):
    taken = []

    def noted(*args):
        taken.append(fast.write_quickly(*args))
        return taken[-1]

    def written(short, name, make, operand, options):
        monkeypatch.setattr(writing, "write_quickly", noted if short else lambda *args: False)
        x = make(kind)
        y = operand(x, kind)
        with torch.set_grad_enabled(recording):
            found = outcome(lambda: getattr(x, name)(y, **options))
        if found is not x:
            return found
        return x.tolist(), x._version, x.dtype, x.is_leaf, type(x.grad_fn).__name__, x.requires_grad

    names = [("add_", {}), ("sub_", {"alpha": 2}), ("add_", {"alpha": -0.25}), ("mul_", {}), ("div_", {})]
    for name, options in names:
        for what, make in WRITTEN.items():
            for other, operand in OPERANDS.items():
                both = [written(short, name, make, operand, options) for short in (True, False)]
                assert both[0] == both[1], (name, options, what, other)
    assert 20 < sum(taken) < len(taken) / 2


def test_writing_quickly_is_seen_by_hooks_that_watch_writing():
    x = torch.ones(2)
    with torch.autograd.graph.allow_mutation_on_saved_tensors():
        w = torch.ones(2, requires_grad=True)
        y = (w * x).sum()
        x.add_(1.0)
        y.backward()
    assert w.grad.tolist() == [1.0, 1.0]
    w = torch.ones(2, requires_grad=True)
    y = (w * x).sum()
    x.mul_(2.0)
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        y.backward()
