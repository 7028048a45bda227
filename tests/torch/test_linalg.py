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
    (lambda: L.qr(TALL, "complete").Q.sum().backward(), "The QR decomposition is not differentiable when mode='complete' and nrows > ncols"),
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
    with pytest.warns(UserWarning, match="is deprecated in favor of torch.linalg"):
        old(S)
