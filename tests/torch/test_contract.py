# ruff: noqa: E501  (the texts of errors are long)
"""Products of tensors against NumPy, their nodes, strides and errors as recorded from torch."""

import numpy as np
import pytest

from funcgrad import torch

RNG = np.random.default_rng(0)


def draw(*shape, complex=False, requires_grad=True):
    x = RNG.normal(size=shape)
    return torch.tensor(x + 1j * RNG.normal(size=shape) if complex else x, requires_grad=requires_grad)


def chain(node):
    """The names of a node and of those behind it; A is a leaf."""
    name = type(node).__name__.replace("Backward0", "")
    if name == "AccumulateGrad":
        return "A"
    inputs = ["None" if n is None else chain(n) for n, _ in node.next_functions]
    return f"{name}({','.join(inputs)})" if inputs else name


SHAPES = [
    ((3,), (3,), "Dot(A,A)"),
    ((2, 3), (3,), "Mv(A,A)"),
    ((3,), (3, 2), "SqueezeBackward4(Mm(Unsqueeze(A),A))"),
    ((2, 3), (3, 2), "Mm(A,A)"),
    ((4, 2, 3), (3,), "UnsafeView(Mv(View(A),A))"),
    ((4, 2, 3), (3, 5), "UnsafeView(Mm(View(A),A))"),
    ((2, 3), (4, 3, 2), "Clone(Transpose(UnsafeView(Mm(UnsafeView(Clone(Transpose(A))),T(A)))))"),
    ((4, 2, 3), (4, 3, 2), "UnsafeView(Bmm(View(Expand(A)),View(Expand(A))))"),
    ((1, 2, 3), (4, 3, 2), "Clone(Transpose(UnsafeView(Mm(UnsafeView(Clone(Transpose(A))),T(SqueezeBackward1(A))))))"),
    ((5, 1, 2, 3), (4, 3, 2), "UnsafeView(Bmm(UnsafeView(Clone(Expand(A))),UnsafeView(Clone(Expand(A)))))"),
    ((0, 3), (3, 2), "Mm(A,A)"),
    ((2, 0), (0, 2), "Mm(A,A)"),
]


@pytest.mark.parametrize("s, t, nodes", SHAPES)
def test_matmul(s, t, nodes):
    x, y = draw(*s), draw(*t)
    z = x @ y
    np.testing.assert_allclose(z.detach(), np.matmul(x.detach(), y.detach()), atol=1e-12)
    assert z.is_contiguous()
    assert chain(z.grad_fn) == nodes
    if z.numel() and x.numel():
        assert torch.autograd.gradcheck(torch.matmul, (x, y)) and torch.autograd.gradgradcheck(torch.matmul, (x, y))


def test_matmul_of_a_large_and_a_single_factor():
    """A batch times a matrix that needs no gradient stays a batch if its rows do not follow each other."""
    x, y = draw(4, 3, 2).transpose(1, 2), draw(3, 5, requires_grad=False)
    assert type((x @ y).grad_fn.next_functions[0][0]).__name__ == "BmmBackward0"
    assert type((x @ y.requires_grad_()).grad_fn.next_functions[0][0]).__name__ == "MmBackward0"


ADDED = [
    ("addmm", ((2, 2), (2, 3), (3, 2))),
    ("addmv", ((2,), (2, 3), (3,))),
    ("addr", ((2, 3), (2,), (3,))),
    ("baddbmm", ((2, 2, 2), (2, 2, 3), (2, 3, 2))),
    ("addbmm", ((2, 2), (2, 2, 3), (2, 3, 2))),
]


@pytest.mark.parametrize("name, shapes", ADDED)
@pytest.mark.parametrize("complex", [False, True])
def test_added_products(name, shapes, complex):
    f, args = getattr(torch, name), [draw(*s, complex=complex) for s in shapes]
    x, a, b = [t.detach() for t in args]
    product = {"addmm": a @ b if a.ndim == 2 and b.ndim == 2 else 0, "addr": torch.outer(a, b) if a.ndim == 1 else 0}
    product = product.get(name, (a @ b).sum(0) if name == "addbmm" else a @ b if a.ndim > 1 else 0)
    found = f(*args, beta=0.5, alpha=2)
    assert torch.allclose(found, 0.5 * x + 2 * product)
    assert type(found.grad_fn).__name__ == name.capitalize() + "Backward0"
    assert torch.autograd.gradcheck(lambda *ts: f(*ts, beta=0.5, alpha=2), args)
    written = x.clone()
    assert getattr(written, name + "_")(a, b) is written and torch.allclose(written, x + product)
    assert torch.equal(f(x * float("nan"), a, b, beta=0), f(torch.zeros_like(x), a, b))


def test_factors_of_integer_products_are_cut():
    x = torch.ones(2, 2, dtype=torch.int64)
    assert torch.addmm(x, x, x, alpha=1.5).tolist() == [[3, 3], [3, 3]]
    with pytest.raises(RuntimeError, match="For integral input tensors, argument alpha must not be a floating point"):
        torch.addr(x, x[0], x[0], alpha=1.5)


COMPOSED = [
    (lambda x, y: torch.outer(x[0], y[0]), lambda x, y: np.outer(x[0], y[0])),
    (torch.inner, np.inner),
    (torch.kron, np.kron),
    (lambda x, y: torch.tensordot(x, y, 2), lambda x, y: np.tensordot(x, y, 2)),
    (lambda x, y: torch.tensordot(x, y, ([0], [0])), lambda x, y: np.tensordot(x, y, ([0], [0]))),
    (lambda x, y: torch.cross(x, y, dim=1), np.cross),
    (lambda x, y: torch.linalg.multi_dot([x, y.T, x]), lambda x, y: x @ y.T @ x),
    (lambda x, y: torch.matrix_power(x @ y.T, 5), lambda x, y: np.linalg.matrix_power(x @ y.T, 5)),
    (lambda x, y: torch.matrix_power(x @ y.T, -3), lambda x, y: np.linalg.matrix_power(x @ y.T, -3)),
    (lambda x, y: torch.vdot(x[0], y[1]), lambda x, y: np.vdot(x[0], y[1])),
]


@pytest.mark.parametrize("ours, numpys", COMPOSED)
def test_compositions(ours, numpys):
    x, y = draw(2, 3), draw(2, 3)
    np.testing.assert_allclose(ours(x, y).detach(), numpys(x.detach().numpy(), y.detach().numpy()), rtol=1e-9)
    assert torch.autograd.gradcheck(ours, (x, y))


EQUATIONS = [
    ("ij->ji", "Permute(A)"),
    ("ii->i", "Permute(Permute(Diagonal(A)))"),
    ("ij->", "SumBackward1(Permute(A))"),
    (
        "ij,jk->ik",
        "View(Permute(View(Bmm(View(Permute(Permute(Unsqueeze(A)))),View(Permute(Permute(Unsqueeze(A))))))))",
    ),
    ("ij,jk->ki", None),
    ("bij,bjk->bik", None),
    ("...ij,...jk->...ik", None),
    ("i,j->ij", "Mul(Permute(Unsqueeze(A)),Permute(Unsqueeze(A)))"),
    ("ij,ij->i", None),
    ("ij,jk,kl->il", None),
    ("abc,cd,de->abe", None),
    ("ii,ij->j", None),
    ("ij,jk", None),
    (" i j , j -> i ", None),
]
SIZES = dict(zip("abcdeijkl", (2, 3, 4, 2, 3, 3, 3, 2, 4), strict=True))


@pytest.mark.parametrize("equation, nodes", EQUATIONS)
def test_einsum(equation, nodes):
    terms = equation.replace(" ", "").partition("->")[0].split(",")
    batch = (2,) if "..." in equation else ()
    tensors = [draw(*batch, *(SIZES[c] for c in t.replace("...", ""))) for t in terms]
    found = torch.einsum(equation, *tensors)
    expected = np.einsum(equation.replace(" ", ""), *(t.detach().numpy() for t in tensors))
    np.testing.assert_allclose(found.detach(), expected, rtol=1e-9, atol=1e-12)
    assert nodes is None or chain(found.grad_fn) == nodes
    assert torch.autograd.gradcheck(lambda *ts: torch.einsum(equation, *ts), tensors)


def test_einsum_with_lists_of_subscripts():
    x, y = draw(2, 3), draw(3, 4)
    assert torch.equal(torch.einsum(x, [0, 1], y, [1, 2], [0, 2]), torch.einsum("ij,jk->ik", x, y))
    assert torch.equal(torch.einsum("ij,jk", [x, y]), x @ y)


F, D, I2 = torch.ones(2, 3), torch.ones(3, 2).double(), torch.eye(2).long()
ERRORS = [
    (lambda: torch.mm(F, F), "mat1 and mat2 shapes cannot be multiplied (2x3 and 2x3)"),
    (lambda: F @ D, "expected m1 and m2 to have the same dtype, but got: float != double"),
    (lambda: F @ torch.ones(3).double(), "addmv input tensors must have the same dtype, but got Double, Float, and Double"),
    (lambda: torch.mm(F, torch.ones(3)), "mat2 must be a matrix"),
    (lambda: torch.mv(F, torch.ones(2)), "size mismatch, got input (2), mat (2x3), vec (2)"),
    (lambda: torch.dot(F[0], torch.ones(2)), "inconsistent tensor size, expected tensor [3] and src [2] to have the same number of elements, but got 3 and 2 elements respectively"),
    (lambda: torch.ones(2, 3, 3) @ torch.ones(3, 3, 3), "The size of tensor a (2) must match the size of tensor b (3) at non-singleton dimension 0"),
    (lambda: torch.tensor(1.0) @ F, "both arguments to matmul need to be at least 1D, but they are 0D and 2D"),
    (lambda: torch.bmm(torch.ones(2, 2, 3), torch.ones(2, 2, 3)), "Expected size for first two dimensions of batch2 tensor to be: [2, 3] but got: [2, 2]."),
    (lambda: torch.addmm(torch.ones(3, 3), F, F.T), "The expanded size of the tensor (2) must match the existing size (3) at non-singleton dimension 1.  Target sizes: [2, 2].  Tensor sizes: [3, 3]"),
    (lambda: torch.ones(2).addmm_(F, F.T), "Bad in-place call: input tensor size [2] and output tensor size [2, 2] should match"),
    (lambda: torch.addmm(torch.ones(2, 2), F, D), "self and mat2 must have the same dtype, but got Float and Double"),
    (lambda: torch.mm(I2.bool(), I2.bool()), "\"addmm_impl_cpu_\" not implemented for 'Bool'"),
    (lambda: torch.outer(F, F), "outer: Expected 1-D argument self, but got 2-D"),
    (lambda: torch.tensordot(F, torch.ones(2, 2)), "contracted dimensions need to match, but first has size 3 in dim -1 and second has size 2 in dim 1"),
    (lambda: torch.linalg.cross(F, F, dim=0), "linalg.cross: inputs dimension 0 must have length 3. Got 2 and 2"),
    (lambda: torch.linalg.multi_dot([F]), "multi_dot(): expected at least 2 tensors but got 1"),
    (lambda: torch.matrix_power(F, 2), "linalg.matrix_power: A must be batches of square matrices, but they are 2 by 3 matrices"),
    (lambda: torch.einsum("ij,jk->ik", F), "einsum(): fewer operands were provided than specified in the equation"),
    (lambda: torch.einsum("ij->k", F), "einsum(): output subscript k does not appear in the equation for any input operand"),
    (lambda: torch.einsum("ij,jk->ik", F, F), "einsum(): subscript j has size 2 for operand 1 which does not broadcast with previously seen size 3"),
    (lambda: torch.einsum("ii", F), "einsum(): subscript i is repeated for operand 0 but the sizes don't match, 3 != 2"),
    (lambda: torch.einsum("i..j->i", F), "einsum(): found '.' for operand 0 that is not part of any ellipsis"),
    (lambda: torch.einsum("i1->i", F), "einsum(): invalid subscript given at index 1 in the equation string, subscripts must be in [a-zA-Z]"),
]  # fmt: skip


@pytest.mark.parametrize("call, text", ERRORS)
def test_errors(call, text):
    with pytest.raises(RuntimeError) as e:
        call()
    assert str(e.value) == text


def test_arguments_of_the_wrong_type():
    with pytest.raises(TypeError, match=r"mm\(\): argument 'mat2' \(position 2\) must be Tensor, not int"):
        torch.mm(F, 3)
    with pytest.raises(TypeError, match="unsupported operand type"):
        F @ 3


def test_small_integers_keep_their_dtype():
    x = torch.ones(2, 2, dtype=torch.int32)
    assert (x @ x).dtype is torch.int32 and torch.addbmm(x, x[None], x[None]).dtype is torch.int32
