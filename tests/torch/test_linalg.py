# ruff: noqa: E501  (the texts of errors are long)
"""torch.linalg against NumPy, its gradients against finite differences, its errors in torch's words."""

import numpy as np
import pytest

from funcgrad import torch

L = torch.linalg
RNG = np.random.default_rng(0)


def matrix(*shape, complex=False):
    x = RNG.normal(size=shape)
    return torch.tensor(x + 1j * RNG.normal(size=shape) if complex else x, requires_grad=True)


def positive(n):
    x = RNG.normal(size=(n, n))
    return torch.tensor(x @ x.T + n * np.eye(n), requires_grad=True)


A, B, TALL, BATCH = matrix(3, 3), matrix(3, 2), matrix(4, 3), matrix(2, 3, 3)
S = positive(3)

VALUES = [
    (lambda: L.inv(A), lambda: np.linalg.inv(A.detach())),
    (lambda: L.inv(BATCH), lambda: np.linalg.inv(BATCH.detach())),
    (lambda: A.inverse(), lambda: np.linalg.inv(A.detach())),
    (lambda: L.solve(A, B), lambda: np.linalg.solve(A.detach(), B.detach())),
    (lambda: L.solve(A, B[:, 0]), lambda: np.linalg.solve(A.detach(), B.detach()[:, 0])),
    (lambda: L.solve(A, B.T, left=False), lambda: np.linalg.solve(A.detach().T, B.detach()).T),
    (lambda: L.det(A), lambda: np.linalg.det(A.detach())),
    (lambda: torch.logdet(S), lambda: np.linalg.slogdet(S.detach())[1]),
    (lambda: L.slogdet(BATCH).logabsdet, lambda: np.linalg.slogdet(BATCH.detach())[1]),
    (lambda: L.cholesky(S), lambda: np.linalg.cholesky(S.detach())),
    (lambda: L.cholesky(S, upper=True), lambda: np.linalg.cholesky(S.detach()).T),
    (lambda: L.eigvalsh(S), lambda: np.linalg.eigvalsh(S.detach())),
    (lambda: L.eigh(S).eigenvalues, lambda: np.linalg.eigvalsh(S.detach())),
    (lambda: L.svdvals(TALL), lambda: np.linalg.svd(TALL.detach(), compute_uv=False)),
    (lambda: L.pinv(TALL), lambda: np.linalg.pinv(TALL.detach())),
    (lambda: L.lstsq(TALL, torch.ones(4, 1, dtype=torch.float64)).solution, lambda: np.linalg.lstsq(TALL.detach(), np.ones((4, 1)), rcond=None)[0]),
    (lambda: L.matrix_norm(A, 2), lambda: np.linalg.norm(A.detach(), 2)),
    (lambda: L.matrix_norm(A, "nuc"), lambda: np.linalg.norm(A.detach(), "nuc")),
    (lambda: L.matrix_norm(A, 1), lambda: np.linalg.norm(A.detach(), 1)),
    (lambda: L.matrix_norm(A, float("-inf"), keepdim=True), lambda: np.linalg.norm(A.detach(), -np.inf, keepdims=True)),
    (lambda: L.norm(A), lambda: np.linalg.norm(A.detach())),
    (lambda: L.norm(A, "fro"), lambda: np.linalg.norm(A.detach())),
    (lambda: L.cond(A), lambda: np.linalg.cond(A.detach())),
    (lambda: L.cond(A, "fro"), lambda: np.linalg.cond(A.detach(), "fro")),
    (lambda: L.matrix_power(A, 3), lambda: np.linalg.matrix_power(A.detach(), 3)),
    (lambda: L.multi_dot([A, B, B.T]), lambda: np.linalg.multi_dot([A.detach(), B.detach(), B.detach().T])),
    (lambda: L.vander(B[:, 0], N=4), lambda: np.vander(B.detach()[:, 0], 4, increasing=True)),
    (lambda: L.vecdot(A, A), lambda: (A.detach() * A.detach()).sum(-1)),
    (lambda: torch.trace(A), lambda: np.trace(A.detach())),
    (lambda: L.solve_triangular(A, B, upper=True), lambda: np.linalg.solve(np.triu(A.detach()), B.detach())),
    (lambda: L.solve_triangular(A, B, upper=False, unitriangular=True), lambda: np.linalg.solve(np.tril(A.detach(), -1) + np.eye(3), B.detach())),
    (lambda: torch.cholesky_solve(B, L.cholesky(S)), lambda: np.linalg.solve(S.detach(), B.detach())),
    (lambda: torch.cholesky_inverse(L.cholesky(S)), lambda: np.linalg.inv(S.detach())),
    (lambda: L.lu_solve(*L.lu_factor(A), B), lambda: np.linalg.solve(A.detach(), B.detach())),
    (lambda: L.diagonal(BATCH), lambda: np.diagonal(BATCH.detach(), axis1=-2, axis2=-1)),
]  # fmt: skip


@pytest.mark.parametrize("ours, numpys", VALUES)
def test_values(ours, numpys):
    np.testing.assert_allclose(ours().detach().resolve_conj().numpy(), np.asarray(numpys()), rtol=1e-9, atol=1e-10)


@pytest.mark.parametrize("factors", [L.lu, L.qr, lambda x: L.svd(x, full_matrices=False), L.eig])
@pytest.mark.parametrize("x", [A, BATCH])
def test_factors_multiply_to_the_matrix(factors, x):
    found = factors(x)
    if len(found) == 3:
        first, middle, last = found
        whole = first @ (middle if middle.ndim == x.ndim else torch.diag_embed(middle)) @ last
    elif found[0].ndim < x.ndim:
        values, vectors = found
        whole = (vectors @ torch.diag_embed(values) @ L.inv(vectors)).real
    else:
        whole = found[0] @ found[1]
    assert torch.allclose(whole, x)
    assert all(f.stride()[-2] == 1 for f in found if f.ndim == x.ndim) or len(found) == 3


GRADIENTS = [
    (L.inv, A), (L.det, A), (lambda x: L.slogdet(x).logabsdet, A), (lambda x: L.solve(x, B), A), (lambda b: L.solve(A, b), B),
    (lambda x: L.cholesky(x + x.T), S), (lambda x: L.eigvalsh(x + x.T), S), (L.svdvals, TALL), (L.pinv, TALL),
    (lambda x: L.qr(x).R.abs(), TALL), (lambda x: L.matrix_norm(x, "nuc"), A), (torch.matrix_exp, A), (torch.trace, A),
    (lambda x: L.lu(x).U, A), (lambda x: L.solve_triangular(x, B, upper=True), A), (lambda x: torch.logdet(x), S),
    (lambda x: L.eigh(x + x.mT).eigenvectors.abs(), S), (lambda x: L.cond(x), A), (lambda x: L.lstsq(x, torch.ones(4, 1, dtype=torch.float64)).solution, TALL),
]  # fmt: skip


@pytest.mark.parametrize("f, x", GRADIENTS)
def test_gradients(f, x):
    others = [t.requires_grad_(False) for t in (A, B, S, TALL, BATCH) if t is not x]
    try:
        assert torch.autograd.gradcheck(f, (x,))
    finally:
        for t in others:
            t.requires_grad_()


def test_second_derivative_of_the_inverse():
    assert torch.autograd.gradgradcheck(L.inv, (A,))


def test_complex_matrices():
    z = matrix(2, 2, complex=True)
    assert torch.autograd.gradcheck(L.inv, (z,))
    assert torch.autograd.gradcheck(lambda x: L.eigvalsh(x + x.mH), (z,))


ERRORS = [
    (lambda: L.inv(torch.zeros(2, 2)), "linalg.inv: The diagonal element 1 is zero, the inversion could not be completed because the input matrix is singular."),
    (lambda: L.solve(torch.zeros(2, 2), torch.ones(2)), "torch.linalg.solve: The solver failed because the input matrix is singular."),
    (lambda: L.cholesky(-torch.eye(2)), "linalg.cholesky: The factorization could not be completed because the input is not positive-definite (the leading minor of order 1 is not positive-definite)."),
    (lambda: L.inv(torch.ones(2, 3)), "linalg.inv: A must be batches of square matrices, but they are 2 by 3 matrices"),
    (lambda: L.det(torch.ones(2)), "linalg.det: The input tensor A must have at least 2 dimensions."),
    (lambda: L.inv(torch.eye(2).long()), "linalg.inv: Expected a floating point or complex tensor as input. Got Long"),
    (lambda: L.solve(torch.eye(2), torch.ones(3)), "linalg.solve: Incompatible shapes of A and B for the equation AX = B (2x2 and 3x1)"),
    (lambda: L.qr(torch.eye(2), "foo"), "qr received unrecognized mode 'foo' but expected one of 'reduced' (default), 'r', or 'complete'"),
    (lambda: L.qr(TALL, "complete").Q.sum().backward(), "The QR decomposition is not differentiable when mode='complete' and nrows > ncols."),
    (lambda: torch.matrix_rank(A), "This function was deprecated since version 1.9 and is now removed.\nPlease use the `torch.linalg.matrix_rank` function instead. The parameter 'symmetric' was renamed in `torch.linalg.matrix_rank()` to 'hermitian'."),
]  # fmt: skip


@pytest.mark.parametrize("call, text", ERRORS)
def test_errors(call, text):
    with pytest.raises(RuntimeError) as e:
        call()
    assert str(e.value) == text


def test_info_instead_of_errors():
    assert L.inv_ex(torch.zeros(2, 2)).info == 1
    assert L.cholesky_ex(-torch.eye(2)).info == 1
    assert L.matrix_rank(torch.diag(torch.tensor([1.0, 0.0]))) == 1
    assert L.lstsq(TALL, TALL[:, :1], driver="gelsd").rank == 3


@pytest.mark.parametrize("old", [torch.cholesky, torch.qr, torch.lu])
def test_old_names_warn(old):
    torch.set_warn_always(True)
    try:
        with pytest.warns(UserWarning, match="is deprecated in favor of torch.linalg"):
            old(S)
    finally:
        torch.set_warn_always(False)


# What follows was recorded from torch.

M = torch.tensor([[2.0, 1.0], [1.0, 3.0]], dtype=torch.float64, requires_grad=True)
W = torch.tensor([[1.0, 1.0], [0.0, 3.0], [2.0, 1.0]], dtype=torch.float64, requires_grad=True)
V = torch.tensor([1.0, 2.0], dtype=torch.float64, requires_grad=True)

RESULTS = [  # strides, node and output number of each result; None: no history
    (lambda: L.inv(M), [((1, 2), "LinalgInvEx", 0)]),
    (lambda: L.inv_ex(M), [((1, 2), "LinalgInvEx", 0), ((), None, 0)]),
    (lambda: M.det(), [((), "LinalgDet", 0)]),
    (lambda: torch.slogdet(M), [((), "LinalgSlogdet", 0), ((), "LinalgSlogdet", 1)]),
    (lambda: M.logdet(), [((), "Where", 0)]),
    (lambda: L.solve(M, V), [((1,), "LinalgSolveEx", 0)]),
    (lambda: L.solve(M, W.T), [((1, 2), "LinalgSolveEx", 0)]),
    (lambda: L.solve(M, W, left=False), [((2, 1), "LinalgSolveEx", 0)]),
    (lambda: L.solve_triangular(M, W.T, upper=True), [((1, 2), "LinalgSolveTriangular", 0)]),
    (lambda: L.cholesky(M), [((1, 2), "LinalgCholeskyEx", 0)]),
    (lambda: torch.cholesky_solve(W.T, M), [((1, 2), "CholeskySolve", 0)]),
    (lambda: torch.cholesky_inverse(M), [((1, 2), "CholeskyInverse", 0)]),
    (lambda: L.qr(W), [((1, 3), "LinalgQr", 0), ((1, 2), "LinalgQr", 1)]),
    (lambda: L.qr(M, "r"), [((1,), "LinalgQr", 0), ((1, 2), "LinalgQr", 1)]),
    (lambda: L.eigh(M), [((1,), "LinalgEigh", 0), ((1, 2), "LinalgEigh", 1)]),
    (lambda: L.eigvalsh(M), [((1,), "LinalgEigh", 0)]),
    (lambda: L.eig(M), [((1,), "LinalgEig", 0), ((1, 2), "LinalgEig", 1)]),
    (lambda: L.svd(W), [((1, 3), "LinalgSvd", 0), ((1,), "LinalgSvd", 1), ((1, 2), "LinalgSvd", 2)]),
    (lambda: L.svdvals(M), [((1,), "LinalgSvd", 1)]),
    (lambda: torch.svd(W), [((1, 3), "LinalgSvd", 0), ((1,), "LinalgSvd", 1), ((2, 1), "Transpose", 0)]),
    (lambda: L.lu(M), [((2, 1), None, 0), ((2, 1), "LinalgLu", 0), ((2, 1), "LinalgLu", 1)]),
    (lambda: L.lu_factor(M), [((1, 2), "LinalgLuFactorEx", 0), ((1,), None, 0)]),
    (lambda: L.lu_solve(*L.lu_factor(M), W.T), [((1, 2), "LinalgLuSolve", 0)]),
    (lambda: torch.lu_unpack(*L.lu_factor(M)), [((2, 1), None, 0), ((2, 1), "LuUnpack", 0), ((2, 1), "LuUnpack", 1)]),
    (lambda: L.pinv(W), [((3, 1), "LinalgPinv", 0)]),
    (
        lambda: L.lstsq(W, W[:, :1]),
        [((1, 3), "LinalgLstsq", 0), ((1,), "LinalgLstsq", 1), ((), None, 0), ((1,), None, 0)],
    ),
    (lambda: torch.matrix_exp(M), [((2, 1), "LinalgMatrixExp", 0)]),
    (lambda: L.norm(M, 2), [((), "Amax", 0)]),
    (lambda: L.norm(M), [((), "LinalgVectorNorm", 0)]),
    (lambda: L.cond(M), [((), "SqueezeBackward1", 0)]),
    (lambda: L.vecdot(V, V), [((), "Vdot", 0)]),
    (lambda: L.vander(V), [((2, 1), "Cat", 0)]),
    (lambda: L.householder_product(W, V), [((1, 3), "LinalgHouseholderProduct", 0)]),
    (lambda: torch.ormqr(W, V, W), [((1, 3), "Ormqr", 0)]),
    (lambda: torch.geqrf(W), [((1, 3), "Geqrf", 0), ((1,), "Geqrf", 1)]),
    (lambda: L.multi_dot([M, M, M]), [((2, 1), "View", 0)]),
]


@pytest.mark.parametrize("call, expected", RESULTS)
def test_strides_and_nodes(call, expected):
    found = call()
    found = found if isinstance(found, tuple) else (found,)
    shown = [
        (t.stride(), None if t.grad_fn is None else type(t.grad_fn).__name__.removesuffix("Backward0"), t.output_nr)
        for t in found
    ]
    assert shown == expected


def test_small_systems_round_as_torch_does():
    x = torch.tensor([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0], [7.0, 8.0, 10.0]])
    assert L.det(x).item() == -3.0000014305114746
    assert L.det(torch.tensor([[1.0, 2.0], [3.0, 4.0]], dtype=torch.float64)).item() == -2.0
    assert L.solve(x, torch.tensor([1.0, 0.0, 0.0])).tolist() == [
        -0.6666667461395264,
        -0.6666665077209473,
        0.9999999403953552,
    ]
    assert L.lu_factor(x).pivots.tolist() == [3, 3, 3]


def test_printed_results():
    assert str(L.slogdet(torch.eye(2))) == "torch.return_types.linalg_slogdet(\nsign=tensor(1.),\nlogabsdet=tensor(0.))"
    assert str(L.LinAlgError) == "<class 'torch._C._LinAlgError'>" and issubclass(L.LinAlgError, RuntimeError)


SINGULAR = torch.stack([torch.eye(2), torch.ones(2, 2)])

REFUSED = [
    (lambda: L.inv(SINGULAR), "linalg.inv: (Batch element 1): The diagonal element 2 is zero, the inversion could not be completed because the input matrix is singular."),
    (lambda: L.inv_ex(torch.zeros(2, 2), check_errors=True), "linalg.inv_ex: The diagonal element 1 is zero, the inversion could not be completed because the input matrix is singular."),
    (lambda: L.solve(SINGULAR, torch.ones(2, 2, 1)), "torch.linalg.solve: (Batch element 1): The solver failed because the input matrix is singular."),
    (lambda: L.cholesky(SINGULAR - 2 * torch.eye(2)), "linalg.cholesky: (Batch element 0): The factorization could not be completed because the input is not positive-definite (the leading minor of order 1 is not positive-definite)."),
    (lambda: L.lu_factor(torch.ones(2, 2)), "torch.linalg.lu_factor: U[2,2] is zero and using it on lu_solve would result in a division by zero. If you still want to perform the factorization, consider calling linalg.lu(A, pivot) or linalg.lu_factor_ex(A, pivot)"),
    (lambda: L.svd(torch.tensor([[1.0, float("nan")], [0.0, 1.0]])), "linalg.svd: The algorithm failed to converge because the input matrix contained non-finite values."),
    (lambda: L.solve(torch.eye(2), torch.ones(2, 1).double()), "linalg.solve: Expected A and B to have the same dtype, but found A of type Float and B of type Double instead"),
    (lambda: L.eigh(torch.eye(2), "X"), "Expected UPLO argument to be 'L' or 'U', but got X"),
    (lambda: L.inv(torch.eye(2).half()), "linalg.inv: Low precision dtypes not supported. Got Half"),
    (lambda: L.det(torch.eye(2).half()), "\"lu_cpu\" not implemented for 'Half'"),
    (lambda: L.eigh(torch.eye(2).long()), "\"linalg_eigh_cpu\" not implemented for 'Long'"),
    (lambda: L.pinv(torch.ones(2)), "linalg.pinv(Float{[2]}): expected a tensor with 2 or more dimensions of float, double, cfloat or cdouble types"),
    (lambda: L.matrix_norm(torch.eye(2), 3), "linalg.matrix_norm: Order 3 not supported."),
    (lambda: L.norm(torch.ones(2, 2, 2), "fro"), "linalg.norm: If dim is not specified but ord is, the input must be 1D or 2D. Got 3D."),
    (lambda: L.cond(torch.ones(2, 3), 1), "linalg.cond(ord=1): A must be batches of square matrices, but they are 2 by 3 matrices"),
    (lambda: L.qr(W, "r").R.sum().backward(), "The derivative of linalg.qr depends on Q, which is not computed when mode='r'. Please use linalg.qr(A, mode='reduced') if you are going to differentiate through linalg.qr."),
    (lambda: torch.geqrf(W).a.sum().backward(), "the derivative for 'geqrf' is not implemented."),
    (lambda: torch.slogdet(torch.ones(2, 2, requires_grad=True)).logabsdet.backward(), "torch.linalg.solve: The solver failed because the input matrix is singular."),
    (lambda: torch.solve(M, M), "This function was deprecated since version 1.9 and is now removed. `torch.solve` is deprecated in favor of `torch.linalg.solve`. `torch.linalg.solve` has its arguments reversed and does not return the LU factorization.\n\nTo get the LU factorization see `torch.lu`, which can be used with `torch.lu_solve` or `torch.lu_unpack`.\nX = torch.solve(B, A).solution should be replaced with:\nX = torch.linalg.solve(A, B)"),
]  # fmt: skip


@pytest.mark.parametrize("call, text", REFUSED)
def test_texts(call, text):
    with pytest.raises(RuntimeError) as e:
        call()
    assert str(e.value) == text


def test_arguments_of_the_wrong_type():
    with pytest.raises(TypeError, match=r"linalg_inv\(\): argument 'A' \(position 1\) must be Tensor, not int"):
        L.inv(3)
    with pytest.raises(TypeError, match='linalg_qr\\(\\) missing 1 required positional arguments: "A"'):
        L.qr()


def test_a_loss_must_not_depend_on_phases():
    z = matrix(3, 3, complex=True)
    for vectors, name in (
        (lambda: L.eigh(z @ z.mH).eigenvectors, "linalg_eigh_backward: The eigenvectors"),
        (lambda: L.eig(z).eigenvectors, "linalg_eig_backward: The eigenvectors"),
        (lambda: L.svd(z).U, "svd_backward: The singular vectors"),
    ):
        with pytest.raises(RuntimeError, match=name):
            (vectors().real ** 3).sum().backward()
        vectors().abs().pow(3).sum().backward()


def test_a_singular_matrix_with_its_info():
    found = L.inv_ex(torch.ones(2, 2))
    assert found.info == 2 and found.inverse.tolist() == [[float("inf"), -float("inf")], [-float("inf"), float("inf")]]
    factor, info = L.cholesky_ex(torch.tensor([[1.0, 2.0], [2.0, 1.0]]))
    assert info == 2 and factor.tolist() == [[1.0, 0.0], [2.0, -3.0]]


@pytest.mark.parametrize("left", [True, False])
@pytest.mark.parametrize("adjoint", [True, False])
def test_systems_given_by_lu_factors(left, adjoint):
    a, b = matrix(2, 3, 3, complex=True).detach(), matrix(2, 3, 3, complex=True).detach()
    x = L.lu_solve(*L.lu_factor(a), b, left=left, adjoint=adjoint)
    a = a.mH if adjoint else a
    assert torch.allclose(a @ x if left else x @ a, b)
    assert torch.autograd.gradcheck(
        lambda a, b: L.lu_solve(*L.lu_factor(a), b, left=left, adjoint=adjoint), (matrix(3, 3), matrix(3, 3))
    )


def test_reflections_make_the_orthogonal_factor():
    a, tau = torch.geqrf(TALL.detach())
    q, r = L.qr(TALL.detach())
    assert torch.allclose(torch.orgqr(a, tau), q) and torch.allclose(a[:3].triu(), r)
    assert torch.allclose(torch.ormqr(a, tau, TALL.detach(), transpose=True)[:3], r, atol=1e-12)
    assert torch.autograd.gradcheck(L.householder_product, (matrix(4, 2), matrix(2)))


def test_one_triangle_is_looked_at_and_the_gradient_is_symmetric():
    x = torch.tensor([[4.0, float("nan")], [2.0, 5.0]], dtype=torch.float64, requires_grad=True)
    assert L.cholesky(x).tolist() == [[2.0, 0.0], [1.0, 2.0]]
    y = torch.tensor([[4.0, 7.0], [2.0, 5.0]], dtype=torch.float64, requires_grad=True)
    L.eigvalsh(y)[0].backward()
    assert torch.equal(y.grad, y.grad.T)


def test_under_vmap():
    x = matrix(4, 3, 3).detach()
    for f in (L.inv, L.det, L.svdvals, L.matrix_rank, torch.matrix_exp, lambda m: L.lstsq(m, m[:, :1]).solution):
        assert torch.allclose(torch.vmap(f)(x), torch.stack([f(m) for m in x]))
