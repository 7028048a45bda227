"""Fit a model with scipy.optimize.minimize: exact derivatives against finite differences, same optimiser.

    pip install 'funcgrad[examples]'
    python -m doctest -v examples/scipy_minimize.py    # the story
    python examples/scipy_minimize.py                  # the full work, with its picture

The problem is "Thurber" of the NIST Statistical Reference Datasets, of the higher level of difficulty: the mobility
of electrons in a semiconductor against the logarithm of their density, modelled by a quotient of two cubics. NIST
certifies the solution to eleven digits (https://www.itl.nist.gov/div898/strd/nls/data/thurber.shtml).

The trust-region Newton method asks for three things: the function, its gradient, and products of the Hessian with a
vector. funcgrad gives the last two exactly, the product without ever forming the Hessian. What it returns goes into
SciPy as it is.

>>> gradient = fg.grad(misfit)
>>> product = lambda u, v: fg.jvp(gradient, (u,), (v,))[1]
>>> result = minimize(fg.value_and_grad(misfit), np.ones(7), method="trust-ncg", jac=True, hessp=product)
>>> result.success, bool(correct_digits(result.x * START) > 8)
(True, True)

With finite differences of the same function the same method stops early:

>>> result, calls, seconds = fit(differences())
>>> bool(correct_digits(result.x * START) < 7)
True
"""

import argparse
import time
from pathlib import Path

import numpy as np

import funcgrad as fg
import funcgrad.numpy as fnp

try:
    import matplotlib
    from scipy.optimize import approx_fprime, minimize

    matplotlib.use("Agg")  # draw into a file, also where there is no screen
    import matplotlib.pyplot as plt
except ImportError as error:
    raise SystemExit(f"This example also needs {error.name}: pip install 'funcgrad[examples]'") from None

# fmt: off
MOBILITY = np.array([
    80.574, 84.248, 87.264, 87.195, 89.076, 89.608, 89.868, 90.101, 92.405, 95.854, 100.696, 101.060, 401.672, 390.724,
    567.534, 635.316, 733.054, 759.087, 894.206, 990.785, 1090.109, 1080.914, 1122.643, 1178.351, 1260.531, 1273.514,
    1288.339, 1327.543, 1353.863, 1414.509, 1425.208, 1421.384, 1442.962, 1464.350, 1468.705, 1447.894, 1457.628,
])
LOG_DENSITY = np.array([
    -3.067, -2.981, -2.921, -2.912, -2.840, -2.797, -2.702, -2.699, -2.633, -2.481, -2.363, -2.322, -1.501, -1.460,
    -1.274, -1.212, -1.100, -1.046, -0.915, -0.714, -0.566, -0.545, -0.400, -0.309, -0.109, -0.103, 0.010, 0.119, 0.377,
    0.790, 0.963, 1.006, 1.115, 1.572, 1.841, 2.047, 2.200,
])
# fmt: on
START = np.array([1000, 1000, 400, 40, 0.7, 0.3, 0.03])
CERTIFIED = np.array(
    [1288.1396800, 1491.0792535, 583.23836877, 75.416644291, 0.96629502864, 0.39797285797, 0.049727297349]
)


def model(b, x):
    """The mobility by seven parameters and the logarithm of the density, which is 0 where only the first one counts.

    >>> print(model(CERTIFIED, 0.0))
    1288.13968
    """
    b1, b2, b3, b4, b5, b6, b7 = b
    return (b1 + x * (b2 + x * (b3 + x * b4))) / (1 + x * (b5 + x * (b6 + x * b7)))


def misfit(scaled):
    """Half the sum of squared residuals; the parameters in units of their starting values, for they differ by 1e5.

    NIST certifies the sum at the solution: 5642.7082397.

    >>> print(f"{2 * misfit(CERTIFIED / START):.7f}")
    5642.7082397
    """
    return fnp.sum((model(scaled * START, LOG_DENSITY) - MOBILITY) ** 2) / 2


class Counted:
    """A function that counts its calls.

    >>> square = Counted(lambda x: x * x)
    >>> square(2) + square(3), square.calls
    (13, 2)
    """

    def __init__(self, f):
        self.f, self.calls = f, 0

    def __call__(self, *args):
        self.calls += 1
        return self.f(*args)


def exact():
    """The callbacks for `minimize`, by automatic differentiation."""
    gradient = fg.grad(misfit)
    value_and_gradient = Counted(fg.value_and_grad(misfit))
    hessian_product = Counted(lambda u, v: fg.jvp(gradient, (u,), (v,))[1])
    return value_and_gradient, hessian_product, (value_and_gradient, hessian_product)


def differences():
    """The same callbacks by finite differences of the plain NumPy function."""
    f = Counted(lambda u: 0.5 * np.sum((model(u * START, LOG_DENSITY) - MOBILITY) ** 2))

    def gradient(u):
        return approx_fprime(u, f)

    def hessian_product(u, v):
        step = 1e-5 / (np.linalg.norm(v) or 1)
        return (gradient(u + step * v) - gradient(u - step * v)) / (2 * step)

    return lambda u: (f(u), gradient(u)), hessian_product, (f,)


def fit(callbacks):
    fun, hessp, counted = callbacks
    start = time.perf_counter()
    result = minimize(fun, np.ones(7), method="trust-ncg", jac=True, hessp=hessp)
    seconds = time.perf_counter() - start
    return result, [c.calls for c in counted], seconds


def correct_digits(b):
    """How many leading digits agree with the certified ones, for the worst parameter.

    >>> correct_digits(CERTIFIED * 1.001).round(6)
    np.float64(3.0)
    """
    return -np.log10(np.max(np.abs(b / CERTIFIED - 1)))


def draw(path, by_exact, by_differences):
    """Left the data and the fit; right how far each parameter is from its certified value, for both searches.

    Arguments:
        path: where to save the picture.
        by_exact, by_differences: for both searches the parameters, and how often the model was evaluated.
    """
    figure, (left, right) = plt.subplots(1, 2, figsize=(10, 3.8), layout="constrained")
    fine = np.linspace(LOG_DENSITY[0], LOG_DENSITY[-1], 400)
    left.plot(LOG_DENSITY, MOBILITY, "o", color="black", markersize=4, label="measured")
    left.plot(fine, model(by_exact[0], fine), color="tab:blue", label="fitted")
    left.set(xlabel="logarithm of the density", ylabel="mobility of electrons")
    left.legend()
    for (b, evaluations), name, colour in (
        (by_exact, "exact derivatives", "tab:blue"),
        (by_differences, "finite differences", "tab:orange"),
    ):
        errors = np.abs(b / CERTIFIED - 1)
        right.semilogy(range(1, 8), errors, "o-", color=colour, label=f"{name}: {evaluations} evaluations")
    right.set(xlabel="parameter", title="relative error against the certified values", ylim=(1e-13, 1))
    right.legend(loc="upper right")
    figure.savefig(path, dpi=90)


def main():
    parser = argparse.ArgumentParser(description="Fit a problem of NIST with exact derivatives and with differences.")
    parser.add_argument("--out", type=Path, default=Path("scipy_minimize.png"), help="where to save the picture")
    options = parser.parse_args()
    by_ad, (n_gradients, n_products), ad_seconds = fit(exact())
    by_fd, (n_values,), fd_seconds = fit(differences())
    ad, fd = by_ad.x * START, by_fd.x * START

    print(f"{'parameter':<12}{'certified':>18}{'exact derivatives':>22}{'finite differences':>22}")
    for i in range(7):
        print(f"b{i + 1:<11}{CERTIFIED[i]:>18.11g}{ad[i]:>22.11g}{fd[i]:>22.11g}")
    print(f"{'correct digits':<30}{correct_digits(ad):>22.1f}{correct_digits(fd):>22.1f}")
    print(f"{'iterations':<30}{by_ad.nit:>22}{by_fd.nit:>22}")
    print(f"{'converged':<30}{'yes' if by_ad.success else 'no':>22}{'yes' if by_fd.success else 'no':>22}")
    print(f"{'calls: value and gradient':<30}{n_gradients:>22}{by_fd.njev:>22}")
    print(f"{'calls: Hessian times vector':<30}{n_products:>22}{by_fd.nhev:>22}")
    print(f"{'evaluations of the model':<30}{n_gradients + n_products:>22}{n_values:>22}")
    print(f"{'time':<30}{ad_seconds * 1000:>19.0f} ms{fd_seconds * 1000:>19.0f} ms")
    draw(options.out, (ad, n_gradients + n_products), (fd, n_values))
    print(f"{'picture':<30}{options.out!s:>22}")


if __name__ == "__main__":
    main()
