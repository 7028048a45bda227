"""torch.func: gradients, pullbacks, pushforwards and Jacobians of functions of tensors, and what they refuse."""

import numpy as np
import pytest

from funcgrad import torch
from funcgrad.torch.autograd import forward_ad
from funcgrad.torch.func import (
    functional_call,
    functionalize,
    grad,
    grad_and_value,
    hessian,
    jacfwd,
    jacrev,
    jvp,
    linearize,
    vjp,
    vmap,
)


def vector(*values, **options):
    return torch.tensor([float(v) for v in values], **options)


def same(found, *expected):
    found = found if isinstance(found, tuple) else (found,)
    assert len(found) == len(expected)
    for got, want in zip(found, expected, strict=True):
        np.testing.assert_allclose(got.detach().numpy(), want, rtol=1e-6)


# Values.


def test_grad_and_value():
    x = vector(1, 2)
    same(grad(lambda x: (x**3).sum())(x), [3, 12])
    same(grad_and_value(lambda x: (x**2).sum())(x), [2, 4], 5)
    gradient, (value, aux) = grad_and_value(lambda x: ((x**2).sum(), {"k": 3 * x}), has_aux=True)(x)
    same((gradient, value, aux["k"]), [2, 4], 5, [3, 6])
    same(grad(lambda x, y: (x * y).sum(), argnums=(0, -1))(x, x + 2), [3, 4], [1, 2])
    same(grad(grad(lambda x: x**3))(torch.tensor(3.0)), 18)
    assert grad(lambda d: d["a"].sum() * d["b"])({"a": x, "b": x[0]})["b"].item() == 3
    assert grad(lambda xs: xs[0] * 2)([torch.tensor(3.0)])[0].item() == 2


def test_vjp():
    x = vector(0, 0)
    out, pull = vjp(lambda x: (x.sin(), 2 * x), x)
    same(out, [0, 0], [0, 0])
    same(pull((vector(1, 2), vector(10, 20))), [21, 42])
    same(pull((vector(1, 2), vector(0, 0)), retain_graph=False), [1, 2])
    with pytest.raises(RuntimeError, match="backward through the graph a second time"):
        pull((vector(1, 2), vector(0, 0)))
    assert vjp(lambda x: x.view(2, 1), x)[0]._base is x


@pytest.mark.parametrize("left, right", [((3,), (3, 5)), ((2, 3), (3, 5)), ((2, 3), (3,)), ((4, 2, 3), (4, 3, 5))])
def test_products_of_matrices_of_different_shapes(left, right):
    """Their shapes need not broadcast: d sum(A B) is what a matrix of ones in the place of the product gives."""
    rng = np.random.default_rng(0)
    a, b = (torch.tensor(rng.standard_normal(shape)) for shape in (left, right))
    x, y = a.numpy(), b.numpy()
    ones = np.ones((x @ y).shape)
    want = ones @ y.swapaxes(-1, -2) if len(right) > 1 else np.outer(ones, y)
    same(grad(lambda a: (a @ b).sum())(a), want)
    same(jvp(lambda a: a @ b, (a,), (a,))[1], x @ y)
    same(vmap(lambda c: (a * c) @ b)(vector(1, 2)), [x @ y, 2 * x @ y])


def test_complex_gradients_are_conjugates():
    z = torch.tensor([1 + 1j, 2])
    same(grad(lambda z: (z * z).abs().sum())(z), [2 + 2j, 4])
    same(vjp(lambda z: z * z, z)[1](z), [4, 8])
    same(jvp(lambda z: z * z, (z,), (z,)), [2j, 4], [4j, 8])
    assert grad(lambda z: z.conj().abs() if z.conj().is_conj() else None)(torch.tensor(3 + 4j)) == torch.tensor(
        0.6 + 0.8j
    )


def test_jvp_and_linearize():
    x, t = vector(1, 2), vector(10, 20)
    same(jvp(lambda x: x**2, (x,), (t,)), [1, 4], [20, 80])
    out, tangent, aux = jvp(lambda x: (x**2, x + 1), (x,), (t,), has_aux=True)
    same((out, tangent, aux), [1, 4], [20, 80], [2, 3])
    value, push = linearize(lambda x: (x**2, x.sum()), x)
    same(value, [1, 4], 3)
    same(push(t), [20, 80], 30)
    same(jvp(lambda x: torch.ones(2), (x,), (t,)), [1, 1], [0, 0])
    out, tangent = jvp(lambda x: torch.tensor(1), (x,), (t,))
    assert tangent.dtype is torch.int64
    assert tangent.item() == 0


def test_jacobians():
    x = vector(1, 2)
    square = np.diag([2.0, 4.0])
    same(jacrev(lambda x: x**2)(x), square)
    same(jacrev(lambda x: x**2, chunk_size=1)(x), square)
    same(jacfwd(lambda x: x**2)(x), square)
    same(hessian(lambda x: (x**3).sum())(x), np.diag([6.0, 12.0]))
    same(jacrev(lambda x: (x**2, x.sum()))(x), square, [1, 1])
    (ja, jb), (sa, sb) = jacfwd(lambda a, b: (a * b, a.sum()), (0, 1))(x, x)
    same((ja, jb, sa, sb), np.diag([1.0, 2.0]), np.diag([1.0, 2.0]), [1, 1], [0, 0])
    assert jacrev(lambda d: {"o": d["a"] * 2})({"a": x})["o"]["a"].shape == (2, 2)
    assert jacrev(lambda x: x[None] * x[:, None])(x).shape == (2, 2, 2)
    assert jacrev(lambda x: x[:0])(vector(1, 2, 3)).shape == (0, 3)
    jacobian, aux = jacfwd(lambda x: (x**2, x + 1), has_aux=True)(x)
    same((jacobian, aux), square, [2, 3])
    same(vmap(jacrev(torch.square))(torch.ones(3, 2)), [2 * np.eye(2)] * 3)
    same(vmap(hessian(lambda x: (x**2).sum()))(torch.ones(3, 2)), [2 * np.eye(2)] * 3)


# The history of tensors that require grad, and no_grad.


def test_history_is_kept():
    x = vector(1, 2, requires_grad=True)
    y = grad(lambda x: (x**3).sum())(x)
    same(torch.autograd.grad(y.sum(), x), [6, 12])
    same(torch.autograd.grad(grad(lambda z: (z * x).sum())(vector(3, 4)).sum(), x), [1, 1])
    assert jacrev(lambda x: x * x)(x).requires_grad
    with torch.no_grad():
        assert not grad(lambda x: (x**3).sum())(x).requires_grad
        out, pull = vjp(torch.square, x)
    assert not out.requires_grad
    assert pull(torch.ones(2))[0].requires_grad  # no_grad was about the call of vjp


@pytest.mark.parametrize(("cut", "second"), [(torch.Tensor.detach, [6, 8]), (lambda x: x.data, [12, 16])])
def test_what_is_cut_off_has_no_derivative(cut, second):
    x = vector(3, 4)
    same(grad(lambda x: (cut(x) * x).sum())(x), [3, 4])
    same(jvp(lambda x: cut(x) * x, (x,), (x,)), [9, 16], [9, 16])
    same(grad(lambda x: grad(lambda z: (cut(z) * z * z).sum())(x).sum())(x), second)  # .data cuts one level only


def test_no_grad_inside():
    def f(x):
        with torch.no_grad():
            shift = x**2
        return (x**2 - shift).sum()

    x = vector(1, 2, requires_grad=True)
    y = grad(f)(x)
    same(y, [2, 4])
    same(torch.autograd.grad(y.sum(), x), [2, 2])
    same(grad(lambda x: vmap(lambda e: f(e[None]))(x).sum())(x.detach()), [2, 4])


def test_no_forward_gradients_inside():
    def f(x):
        with forward_ad._set_fwd_grad_enabled(False):
            shift = x**2
        return x**2 - shift

    x, t = torch.tensor(3.0), torch.tensor(1.0)
    assert jvp(f, (x,), (t,))[1].item() == 6
    assert jvp(lambda x: jvp(f, (x,), (t,))[1], (x,), (t,))[1].item() == 2


# Writing in place.


def test_writing_into_new_tensors():
    def f(x):
        out = torch.zeros(3)
        out[0] = x[0]
        out[1:] = 2 * x
        return (out**2).sum()

    x = vector(3, 4)
    same(grad(f)(x), [30, 32])
    same(jvp(f, (x,), (x,)), 109, 218)
    same(hessian(f)(x), [[10, 0], [0, 8]])


def test_jvp_writes_into_its_argument():
    x = vector(1, 2)
    same(jvp(lambda x: x.mul_(2), (x,), (vector(1, 1),)), [2, 4], [2, 2])
    same(x, [2, 4])


def test_arguments_of_grad_are_leaves():
    x = vector(1, 2)
    for f in (lambda x: x.mul_(2).sum(), lambda x: x[0].mul_(2).sum()):
        with pytest.raises(
            RuntimeError, match="leaf Variable that requires grad is being used in an in-place operation"
        ):
            grad(f)(x)


@pytest.mark.parametrize(
    "write", [lambda y, x: y.copy_(x), lambda y, x: y.add_(1), lambda y, x: y.__setitem__(0, x[0])]
)
@pytest.mark.parametrize("transform", [grad, lambda f: lambda x: jvp(f, (x,), (x,)), lambda f: lambda x: vjp(f, x)])
def test_captured_tensors_are_not_written_into(transform, write):
    captured, x = torch.zeros(2), vector(1, 2)

    def f(x):
        write(captured, x)
        return x.sum()

    with pytest.raises(RuntimeError, match=r"in-place operation \(aten::\w+(.Tensor)?\) that would mutate a captured"):
        transform(f)(x)
    same(captured, [0, 0])


# What tensors say of themselves, and what they refuse.


def test_tensors_inside():
    seen = []

    def f(x):
        y = x * 2
        seen.append((x.requires_grad, x.is_leaf, x.grad_fn, y.is_leaf, type(y.grad_fn).__name__, repr(x)))
        return y.sum()

    grad(f)(vector(1, 2))
    text = "GradTrackingTensor(lvl=1, value=\n    tensor([1., 2.])\n)"
    assert seen == [(True, True, None, False, "MulBackward0", text)]


def test_tensors_that_outlive_grad_are_constants():
    kept = []

    def f(x):
        kept.append(x * 2)
        return x.sum()

    grad(f)(vector(1, 2))
    same(kept[0] + 1, [3, 5])


@pytest.mark.parametrize(
    ("action", "words"),
    [
        (lambda x: x.requires_grad_(), r"Tensor.requires_grad_\(\) \(or perhaps using torch.autograd.functional"),
        (lambda x: (x * 2).retain_grad(), r"Tensor.retain_grad\(\) inside of a function being transformed"),
        (lambda x: x.sum().backward(), r"backward\(\) called inside a functorch transform"),
        (lambda x: torch.autograd.functional.vjp(torch.sum, x), "torch.autograd.functional"),
        (lambda x: torch.autograd.graph.save_on_cpu().__enter__(), "don't yet support saved tensor hooks"),
        (lambda x: x.numpy(), r"Can't call numpy\(\) on Tensor that requires grad"),
    ],
)
def test_not_inside_grad(action, words):
    def f(x):
        action(x)
        return x.sum()

    with pytest.raises(RuntimeError, match=words):
        grad(f)(vector(1, 2))


def test_no_hooks_outside():
    with torch.autograd.graph.save_on_cpu(), pytest.raises(RuntimeError, match="saved tensor hooks"):
        grad(torch.sum)(vector(1, 2))


X, INTEGERS, COMPLEX = vector(1, 2), torch.tensor([1, 2]), torch.tensor([1j, 2])


@pytest.mark.parametrize(
    ("call", "error", "words"),
    [
        (lambda: grad(lambda x: x)(X), RuntimeError, "to return a scalar Tensor, got tensor with 1 dims. Maybe you"),
        (lambda: grad(lambda x: 3)(X), RuntimeError, "to return a Tensor, got <class 'int'>"),
        (lambda: grad(torch.sum, has_aux=True)(X), RuntimeError, "should be a tuple: (output, aux) if has_aux is True"),
        (lambda: grad(torch.sum)(3.0), ValueError, "Thing passed to transform API must be Tensor, got <class 'float'>"),
        (lambda: grad(torch.sum)(INTEGERS), RuntimeError, "only Tensors of floating point dtype can require gradients"),
        (lambda: grad(torch.sum)(COMPLEX), RuntimeError, "only for real scalar outputs but got torch.complex64"),
        (lambda: grad(torch.sum, 1)(X), RuntimeError, "Got argnum=1, but only 1 positional inputs"),
        (lambda: grad(torch.sum, "a")(X), RuntimeError, "argnums must be int or Tuple[int, ...], got: <class 'str'>"),
        (lambda: grad(torch.sum, ())(X), RuntimeError, "argnums must be non-empty"),
        (lambda: grad(torch.sum, (0, 0))(X), RuntimeError, "argnums elements must be unique, got (0, 0)"),
        (lambda: vjp(lambda x: None, X), RuntimeError, "non-empty output (got output = [None])"),
        (lambda: vjp(lambda x: 3, X), RuntimeError, "to return only tensors, got unsupported type <class 'int'>"),
        (lambda: vjp(lambda x: x.long(), X), RuntimeError, "must be floating-point or complex Tensors, got Tensor"),
        (lambda: vjp(lambda x: (x, x), X)[1](X), RuntimeError, "cotangents: *, primal output: (*, *)"),
        (lambda: vjp(lambda x: x, X)[1](torch.ones(3)), RuntimeError, "Mismatch in shape: grad_output[0] has a shape"),
        (lambda: vjp(lambda x: x, X)[1](3), TypeError, "gradients can be either Tensors or None, but got int"),
        (lambda: jvp(torch.sin, X, X), RuntimeError, "Expected primals to be a tuple. E.g. it should be valid"),
        (lambda: jvp(torch.sin, (X,), (X, X)), RuntimeError, "Got primals with structure TreeSpec(tuple, None, [*])"),
        (lambda: jvp(torch.sin, (3.0,), (X,)), RuntimeError, "primals to only contain Tensors, got <class 'float'>"),
        (lambda: jvp(torch.sin, (INTEGERS,), (X,)), ValueError, "Expected primal to be floating point or complex"),
        (lambda: jvp(torch.sin, (X,), (X[0],)), RuntimeError, "Tensor is of size [2] while the given forward gradient"),
        (lambda: jvp(lambda x: X, (X,), (X,), strict=True), RuntimeError, "The output of f is independent of the"),
        (lambda: linearize(torch.sin, X)[1](torch.ones(3)), RuntimeError, "doesn't match the shape torch.Size([2])"),
        (lambda: jacrev(torch.sin, chunk_size=0), ValueError, "jacrev: `chunk_size` should be greater than 0."),
        (lambda: jacrev(torch.square)(COMPLEX), RuntimeError, "jacrev: Expected all inputs to be real but received"),
        (lambda: jacfwd(torch.square)(COMPLEX), RuntimeError, "jacfwd: Expected all inputs to be real but received"),
        (lambda: jacfwd(lambda x: x * torch.rand(2))(X), RuntimeError, "called random operation while in"),
        (lambda: functional_call(torch.sin, {}, X), TypeError, "Write the model as a function of its parameters"),
        (lambda: functionalize(torch.sin, remove="all"), RuntimeError, "received invalid argument for remove=all"),
    ],
)  # fmt: skip
def test_errors(call, error, words):
    with pytest.raises(error) as e:
        call()
    assert words in str(e.value)


def test_anomaly_detection_names_the_operation():
    with (
        torch.autograd.set_detect_anomaly(True),
        pytest.raises(RuntimeError, match="Function 'SqrtBackward0' returned nan values in its 0th output"),
    ):
        vmap(grad(lambda x: x.sqrt()))(-torch.ones(3))


def test_functionalize_is_the_function():
    assert functionalize(torch.sin) is torch.sin


# Custom Functions.


class Cube(torch.autograd.Function):
    generate_vmap_rule = True

    @staticmethod
    def forward(x):
        return x**3

    @staticmethod
    def setup_context(ctx, inputs, output):
        ctx.save_for_backward(*inputs)

    @staticmethod
    def backward(ctx, g):
        (x,) = ctx.saved_tensors
        return 3 * g * x * x

    @staticmethod
    def jvp(ctx, t):
        (x,) = ctx.saved_tensors
        return 3 * t * x * x


def test_functions_inside():
    x = vector(1, 2)
    names = []

    def f(x):
        y = Cube.apply(x)
        names.append(type(y.grad_fn).__name__)
        return y.sum()

    same(grad(f)(x), [3, 12])
    assert names == ["CubeGeneratedBackward"]
    same(vmap(grad(grad(Cube.apply)))(x), [6, 12])
    same(jacrev(Cube.apply)(x), np.diag([3.0, 12.0]))


def test_vmap_method_is_told_where_the_examples_lie():
    told = []

    class Double(torch.autograd.Function):
        @staticmethod
        def forward(x):
            return 2 * x

        @staticmethod
        def setup_context(ctx, inputs, output):
            pass

        @staticmethod
        def vmap(info, in_dims, x):
            told.append((info.batch_size, info.randomness, in_dims, tuple(x.shape)))
            return Double.apply(x), in_dims[0]

    x = torch.ones(3, 5)
    same(vmap(Double.apply, in_dims=1, randomness="same")(x), 2 * np.ones((5, 3)))
    same(vmap(vmap(Double.apply), randomness="different")(x), 2 * np.ones((3, 5)))
    assert told == [
        (5, "same", (1,), (3, 5)),
        (5, "error", (0,), (5,)),
        (3, "different", (0,), (3, 5)),
    ]


# Batches of gradients.


def test_batched_grads():
    x = vector(1, 2, requires_grad=True)
    unused = vector(1, 2, requires_grad=True)
    same(torch.autograd.grad(x * x, x, torch.eye(2), is_grads_batched=True), np.diag([2.0, 4.0]))
    (g,) = torch.autograd.grad(x * x, x, torch.eye(2), is_grads_batched=True, create_graph=True)
    same(torch.autograd.grad(g.sum(), x), [2, 2])
    options = {"is_grads_batched": True, "retain_graph": True}
    found = torch.autograd.grad(x * x, (x, unused), torch.eye(2), allow_unused=True, **options)
    assert found[1] is None
    with pytest.raises(ValueError, match=r"got sizes \[2, 3\] for the mapped dimension"):
        torch.autograd.grad((x * x, x * 2), x, (torch.eye(2), torch.ones(3, 2)), is_grads_batched=True)


def test_vectorized_jacobians():
    functional = torch.autograd.functional
    x = vector(1, 2)
    same(functional.jacobian(lambda x: x * x, x, vectorize=True), np.diag([2.0, 4.0]))
    found = functional.jacobian(lambda x, y: (x * y, x.sum()), (x, x), vectorize=True)
    same(found[0] + found[1], np.diag([1.0, 2.0]), np.diag([1.0, 2.0]), [1, 1], [0, 0])
    same(functional.jacobian(lambda x: torch.ones(2), x, vectorize=True), np.zeros((2, 2)))
    same(functional.hessian(lambda x: (x**3).sum(), x, vectorize=True), np.diag([6.0, 12.0]))


def test_functional_call_asks_an_object_for_its_parameters_once():
    class Broken:
        asked = 0

        def named_parameters(self):
            self.asked += 1
            raise TypeError("no parameters today")

    model = Broken()
    with pytest.raises(TypeError, match="no parameters today"):
        functional_call(model, {"w": X}, X)
    assert model.asked == 1
