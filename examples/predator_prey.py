"""Fit a differential equation to a hundred years old counts of hares and lynxes, and ask which counts decide the fit.

    pip install 'funcgrad[examples]'
    python -m doctest -v examples/predator_prey.py    # the story
    python examples/predator_prey.py                  # the full work, with its picture

The Hudson's Bay Company counted the pelts that it bought, here those of 1900 to 1920, in thousands (E. P. Odum,
"Fundamentals of Ecology", 1953; C. Elton and M. Nicholson, 1942). The model is that of Lotka and Volterra: hares
multiply and are eaten, lynxes multiply as they eat and starve.

Three derivatives are at work. The fit needs the gradient of the misfit, through the differential equation: `odeint`
solves another one for it, backwards in time. The Hessian at the minimum says how well the rates are determined. And the
minimum is a function of the counts: by the implicit function theorem `minimize` says how each count moves each rate,
without a second fit.

>>> best = fitted(COUNTS)
>>> born, eaten, fed, starved = np.exp(best)[:4]
>>> print(f"hares multiply by {born:.2f} a year, lynxes starve by {starved:.2f}")
hares multiply by 0.54 a year, lynxes starve by 0.80
>>> slope = np.linalg.norm(fg.grad(misfit)(best, COUNTS))
>>> bool(slope < 1e-4)
True

What 1 % more lynxes in 1903 would have done to the four rates, in percent:

>>> change = np.zeros_like(COUNTS)
>>> change[3, 1] = 1.0
>>> _, influence = fg.jvp(lambda counts: fitted(counts, best)[:4], (COUNTS,), (change,))
>>> influence.round(2)
Array([-0.07, -0.14,  0.04,  0.05], dtype=float64)
"""

import argparse
import time
from pathlib import Path

import numpy as np

import funcgrad as fg
import funcgrad.numpy as fnp
from funcgrad.scipy.integrate import odeint
from funcgrad.scipy.optimize import minimize

YEARS = np.arange(1900.0, 1921.0)
# fmt: off
HARES = np.array([
    30.0, 47.2, 70.2, 77.4, 36.3, 20.6, 18.1, 21.4, 22.0, 25.4, 27.1, 40.3, 57.0, 76.6, 52.3, 19.5, 11.2, 7.6, 14.6,
    16.2, 24.7,
])
LYNXES = np.array([
    4.0, 6.1, 9.8, 35.2, 59.4, 41.7, 19.0, 13.0, 8.3, 9.1, 7.4, 8.0, 12.3, 19.5, 45.7, 51.1, 29.7, 15.8, 9.7, 10.1, 8.6,
])
# fmt: on
COUNTS = np.log(np.stack([HARES, LYNXES], axis=1))
RATES = ["hares born", "hares eaten", "lynxes born", "lynxes starved"]
START = np.log([0.5, 0.02, 0.02, 0.8, 30.0, 4.0])  # the rates per year, and the numbers in 1900


def model(log_parameters, years):
    """The logarithms of both numbers, year by year.

    Where both are in balance they stay as they are: born / eaten lynxes, starved / fed hares.

    >>> balance = np.log([0.5, 0.02, 0.02, 0.8, 0.8 / 0.02, 0.5 / 0.02])
    >>> np.exp(model(balance, np.array([0.0, 10.0]))).round(6)
    Array([[40., 25.],
           [40., 25.]], dtype=float64)
    """
    born, eaten, fed, starved, hares, lynxes = fnp.exp(log_parameters)

    def slope(logs, t):
        hares, lynxes = fnp.exp(logs)
        return fnp.stack([born - eaten * lynxes, fed * hares - starved])

    return odeint(slope, fnp.log(fnp.stack([hares, lynxes])), years, rtol=1e-7, atol=1e-7)


def misfit(log_parameters, counts):
    """Half the sum of squares between the logarithms of the model and of the counts.

    >>> exact = model(START, YEARS)
    >>> misfit(START, exact).item()
    0.0
    """
    return fnp.sum((model(log_parameters, YEARS) - counts) ** 2) / 2


def fitted(counts, start=START):
    """The parameters that fit the counts best, as a differentiable function of these.

    >>> best = fitted(model(START, YEARS), START + 0.05)
    >>> bool(abs(best - START).max() < 1e-4)
    True
    """
    return minimize(misfit, start, args=(counts,), method="BFGS", options={"gtol": 1e-5}).x


def drawing_library():
    """Matplotlib, which draws into a file, also where there is no screen."""
    try:
        import matplotlib
        import scipy.optimize  # noqa: F401  (the search of minimize)

        matplotlib.use("Agg")
        import matplotlib.pyplot as plt
    except ImportError as error:
        raise SystemExit(f"This example also needs {error.name}: pip install 'funcgrad[examples]'") from None
    return plt


def draw(plt, path, best, influence):
    """Left the counts and the fit, right what each count does to each rate."""
    figure, (left, right) = plt.subplots(1, 2, figsize=(10, 3.8), layout="constrained")
    fine = np.linspace(1900.0, 1920.0, 400)
    curves = np.exp(np.asarray(model(best, fine)))
    for k, (name, colour) in enumerate((("hares", "tab:blue"), ("lynxes", "tab:orange"))):
        left.plot(fine, curves[:, k], color=colour, label=name)
        left.plot(YEARS, np.exp(COUNTS[:, k]), "o", color=colour, markersize=4)
    left.set(title="pelts, in thousands, and the fit", ylim=(0, None), xticks=range(1900, 1921, 5))
    left.legend()
    largest = np.abs(influence).max()
    image = right.imshow(
        influence.transpose(0, 2, 1).reshape(8, -1), cmap="RdBu", vmin=-largest, vmax=largest, aspect="auto",
        extent=(1899.5, 1920.5, 7.5, -0.5),
    )  # fmt: skip
    right.set(title="how 1 % more in a count moves a rate, in %", xticks=range(1900, 1921, 5))
    right.set_yticks(range(8), [f"{rate}: {animal}" for rate in RATES for animal in ("hares", "lynxes")])
    figure.colorbar(image, ax=right)
    figure.savefig(path, dpi=90)


def main():
    parser = argparse.ArgumentParser(description="Fit the model of Lotka and Volterra to counts of hares and lynxes.")
    parser.add_argument("--out", type=Path, default=Path("predator_prey.png"), help="where to save the picture")
    options = parser.parse_args()
    plt = drawing_library()

    start = time.perf_counter()
    best = fitted(COUNTS)
    seconds = time.perf_counter() - start

    variance = 2 * float(misfit(best, COUNTS)) / (COUNTS.size - best.size)
    errors = np.sqrt(variance * np.diag(np.linalg.inv(np.asarray(fg.hessian(misfit)(best, COUNTS)))))

    start = time.perf_counter()
    influence = np.asarray(fg.jacrev(lambda counts: fitted(counts, best)[:4])(COUNTS))
    influence_seconds = time.perf_counter() - start

    print(f"{'rate':<18}{'per year':>10}{'error':>8}{'decided most by':>28}")
    for k, name in enumerate(RATES):
        year, animal = np.unravel_index(np.argmax(np.abs(influence[k])), (21, 2))
        most = f"{('hares', 'lynxes')[animal]} of {1900 + year} ({influence[k, year, animal]:+.2f})"
        print(f"{name:<18}{np.exp(float(best[k])):>10.4f}{100 * errors[k]:>6.0f} %{most:>28}")
    print(f"{'misfit':<18}{float(misfit(best, COUNTS)):>10.4f}")

    # The proof of the implicit derivative: change the count, and fit again.
    moved = COUNTS.copy()
    moved[3, 1] += 0.01
    again = (np.asarray(fitted(moved, best)) - np.asarray(best))[:4] / 0.01
    print(f"influence of the lynxes of 1903   {np.array2string(influence[:, 3, 1], precision=3)}")
    print(f"by fitting again                  {np.array2string(again, precision=3)}")
    print(
        f"time              {seconds:.1f} s for the fit, {influence_seconds:.1f} s for the influence of all 42 counts"
    )

    draw(plt, options.out, best, influence)
    print(f"picture           {options.out}")


if __name__ == "__main__":
    main()
