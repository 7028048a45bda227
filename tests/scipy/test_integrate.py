"""odeint: solutions against closed forms and SciPy's, derivatives against those, finite differences and JAX's."""

import numpy as np
import pytest

import funcgrad as fg
import funcgrad.numpy as fnp
from funcgrad.errors import ArgumentError, ShapeError
from funcgrad.experimental.ode import odeint as jax_odeint
from funcgrad.scipy import dormand_prince
from funcgrad.scipy.integrate import odeint
from funcgrad.scipy.optimize import ConvergenceError
from funcgrad.testing import check_grads

LOOSE = {"rtol": 1e-4, "atol": 1e-5}  # of finite differences of solutions to eight digits


def close(found, expected, rtol=1e-6, atol=1e-7):
    for f, e in zip(fg.tree.leaves(found), fg.tree.leaves(expected), strict=True):
        np.testing.assert_allclose(np.asarray(f), np.asarray(e), rtol=rtol, atol=atol)


def pendulum(y, t, damping, gravity):
    return fnp.stack([y[1], -damping * y[1] - gravity * fnp.sin(y[0])])


Y0 = np.array([3.0, 0.0])
TIMES = np.linspace(0.0, 1.0, 5)


def swing(y0=Y0, t=TIMES, damping=0.25, gravity=9.8, **options):
    return odeint(pendulum, y0, t, damping, gravity, **options)


def test_as_in_scipy():
    scipy = pytest.importorskip("scipy.integrate")

    def f(t, y):
        return np.array([y[1], -0.25 * y[1] - 9.8 * np.sin(y[0])])

    t = np.linspace(0.0, 3.0, 40)
    expected = scipy.solve_ivp(f, (0.0, 3.0), Y0, t_eval=t, rtol=1e-12, atol=1e-12).y.T
    close(swing(t=t), expected, rtol=0, atol=1e-6)
    close(swing(t=t, rtol=1e-11, atol=1e-11), expected, rtol=0, atol=1e-9)


def test_derivatives_as_in_jax():
    """Recorded from jax.experimental.ode.odeint."""

    def f(y, t, a, b):
        return fnp.stack([a * y[0] - b * y[0] * y[1], b * y[0] * y[1] - y[1]])

    args = np.array([1.0, 0.5]), np.array([0.0, 0.7, 1.5, 4.0]), 1.2, 0.8
    expected = [[1.0, 0.5], [1.7549105, 0.52699971], [2.89657279, 1.06009249], [0.36576509, 1.79045776]]
    close(odeint(f, *args), np.array(expected))
    g = fg.grad(lambda *args: fnp.sum(fnp.sin(odeint(f, *args))), argnums=(0, 1, 2, 3))(*args)
    expected = (
        np.array([0.94780183, 5.89622308]),
        np.array([0.17586427, -0.06609773, -0.30637709, 0.19661055]),
        -2.56270591,
        6.40383738,
    )
    close(g, expected)


def test_derivatives():
    check_grads(swing, (Y0, TIMES[[0, 2, 4]], 0.25, 9.8), order=2, **LOOSE)


def test_derivatives_of_an_exponential():
    """y = y0 exp(c (t - t0)), for which everything is known."""

    def f(y0, t, c):
        return odeint(lambda y, t, c: c * y, y0, t, c)

    def exact(y0, t, c):
        return y0 * fnp.exp(c * (t - t[0]))

    args = 2.0, np.array([0.5, 1.0, 2.0]), -0.7
    every = {"argnums": (0, 1, 2)}
    close(f(*args), exact(*args))
    close(fg.jacrev(f, **every)(*args), fg.jacrev(exact, **every)(*args))
    close(fg.jacfwd(f, **every)(*args), fg.jacfwd(exact, **every)(*args))

    def loss(g):
        return lambda *args: fnp.sum(fnp.sin(g(*args)))

    close(fg.hessian(loss(f), **every)(*args), fg.hessian(loss(exact), **every)(*args), rtol=1e-5, atol=1e-6)
    twice = [fg.grad(lambda c: fg.grad(loss(g), argnums=2)(*args[:2], c))(-0.7) for g in (f, exact)]
    close(*twice, rtol=1e-5)
    thrice = [fg.grad(fg.grad(fg.grad(lambda c: loss(g)(*args[:2], c))))(-0.7) for g in (f, exact)]
    close(*thrice, rtol=1e-4)


def test_pytrees_and_closures():
    def f(p):
        def slope(y, t, q):
            return {"a": -p["k"] * y["a"] + q * y["b"], "b": (fnp.sin(t) * y["a"] * p["w"]).sum()}

        return odeint(slope, {"a": 1.0, "b": p["b"]}, np.array([0.0, 0.5, 1.0]), p["q"])

    p = {"k": 0.5, "q": 0.3, "b": 2.0, "w": np.array([0.1, 0.2])}
    y = f(p)
    assert y["a"].shape == y["b"].shape == (3,)
    check_grads(f, (p,), order=2, **LOOSE)


def test_complex():
    def f(y0, t, c):
        return odeint(lambda y, t, c: c * y, y0, t, c)

    y0, t, c = 1 + 2j, np.linspace(0.0, 1.0, 5), 3 + 4j
    close(f(y0, t, c), y0 * np.exp(c * t))
    check_grads(lambda *args: f(*args).real, (y0, t, c), order=2, **LOOSE)
    g = fg.grad(lambda c: f(y0, t, c)[-1].real)(c)
    close(g, y0 * np.exp(c))  # JAX's convention: the derivative of a holomorphic function, unconjugated
    mixed = odeint(lambda y, t: (y[1].real, 1j * y[1]), (0.0, 1.0 + 0j), np.array([0.0, 1.0]))
    close(mixed, (np.array([0.0, np.sin(1.0)]), np.exp(1j * np.array([0.0, 1.0]))))
    assert mixed[0].dtype == float


AXES = [(0, None, None), (0, None, 0), (None, None, 0), (0, 0, None), (None, 0, 0)]


@pytest.mark.parametrize("axes", AXES)
def test_batches(axes):
    args = [
        np.stack([Y0, Y0 / 2, Y0 / 10]) if axes[0] == 0 else Y0,
        np.stack([TIMES, 2 * TIMES, 3 * TIMES]) if axes[1] == 0 else TIMES,
        np.array([0.1, 0.2, 0.3]) if axes[2] == 0 else 0.25,
    ]

    def each(f):
        rows = [f(*[x[i] if axis == 0 else x for x, axis in zip(args, axes, strict=True)]) for i in range(3)]
        return fg.tree.map(lambda *xs: np.stack(xs), *rows)

    close(fg.vmap(swing, axes)(*args), each(swing), atol=1e-6)
    g = fg.grad(lambda *args: fnp.sum(swing(*args) ** 2), argnums=(0, 1, 2))
    close(fg.vmap(g, axes)(*args), each(g), rtol=1e-5, atol=1e-4)
    total = fg.grad(lambda *args: fnp.sum(fg.vmap(swing, axes)(*args) ** 2), argnums=(0, 1, 2))(*args)
    close(total, [e if axis == 0 else e.sum(0) for e, axis in zip(each(g), axes, strict=True)], rtol=1e-5, atol=1e-4)
    t = fg.vmap(lambda *args: fg.jvp(lambda c: swing(*args[:2], c), (args[2],), (1.0,))[1], axes)(*args)
    close(t, each(lambda *args: fg.jvp(lambda c: swing(*args[:2], c), (args[2],), (1.0,))[1]), rtol=1e-5, atol=1e-5)


def test_batches_of_batches():
    f = fg.vmap(fg.vmap(lambda y, c: swing(y, TIMES, c), (None, 0)), (0, None))
    y, c = np.stack([Y0, Y0 / 2]), np.array([0.1, 0.2, 0.3])
    expected = np.stack([np.stack([swing(a, TIMES, b) for b in c]) for a in y])
    close(f(y, c), expected, atol=1e-6)
    assert fg.vmap(lambda t: swing(t=t))(np.zeros((0, 5))).shape == (0, 5, 2)


def test_an_easy_example_does_not_hide_a_hard_one():
    """In a batch of many that hardly move, the error of the one that does is what counts."""
    y0 = np.concatenate([[3.0], np.full(999, 1e-12)])
    batch = fg.vmap(lambda y: odeint(pendulum, fnp.stack([y, 0.0 * y]), np.array([0.0, 3.0]), 0.25, 9.8))(y0)
    exact = swing(t=np.array([0.0, 3.0]), rtol=1e-12, atol=1e-12)
    close(batch[0], exact, rtol=0, atol=1e-6)


def test_on_tapes():
    tape = fg.make_tape(lambda c: swing(damping=c))(0.25)
    assert [e.primitive.name for e in tape if e.primitive.name != "item"] == ["odeint"]
    close(tape(0.5), swing(damping=0.5))
    g = fg.grad(lambda c: swing(damping=c).sum())
    close(fg.grad(lambda c: tape(c).sum())(0.5), g(0.5))
    close(fg.make_tape(g)(0.25)(0.5), g(0.5))
    close(fg.vmap(tape)(np.array([0.1, 0.5]))[1], swing(damping=0.5), atol=1e-6)
    close(fg.grad(fg.checkpoint(lambda c: swing(damping=c).sum()))(0.5), g(0.5))


def test_memory_is_that_of_the_results():
    """However many steps there were in between."""
    kept = [fg.vjp(lambda c: swing(damping=c, hmax=h), 0.25)[1].tape.residual_bytes for h in (1.0, 1e-3)]
    assert kept[0] == kept[1] < 1000


def test_backwards_in_time():
    close(odeint(lambda y, t: -y, 1.0, np.array([1.0, 0.5, 0.0])), np.exp([0.0, 0.5, 1.0]))
    close(fg.grad(lambda c: odeint(lambda y, t: -c * y, 1.0, np.array([1.0, 0.0]))[-1])(1.0), np.e)
    there = swing()
    back = odeint(pendulum, there[-1], TIMES[::-1], 0.25, 9.8)
    close(back[::-1], there, atol=1e-6)


def test_few_times():
    close(swing(t=TIMES[:1]), Y0[None])
    close(fg.grad(lambda y: swing(y, TIMES[:1]).sum())(Y0), np.ones(2))
    same = odeint(lambda y, t: y, 1.0, np.array([0.0, 0.0, 1.0, 1.0]))
    close(same, np.exp([0.0, 0.0, 1.0, 1.0]))


def test_a_slope_that_decides_by_values():
    def f(c):
        return odeint(lambda y, t, c: -c * y if t < 0.5 else 0.0 * y, 1.0, np.array([0.0, 0.5, 1.0]), c, hmax=0.01)

    close(f(2.0), np.exp([0.0, -1.0, -1.0]), rtol=1e-4)
    close(fg.grad(lambda c: f(c)[-1])(2.0), -0.5 * np.exp(-1.0), rtol=1e-3)


def test_dtypes():
    y = odeint(lambda y, t: -y, np.float32(1.0), np.linspace(0, 1, 3, dtype=np.float32))
    assert y.dtype == np.float32
    close(y, np.exp([0.0, -0.5, -1.0]), rtol=1e-5)
    assert odeint(lambda y, t: -y, 1, TIMES).dtype == float
    assert odeint(lambda y, t: -y, np.zeros(0), TIMES).shape == (5, 0)


def test_order_of_the_method():
    """With steps of a given length the error falls with their fifth power; between the ends with the fourth."""

    def error(n, t):
        times = np.array([0.0, t, 1.0])
        y = dormand_prince.integrate(
            lambda y, t: y * np.cos(t), np.ones(1), times, lambda e: 0.3, 1.0, 1.0, np.inf, 1.0 / n
        )
        return abs(y[1, 0] - np.exp(np.sin(t)))

    assert np.log2(error(8, 1.0) / error(16, 1.0)) == pytest.approx(5, abs=0.5)
    assert np.log2(error(8, 0.45) / error(16, 0.475)) > 3.5


@pytest.mark.parametrize(
    "call, error, text",
    [
        (lambda: swing(t=np.array([0, 1])), TypeError, "t must be an array of floats"),
        (lambda: swing(t=1.0), ShapeError, "a vector of times"),
        (lambda: swing(t=np.array([0.0, 2.0, 1.0])), ValueError, "must be increasing"),
        (lambda: swing(t=np.array([0.0, np.nan])), ValueError, "must be increasing"),
        (lambda: odeint(pendulum, Y0, TIMES, "a", 1.0), TypeError, "argument 3 .*must be an array"),
        (lambda: odeint(lambda y, t: y[:1], Y0, TIMES), ShapeError, r"like y0: .*float64\[2\].*float64\[1\]"),
        (lambda: odeint(lambda y, t: (y, y), Y0, TIMES), ValueError, "like y0"),
        (lambda: odeint(lambda y, t: 1j * y, Y0, TIMES), ArgumentError, "y0 must be complex"),
        (lambda: odeint(lambda y, t: y**2, 1.0, np.array([0.0, 2.0])), ConvergenceError, r"step length.*t = 1\.0"),
        (lambda: swing(mxstep=3), ConvergenceError, "mxstep=3"),
    ],
)
def test_errors(call, error, text):
    with pytest.raises(error, match=text):
        call()


# The two ways of calling it.


def growth(y, t, a, b):
    return a * y + b * t


def test_further_arguments_as_in_scipy():
    scipy = pytest.importorskip("scipy.integrate")
    a, b = np.array([0.3, -0.4]), np.array([1.0, 2.0])
    expected = scipy.odeint(growth, [1.0, 2.0], TIMES, args=(a, b), rtol=1e-11, atol=1e-11)
    for found in (
        odeint(growth, [1.0, 2.0], TIMES, args=(a, b)),
        odeint(growth, [1.0, 2.0], TIMES, (a, b)),
        odeint(growth, [1.0, 2.0], TIMES, a, b),
        odeint(lambda t, y, a, b: growth(y, t, a, b), [1.0, 2.0], TIMES, (a, b), tfirst=True, hmax=0, mxstep=0),
        jax_odeint(growth, np.array([1.0, 2.0]), TIMES, a, b),
        jax_odeint(lambda y, t, ab: growth(y, t, *ab), np.array([1.0, 2.0]), TIMES, (a, b)),
    ):
        close(found, expected)


def test_a_list_of_numbers_is_a_vector_as_in_scipy_and_a_pytree_as_in_jax():
    def f(y, t):
        return [y[1], -y[0]]

    expected = np.stack([np.cos(TIMES), -np.sin(TIMES)], axis=1)
    close(odeint(f, [1.0, 0.0], TIMES), expected)
    close(odeint(lambda y, t: A_TURN @ y, [1.0, 0.0], TIMES), expected)
    close(jax_odeint(f, [1.0, 0.0], TIMES), list(expected.T))
    close(jax_odeint(lambda y, t: fnp.stack([y[1], -y[0]]), [1.0, 0.0], TIMES), list(expected.T))
    last = fg.grad(lambda v: odeint(f, [v, 0.0], TIMES)[-1, 0])
    assert abs(float(last(1.0)) - np.cos(TIMES[-1])) < 1e-6


A_TURN = np.array([[0.0, 1.0], [-1.0, 0.0]])


def test_derivatives_in_args():
    def f(a, b):
        return fnp.sum(fnp.sin(odeint(growth, Y0, TIMES, args=(a, b))))

    check_grads(f, (np.array([0.3, -0.4]), np.array([1.0, 2.0])), order=1, **LOOSE)
    check_grads(fg.jit(f), (np.array([0.3, -0.4]), np.array([1.0, 2.0])), order=1, **LOOSE)
