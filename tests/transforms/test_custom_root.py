"""custom_root: derivatives of roots against closed forms and finite differences, in all modes."""

import numpy as np
import pytest

import funcgrad as fg
import funcgrad.numpy as fnp
from funcgrad.errors import ArgumentError, CustomRuleError, NotDifferentiableError, ShapeError
from funcgrad.testing import check_grads
from funcgrad.transforms.custom_linear_solve import custom_linear_solve
from funcgrad.transforms.custom_root import custom_root

A = np.array([[4.0, 1.0], [1.0, 3.0]])
B = np.array([1.0, 2.0])
AS = np.stack([A, A + np.eye(2), A @ A])
BS = np.arange(6.0).reshape(3, 2) - 2.0


def close(found, expected, rtol=1e-8):
    for f, e in zip(fg.tree.leaves(found), fg.tree.leaves(expected), strict=True):
        np.testing.assert_allclose(np.asarray(f), np.asarray(e), rtol=rtol, atol=1e-10)


def divide(g, y):
    return y / g(1.0)


def dense(g, y):
    return fnp.linalg.solve(fg.jacobian(g)(y), y)


def bisection(f, x0):
    """Looks at values, as Python does."""
    low, high = 0.0, 100.0
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (low, middle) if f(middle) > 0 else (middle, high)
    return middle


def looped_bisection(f, x0):
    def halve(_, ends):
        middle = (ends[0] + ends[1]) / 2
        above = f(middle) > 0
        return fnp.where(above, ends[0], middle), fnp.where(above, middle, ends[1])

    return fg.lax.fori_loop(0, 60, halve, (0.0, 100.0))[0]


def newton(f, x):
    for _ in range(12):
        x = x - f(x) / fg.grad(f)(x)
    return x


def root_of(a, find=newton, power=2):
    return custom_root(lambda x: x**power - a, 1.0, find, divide)


@pytest.mark.parametrize("find", [bisection, looped_bisection, newton])
def test_square_root(find):
    def f(a):
        return root_of(a, find) ** 3

    close(f(5.0), 5**1.5)
    close(fg.grad(f)(5.0), 1.5 * 5**0.5)
    close(fg.grad(fg.grad(f))(5.0), 0.75 * 5**-0.5)
    close(fg.grad(fg.grad(fg.grad(f)))(5.0), -0.375 * 5**-1.5)
    close(fg.jvp(fg.grad(f), (5.0,), (2.0,)), (1.5 * 5**0.5, 1.5 * 5**-0.5))
    check_grads(f, (5.0,), order=3)


@pytest.mark.parametrize("find", [looped_bisection, newton])
def test_batches(find):
    a = np.array([4.0, 9.0, 16.0])

    def f(x):
        return root_of(x, find)

    close(fg.vmap(f)(a), np.sqrt(a))
    close(fg.vmap(fg.grad(f))(a), 1 / (2 * np.sqrt(a)))
    close(fg.grad(lambda a: fg.vmap(f)(a).sum())(a), 1 / (2 * np.sqrt(a)))
    close(fg.vmap(fg.grad(fg.grad(f)))(a), -(a**-1.5) / 4)
    close(fg.jacfwd(fg.vmap(fg.grad(f)))(a), np.diag(-(a**-1.5) / 4))


@pytest.mark.parametrize("find", [looped_bisection, newton])
def test_on_tapes(find):
    tape = fg.make_tape(lambda a: root_of(a, find))(4.0)
    close(tape(9.0), 3.0)
    close(fg.grad(tape)(9.0), 1 / 6)
    close(fg.grad(fg.grad(tape))(9.0), -(9**-1.5) / 4)
    close(fg.vmap(tape)(np.array([4.0, 9.0])), np.array([2.0, 3.0]))
    close(fg.make_tape(fg.grad(lambda a: root_of(a, find)))(4.0)(9.0), 1 / 6)
    close(fg.grad(fg.checkpoint(lambda a: root_of(a, find)))(9.0), 1 / 6)


def test_the_search_is_not_recorded():
    """A thousand steps leave no more on the tape than ten."""

    def size(steps):
        def find(f, x):
            for _ in range(steps):
                x = x - f(x) / 10
            return x

        return len(fg.vjp(lambda a: root_of(a, find), 4.0)[1].tape)

    assert size(1000) == size(10) <= 4


def test_the_search_sees_no_derivatives():
    seen = []

    def find(f, x):
        seen.append(float(f(x)))  # an error if it were being differentiated
        return newton(f, x)

    close(fg.grad(lambda a: root_of(a, find))(4.0), 0.25)
    assert seen == [-3.0]


def solved(a, b, oracle=None):
    x = fnp.linalg.solve(a, b) if oracle is None else oracle(a, b)
    return custom_root(lambda x: a @ x - b, fnp.zeros_like(b), lambda f, x0: x, dense)


def test_a_result_that_the_search_closes_over():
    """The root of a linear function; the search closes over it, and its own derivative does not count twice."""
    check_grads(solved, (A, B), order=2)
    f = fg.grad(lambda a, b: fnp.sum(fnp.sin(solved(a, b))), argnums=(0, 1))
    g = fg.grad(lambda a, b: fnp.sum(fnp.sin(fnp.linalg.solve(a, b))), argnums=(0, 1))
    close(f(A, B), g(A, B))
    close(fg.vmap(f)(AS, BS), fg.vmap(g)(AS, BS))
    close(fg.vmap(solved, (0, None))(AS, B), fg.vmap(fnp.linalg.solve, (0, None))(AS, B))
    close(fg.jacfwd(lambda a: f(a, B)[0])(A), fg.jacfwd(lambda a: g(a, B)[0])(A))
    total = fg.grad(lambda b: fnp.sum(fnp.sin(fg.vmap(solved, (0, None))(AS, b))))(B)
    close(total, fg.vmap(g, (0, None))(AS, B)[1].sum(0))


def test_tangents_by_custom_linear_solve():
    def f(a, b):
        inverse = fnp.linalg.inv(a)

        def tangent_solve(g, y):
            return custom_linear_solve(g, y, lambda _, y: inverse @ y, lambda _, y: y @ inverse)

        return custom_root(lambda x: a @ x - b, b, lambda f, x: inverse @ b, tangent_solve)

    check_grads(f, (A, B), order=2)
    close(fg.vmap(f, (0, None))(AS, B), np.linalg.solve(AS, B))
    g = fg.vmap(fg.grad(lambda a: f(a, B).sum()))
    close(g(AS), fg.vmap(fg.grad(lambda a: fnp.linalg.solve(a, B).sum()))(AS))


def test_pytrees():
    def f(p):
        def equations(x):
            return {"u": x["u"] ** 2 - p["a"], "v": (x["v"][0] * x["u"] - p["b"],)}

        def find(f, x):
            v, unravel = fg.ravel_pytree(x)

            def flat(v):
                return fg.ravel_pytree(f(unravel(v)))[0]

            for _ in range(30):
                v = v - dense(lambda t: fg.jvp(flat, (v,), (t,))[1], flat(v))
            return unravel(v)

        def tangent_solve(g, y):
            v, unravel = fg.ravel_pytree(y)
            return unravel(dense(lambda v: fg.ravel_pytree(g(unravel(v)))[0], v))

        return custom_root(equations, {"u": 1.0, "v": (np.ones(3),)}, find, tangent_solve)

    p = {"a": 3.0, "b": np.arange(1.0, 4.0)}
    x = f(p)
    close((x["u"], x["v"][0]), (np.sqrt(3), np.arange(1.0, 4.0) / np.sqrt(3)))
    check_grads(f, (p,), order=2)


def test_aux_has_no_derivative():
    def f(a):
        return custom_root(
            lambda x: x**2 - a, 1.0, lambda f, x: (newton(f, x), {"a": a, "name": "newton"}), divide, has_aux=True
        )

    x, aux = f(4.0)
    assert float(x) == 2.0 and aux == {"a": 4.0, "name": "newton"}
    close(fg.grad(f, has_aux=True)(4.0)[0], 0.25)
    close(fg.grad(lambda a: f(a)[1]["a"])(4.0), 0.0)


def test_a_function_that_branches():
    """Its derivative is that of the branch at the root, whatever the branch at the start."""

    def f(a):
        equation = lambda x: x**2 - a if x > 0 else x - 100.0
        return custom_root(equation, -1.0, lambda f, x: newton(f, 1.0), divide)

    close(f(4.0), 2.0)
    check_grads(f, (4.0,), order=2)


def test_nothing_is_differentiated():
    assert float(custom_root(lambda x: x - 2.0, 0.0, lambda f, x: 2.0, None)) == 2.0
    close(fg.grad(lambda a: a * custom_root(lambda x: x - 2.0, 0.0, lambda f, x: 2.0, None))(3.0), 2.0)


def test_the_guess_has_no_derivative():
    close(fg.grad(lambda a: custom_root(lambda x: x**2 - 4.0 * a, a, newton, divide))(1.0), 1.0)


def decides(g, y):
    return y / g(1.0) if y > -100.0 else y


def test_a_tangent_solver_that_decides_by_values():
    def f(a):
        return custom_root(lambda x: x**2 - a, 1.0, newton, decides)

    close(fg.jvp(f, (4.0,), (1.0,)), (2.0, 0.25))
    with pytest.raises(CustomRuleError, match="custom_linear_solve"):
        fg.grad(f)(4.0)


@pytest.mark.parametrize(
    "call, error, text",
    [
        (lambda: custom_root(lambda x: (x, x), 0.0, lambda f, x: x, divide), TypeError, r"f\(\) output pytree"),
        (lambda: custom_root(lambda x: x, 0.0, lambda f, x: (x, x), divide), TypeError, r"solve\(\) output pytree"),
        (
            lambda: fg.jvp(
                lambda a: custom_root(lambda x: a - x, 0.0, lambda f, x: x, lambda g, y: (y, y)), (0.0,), (0.0,)
            ),
            TypeError,
            r"tangent_solve\(\) output pytree .* initial_guess",
        ),
        (lambda: custom_root(lambda x: x[:1], B, lambda f, x: x, dense), ShapeError, r"f\(\) output shapes"),
        (lambda: custom_root(lambda x: x, B, lambda f, x: x[:1], dense), ShapeError, r"solve\(\) output shapes"),
        (lambda: custom_root(lambda x: 1j * x, 1.0, lambda f, x: x, dense), ArgumentError, r"f\(\) output dtypes"),
        (lambda: custom_root(lambda x: x, 1.0, lambda f, x: x, dense, has_aux=True), ArgumentError, "a pair"),
        (lambda: custom_root(lambda x: x, "no", lambda f, x: x, dense), ArgumentError, "initial_guess|argument b"),
        (lambda: fg.linear_transpose(root_of, 4.0), NotDifferentiableError, "not known to be linear"),
    ],
)
def test_errors(call, error, text):
    with pytest.raises(error, match=text):
        call()
