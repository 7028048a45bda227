"""Solve a partial differential equation with a neural network: a shock wave by Burgers' equation.

    pip install 'funcgrad[examples]'
    python -m doctest -v examples/burgers.py    # the story
    python examples/burgers.py                  # the full work, with its picture

A wave u(t, x) carries itself along and rubs: ∂u/∂t + u ∂u/∂x = ν ∂²u/∂x². It starts as -sin πx between walls at ±1 and
becomes steeper and steeper in the middle. A network stands for u, and what it is trained by is the equation itself, at
random points: no mesh and no data. The derivatives of the network with respect to t and x are exact, by forward mode,
and those of the whole with respect to its weights by reverse mode, one over the other.

>>> weights = new_weights(np.random.default_rng(0), width=8)
>>> u = lambda t, x: wave(weights, t, x)
>>> t, x, e = 0.3, 0.2, 1e-4
>>> u_t, u_x = (u(t + e, x) - u(t - e, x)) / (2 * e), (u(t, x + e) - u(t, x - e)) / (2 * e)
>>> u_xx = (u(t, x + e) - 2 * u(t, x) + u(t, x - e)) / e**2
>>> bool(abs(residual(weights, t, x) - (u_t + u(t, x) * u_x - VISCOSITY * u_xx)) < 1e-6)
True

Burgers' equation is one of the few that can be solved: Cole and Hopf made it that of heat. The picture shows the wave,
five moments of it over the exact ones, and how the error of the network comes down.

Sources: M. Raissi, P. Perdikaris, G. Karniadakis, "Physics-informed neural networks", Journal of Computational Physics
378 (2019); E. Hopf, "The partial differential equation u_t + u u_x = μ u_xx" (1950).
"""

import argparse
from itertools import pairwise
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np
from scipy.optimize import minimize
from tqdm import tqdm

import funcgrad as fg

VISCOSITY = 0.1 / np.pi


def new_weights(rng, width):
    sizes = [2, width, width, width, 1]
    return [(rng.normal(size=(m, n)) / np.sqrt(m), np.zeros(n)) for m, n in pairwise(sizes)]


def wave(weights, t, x):
    """u(t, x), by a network that is right at the start and at the walls, whatever its weights.

    >>> weights = new_weights(np.random.default_rng(0), width=8)
    >>> wave(weights, 0.0, 0.5), bool(abs(wave(weights, 0.7, 1.0)) < 1e-15)
    (np.float64(-1.0), True)
    """
    y = np.stack([t, x])
    for w, b in weights[:-1]:
        y = np.tanh(y @ w + b)
    ((w, b),) = weights[-1:]
    return -np.sin(np.pi * x) + t * (1 - x * x) * (y @ w + b)[0]


def residual(weights, t, x):
    """What the equation leaves at a point: zero, if the wave solves it."""

    def slope(x):
        return fg.jvp(lambda x: wave(weights, t, x), (x,), (1.0,))

    (u, u_x), (_, u_xx) = fg.jvp(slope, (x,), (1.0,))
    _, u_t = fg.jvp(lambda t: wave(weights, t, x), (t,), (1.0,))
    return u_t + u * u_x - VISCOSITY * u_xx


def loss(weights, t, x):
    return np.mean(fg.vmap(residual, in_axes=(None, 0, 0))(weights, t, x) ** 2)


def exact(t, x, nodes=100):
    """The solution by Cole and Hopf, two integrals over a Gaussian; t > 0.

    >>> exact(np.array([0.5]), np.array([0.0])).round(12) + 0.0, exact(np.array([1e-6]), np.array([0.5])).round(4)
    (array([0.]), array([-1.]))
    """
    z, shares = np.polynomial.hermite.hermgauss(nodes)
    y = x[..., None] - 2 * np.sqrt(VISCOSITY * t[..., None]) * z
    weight = shares * np.exp(-np.cos(np.pi * y) / (2 * np.pi * VISCOSITY))
    return -np.sum(np.sin(np.pi * y) * weight, axis=-1) / np.sum(weight, axis=-1)


def error(weights, n=41):
    """The largest error on a grid."""
    t, x = (a.ravel() for a in np.meshgrid(np.linspace(0.01, 1, n), np.linspace(-1, 1, n)))
    return float(np.abs(fg.vmap(wave, in_axes=(None, 0, 0))(weights, t, x) - exact(t, x)).max())


def trained(weights, t, x, steps):
    """The weights after steps of L-BFGS, with numbers of steps and errors on the way."""
    flat, as_list = fg.ravel_pytree(weights)
    objective = fg.jit(fg.value_and_grad(lambda flat: loss(as_list(flat), t, x)))
    course = [(0, error(weights))]
    with tqdm(total=steps, desc="training", unit="step") as bar:

        def follow(intermediate_result):
            bar.update()
            if bar.n % 20 == 0:
                course.append((bar.n, error(as_list(intermediate_result.x))))
                bar.set_postfix(loss=f"{intermediate_result.fun:.1e}", error=f"{course[-1][1]:.1e}")

        options = {"maxiter": steps, "maxfun": 2 * steps, "maxcor": 50, "ftol": 0.0, "gtol": 0.0}
        result = minimize(objective, flat, jac=True, method="L-BFGS-B", callback=follow, options=options)
    return as_list(result.x), np.array(course), float(result.fun)


def draw(path, weights, course):
    figure, axes = plt.subplots(1, 3, figsize=(10, 3.6), layout="constrained", width_ratios=[1.2, 1, 1])
    t, x = np.linspace(0, 1, 101), np.linspace(-1, 1, 201)
    of_grid = fg.vmap(fg.vmap(wave, in_axes=(None, None, 0)), in_axes=(None, 0, None))
    image = axes[0].pcolormesh(t, x, np.asarray(of_grid(weights, t, x)).T, cmap="RdBu_r", vmin=-1, vmax=1)
    figure.colorbar(image, ax=axes[0])
    axes[0].set(xlabel="t", ylabel="x", title="The wave u, by the network")
    for k, moment in enumerate((0.01, 0.25, 0.5, 0.75, 1.0)):
        axes[1].plot(x, exact(np.full(201, moment), x), color="0.8", lw=4, label="exact" if k == 0 else None)
        u = np.asarray(of_grid(weights, np.array([moment]), x))[0]
        axes[1].plot(x, u, color=plt.cm.viridis(k / 5), lw=1.2, label=f"t = {moment:g}")
    axes[1].set(xlabel="x", ylabel="u", title="Five moments")
    axes[1].legend(fontsize=8)
    axes[2].semilogy(*course.T, color="tab:blue")
    axes[2].set(xlabel="step of L-BFGS", title="Largest error")
    figure.savefig(path, dpi=90)


def main(arguments=None):
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="a small network, few points and steps")
    parser.add_argument("--out", type=Path, default=Path("burgers.png"), help="where to save the picture")
    options = parser.parse_args(arguments)

    rng = np.random.default_rng(0)
    n, width, steps = (200, 8, 60) if options.quick else (1000, 20, 1500)
    t, x = rng.uniform(0, 1, n), rng.uniform(-1, 1, n)
    weights, course, value = trained(new_weights(rng, width), t, x, steps)
    print(f"equation        left by {np.sqrt(value):.1e} (rms) at {n} points, after {steps} steps")
    print(f"wave            wrong by at most {course[0, 1]:.3f} before and {error(weights):.5f} after")
    draw(options.out, weights, course)
    print(f"picture         {options.out}")


if __name__ == "__main__":
    main()
