"""Every elementwise function against PyTorch: dtypes, strides, history, versions, and the errors word for word."""

import itertools
import warnings

import numpy as np
import pytest

from funcgrad import torch as funcgrad_torch
from funcgrad.torch.declare.kernels import chosen
from funcgrad.torch.declare.op import ROWS
from funcgrad.torch.tensor.later import complete

complete()  # all rows

DTYPES = ("bool", "uint8", "int8", "int16", "int32", "int64", "float16", "bfloat16", "float32", "float64", "complex64", "complex128")  # fmt: skip  # noqa: E501
SMALL = ("bool", "int64", "float16", "bfloat16", "float32", "complex128")
OPERATIONS = {n: chosen(row.kernel, {}) for n, row in ROWS.items() if row.kernel is not None and "." not in n}
UNARY = sorted(
    n for n, op in OPERATIONS.items() if op.primitive.operands is not None and len(op.primitive.operands) == 1
)
BINARY = sorted(set(OPERATIONS) - set(UNARY) - {"clamp", "lerp", "addcmul", "addcdiv", "ldexp", "square"})
TERNARY = ("clamp", "lerp", "addcmul", "addcdiv")
ROUNDED = {"bfloat16": 2.0**-7, "float16": 2.0**-10, "float32": 2.0**-22, "complex64": 2.0**-22}


def seen(t, source, names):
    """What can be seen of the result of a statement: a tuple; of an error type and text, with its warnings."""
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        try:
            out = eval(source, {"torch": t, **names})
        except Exception as error:  # every error is compared, by its type and text
            return f"{type(error).__name__}: {error}".strip()
    node = out.grad_fn
    history = None if node is None else (type(node).__name__, [type(n).__name__ for n, _ in node.next_functions])
    texts = [str(w.message).partition(" (Triggered")[0] for w in told]
    return str(out.dtype), tuple(out.shape), out.stride(), out._version, out._is_view(), history, texts


def operand(t, dtype, shape, grad):
    out = t.arange(1, int(np.prod(shape)) + 1).reshape(shape[::-1]).T if len(shape) == 2 else t.full(shape, 2)
    out = (out > 1) if dtype == "bool" else out.to(getattr(t, dtype))
    if grad and (out.is_floating_point() or out.is_complex()):
        out = out.clone().requires_grad_()
    return out


def compare(source, **kinds):
    torch = pytest.importorskip("torch")
    found = []
    for t in (torch, funcgrad_torch):
        always = t.is_warn_always_enabled()
        t.set_warn_always(True)
        try:
            found.append(seen(t, source, {n: operand(t, *kind) for n, kind in kinds.items()}))
        finally:
            t.set_warn_always(always)
    expected, actual = found
    if "ComplexHalf" in str(expected) or "complex32" in str(expected):  # NumPy has no such numbers
        return
    assert actual == expected, (source, kinds)


@pytest.mark.parametrize("name", UNARY)
def test_one_operand(name):
    torch = pytest.importorskip("torch")
    for dtype, shape, grad in itertools.product(DTYPES, ((2, 3), ()), (False, True)):
        compare(f"torch.{name}(x)", x=(dtype, shape, grad))
        if hasattr(torch.Tensor, name):
            compare(f"x.{name}()", x=(dtype, shape, grad))
        if hasattr(torch.Tensor, name + "_"):
            compare(f"x.{name}_()", x=(dtype, shape, grad))


@pytest.mark.parametrize("name", [n for n in UNARY if n != "conj_physical"])
def test_one_operand_into_out(name):
    for dtype, into, grad in itertools.product(SMALL, SMALL, (False, True)):
        compare(f"torch.{name}(x, out=y)", x=(dtype, (2, 3), grad), y=(into, (2, 3), False))


@pytest.mark.parametrize("call", ["add(1, 2)", "sub(1, other=2)", "mul(1, 2)", "div(1, 2)", "pow(1, 2)", "xlogy(1, 2)"])
def test_two_numbers(call):
    compare(f"torch.{call}")


@pytest.mark.parametrize("name", BINARY)
def test_two_operands(name):
    torch = pytest.importorskip("torch")
    forms = [f"torch.{name}(x, y)", f"torch.{name}(x, 2)", f"torch.{name}(x, 0.5)", f"torch.{name}(2, x)"]
    forms += [f"x.{name}(y)"] * hasattr(torch.Tensor, name)
    forms += [f"x.{name}_({y})" for y in ("y", "2", "0.5", "'a'")] * hasattr(torch.Tensor, name + "_")
    for one, two in itertools.product(SMALL, SMALL):
        for source in forms:
            compare(source, x=(one, (2, 3), False), y=(two, (3,), True))
            compare(source, x=(one, (2, 3), True), y=(two, (), False))
        compare(forms[0], x=(one, (2, 3), False), y=(two, (2,), False))
        if name != "heaviside":
            compare(
                f"torch.{name}(x, y, out=z)", x=(one, (2, 3), False), y=(two, (), False), z=("float32", (2, 3), False)
            )
        compare(forms[-1], x=(one, (2, 3), False), y=(two, (2, 2), False))


@pytest.mark.slow
@pytest.mark.parametrize("name", BINARY)
def test_all_dtypes_of_two_operands(name):
    for one, two in itertools.product(DTYPES, DTYPES):
        for shapes in (((2, 3), ()), ((), (3,)), ((), ())):
            compare(f"torch.{name}(x, y)", x=(one, shapes[0], False), y=(two, shapes[1], True))


@pytest.mark.parametrize("name", TERNARY)
def test_three_operands(name):
    for one, two in itertools.product(SMALL, SMALL):
        for method in ("x.{}(y, z)", "x.{}_(y, z)", "x.{}_(y, 0.5)", "x.{}(1, z)", "x.{}_(2, 'a')", "torch.{}(x, y)"):
            compare(method.format(name), x=(one, (2, 3), True), y=(two, (3,), False), z=(one, (), False))
            compare(method.format(name), x=(one, (2, 3), False), y=(two, (2,), False), z=(two, (), True))


@pytest.mark.parametrize("dtype", ("float16", "bfloat16", "float32", "float64"))
def test_remainder_of_zero_has_the_sign_of_the_dividend(dtype):
    x = funcgrad_torch.tensor([-1.5, 1.5, -0.0, 0.0, -1.0], dtype=getattr(funcgrad_torch, dtype))
    rest = x % funcgrad_torch.tensor([0.5, -0.5, 2.0, -2.0, 2.0], dtype=x.dtype)
    assert rest.tolist() == [0, 0, 0, 0, 1]
    assert rest.signbit().tolist() == [True, False, True, False, False]
    assert (x % 0.5).signbit().tolist() == [True, False, True, False, True]


def test_complex_logaddexp_against_the_definition():
    x = np.array([1 + 2j, -3 + 0.5j, 400 - 1j, -np.inf + 0j])
    y = np.array([0.5 - 1j, 2 + 3j, 399 + 2j, -np.inf + 0j])
    t = funcgrad_torch.tensor(x, requires_grad=True)
    out = funcgrad_torch.logaddexp(t, funcgrad_torch.tensor(y))
    shift = np.maximum(x.real, y.real)[:3]
    expected = shift + np.log(np.exp(x[:3] - shift) + np.exp(y[:3] - shift))
    np.testing.assert_allclose(out.detach().numpy()[:3], expected, rtol=1e-12)
    assert out[3].real.item() == -np.inf
    out[:3].real.sum().backward()
    weight = np.exp(x[:3] - shift) / (np.exp(x[:3] - shift) + np.exp(y[:3] - shift))
    np.testing.assert_allclose(t.grad.numpy()[:3], weight.conj(), rtol=1e-12)


def test_memory_that_numpy_looks_at_is_not_resized():
    for t in (funcgrad_torch.ones(2), funcgrad_torch.from_numpy(np.ones(2, np.float32))):
        t.numpy()
        assert not t.untyped_storage().resizable()
        with pytest.warns(UserWarning, match="was resized"), pytest.raises(RuntimeError, match="not resizable"):
            funcgrad_torch.sin(funcgrad_torch.ones(3), out=t)
    assert funcgrad_torch.ones(2).untyped_storage().resizable()
