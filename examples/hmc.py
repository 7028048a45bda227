"""Draw from a posterior distribution by Hamiltonian Monte Carlo: the eight schools.

    pip install 'funcgrad[examples]'
    python -m doctest -v examples/hmc.py    # the story
    python examples/hmc.py                  # the full work, with its picture

Eight schools coached their pupils for a test. Each found an effect, with an error that is about as large. A model with
three levels lets them learn from each other: school j has the effect θ[j] ~ N(μ, τ²), and has measured y[j], which is
N(θ[j], σ[j]²).

A ball that rolls over the surface -log p for a while, with a random push at the start, comes to a place that is nearly
independent of where it was, and its rolling needs the gradient of log p. `grad` gives it, `vmap` rolls many balls at
once, and `jit` makes one program of twelve steps of the leapfrog.

>>> q, push = np.zeros(10), np.linspace(-1, 1, 10)
>>> there, push_there = leapfrog(q, push, 0.2)
>>> back, _ = leapfrog(there, -push_there, 0.2)  # time can be turned round
>>> bool(np.abs(there).max() > 0.5), bool(np.allclose(back, q, atol=1e-12))
(True, True)
>>> bool(abs(energy(there, push_there) - energy(q, push)) < 0.05)  # and the energy stays nearly the same
True

The picture shows left how the draws of τ lie on its exact density, which this model allows to be computed, and right
the effects: what each school measured, and what it should believe.

Sources: D. Rubin, "Estimation in parallel randomized experiments", Journal of Educational Statistics 6 (1981);
A. Gelman and others, "Bayesian Data Analysis", section 5.5; R. Neal, "MCMC using Hamiltonian dynamics" (2011).
"""

import argparse
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np
from tqdm import tqdm

import funcgrad as fg

EFFECT = np.array([28.0, 8.0, -3.0, 7.0, -1.0, 1.0, 18.0, 12.0])
ERROR = np.array([15.0, 10.0, 16.0, 11.0, 9.0, 11.0, 10.0, 18.0])
STEPS = 12  # of the leapfrog


def meaning(q):
    """μ, τ and θ from the coordinates of the ball, in which all of them vary by about one.

    >>> meaning(np.zeros(10))
    (np.float64(8.0), np.float64(5.0), array([8., 8., 8., 8., 8., 8., 8., 8.]))
    """
    mu, tau = 8 + 5 * q[0], 5 * np.exp(q[1])
    return mu, tau, mu + tau * q[2:]


def log_density(q):
    """The logarithm of the posterior density, up to a constant. A priori μ is uniform, and τ half of Cauchy's."""
    _, tau, theta = meaning(q)
    prior = q[1] - np.log(1 + (tau / 5) ** 2)  # dτ = τ dq
    return -0.5 * np.sum(((EFFECT - theta) / ERROR) ** 2) - 0.5 * np.sum(q[2:] ** 2) + prior


def energy(q, p):
    return 0.5 * np.sum(p**2) - log_density(q)


def leapfrog(q, p, length):
    """Place and momentum after some steps of Störmer's and Verlet's method."""
    force = fg.grad(log_density)

    def step(_, state):
        q, p = state
        p = p + 0.5 * length * force(q)
        q = q + length * p
        return q, p + 0.5 * length * force(q)

    return fg.lax.fori_loop(0, STEPS, step, (q, p))


@fg.jit
@fg.vmap
def transition(q, push, length, uniform):
    """The next draw of a chain, and whether it moved: by Metropolis, for the energy is not kept exactly."""
    there, p = leapfrog(q, push, length)
    accepted = np.log(uniform) < energy(q, push) - energy(there, p)
    return np.where(accepted, there, q), accepted


def chains(n_chains, n_draws, rng):
    """Draws of (μ, τ, θ), an array (n_draws, n_chains, 10), and the share that was accepted.

    >>> draws, accepted = chains(4, 10, np.random.default_rng(0))
    >>> draws.shape, accepted > 0.5
    ((10, 4, 10), True)
    """
    q, draws, accepted = rng.normal(size=(n_chains, 10)), [], 0.0
    for k in tqdm(range(-n_draws // 5, n_draws), desc="draws", disable=n_draws < 100):  # the first ones are not counted
        length = rng.uniform(0.05, 0.4, size=n_chains)  # of all sizes, so that no chain turns in a circle or gets stuck
        q, moved = transition(q, rng.normal(size=q.shape), length, rng.uniform(size=n_chains))
        if k >= 0:
            draws.append(q)
            accepted += np.mean(np.asarray(moved)) / n_draws
    mu, tau, theta = fg.vmap(fg.vmap(meaning))(np.stack(draws))
    return np.concatenate([mu[..., None], tau[..., None], theta], axis=-1), float(accepted)


def split_r_hat(draws):
    """Gelman's measure of how well chains agree, half against half: near 1 in the end.

    >>> agreeing = np.random.default_rng(0).normal(size=(1000, 4, 1))
    >>> split_r_hat(agreeing).round(2), split_r_hat(agreeing + np.arange(4)[:, None]).round(1)
    (array([1.]), array([1.6]))
    """
    n = len(draws) // 2
    halves = np.concatenate([draws[:n], draws[n : 2 * n]], axis=1)
    within, between = halves.var(axis=0, ddof=1).mean(axis=0), halves.mean(axis=0).var(axis=0, ddof=1)
    return np.sqrt((n - 1) / n + between / within)


def exact(tau):
    """The density of τ, given the data, on a grid; and the means of θ. From Gelman's book, equations 5.17 to 5.21."""
    weight = 1 / (ERROR**2 + tau[:, None] ** 2)
    mu = np.sum(weight * EFFECT, axis=1) / np.sum(weight, axis=1)
    logs = 0.5 * np.sum(np.log(weight) - weight * (EFFECT - mu[:, None]) ** 2, axis=1)
    logs -= 0.5 * np.log(np.sum(weight, axis=1)) + np.log(1 + (tau / 5) ** 2)
    density = np.exp(logs - logs.max())
    density /= np.trapezoid(density, tau)
    theta = weight * (tau[:, None] ** 2 * EFFECT + ERROR**2 * mu[:, None])
    return density, np.trapezoid(density[:, None] * theta, tau, axis=0)


def draw(path, draws):
    tau = np.linspace(0, 400, 20001)
    density, means = exact(tau)
    figure, (left, right) = plt.subplots(1, 2, figsize=(10, 4), layout="constrained")
    bins = np.linspace(0, 30, 61)
    share = draws[..., 1].size * (bins[1] - bins[0])
    left.hist(draws[..., 1].ravel(), bins, weights=np.full(draws[..., 1].size, 1 / share), color="tab:blue", alpha=0.4)
    left.plot(tau, density, "k--", lw=1)
    left.set(xlabel="τ, the spread of the schools", xlim=(0, 30), ylabel="density")
    left.set_title("Draws (blue) and exact density (dashed)")

    theta, y = draws[..., 2:].reshape(-1, 8), np.arange(8)
    low, q1, q3, high = np.quantile(theta, [0.05, 0.25, 0.75, 0.95], axis=0)
    right.errorbar(EFFECT, y - 0.17, xerr=ERROR, fmt="o", color="tab:orange", ms=5, lw=1, label="measured, ± σ")
    right.hlines(y + 0.17, low, high, color="tab:blue", lw=1)
    right.hlines(y + 0.17, q1, q3, color="tab:blue", lw=4, label="draws: central 50 and 90 %")
    right.plot(means, y + 0.17, "k|", ms=9, mew=1.5, label="exact mean")
    right.set(xlabel="points in the test", title="The effect of coaching", ylim=(7.6, -3.7))
    right.set_yticks(y, [f"school {letter}" for letter in "ABCDEFGH"])
    right.legend(loc="upper right")
    figure.savefig(path, dpi=90)


def main(arguments=None):
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="fewer draws")
    parser.add_argument("--out", type=Path, default=Path("hmc.png"), help="where to save the picture")
    options = parser.parse_args(arguments)

    n_chains, n_draws = (96, 100) if options.quick else (128, 2000)
    draws, accepted = chains(n_chains, n_draws, np.random.default_rng(0))
    tau = np.linspace(0, 400, 20001)
    density, means = exact(tau)
    print(f"draws           {n_draws} of {n_chains} chains, {accepted:.0%} accepted, ", end="")
    print(f"R-hat at most {split_r_hat(draws).max():.3f}")
    print(f"mean of τ       {draws[..., 1].mean():.3f}, exactly {np.trapezoid(density * tau, tau):.3f}")
    print(f"means of θ      {draws[..., 2:].mean(axis=(0, 1)).round(2)}")
    print(f"exactly         {means.round(2)}")
    draw(options.out, draws)
    print(f"picture         {options.out}")


if __name__ == "__main__":
    main()
