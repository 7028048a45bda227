"""custom_linear_solve: derivatives of solutions against those of linalg.solve and finite differences, in all modes."""

from functools import partial

import numpy as np
import pytest

import funcgrad as fg
import funcgrad.numpy as fnp
from funcgrad.errors import ArgumentError, CustomRuleError, NotDifferentiableError, ShapeError
from funcgrad.testing import check_grads
from funcgrad.transforms.custom_linear_solve import custom_linear_solve

A = np.array([[2.2, 0.3, 0.0], [0.4, 2.0, -0.3], [0.2, -0.3, 1.8]])
SPD = A @ A.T
B = np.array([1.0, 2.0, 3.0])
AS = np.stack([A, A.T, A + 0.1, A + np.eye(3) / 2])
BS = np.arange(12.0).reshape(4, 3) - 5.0


def close(found, expected, rtol=1e-8):
    for f, e in zip(fg.tree.leaves(found), fg.tree.leaves(expected), strict=True):
        np.testing.assert_allclose(np.asarray(f), np.asarray(e), rtol=rtol, atol=1e-10)


def dense(matvec, b):
    """A solver that is all operations of funcgrad, so it becomes a tape."""
    return fnp.linalg.solve(fg.jacobian(matvec)(b), b)


def numpy_only(matvec, b):
    """A solver that leaves funcgrad, and so runs uncompiled."""
    return np.linalg.solve(np.stack([np.asarray(matvec(e)) for e in np.eye(b.size)], 1), np.asarray(b))


def iteration(matvec, b):
    """A solver that decides by values, for matrices near to twice the identity."""
    x = 0 * b
    while fnp.linalg.norm(r := b - matvec(x)) > 1e-12:
        x = x + 0.5 * r
    return x


def looped(matvec, b):
    """The same in terms that are recorded."""

    def go_on(x):
        return fnp.linalg.norm(b - matvec(x)) > 1e-12

    return fg.lax.while_loop(go_on, lambda x: x + 0.5 * (b - matvec(x)), 0 * b)


SOLVERS = [dense, numpy_only, iteration, looped]


def solution(a, b, solve=dense, symmetric=False):
    return custom_linear_solve(lambda x: a @ x, b, solve, solve, symmetric=symmetric)


def loss(a, b, solve=dense):
    return fnp.sum(fnp.sin(solution(a, b, solve)))


@pytest.mark.parametrize("solve", SOLVERS)
def test_values_and_derivatives(solve):
    f = partial(solution, solve=solve)
    close(f(A, B), np.linalg.solve(A, B))
    check_grads(f, (A, B), order=2)


@pytest.mark.parametrize("solve", SOLVERS)
def test_derivatives_are_those_of_solve(solve):
    g = fg.grad(lambda a, b: fnp.sum(fnp.sin(fnp.linalg.solve(a, b))), argnums=(0, 1))
    close(fg.grad(partial(loss, solve=solve), argnums=(0, 1))(A, B), g(A, B))
    close(fg.hessian(lambda a: loss(a, B, solve))(A), fg.jacfwd(lambda a: g(a, B)[0])(A))


def test_third_derivative_along_a_line():
    def f(t):
        return loss(A + t * np.eye(3), B)

    def direct(t):
        return fnp.sum(fnp.sin(fnp.linalg.solve(A + t * np.eye(3), B)))

    close(fg.grad(fg.grad(fg.grad(f)))(0.3), fg.grad(fg.grad(fg.grad(direct)))(0.3))
    close(fg.jvp(fg.grad(f), (0.3,), (1.0,))[1], fg.grad(fg.grad(direct))(0.3))


def test_as_in_jax():
    """Recorded from jax.lax.custom_linear_solve, with tanh(a) as the matrix; the second is complex."""

    def f(a):
        return fnp.sum(fnp.sin(custom_linear_solve(lambda x: fnp.tanh(a) @ x, B, dense, dense)))

    expected = [
        [-3.06159601e-03, -6.16187514, -8.47095376],
        [5.33471895e-02, 4.64282668e-01, 7.56583465],
        [3.45436720e-02, 3.46701675, 4.93583440e-01],
    ]
    np.testing.assert_allclose(fg.grad(f)(A), expected, rtol=1e-6)
    second = [
        [0.35542002, -1.51963883, -5.01362054],
        [-6.16695418, 0.61223561, 8.18082668],
        [-4.04252116, -0.3722201, -0.17016037],
    ]
    np.testing.assert_allclose(fg.hessian(f)(A)[0, 1], second, rtol=1e-6)

    def columns(matvec, b):
        return fnp.linalg.solve(fnp.stack([matvec(e) for e in np.eye(3, dtype=complex)], 1), b)

    def g(a):
        return fnp.sum(custom_linear_solve(lambda x: a @ x, B * (1 + 2j), columns, columns) ** 2).real

    expected = [
        [0.05108982 - 0.06240508j, 0.46870659 - 0.12241658j, 0.69778002 - 0.19076428j],
        [-0.45424232 + 0.40472245j, -3.6365638 + 0.35942229j, -5.42392516 + 0.59855313j],
        [-0.65051758 + 0.58460902j, -5.22560678 + 0.53904732j, -7.79359448 + 0.8938009j],
    ]
    np.testing.assert_allclose(fg.grad(g)(A + 1j * A.T), expected, rtol=1e-6)


@pytest.mark.parametrize("solve", SOLVERS)
@pytest.mark.parametrize("axes", [(0, 0), *(pytest.param(a, marks=pytest.mark.slow) for a in ((None, 0), (0, None)))])
def test_batches(solve, axes):
    args = [xs if axis == 0 else xs[0] for xs, axis in zip((AS, BS), axes, strict=True)]

    def each(f):
        rows = [f(*[x[i] if axis == 0 else x for x, axis in zip(args, axes, strict=True)]) for i in range(4)]
        return fg.tree.map(lambda *xs: np.stack(xs), *rows)

    f = partial(solution, solve=solve)
    g = fg.grad(partial(loss, solve=solve), argnums=(0, 1))
    close(fg.vmap(f, axes)(*args), each(f))
    close(fg.vmap(g, axes)(*args), each(g), rtol=1e-6)
    h = fg.hessian(lambda a, b: loss(a, b, solve))
    close(fg.vmap(h, axes)(*args), each(h), rtol=1e-6)
    total = fg.grad(lambda *xs: fnp.sum(fnp.sin(fg.vmap(f, axes)(*xs))), argnums=(0, 1))(*args)
    expected = [e if axis == 0 else e.sum(0) for e, axis in zip(each(g), axes, strict=True)]
    close(total, expected, rtol=1e-6)


def test_batches_of_batches():
    f = fg.vmap(fg.vmap(solution, (None, 0)), (0, None))
    close(f(AS, BS), np.stack([np.linalg.solve(a, BS.T).T for a in AS]))


@pytest.mark.parametrize("solve", SOLVERS)
def test_on_tapes(solve):
    f = partial(solution, solve=solve)
    tape = fg.make_tape(f)(A, B)
    assert [e.primitive.name for e in tape] == ["custom_linear_solve", "item"]
    close(tape(A.T, B + 1), np.linalg.solve(A.T, B + 1))
    close(fg.grad(lambda a: fnp.sum(fnp.sin(tape(a, B))))(A), fg.grad(loss)(A, B))
    g = fg.grad(partial(loss, solve=solve))
    close(fg.make_tape(g)(A, B)(A + 0.1, B), g(A + 0.1, B))
    close(fg.vmap(tape)(AS, BS), fg.vmap(f)(AS, BS))


@pytest.mark.parametrize("solve", SOLVERS)
def test_a_linear_function_of_the_right_hand_side(solve):
    f = partial(solution, A, solve=solve)
    (found,) = fg.linear_transpose(f, B)(BS[0])
    close(found, np.linalg.solve(A.T, BS[0]))
    out, push = fg.linearize(f, B)
    close((out, push(BS[0])), (np.linalg.solve(A, B), np.linalg.solve(A, BS[0])))
    close(fg.vmap(push)(BS), np.linalg.solve(A, BS.T).T)


def test_checkpoint_around_it():
    f = fg.checkpoint(loss)
    close(fg.grad(f)(A, B), fg.grad(loss)(A, B))
    close(fg.hessian(f)(A, B), fg.hessian(loss)(A, B))


def test_a_factorisation_that_the_solver_closes_over():
    """It is used for all solves, its own derivative is none, and it may be batched."""

    def f(a, b):
        inverse = fnp.linalg.inv(a)
        return custom_linear_solve(lambda x: a @ x, b, lambda _, b: inverse @ b, lambda _, b: b @ inverse)

    check_grads(f, (A, B), order=2)
    close(fg.vmap(f)(AS, BS), fg.vmap(solution)(AS, BS))
    g = fg.grad(lambda a, b: fnp.sum(fnp.sin(f(a, b))))
    close(fg.vmap(g)(AS, BS), fg.vmap(fg.grad(loss))(AS, BS))
    h = fg.jacfwd(lambda a: fg.vmap(g, (0, None))(a, B))
    close(h(AS)[1, :, :, 1], fg.hessian(loss)(AS[1], B))


def test_symmetric():
    def f(a, b):
        return custom_linear_solve(lambda x: (a + a.T) @ x, b, dense, symmetric=True)

    close(f(SPD, B), np.linalg.solve(2 * SPD, B))
    check_grads(f, (SPD, B), order=2)


def test_pytrees():
    def f(c, b):
        def matvec(x):
            return {"u": c * x["u"] + x["v"][0].sum(), "v": (3.0 * x["v"][0] - x["u"],)}

        def solve(matvec, b):
            v, unravel = fg.ravel_pytree(b)
            return unravel(dense(lambda v: fg.ravel_pytree(matvec(unravel(v)))[0], v))

        return custom_linear_solve(matvec, b, solve, solve)

    b = {"u": 1.0, "v": (np.array([2.0, 3.0]),)}
    x = f(2.0, b)
    close((2.0 * x["u"] + x["v"][0].sum(), 3.0 * x["v"][0] - x["u"]), (1.0, np.array([2.0, 3.0])))
    check_grads(f, (2.0, b), order=2)
    close(fg.vmap(f, (0, None))(np.array([2.0, 3.0]), b)["v"][0][1], f(3.0, b)["v"][0])


@pytest.mark.parametrize("solve", [dense, numpy_only])
def test_aux(solve):
    def with_aux(matvec, b):
        return solve(matvec, b), {"norm": fnp.linalg.norm(b), "steps": 3}

    def f(a, b):
        return custom_linear_solve(lambda x: a @ x, b, with_aux, with_aux, has_aux=True)

    x, aux = f(A, B)
    close(x, np.linalg.solve(A, B))
    assert float(aux["norm"]) == pytest.approx(np.linalg.norm(B)) and aux["steps"] == 3
    (_, aux_t) = fg.jvp(f, (A, B), (A, B))[1]
    assert float(aux_t["norm"]) == 0.0, "aux has no derivative"
    check_grads(lambda a, b: f(a, b)[0], (A, B), order=2)
    x, aux = fg.vmap(f, (None, 0))(A, BS)
    close(aux["norm"], np.linalg.norm(BS, axis=1))


def test_forward_mode_needs_no_transpose():
    f = partial(custom_linear_solve, lambda x: 2.0 * x, solve=lambda matvec, b: b / 2.0)
    close(fg.jvp(f, (B,), (B,)), (B / 2, B / 2))
    with pytest.raises(TypeError, match="transpose_solve required for backwards mode"):
        fg.grad(lambda b: f(b).sum())(B)


def test_numbers_of_other_dtypes():
    halve = partial(custom_linear_solve, solve=lambda matvec, b: b / matvec(1.0))
    assert halve(lambda x: 2.0 * x, 3).dtype == float
    assert complex(halve(lambda x: 2j * x, 3.0)) == -1.5j
    assert halve(lambda x: np.float32(2) * x, np.float32(3)).dtype == np.float32


def same(matvec, x):
    return x


@pytest.mark.parametrize(
    "call, error, text",
    [
        (lambda: custom_linear_solve(lambda x: [x], 1.0, same, same), TypeError, r"matvec\(\) output pytree"),
        (lambda: custom_linear_solve(lambda x: x, 1.0, lambda f, x: [x], same), TypeError, r"solve\(\) output pytree"),
        (
            lambda: custom_linear_solve(lambda x: x, 1.0, same, lambda f, x: [x]),
            TypeError,
            r"transpose_solve\(\) output pytree",
        ),
        (
            lambda: custom_linear_solve(lambda x: x, 1.0, lambda f, x: fnp.ones(2), same),
            ValueError,
            r"solve\(\) output shapes .*\[\(\)\].*\[\(2,\)\]",
        ),
        (
            lambda: custom_linear_solve(lambda x: x * fnp.ones(2), 1.0, same, same),
            ShapeError,
            r"matvec\(\) output shapes",
        ),
        (
            lambda: custom_linear_solve(lambda x: x * 1j if x.dtype == float else x.real, 1.0, same),
            ArgumentError,
            r"matvec\(\) output dtypes",
        ),
        (lambda: custom_linear_solve(lambda x: x, 1.0, same, has_aux=True), ArgumentError, "a pair"),
        (lambda: custom_linear_solve(lambda x: x, B, lambda f, x: f(x[:2])), ShapeError, "the function that solve"),
        (lambda: custom_linear_solve(lambda x: x, "b", same), ArgumentError, "must be an array"),
        (
            lambda: fg.grad(lambda a: custom_linear_solve(lambda x: a * x, 1.0, same))(2.0),
            CustomRuleError,
            "transpose_solve required",
        ),
        (
            lambda: fg.grad(lambda a: custom_linear_solve(lambda x: a * x * x, 1.0, same, lambda f, x: f(x)))(2.0),
            NotDifferentiableError,
            "not linear",
        ),
        (lambda: fg.linear_transpose(lambda a: solution(a, B), A), NotDifferentiableError, "not in what its matrix"),
    ],
)
def test_errors(call, error, text):
    with pytest.raises(error, match=text):
        call()
