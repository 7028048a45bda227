"""Find the law of a pendulum in noisy measurements: a neural differential equation.

    pip install 'funcgrad[examples]'
    python -m doctest -v examples/neural_ode.py    # the story
    python examples/neural_ode.py                  # the full work, with its picture

A damped pendulum swings, φ" = -sin φ - 0.2 φ', and its angle and speed are measured with an error of 0.05. A small
network stands for the unknown acceleration. It is integrated by the method of Runge and Kutta from each measurement to
the eight that follow, and trained until these are met: the gradient passes through all steps of the integration.

>>> rng = np.random.default_rng(0)
>>> weights = new_weights(rng)
>>> course = swing(lambda y: pendulum(y), np.array([1.0, 0.0]), 60)
>>> gradient = fg.grad(misfit)(weights, course[:10])

The adjoint method, another way to the same gradient, solves a second differential equation backwards in time:

>>> from funcgrad.scipy.integrate import odeint
>>> def misfit_by_odeint(weights, course):
...     found = odeint(lambda y, t: slope(weights, y), course[0], STEP * np.arange(10.0), rtol=1e-9, atol=1e-9)
...     return np.mean((found - course) ** 2)
>>> adjoint = fg.grad(misfit_by_odeint)(weights, course[:10])
>>> bool(np.allclose(gradient["w1"], adjoint["w1"], rtol=1e-3, atol=1e-5))
True

The picture shows a swing that the network never saw, from its start alone, and the acceleration that it found beside
the true one, with the measurements that it had.

Sources: R. Chen and others, "Neural ordinary differential equations", NeurIPS 2018; H. Bock, "Numerical treatment of
inverse problems in chemical reaction kinetics" (1981), for the many short integrations.
"""

import argparse
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np
from tqdm import tqdm

import funcgrad as fg

STEP, AHEAD, NOISE = 0.2, 8, 0.05


def pendulum(y):
    """The true slope of angle and speed."""
    return np.stack([y[1], -np.sin(y[0]) - 0.2 * y[1]])


def new_weights(rng, width=24):
    return {
        "w1": rng.normal(size=(2, width)),
        "b1": rng.normal(size=width),
        "w2": rng.normal(size=(width, width)) / np.sqrt(width),
        "b2": np.zeros(width),
        "w3": rng.normal(size=width) / width,
    }


def acceleration(weights, y):
    hidden = np.tanh(np.tanh(y @ weights["w1"] + weights["b1"]) @ weights["w2"] + weights["b2"])
    return hidden @ weights["w3"]


def slope(weights, y):
    """The slope of angle and speed by the network: only the acceleration is unknown."""
    return np.stack([y[1], acceleration(weights, y)])


def swing(slope, start, n):
    """n states at equal times, the first one being start.

    Without friction the energy of a pendulum stays the same:

    >>> states = swing(lambda y: np.stack([y[1], -np.sin(y[0])]), np.array([2.0, 0.0]), 100)
    >>> energy = 0.5 * states[:, 1] ** 2 - np.cos(states[:, 0])
    >>> bool(np.ptp(energy) < 1e-3)
    True
    """

    def step(y, _):
        k1 = slope(y)
        k2 = slope(y + 0.5 * STEP * k1)
        k3 = slope(y + 0.5 * STEP * k2)
        k4 = slope(y + STEP * k3)
        y = y + STEP / 6 * (k1 + 2 * k2 + 2 * k3 + k4)
        return y, y

    _, later = fg.lax.scan(step, start, None, length=n - 1)
    return np.concatenate([start[None], later])


def misfit_of(slope, measured):
    """The mean square between measurements and what a law makes of the first of them."""
    return np.mean((swing(slope, measured[0], len(measured)) - measured) ** 2)


def misfit(weights, measured):
    return misfit_of(lambda y: slope(weights, y), measured)


def misfit_of_all(weights, pieces):
    return np.mean(fg.vmap(misfit, in_axes=(None, 0))(weights, pieces))


def measurements(n_swings, n, rng):
    """Swings from random starts, with noise, (n_swings, n, 2); and all their pieces, each of a start and 8 more."""
    starts = rng.uniform([-2.8, -2.0], [2.8, 2.0], size=(n_swings, 2))
    swings = np.asarray(fg.vmap(lambda start: swing(pendulum, start, n))(starts))
    swings = swings + NOISE * rng.normal(size=swings.shape)
    pieces = [swings[:, k : k + AHEAD + 1] for k in range(n - AHEAD)]
    return swings, np.concatenate(pieces)


def trained(weights, pieces, rng, steps, rate=0.01):
    """The weights after steps of Adam on random batches of pieces."""
    flat, as_dict = fg.ravel_pytree(weights)
    value_and_gradient = fg.jit(fg.value_and_grad(lambda w, batch: misfit_of_all(as_dict(w), batch)))
    mean, square, values = np.zeros_like(flat), np.zeros_like(flat), []
    for step in steps:
        value, g = value_and_gradient(flat, pieces[rng.integers(len(pieces), size=64)])
        mean, square = 0.9 * mean + 0.1 * g, 0.999 * square + 0.001 * g * g
        fair = np.sqrt(1 - 0.999 ** (step + 1)) / (1 - 0.9 ** (step + 1))
        flat = flat - rate * (1 - step / len(steps)) * fair * mean / (np.sqrt(square) + 1e-8)
        values.append(float(value))
        if hasattr(steps, "set_postfix") and step % 20 == 0:
            steps.set_postfix(misfit=f"{np.mean(values[-20:]):.5f}")
    return as_dict(flat), values


def draw(path, weights, swings, start):
    figure, axes = plt.subplots(1, 3, figsize=(10, 3.7), layout="constrained", width_ratios=[1.2, 1, 1])
    time, found = STEP * np.arange(120), swing(lambda y: slope(weights, y), start, 120)
    axes[0].plot(time, swing(pendulum, start, 120)[:, 0], color="0.75", lw=4, label="the pendulum")
    axes[0].plot(time, found[:, 0], color="tab:blue", lw=1.2, label="the network")
    axes[0].set(xlabel="time", ylabel="angle φ", title="A swing that was not seen")
    axes[0].legend()
    side = np.linspace(-3, 3, 61)
    grid = np.stack(np.meshgrid(side, side), axis=-1)
    true = -np.sin(grid[..., 0]) - 0.2 * grid[..., 1]
    for ax, values, which in ((axes[1], acceleration(weights, grid), "found"), (axes[2], true, "true")):
        image = ax.contourf(side, side, np.asarray(values), np.linspace(-1.8, 1.8, 13), cmap="RdBu_r", extend="both")
        ax.set(xlabel="angle φ", title=f"Acceleration, {which}", xlim=(-3, 3), ylim=(-3, 3))
    axes[1].plot(*swings.reshape(-1, 2).T, ".", color="black", ms=1)
    axes[1].set_ylabel("speed φ'")
    figure.colorbar(image, ax=axes[2], ticks=[-1.5, 0, 1.5], pad=0.03)
    figure.savefig(path, dpi=90)


def main(arguments=None):
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="fewer steps")
    parser.add_argument("--out", type=Path, default=Path("neural_ode.png"), help="where to save the picture")
    options = parser.parse_args(arguments)

    rng = np.random.default_rng(0)
    swings, pieces = measurements(12, 60, rng)
    steps = tqdm(range(150 if options.quick else 3000), desc="training", unit="step")
    weights, values = trained(new_weights(rng), pieces, rng, steps)
    seen = swings.reshape(-1, 2)
    error = np.asarray(acceleration(weights, seen)) + np.sin(seen[:, 0]) + 0.2 * seen[:, 1]
    start = np.array([2.5, 0.0])
    ahead = np.abs(swing(lambda y: slope(weights, y), start, 120) - swing(pendulum, start, 120))
    of_truth = np.mean(fg.vmap(lambda piece: misfit_of(pendulum, piece))(pieces))
    print(f"misfit          {values[0]:.4f} -> {np.mean(values[-50:]):.4f}, of the true law {of_truth:.4f}")
    print(f"acceleration    wrong by {np.sqrt(np.mean(error**2)):.3f} (rms) where there are measurements")
    print(f"unseen swing    wrong by {np.asarray(ahead)[:, 0].max():.3f} at most in {STEP * 119:.0f} units of time")
    draw(options.out, weights, swings, start)
    print(f"picture         {options.out}")


if __name__ == "__main__":
    main()
