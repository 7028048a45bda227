"""Let the marginal likelihood choose a Gaussian process: carbon dioxide over Mauna Loa.

    pip install 'funcgrad[examples]'
    python -m doctest -v examples/gaussian_process.py    # the story
    python examples/gaussian_process.py                  # the full work, with its picture

The curve is a trend, a yearly rhythm that changes slowly, and weather: a sum of kernels with ten parameters. How likely
the data are, whatever the curve, is in closed form, with a Cholesky factor and a logarithm of a determinant in it; its
gradient goes into SciPy's L-BFGS. The process sees the monthly means until 1985 and says how the next sixteen years
will be; the picture shows what came, and the yearly rhythm that it found. (With `--until 1991` it is too sure: growth
slowed after the eruption of Pinatubo in that year, of which a curve cannot know.)

>>> years, ppm = monthly_means()
>>> years.size, ppm[:3]
(521, array([316.1 , 317.2 , 317.43]))

The gradient is the one that books derive by hand, half the trace of (α αᵀ - K⁻¹) ∂K/∂θ, where α is K⁻¹ y:

>>> t, y = years[::20], ppm[::20] - ppm.mean()
>>> K, dK = covariance(START, t), fg.jacfwd(covariance)(START, t)
>>> inverse = np.linalg.inv(K)
>>> by_hand = np.einsum("ij,jik->k", np.outer(inverse @ y, inverse @ y) - inverse, dK) / 2
>>> bool(np.allclose(-fg.grad(minus_log_likelihood)(START, t, y), by_hand))
True

Sources: C. Rasmussen, C. Williams, "Gaussian Processes for Machine Learning" (2006), section 5.4.3; the data are
Keeling's, see examples/data/README.md.
"""

import argparse
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np
from scipy.optimize import minimize
from tqdm import tqdm

import funcgrad as fg

NAMES = [
    "trend, ppm", "its length, years", "rhythm, ppm", "it fades in, years", "its roundness", "medium, ppm",
    "its length, years", "its shape", "weather, ppm", "noise, ppm",
]  # fmt: skip
START = np.log([50.0, 50.0, 2.0, 100.0, 1.0, 1.0, 1.0, 1.0, 0.2, 0.2])  # logarithms: what they stand for is positive


def monthly_means():
    """The middles of the months in years, and the concentrations in parts per million."""
    year, month, _, ppm = np.loadtxt(Path(__file__).parent / "data" / "co2.csv", delimiter=",").T
    return year + (month - 0.5) / 12, ppm


def smooth(theta, d):
    """The trend: nearly straight over decades."""
    return theta[0] ** 2 * np.exp(-0.5 * (d / theta[1]) ** 2)


def rhythm(theta, d):
    """A periodic function of the season that becomes another one within theta[3] years.

    >>> rhythm(np.exp(START), np.array([0.0, 1.0, 0.5])).round(4)
    array([4.    , 3.9998, 0.5413])
    """
    return theta[2] ** 2 * np.exp(-0.5 * (d / theta[3]) ** 2 - 2 * (np.sin(np.pi * d) / theta[4]) ** 2)


def irregular(theta, d):
    """What lasts for months or years, on several scales at once, and what lasts for some weeks."""
    medium = theta[5] ** 2 * (1 + d**2 / (2 * theta[7] * theta[6] ** 2)) ** -theta[7]
    return medium + theta[8] ** 2 * np.exp(-0.5 * (d / 0.1) ** 2)


def covariance(log_theta, t):
    """The covariance of what is measured at times t."""
    theta, d = np.exp(log_theta), t[:, None] - t
    return smooth(theta, d) + rhythm(theta, d) + irregular(theta, d) + theta[9] ** 2 * np.eye(t.size)


def minus_log_likelihood(log_theta, t, y):
    """Minus the logarithm of the density of y, a Gaussian vector with mean zero."""
    factor = np.linalg.cholesky(covariance(log_theta, t))
    white = fg.scipy.linalg.solve_triangular(factor, y, lower=True)
    return 0.5 * np.sum(white**2) + np.sum(np.log(np.diagonal(factor))) + 0.5 * y.size * np.log(2 * np.pi)


def predicted(log_theta, t, y, new):
    """Mean and standard deviation of new measurements, and the mean of the rhythm alone.

    Where there is nearly no noise, what was measured is predicted.

    >>> t, y = np.arange(5.0), np.array([1.0, 3.0, 2.0, 5.0, 4.0])
    >>> mean, deviation, _ = predicted(np.array([*START[:9], -9.0]), t, y, t)
    >>> mean.round(3), bool(deviation.max() < 0.001)
    (array([1., 3., 2., 5., 4.]), True)
    """
    theta, d = np.exp(log_theta), new[:, None] - t
    K = covariance(log_theta, t)
    across = smooth(theta, d) + rhythm(theta, d) + irregular(theta, d)
    at_once = smooth(theta, 0.0) + rhythm(theta, 0.0) + irregular(theta, 0.0) + theta[9] ** 2
    variance = at_once - np.sum(across * np.linalg.solve(K, across.T).T, axis=1)
    alpha = np.linalg.solve(K, y)
    return across @ alpha, np.sqrt(variance), rhythm(theta, d) @ alpha


def fitted(t, y, steps):
    """The parameters of the largest marginal likelihood, with the values on the way."""
    objective = fg.jit(fg.value_and_grad(minus_log_likelihood))
    values = []
    with tqdm(total=steps, desc="likelihood", unit="step") as bar:

        def after_a_step(intermediate_result):
            values.append(float(intermediate_result.fun))
            bar.set_postfix(log_likelihood=f"{-values[-1]:.2f}")
            bar.update()

        bounds = [(np.log(1e-3), np.log(1e4))] * START.size
        options = {"maxiter": steps}
        result = minimize(
            objective, START, (t, y), "L-BFGS-B", jac=True, bounds=bounds, options=options, callback=after_a_step
        )
    return result.x, values


def draw(path, log_theta, seen, coming, mean_of_seen):
    (t, y), (t_coming, ppm) = seen, coming
    future = np.arange(t_coming[0], t_coming[-1], 1 / 24)
    mean, deviation, _ = predicted(log_theta, t, y, future)
    figure, (left, right) = plt.subplots(1, 2, figsize=(10, 4), layout="constrained", width_ratios=[3, 2])
    left.plot(t, y + mean_of_seen, color="0.4", lw=0.8, label="monthly means, seen")
    low, high = mean - 2 * deviation + mean_of_seen, mean + 2 * deviation + mean_of_seen
    left.fill_between(future, low, high, color="tab:blue", alpha=0.35, lw=0, label="predicted, ± 2 σ")
    left.plot(t_coming, ppm, ".", color="tab:orange", ms=3, label="what came")
    left.axvline(t_coming[0], color="0.7", lw=0.8)
    left.set(xlabel="year", ylabel="CO₂, ppm", title="Carbon dioxide over Mauna Loa")
    left.legend(loc="upper left")
    for year, colour in ((1960, "tab:green"), (1972, "tab:olive"), (1984, "tab:red")):
        months = np.linspace(0, 12, 121)
        right.plot(months, predicted(log_theta, t, y, year + months / 12)[2], color=colour, label=str(year))
    right.set(xlabel="month", xticks=range(0, 13, 2), ylabel="ppm", title="The rhythm of a year, as found")
    right.legend()
    figure.savefig(path, dpi=90)


def main(arguments=None):
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="every tenth month, and few steps")
    parser.add_argument("--until", type=float, default=1986.0, help="the year before which months are seen")
    parser.add_argument("--out", type=Path, default=Path("gaussian_process.png"), help="where to save the picture")
    options = parser.parse_args(arguments)

    years, ppm = monthly_means()
    now = years < options.until
    t, y = years[now], ppm[now] - ppm[now].mean()
    if options.quick:
        t, y = t[::10], y[::10]
    log_theta, values = fitted(t, y, 6 if options.quick else 80)
    for name, start, value in zip(NAMES, np.exp(START), np.exp(log_theta), strict=True):
        print(f"{name:<20}{start:>8.3f} -> {value:.3f}")
    print(f"log likelihood      {-values[0]:.2f} -> {-values[-1]:.2f} in {len(values)} steps")
    mean, deviation, _ = predicted(log_theta, t, y, years[~now])
    error = ppm[~now] - ppm[now].mean() - mean
    print(f"months to come      {np.mean(abs(error) < 2 * deviation):.0%} of {error.size} within 2 σ, ", end="")
    print(f"wrong by {np.sqrt(np.mean(error**2)):.2f} ppm (rms)")
    draw(options.out, log_theta, (t, y), (years[~now], ppm[~now]), ppm[now].mean())
    print(f"picture             {options.out}")


if __name__ == "__main__":
    main()
