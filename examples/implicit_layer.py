"""A network of one layer that is infinitely deep: a deep equilibrium model, and its gradient without the way there.

    pip install 'funcgrad[examples]'
    python -m doctest -v examples/implicit_layer.py    # the story
    python examples/implicit_layer.py                  # the full work, with its picture

The state z of the layer solves z = tanh(W z + U x + b). An iteration finds it, and reverse mode through its steps would
keep all of them in memory. The implicit function theorem needs the solution only: `custom_root` gets the equation, how
it is solved, and how a linear system with its Jacobian is solved, here by iteration again. Whoever found the solution,
and in how many steps, does not matter to the gradient.

>>> rng = np.random.default_rng(0)
>>> params = new_parameters(rng, width=8)
>>> points, spiral = spirals(20, rng)
>>> exact = fg.grad(loss)(params, points, spiral)
>>> unrolled = fg.grad(lambda p: loss(p, points, spiral, steps=400))(params)
>>> bool(np.allclose(exact["W"], unrolled["W"], atol=1e-9))
True

The picture shows left how a layer with a state of 40 numbers tells two spirals apart, and right what unrolling costs:
how far its gradient is from the exact one, and how much memory it takes, by the number of steps.

Source: S. Bai, J. Kolter, V. Koltun, "Deep equilibrium models", NeurIPS 2019.
"""

import argparse
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np
from tqdm import tqdm

import funcgrad as fg


def spirals(n, rng):
    """Points on two spirals, n on each, a little beside them; and on which one each is."""
    turn = np.sqrt(rng.uniform(0.05, 1, size=2 * n)) * 3 * np.pi
    spiral = np.arange(2 * n) % 2
    direction = np.stack([np.cos(turn + np.pi * spiral), np.sin(turn + np.pi * spiral)], axis=1)
    return direction * turn[:, None] / 3 + 0.06 * rng.normal(size=(2 * n, 2)), spiral


def new_parameters(rng, width):
    return {
        "W": rng.normal(size=(width, width)) / np.sqrt(width),
        "U": rng.normal(size=(2, width)),
        "b": rng.normal(size=width),
        "out": rng.normal(size=width) / np.sqrt(width),
    }


def layer(params, z, x):
    """One application. W is kept smaller than 1, so that there is one equilibrium and iteration finds it."""
    norm = np.linalg.norm(params["W"], 2)
    return np.tanh(z @ (0.95 * params["W"] / np.maximum(norm, 0.95)) + x @ params["U"] + params["b"])


def iterated(step, z):
    """z after steps until it stands still.

    >>> print(f"{iterated(np.cos, np.array(1.0)):.8f}")
    0.73908513
    """
    for _ in range(2000):
        z, before = step(z), z
        if np.abs(z - before).max() < 1e-11:
            break
    return z


def equilibrium(params, x):
    """The state in which the layer changes nothing, a function with derivatives of its own."""
    start = np.zeros((len(x), len(params["b"])))

    def search(f, z):
        return iterated(lambda z: z + f(z), z)

    def solve(matvec, y):  # matvec(v) is J v - v or its transpose, where J, the Jacobian of the layer, is less than 1
        return iterated(lambda v: v + matvec(v) - y, -y)

    def tangent_solve(matvec, y):
        return fg.lax.custom_linear_solve(matvec, y, solve, solve)

    return fg.lax.custom_root(lambda z: layer(params, z, x) - z, start, search, tangent_solve)


def loss(params, x, spiral, steps=None):
    """Cross-entropy; with the equilibrium, or with the state after some steps from zero."""
    z = equilibrium(params, x) if steps is None else np.zeros((len(x), len(params["b"])))
    for _ in range(steps or 0):
        z = layer(params, z, x)
    score = z @ params["out"]
    return np.mean(np.logaddexp(0, score) - spiral * score)


def trained(params, x, spiral, progress, rate=0.01):
    """The parameters after some steps of Adam, with the losses on the way."""
    moments, losses = [fg.tree.map(np.zeros_like, params)] * 2, []
    for step in progress:
        value, gradient = fg.value_and_grad(loss)(params, x, spiral)
        moments[0] = fg.tree.map(lambda m, g: 0.9 * m + 0.1 * g, moments[0], gradient)
        moments[1] = fg.tree.map(lambda v, g: 0.99 * v + 0.01 * g * g, moments[1], gradient)
        fair = rate * np.sqrt(1 - 0.99 ** (step + 1)) / (1 - 0.9 ** (step + 1))
        params = fg.tree.map(lambda p, m, v, fair=fair: p - fair * m / (np.sqrt(v) + 1e-8), params, *moments)
        losses.append(float(value))
        if hasattr(progress, "set_postfix"):
            progress.set_postfix(loss=f"{losses[-1]:.4f}")
    return params, losses


def cost_of_unrolling(params, x, spiral, counts):
    """How far the gradient of the unrolled layer is off, relative, and its bytes; and the bytes of the implicit one."""
    _, pullback = fg.vjp(lambda p: loss(p, x, spiral), params)
    exact, _ = fg.ravel_pytree(pullback(1.0)[0])
    errors, sizes = [], []
    for steps in counts:
        _, unrolled = fg.vjp(lambda p, steps=steps: loss(p, x, spiral, steps), params)
        gradient, _ = fg.ravel_pytree(unrolled(1.0)[0])
        errors.append(float(np.linalg.norm(gradient - exact) / np.linalg.norm(exact)))
        sizes.append(unrolled.tape.residual_bytes)
    return np.array(errors), np.array(sizes), pullback.tape.residual_bytes


def draw(path, params, x, spiral, counts, errors, sizes, size):
    figure, (left, right) = plt.subplots(1, 2, figsize=(10, 4.2), layout="constrained", width_ratios=[1, 1.2])
    side = np.linspace(-4, 4, 121)
    grid = np.stack(np.meshgrid(side, side), axis=-1)
    score = np.asarray(equilibrium(params, grid.reshape(-1, 2)) @ params["out"]).reshape(121, 121)
    left.contourf(side, side, score, [-np.inf, 0, np.inf], colors=["#cfe0f1", "#fde3c8"])
    for k, colour in enumerate(("tab:blue", "tab:orange")):
        left.plot(*x[spiral == k].T, ".", color=colour, ms=5)
    left.set(aspect="equal", xticks=[], yticks=[], title="Two spirals, told apart")
    right.semilogy(counts, errors, "o-", color="tab:blue", ms=4)
    right.set(xlabel="steps of the unrolled layer", title="The gradient: unrolled, and at the equilibrium")
    right.set_ylabel("error of the unrolled gradient, relative", color="tab:blue")
    memory = right.twinx()
    memory.plot(counts, sizes / 1e6, "s-", color="tab:red", ms=4)
    memory.axhline(size / 1e6, color="tab:red", ls="--", label=f"implicit: {size / 1e6:.2f} MB")
    memory.legend(loc="upper center")
    memory.set(ylim=(0, None))
    memory.set_ylabel("kept for the way back, MB", color="tab:red")
    figure.savefig(path, dpi=90)


def main(arguments=None):
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="fewer points and steps")
    parser.add_argument("--out", type=Path, default=Path("implicit_layer.png"), help="where to save the picture")
    options = parser.parse_args(arguments)

    rng = np.random.default_rng(0)
    x, spiral = spirals(20 if options.quick else 150, rng)
    progress = tqdm(range(15 if options.quick else 250), desc="training", unit="step")
    params, losses = trained(new_parameters(rng, 40), x, spiral, progress)
    counts = [2, 5, 10, 20, 30, 40, 60, 80]
    errors, sizes, size = cost_of_unrolling(params, x, spiral, counts)
    right = np.mean((np.asarray(equilibrium(params, x) @ params["out"]) > 0) == spiral)
    print(f"training        loss {losses[0]:.3f} -> {losses[-1]:.4f}, {right:.0%} of {len(x)} points on their side")
    for steps, error, kept in zip(counts, errors, sizes, strict=True):
        print(f"{steps:>4} steps      gradient off by {error:.0e}, {kept / 1e6:.2f} MB kept")
    print(f"implicit        {size / 1e6:.2f} MB kept")
    draw(options.out, params, x, spiral, counts, errors, sizes, size)
    print(f"picture         {options.out}")


if __name__ == "__main__":
    main()
