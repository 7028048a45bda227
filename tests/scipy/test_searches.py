"""SciPy's searches take what funcgrad's transforms return, as it is.

Each search runs four times: with derivatives written by hand, the measure of what SciPy itself gives; with derivatives
of a plain NumPy function; of one that closes over Arrays, whose values are Arrays outside of transforms; and all of it
through jit. The result is the known solution and has the types that it has with derivatives written by hand. What the
function closes over and what the derivatives returned has not changed afterwards. A warning is a failure.
"""

from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np
import pytest

import funcgrad as fg
import funcgrad.numpy as fnp

pytest.importorskip("scipy")
from scipy import integrate, linalg, optimize, sparse
from scipy.sparse.linalg import LinearOperator, aslinearoperator


@dataclass
class Kit:
    """Where constants, functions and derivatives come from. It remembers all Arrays that SciPy may have seen."""

    arrays: bool = False
    compiled: bool = False
    by_hand: bool = False
    seen: list = field(default_factory=list)

    def constant(self, x):
        x = np.asarray(x, float)
        return self.remember(fnp.asarray(x)) if self.arrays else x

    def function(self, f):
        return self.remembered(fg.jit(f) if self.compiled else f)

    def derivative(self, transform, f, by_hand):
        if self.by_hand:
            return by_hand
        df = transform(f)
        return self.remembered(fg.jit(df) if self.compiled else df)

    def remembered(self, f):
        def remembering(*args):
            out = f(*args)
            fg.tree.map(self.remember, out)
            return out

        return remembering

    def remember(self, x):
        if type(x) is fg.Array and len(self.seen) < 100:
            self.seen.append((x, np.array(x)))
        return x  # the very Array, not a copy

    def check(self):
        assert not (self.by_hand and self.seen)
        for array, values in self.seen:
            np.testing.assert_array_equal(np.asarray(array), values)


KITS = {"plain": {}, "arrays": {"arrays": True}, "jit": {"arrays": True, "compiled": True}}
SEARCHES: dict[str, tuple[Callable, object]] = {}
"""By name: what runs the search with a kit, and the solution."""

# Minima. Rosenbrock's function of three variables, whose least value is 0, at (1, 1, 1).

ONES = np.ones(3)
NEAR = np.array([1.2, 1.1, 1.3])
BOX = [(0.0, 2.0)] * 3


def rosenbrock(kit):
    """Function, gradient, Hessian, and product of the Hessian with a vector."""
    c = kit.constant([100.0, 100.0])

    def f(x):
        return np.sum(c * (x[1:] - x[:-1] ** 2) ** 2 + (1 - x[:-1]) ** 2)

    return (
        kit.function(f),
        kit.derivative(fg.grad, f, optimize.rosen_der),
        kit.derivative(fg.hessian, f, optimize.rosen_hess),
        kit.derivative(lambda f: lambda x, v: fg.hvp(f, (x,), (v,)), f, optimize.rosen_hess_prod),
        kit.derivative(fg.value_and_grad, f, lambda x: (optimize.rosen(x), optimize.rosen_der(x))),
    )


def minimum(name, search, solution=ONES):
    SEARCHES[name] = (lambda kit: search(*rosenbrock(kit)), solution)


def minimize(method, second="", start=NEAR, **options):
    def search(f, g, h, hp, vg):
        fun, jac = (vg, True) if second == "jac=True" else (f, g)
        more = {"hess": {"hess": h}, "hessp": {"hessp": hp}}.get(second, {})
        return optimize.minimize(fun, start, method=method, jac=jac, tol=1e-12, **more, **options)

    return search


GRADIENT = ["CG", "BFGS", "L-BFGS-B", "TNC", "SLSQP", "trust-constr"]
for method in GRADIENT:
    minimum(f"minimize {method}", minimize(method))
for method in [*GRADIENT, "Newton-CG"]:
    minimum(f"minimize {method} jac=True", minimize(method, "jac=True"))
for method in ["Newton-CG", "trust-ncg", "trust-krylov", "trust-constr"]:
    minimum(f"minimize {method} hessp", minimize(method, "hessp"))
for method in ["Newton-CG", "trust-ncg", "trust-krylov", "trust-constr", "trust-exact"]:
    minimum(f"minimize {method} hess", minimize(method, "hess"))
minimum("minimize dogleg hess", minimize("dogleg", "hess", ONES + 0.05))  # the Hessian must be positive throughout
for method in ["L-BFGS-B", "TNC", "SLSQP", "trust-constr"]:
    minimum(f"minimize {method} bounds", minimize(method, bounds=BOX))
for start in (NEAR.tolist(), [1, 2, 1], fnp.asarray(NEAR)):
    for method in ["L-BFGS-B", "BFGS", "SLSQP", "TNC", "trust-constr"]:
        minimum(f"minimize {method} from {type(start[0]).__name__}", minimize(method, start=start))
for method in ["L-BFGS-B", "BFGS", "trust-constr"]:  # SciPy's TNC and SLSQP don't take float32 at all
    minimum(f"minimize {method} from float32", minimize(method, start=NEAR.astype(np.float32)))
for method in ["Nelder-Mead", "Powell", "L-BFGS-B"]:
    minimum(f"minimize {method} without a gradient", lambda f, g, h, hp, vg, method=method: optimize.minimize(
        f, NEAR, method=method, tol=1e-8))  # fmt: skip

minimum("fmin_l_bfgs_b", lambda f, g, h, hp, vg: optimize.fmin_l_bfgs_b(f, NEAR, fprime=g, pgtol=1e-9))
minimum("fmin_l_bfgs_b pair", lambda f, g, h, hp, vg: optimize.fmin_l_bfgs_b(vg, NEAR, pgtol=1e-9))
minimum("fmin_tnc", lambda f, g, h, hp, vg: optimize.fmin_tnc(f, NEAR, fprime=g, disp=0))
minimum("fmin_tnc pair", lambda f, g, h, hp, vg: optimize.fmin_tnc(vg, NEAR, disp=0))
minimum("fmin_slsqp", lambda f, g, h, hp, vg: optimize.fmin_slsqp(f, NEAR, fprime=g, disp=0, acc=1e-12))
minimum("fmin_bfgs", lambda f, g, h, hp, vg: optimize.fmin_bfgs(f, NEAR, fprime=g, disp=0))
minimum("fmin_cg", lambda f, g, h, hp, vg: optimize.fmin_cg(f, NEAR, fprime=g, disp=0))
minimum("fmin_ncg fhess", lambda f, g, h, hp, vg: optimize.fmin_ncg(f, NEAR, fprime=g, fhess=h, disp=0))
minimum("fmin_ncg fhess_p", lambda f, g, h, hp, vg: optimize.fmin_ncg(f, NEAR, fprime=g, fhess_p=hp, disp=0))
minimum("line_search", lambda f, g, h, hp, vg: optimize.line_search(f, g, ONES + 1, np.array([-1.0, -1.0, -1.0])), 1.0)
minimum("check_grad", lambda f, g, h, hp, vg: optimize.check_grad(f, g, NEAR), 0.0)
minimum("basinhopping", lambda f, g, h, hp, vg: optimize.basinhopping(
    f, NEAR, niter=3, minimizer_kwargs={"method": "L-BFGS-B", "jac": g}, rng=1))  # fmt: skip
minimum("dual_annealing", lambda f, g, h, hp, vg: optimize.dual_annealing(
    f, BOX, maxiter=20, minimizer_kwargs={"method": "L-BFGS-B", "jac": g, "bounds": BOX}, rng=1))  # fmt: skip
minimum("shgo", lambda f, g, h, hp, vg: optimize.shgo(
    f, BOX, minimizer_kwargs={"method": "SLSQP", "jac": g, "tol": 1e-12}, options={"jac": g}))  # fmt: skip
minimum("differential_evolution", lambda f, g, h, hp, vg: optimize.differential_evolution(
    f, BOX, maxiter=5, rng=1, polish=lambda f, x0, **_: optimize.minimize(f, x0, jac=g, tol=1e-12)))  # fmt: skip


def constrained(method, exact=True):
    """The least of (x - 2)² + (y - 1)² with x² = y and x + y <= 2 is at (1, 1)."""

    def search(kit):
        c = kit.constant([2.0, 1.0])

        def f(x):
            return np.sum((x - c) ** 2)

        def g(x):
            return np.stack([x[0] ** 2 - x[1], 2.0 - x[0] - x[1]])

        df = kit.derivative(fg.grad, f, lambda x: 2 * (x - np.asarray(c)))
        dg = kit.derivative(fg.jacrev, g, lambda x: np.array([[2 * x[0], -1.0], [-1.0, -1.0]]))
        if method == "SLSQP":
            constraints = [
                {"type": "eq", "fun": kit.function(lambda x: g(x)[0]), "jac": lambda x: dg(x)[0]},
                {"type": "ineq", "fun": kit.function(lambda x: g(x)[1:]), "jac": lambda x: dg(x)[1:]},
            ]
            return optimize.minimize(kit.function(f), [-1.2, 1.0], jac=df, method=method, constraints=constraints)
        curvature = kit.derivative(
            lambda g: fg.hessian(lambda x, v: np.dot(g(x), v)), g, lambda x, v: v[0] * np.diag([2.0, 0.0])
        )
        limits = [0.0, 0.0], kit.constant([0.0, np.inf])
        second = curvature if exact else optimize.BFGS()
        constraint = optimize.NonlinearConstraint(kit.function(g), *limits, jac=dg, hess=second)
        hessian = kit.derivative(fg.hessian, f, lambda x: 2 * np.eye(2))
        return optimize.minimize(
            kit.function(f), [-1.2, 1.0], jac=df, hess=hessian, method=method, constraints=constraint, tol=1e-10
        )

    return search, np.ones(2)


SEARCHES["SLSQP with constraints"] = constrained("SLSQP")
SEARCHES["trust-constr with constraints"] = constrained("trust-constr")
SEARCHES["trust-constr with constraints, BFGS"] = constrained("trust-constr", exact=False)

# Least squares: an exponential on its way to a constant, without noise.

TIMES = np.linspace(0, 2, 20)
DECAY = np.array([2.5, 1.3, 0.5])
FIRST = [1.0, 1.0, 0.0]
LIMITS = ([0.0, 0.0, -1.0], [10.0, 10.0, 10.0])


def decay(t, a, b, c):
    return a * np.exp(-b * t) + c


def decay_by_hand(t, a, b, c):
    return np.stack([np.exp(-b * t), -a * t * np.exp(-b * t), np.ones_like(t)], axis=1)


def fit(name, search, mode=fg.jacfwd):
    def run(kit):
        t, y = kit.constant(TIMES), kit.constant(decay(TIMES, *DECAY))

        def residuals(p):
            return p[0] * np.exp(-p[1] * t) + p[2] - y

        return search(kit.function(residuals), kit.derivative(mode, residuals, lambda p: decay_by_hand(TIMES, *p)))

    SEARCHES[name] = (run, DECAY)


for method in ("trf", "dogbox", "lm"):
    for mode in (fg.jacfwd, fg.jacrev):
        fit(f"least_squares {method} {mode.__name__}", lambda r, jac, m=method: optimize.least_squares(
            r, FIRST, jac=jac, method=m), mode)  # fmt: skip
    fit(f"least_squares {method} x_scale", lambda r, jac, m=method: optimize.least_squares(
        r, FIRST, jac=jac, method=m, x_scale="jac"))  # fmt: skip
for method in ("trf", "dogbox"):
    fit(f"least_squares {method} bounds", lambda r, jac, m=method: optimize.least_squares(
        r, FIRST, jac=jac, method=m, bounds=LIMITS))  # fmt: skip
    fit(f"least_squares {method} lsmr", lambda r, jac, m=method: optimize.least_squares(
        r, FIRST, jac=jac, method=m, tr_solver="lsmr"))  # fmt: skip
    for loss in ("soft_l1", "huber", "cauchy", "arctan"):
        fit(f"least_squares {method} {loss}", lambda r, jac, m=method, loss=loss: optimize.least_squares(
            r, FIRST, jac=jac, method=m, loss=loss, xtol=1e-12, ftol=1e-12, gtol=1e-12))  # fmt: skip
for start in (np.float32(FIRST), [1, 1, 0], fnp.asarray(FIRST)):
    fit(f"least_squares from {type(start[0]).__name__}", lambda r, jac, start=start: optimize.least_squares(
        r, start, jac=jac))  # fmt: skip
fit("leastsq", lambda r, jac: optimize.leastsq(r, FIRST, Dfun=jac, full_output=True))


def curve(**options):
    def run(kit):
        def jacobian(model):
            return lambda t, *p: fg.jacfwd(lambda q: model(t, *q))(np.stack(p))

        return optimize.curve_fit(
            kit.function(decay),
            kit.constant(TIMES),
            kit.constant(decay(TIMES, *DECAY)),
            FIRST,
            jac=kit.derivative(jacobian, decay, decay_by_hand),
            full_output=True,
            **options,
        )

    return run, DECAY


SEARCHES["curve_fit"] = curve()
SEARCHES["curve_fit bounds"] = curve(bounds=LIMITS)
SEARCHES["curve_fit dogbox"] = curve(bounds=LIMITS, method="dogbox")
SEARCHES["curve_fit sigma"] = curve(sigma=np.full(20, 0.1), absolute_sigma=True)

# Roots.

NEARBY = [1.1, 1.9]


def roots(name, search):
    def run(kit):
        c = kit.constant([3.0, 5.0])

        def f(x):
            return np.stack([x[0] ** 2 + x[1] - c[0], x[0] + x[1] ** 2 - c[1]])

        return search(
            kit.function(f), kit.derivative(fg.jacfwd, f, lambda x: np.array([[2 * x[0], 1.0], [1.0, 2 * x[1]]]))
        )

    SEARCHES[name] = (run, np.array([1.0, 2.0]))


for method in ("hybr", "lm"):
    roots(f"root {method}", lambda f, jac, m=method: optimize.root(f, NEARBY, jac=jac, method=m))
    roots(f"root {method} jac=True", lambda f, jac, m=method: optimize.root(
        lambda x: (f(x), jac(x)), NEARBY, jac=True, method=m))  # fmt: skip
    roots(f"root {method} col_deriv", lambda f, jac, m=method: optimize.root(
        f, NEARBY, jac=lambda x: jac(x).T, method=m, options={"col_deriv": True}))  # fmt: skip
for method in ("broyden1", "anderson", "diagbroyden", "krylov", "df-sane"):
    roots(f"root {method}", lambda f, jac, m=method: optimize.root(f, NEARBY, method=m, tol=1e-9))
roots("root krylov with inner_M", lambda f, jac: optimize.root(
    f, NEARBY, method="krylov", tol=1e-9, options={"jac_options": {"inner_M": aslinearoperator(np.eye(2))}}
))  # fmt: skip
roots("fsolve", lambda f, jac: optimize.fsolve(f, NEARBY, fprime=jac))
roots("fsolve full_output", lambda f, jac: optimize.fsolve(f, NEARBY, fprime=jac, full_output=True))


def cube(name, search):
    """x³ = 8"""

    def run(kit):
        c = kit.constant(8.0)

        def f(x):
            return x**3 - c

        return search(
            kit.function(f),
            kit.derivative(fg.grad, f, lambda x: 3 * x**2),
            kit.derivative(lambda f: fg.grad(fg.grad(f)), f, lambda x: 6 * x),
        )

    SEARCHES[name] = (run, 2.0)


cube("root_scalar newton", lambda f, d, d2: optimize.root_scalar(f, x0=1.5, fprime=d))
cube("root_scalar halley", lambda f, d, d2: optimize.root_scalar(f, x0=1.5, fprime=d, fprime2=d2))
cube("root_scalar halley, one function", lambda f, d, d2: optimize.root_scalar(
    lambda x: (f(x), d(x), d2(x)), x0=1.5, fprime=True, fprime2=True))  # fmt: skip
cube("root_scalar secant", lambda f, d, d2: optimize.root_scalar(f, x0=1.5, x1=1.6))
for method in ("bisect", "brentq", "brenth", "ridder", "toms748"):
    cube(f"root_scalar {method}", lambda f, d, d2, m=method: optimize.root_scalar(f, bracket=(0.5, 3.0), method=m))
cube("newton", lambda f, d, d2: optimize.newton(f, 1.5, fprime=d))
cube("newton with fprime2", lambda f, d, d2: optimize.newton(f, 1.5, fprime=d, fprime2=d2))


def several_roots(kit):
    c = kit.constant([8.0, 27.0])
    f = lambda x: x**3 - c
    along = lambda f: lambda x: fg.jvp(f, (x,), (np.ones(2),))[1]
    return optimize.newton(kit.function(f), np.array([1.5, 2.5]), fprime=kit.derivative(along, f, lambda x: 3 * x**2))


SEARCHES["newton of a vector"] = (several_roots, np.array([2.0, 3.0]))

# Differential equations.

STIFF = np.array([[-50.0, 1.0], [0.0, -0.5]])
AT_TWO = linalg.expm(2 * STIFF) @ np.ones(2)


def initial_value(method, **options):
    def run(kit):
        a = kit.constant(STIFF)
        f = lambda t, y: a @ y
        if method in ("Radau", "BDF", "LSODA"):
            options["jac"] = kit.derivative(lambda f: fg.jacfwd(f, argnums=1), f, lambda t, y: STIFF)
        found = integrate.solve_ivp(kit.function(f), (0, 2), np.ones(2), method=method, rtol=1e-7, atol=1e-9, **options)
        found.x = found.y[:, -1]
        return found

    return run, AT_TWO


for method in ("Radau", "BDF", "LSODA", "RK45", "DOP853"):
    SEARCHES[f"solve_ivp {method}"] = initial_value(method)
    SEARCHES[f"solve_ivp {method} with events"] = initial_value(
        method, t_eval=[0.0, 1.0, 2.0], events=lambda t, y: y[1] - 0.7, dense_output=True
    )


def odeint(kit):
    a = kit.constant(STIFF)
    f = lambda y, t: a @ y
    df = kit.derivative(fg.jacfwd, f, lambda y, t: STIFF)
    return integrate.odeint(kit.function(f), [1.0, 1.0], [0.0, 1.0, 2.0], Dfun=df)[-1]


SEARCHES["odeint"] = (odeint, AT_TWO)


def boundary_value(kit):
    """y'' = -y, y(0) = 0, y(π/2) = 1: the sine."""
    a = kit.constant([[0.0, 1.0], [-1.0, 0.0]])
    f = lambda x, y: a @ y
    ends = lambda ya, yb: np.stack([ya[0], yb[0] - 1.0])
    df = kit.derivative(
        lambda f: lambda x, y: fg.vmap(fg.jacfwd(f, argnums=1), in_axes=(0, 1), out_axes=2)(x, y),
        f,
        lambda x, y: np.repeat(np.asarray(a)[:, :, None], x.size, axis=2),
    )
    d_ends = kit.derivative(
        lambda g: fg.jacfwd(g, argnums=(0, 1)),
        ends,
        lambda ya, yb: (np.array([[1.0, 0], [0, 0]]), np.array([[0.0, 0], [1, 0]])),
    )
    x = np.linspace(0, np.pi / 2, 5)
    found = integrate.solve_bvp(
        kit.function(f), kit.function(ends), x, np.zeros((2, 5)), fun_jac=df, bc_jac=d_ends, tol=1e-8
    )
    found.pop("x"), found.pop("yp"), found.pop("rms_residuals")
    found.x = found.sol(np.pi / 6)
    return found


SEARCHES["solve_bvp"] = (boundary_value, [0.5, np.sqrt(0.75)])

# Linear systems and eigenvalues, of a Hessian that is never made and of one that is.

MATRIX = np.diag(np.arange(1.0, 9.0)) + 0.1
RIGHT = np.arange(8.0)
SOLUTION, EIGENVALUES = np.linalg.solve(MATRIX, RIGHT), np.linalg.eigvalsh(MATRIX)


def system(name, search, solution=SOLUTION):
    def quadratic(kit):
        a = kit.constant(MATRIX)
        return lambda x: 0.5 * x @ a @ x

    def of_products(kit):
        f = quadratic(kit)
        zero = np.zeros(8)
        hp = kit.derivative(lambda f: lambda v: fg.hvp(f, (zero,), (np.reshape(v, 8),)), f, lambda v: MATRIX @ v)
        return search(LinearOperator((8, 8), matvec=hp, rmatvec=hp), kit.constant(RIGHT))

    def of_matrix(kit):
        hessian = kit.derivative(fg.hessian, quadratic(kit), lambda x: MATRIX)
        return search(hessian(np.zeros(8)), kit.constant(RIGHT))

    SEARCHES[f"{name} of products"] = (of_products, solution)
    SEARCHES[f"{name} of a Hessian"] = (of_matrix, solution)


for method in ["cg", "cgs", "bicg", "bicgstab", "gmres", "lgmres", "minres", "gcrotmk", "tfqmr"]:
    system(method, lambda a, b, m=method: getattr(sparse.linalg, m)(a, b, rtol=1e-12))
system("lsqr", lambda a, b: sparse.linalg.lsqr(a, b, atol=1e-14, btol=1e-14)[0])
system("lsmr", lambda a, b: sparse.linalg.lsmr(a, b, atol=1e-14, btol=1e-14)[0])
system("eigsh", lambda a, b: sparse.linalg.eigsh(a, k=2, v0=np.ones(8))[0], EIGENVALUES[-2:])
system("eigs", lambda a, b: np.sort(sparse.linalg.eigs(a, k=2, v0=np.ones(8))[0].real), EIGENVALUES[-2:])
system("svds", lambda a, b: sparse.linalg.svds(a, k=2, v0=np.ones(8))[1], EIGENVALUES[-2:])
system("aslinearoperator", lambda a, b: aslinearoperator(a).matvec(np.ones(8)), MATRIX @ np.ones(8))
system("adjoint", lambda a, b: aslinearoperator(a).rmatvec(np.ones(8)), MATRIX.T @ np.ones(8))


def test_a_complex_matrix_has_its_adjoint():
    m = MATRIX + 1j * np.triu(MATRIX)
    v = np.arange(8.0) + 1j
    operator = aslinearoperator(fg.Array(m))
    np.testing.assert_allclose(operator.matvec(v), m @ v)
    np.testing.assert_allclose(operator.rmatvec(v), m.conj().T @ v)
    np.testing.assert_allclose(operator.matmat(m), m @ m)


def test_a_traced_matrix_is_refused():
    with pytest.raises(fg.errors.LostTraceError):
        fg.grad(lambda a: np.sum(aslinearoperator(a).matvec(np.ones(8))))(MATRIX)


def test_a_hessian_becomes_sparse():
    hessian = fg.hessian(lambda x: np.sum(x**4))(np.ones(3))
    np.testing.assert_array_equal(sparse.csr_array(hessian).toarray(), 12 * np.eye(3))


# What does not hold, and why. An entry that holds after all fails.

COMPUTED = {
    "check_grad", "line_search", "minimize trust-ncg hessp", "newton", "newton with fprime2", "root_scalar newton",
    "root_scalar halley", "root_scalar halley, one function",
}  # fmt: skip
"""SciPy gives the result of `-` or `/` with what the derivative returned: it is an Array with the right numbers."""

COMPUTED_FROM_VALUES = COMPUTED | {"root_scalar secant"}
"""The same with what the function itself returned."""


def solution_of(result):
    if isinstance(result, dict):
        return result["x"] if "x" in result else result["root"]
    return result[0] if isinstance(result, tuple) else result


def kinds(result):
    """The types in a result. A number may be one of Python or of NumPy, as SciPy itself has it."""
    if isinstance(result, dict):
        return {k: kinds(v) for k, v in result.items()}
    if isinstance(result, tuple | list):
        return type(result), [kinds(v) for v in result]
    if isinstance(result, np.ndarray | fg.Array):
        return type(result), str(result.dtype), np.ndim(result)
    return float if isinstance(result, float) else type(result)


@pytest.mark.parametrize("kit", KITS)
@pytest.mark.parametrize("name", SEARCHES)
def test_search(name, kit):
    search, solution = SEARCHES[name]
    by_hand, kit = Kit(by_hand=True), Kit(**KITS[kit])
    expected = search(by_hand)
    by_hand.check()
    result = search(kit)
    kit.check()
    np.testing.assert_allclose(np.asarray(solution_of(result), float), solution, atol=2e-5)
    arrays = "funcgrad" in str(kinds(result))
    assert arrays == (name in (COMPUTED_FROM_VALUES if kit.arrays else COMPUTED))
    if not arrays:
        assert kinds(result) == kinds(expected)
