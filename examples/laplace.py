"""How sure is a logistic regression? Laplace's approximation, on the O-rings of the space shuttle.

    pip install 'funcgrad[examples]'
    python -m doctest -v examples/laplace.py    # the story
    python examples/laplace.py                  # the full work, with its picture

Of 23 flights before that of the Challenger 7 had damaged O-rings, most of them in the cold. The launch of 28 January
1986 was at 31 °F, colder than all. A logistic regression gives the probability of damage at a temperature; how far the
data decide its two weights is a matter of the posterior distribution. Laplace replaces that by a Gaussian at its
maximum, whose covariance is the inverse of the Hessian: a gradient and a Hessian, both exact, are all that it takes.

With no prior the maximum is that of the textbooks, 15.043 and -0.232 for each °F, with errors of 7.379 and 0.108:

>>> flat = lambda w: -log_likelihood(w, TEMPERATURE, DAMAGED)
>>> weights, covariance = laplace(flat, np.array([10.0, -0.15]))
>>> weights.round(3), np.sqrt(np.diag(covariance)).round(3)
(array([15.043, -0.232]), array([7.379, 0.108]))

The picture shows left the probability of damage with the central 90 % of the approximation, over the exact mean, and
right how the approximation lies on the exact posterior, which two weights allow to be computed on a grid.

Sources: S. Dalal, E. Fowlkes, B. Hoadley, "Risk analysis of the space shuttle", JASA 84 (1989), table 1; D. MacKay,
"The evidence framework applied to classification networks", Neural Computation 4 (1992).
"""

import argparse
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np
from scipy.special import expit

import funcgrad as fg

# fmt: off
TEMPERATURE = np.array([  # °F, of the joints, in the order of the flights
    66, 70, 69, 68, 67, 72, 73, 70, 57, 63, 70, 78, 67, 53, 67, 75, 70, 81, 76, 79, 75, 76, 58,
])
DAMAGED = np.array([0, 1, 0, 0, 0, 0, 0, 0, 1, 1, 1, 0, 0, 1, 0, 0, 0, 0, 0, 0, 1, 0, 1])
# fmt: on
CENTRE, SPREAD, PRIOR = 70.0, 7.0, 3.0  # the weights belong to (°F - 70) / 7, and are a priori N(0, 3²)


def log_likelihood(weights, x, damaged):
    """The logarithm of the probability of what was seen.

    With weights of zero every flight is damaged with probability 1/2.

    >>> print(f"{log_likelihood(np.zeros(2), TEMPERATURE, DAMAGED):.6f} = {-23 * np.log(2):.6f}")
    -15.942385 = -15.942385
    """
    score = weights[0] + weights[1] * x
    return np.sum(damaged * score - np.logaddexp(0, score))


def minus_log_posterior(weights):
    """Up to the evidence, which does not depend on the weights: likelihood times prior."""
    prior = -0.5 * np.sum((weights / PRIOR) ** 2) - 2 * np.log(PRIOR * np.sqrt(2 * np.pi))
    return -log_likelihood(weights, (TEMPERATURE - CENTRE) / SPREAD, DAMAGED) - prior


def laplace(f, weights, steps=30):
    """The minimum of f, by Newton's method, and the inverse of the Hessian there.

    >>> mode, covariance = laplace(lambda w: (w[0] - 3) ** 2 + 2 * w[1] ** 2, np.ones(2))
    >>> mode, covariance
    (array([3., 0.]), array([[0.5 , 0.  ],
           [0.  , 0.25]]))
    """
    gradient, hessian = fg.grad(f), fg.hessian(f)
    for _ in range(steps):
        weights = weights - np.linalg.solve(hessian(weights), gradient(weights))
    return np.asarray(weights), np.linalg.inv(np.asarray(hessian(weights)))


def log_evidence(mode, covariance):
    """The logarithm of the integral of the posterior, from its value and its curvature at the mode."""
    return float(-minus_log_posterior(mode)) + np.log(2 * np.pi) + 0.5 * np.linalg.slogdet(covariance)[1]


def exact_posterior(size):
    """The posterior on a grid of weights: the two axes, its probabilities, and the logarithm of its integral."""
    w0, w1 = np.linspace(-5, 2.5, size), np.linspace(-7, 2, size)
    grid = np.stack(np.meshgrid(w0, w1, indexing="ij"), axis=-1)
    logs = -np.asarray(fg.vmap(fg.vmap(minus_log_posterior))(grid))
    cell = (w0[1] - w0[0]) * (w1[1] - w1[0])
    return w0, w1, np.exp(logs) / np.exp(logs).sum(), np.log(np.exp(logs).sum() * cell)


def damage(temperatures, mode, covariance):
    """The probability of damage by the approximation: its mean, and the ends of its central 90 %."""
    x = np.stack([np.ones_like(temperatures), (temperatures - CENTRE) / SPREAD])
    score, error = mode @ x, np.sqrt(np.sum(x * (covariance @ x), axis=0))
    points, shares = np.polynomial.hermite_e.hermegauss(40)  # the mean over a Gaussian
    mean = expit(score[:, None] + error[:, None] * points) @ shares / shares.sum()
    return mean, expit(score - 1.645 * error), expit(score + 1.645 * error)


def exact_damage(temperatures, w0, w1, probabilities):
    """The same mean over the grid."""
    x = (temperatures - CENTRE) / SPREAD
    return np.array([np.sum(probabilities * expit(w0[:, None] + w1 * each)) for each in x])


def draw(path, mode, covariance, grid):
    w0, w1, probabilities, _ = grid
    figure, (left, right) = plt.subplots(1, 2, figsize=(10, 4), layout="constrained")
    t = np.linspace(28.0, 85.0, 115)
    mean, low, high = damage(t, mode, covariance)
    left.fill_between(t, low, high, color="tab:blue", alpha=0.2, lw=0, label="Laplace: central 90 %")
    left.plot(t, mean, color="tab:blue", label="Laplace: mean")
    left.plot(t, exact_damage(t, w0, w1, probabilities), "k--", lw=1, label="exact mean")
    offset = 0.02 * np.array([np.sum(TEMPERATURE[:i] == each) for i, each in enumerate(TEMPERATURE)])
    left.plot(TEMPERATURE, DAMAGED + np.where(DAMAGED, -1, 1) * offset, "o", color="tab:orange", ms=5, label="flights")
    left.axvline(31, color="tab:red", lw=1)
    left.text(31.7, 0.52, "Challenger", color="tab:red", rotation=90)
    left.set(xlabel="temperature, °F", ylabel="probability of damage", title="Damaged O-rings and the cold")
    left.legend(loc="lower left", bbox_to_anchor=(0.1, 0.08))

    inverse = np.linalg.inv(covariance)
    d = np.stack(np.meshgrid(w0, w1, indexing="ij"), axis=-1) - mode
    gaussian = np.exp(-0.5 * np.einsum("abi,ij,abj->ab", d, inverse, d))
    levels = np.exp(-0.5 * np.array([3.0, 2.0, 1.0]) ** 2)
    right.contourf(w0, w1, (probabilities / probabilities.max()).T, [*levels, 1.01], colors=["0.88", "0.72", "0.55"])
    right.contour(w0, w1, gaussian.T, levels, colors="tab:blue")
    right.plot(*mode, "+", color="tab:blue", ms=10)
    right.set(xlabel="weight of 1", xlim=(-4, 1.5), ylabel="weight of (°F − 70) / 7", ylim=(-5, 1))
    right.set_title("The posterior at 1, 2, 3 σ: grey exact, blue Laplace")
    figure.savefig(path, dpi=90)


def main(arguments=None):
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="a coarser grid")
    parser.add_argument("--out", type=Path, default=Path("laplace.png"), help="where to save the picture")
    options = parser.parse_args(arguments)

    mode, covariance = laplace(minus_log_posterior, np.zeros(2))
    grid = exact_posterior(100 if options.quick else 400)
    mean, low, high = damage(np.array([31.0, 70.0]), mode, covariance)
    exact = exact_damage(np.array([31.0, 70.0]), *grid[:3])
    print(f"weights            {mode.round(3)} ± {np.sqrt(np.diag(covariance)).round(3)}")
    print(f"log evidence       {log_evidence(mode, covariance):.3f} by Laplace, {grid[3]:.3f} exactly")
    for k, at in enumerate(("damage at 31 °F", "damage at 70 °F")):
        print(f"{at:<18} {mean[k]:.3f} by Laplace ({low[k]:.2f} to {high[k]:.2f}), {exact[k]:.3f} exactly")
    draw(options.out, mode, covariance, grid)
    print(f"picture            {options.out}")


if __name__ == "__main__":
    main()
