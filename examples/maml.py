"""Learn to learn: MAML, whose gradient passes through a step of gradient descent.

    pip install 'funcgrad[examples]'
    python -m doctest -v examples/maml.py    # the story
    python examples/maml.py                  # the full work, with its picture

A task is a sine of some amplitude and phase, of which ten points are seen. Wanted are not the weights of a network for
one of them, but weights from which one step of gradient descent leads to a good fit of whichever sine comes. The loss
after that step is differentiated with respect to the weights before it: a gradient of a gradient, for 25 tasks at once
by `vmap`, in one program by `jit`.

>>> rng = np.random.default_rng(0)
>>> weights = new_weights(rng, width=8)
>>> seen, unseen = tasks(3, 10, rng)
>>> through = fg.grad(loss_after_a_step)(weights, seen, unseen)

It is not the gradient at the weights after the step, as it would be if the step did not depend on the weights:

>>> adapted = adapt(weights, first(seen))
>>> one = fg.grad(lambda w: loss(adapt(w, first(seen)), *first(unseen)))(weights)
>>> without = fg.grad(loss)(adapted, *first(unseen))
>>> bool(abs(one[1][0] - without[1][0]).max() > 0.01)
True
>>> e = fg.tree.map(lambda w: 1e-6 * np.ones_like(w), weights)
>>> plus, minus = (fg.tree.map(lambda w, e, s=s: w + s * e, weights, e) for s in (1, -1))
>>> along = sum(g.sum() for g in fg.tree.leaves(through))
>>> difference = (loss_after_a_step(plus, seen, unseen) - loss_after_a_step(minus, seen, unseen)) / 2e-6
>>> bool(abs(along - difference) < 1e-5)
True

The picture shows a new sine, fitted from the weights that MAML found and from those that fit all sines at once as well
as they can, which know little more than the mean of all; and the error on many new sines by the number of steps.

Source: C. Finn, P. Abbeel, S. Levine, "Model-agnostic meta-learning for fast adaptation of deep networks", ICML 2017.
"""

import argparse
from itertools import pairwise
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np
from tqdm import tqdm

import funcgrad as fg

SHOTS, TASKS, INNER_RATE = 10, 25, 0.02
COLOUR = {"by MAML": "tab:blue", "usual training": "tab:orange"}


def tasks(n, shots, rng):
    """For n sines points to learn from, and others to judge by: two pairs of x and y, each (n, shots, 1)."""
    amplitude, phase = rng.uniform(0.1, 5.0, size=(n, 1, 1)), rng.uniform(0, np.pi, size=(n, 1, 1))
    x = rng.uniform(-5, 5, size=(2, n, shots, 1))
    y = amplitude * np.sin(x - phase)
    return (x[0], y[0]), (x[1], y[1])


def first(of_tasks):
    """The points of the first task."""
    x, y = of_tasks
    return x[0], y[0]


def new_weights(rng, width):
    sizes = [1, width, width, 1]
    return [(rng.normal(size=(m, n)) / np.sqrt(m), np.zeros(n)) for m, n in pairwise(sizes)]


def network(weights, x):
    *hidden, (w_out, b_out) = weights
    for w, b in hidden:
        x = np.tanh(x @ w + b)
    return x @ w_out + b_out


def loss(weights, x, y):
    return np.mean((network(weights, x) - y) ** 2)


def adapt(weights, seen):
    """The weights after a step of gradient descent on one task."""
    return fg.tree.map(lambda w, g: w - INNER_RATE * g, weights, fg.grad(loss)(weights, *seen))


def loss_after_a_step(weights, seen, unseen):
    """What MAML minimises: the loss on unseen points after a step on those that were seen, the mean over tasks."""
    after = fg.vmap(lambda seen, unseen: loss(adapt(weights, seen), *unseen))
    return np.mean(after(seen, unseen))


def loss_of_all(weights, seen, unseen):
    """What the usual training minimises: the mean over tasks, without a step."""
    return loss(weights, *unseen)


def trained(objective, weights, rng, steps, rate=0.005):
    """The weights after training on new tasks in each step, by Adam.

    >>> rng = np.random.default_rng(0)
    >>> weights = trained(loss_after_a_step, new_weights(rng, width=8), rng, range(30), rate=0.01)
    >>> [w.shape for w, b in weights]
    [(1, 8), (8, 8), (8, 1)]
    """
    weights, as_list = fg.ravel_pytree(weights)
    value_and_gradient = fg.jit(fg.value_and_grad(lambda w, seen, unseen: objective(as_list(w), seen, unseen)))
    mean, square, average = np.zeros_like(weights), np.zeros_like(weights), None
    for step in steps:
        value, g = value_and_gradient(weights, *tasks(TASKS, SHOTS, rng))
        mean, square = 0.9 * mean + 0.1 * g, 0.999 * square + 0.001 * g * g
        fair = np.sqrt(1 - 0.999 ** (step + 1)) / (1 - 0.9 ** (step + 1))
        weights = weights - rate * (1 - step / len(steps)) * fair * mean / (np.sqrt(square) + 1e-8)
        average = value if average is None else 0.98 * average + 0.02 * value
        if hasattr(steps, "set_postfix") and step % 50 == 0:
            steps.set_postfix(loss=f"{float(average):.3f}")
    return as_list(weights)


def learning_curve(weights, seen, unseen, steps):
    """The mean loss on unseen points of many tasks after 0, 1, 2, ... steps of gradient descent on each.

    >>> rng = np.random.default_rng(0)
    >>> learning_curve(new_weights(rng, width=8), *tasks(5, 10, rng), steps=3).shape
    (4,)
    """
    n = len(seen[0])
    of_each = fg.tree.map(lambda w: np.broadcast_to(w, (n, *w.shape)), weights)
    losses = []
    for _ in range(steps + 1):
        losses.append(float(np.mean(fg.vmap(lambda w, of: loss(w, *of))(of_each, unseen))))
        of_each = fg.vmap(adapt)(of_each, seen)
    return np.array(losses)


def draw(path, found, curves):
    figure, axes = plt.subplots(1, 3, figsize=(10, 3.6), layout="constrained")
    rng, x = np.random.default_rng(5), np.linspace(-5, 5, 201)[:, None]
    amplitude, phase, shown = 3.5, 0.8, rng.uniform(-5, 5, size=(SHOTS, 1))
    seen = shown, amplitude * np.sin(shown - phase)
    for ax, (name, weights) in zip(axes, found.items(), strict=False):
        ax.plot(x, amplitude * np.sin(x - phase), color="0.75", lw=3, label="the sine")
        ax.plot(*seen, "k^", ms=5, label="seen")
        for step in range(11):
            if step in (0, 1, 10):
                shade = {0: ":", 1: "--", 10: "-"}[step]
                label = f"after {step} step{'s' if step != 1 else ''}"
                ax.plot(x, network(weights, x), shade, color=COLOUR[name], label=label)
            weights = adapt(weights, seen)
        ax.set(title=f"A new sine, {name}", ylim=(-5.5, 7.5))
        ax.legend(fontsize=7, ncols=2, loc="upper center")
    for name, curve in curves.items():
        axes[2].semilogy(curve, "o-", color=COLOUR[name], ms=4, label=name)
    axes[2].set(xlabel="steps of gradient descent", title="Squared error, many new sines")
    axes[2].set_yticks([0.2, 0.5, 1, 2], ["0.2", "0.5", "1", "2"])
    axes[2].minorticks_off()
    axes[2].legend()
    figure.savefig(path, dpi=90)


def main(arguments=None):
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="a small network, and few steps")
    parser.add_argument("--out", type=Path, default=Path("maml.png"), help="where to save the picture")
    options = parser.parse_args(arguments)

    rng = np.random.default_rng(0)
    weights = new_weights(rng, 20 if options.quick else 40)
    found, curves, test = {}, {}, tasks(400, SHOTS, np.random.default_rng(1))
    for name, objective in (("by MAML", loss_after_a_step), ("usual training", loss_of_all)):
        progress = tqdm(range(400 if options.quick else 4000), desc=name, unit="step")
        found[name] = trained(objective, weights, np.random.default_rng(0), progress)
        curves[name] = learning_curve(found[name], *test, steps=10)
        print(f"{name:<16}squared error on new sines {curves[name][0]:.2f}, ", end="")
        print(f"after 1 step {curves[name][1]:.2f}, after 10 steps {curves[name][10]:.2f}")
    draw(options.out, found, curves)
    print(f"picture         {options.out}")


if __name__ == "__main__":
    main()
