"""Logistic regression by Newton's method, functional: the Hessian of a function.

    pip install 'funcgrad[examples]'
    python -m doctest -v examples/pairs/newton_functional.py    # the story
    python examples/pairs/newton_functional.py                  # the full work, with its picture

How likely is an O-ring of the space shuttle damaged at a temperature? Newton's method finds the weights of the largest
likelihood in a few steps, and the inverse of the Hessian at the end says how sure they are. The twin, newton_torch.py,
does the same in torch, and both print the same numbers to the last digit. The picture shows the steps, and the fit with
twice its error.

Here `fg.grad` and `fg.hessian` make functions of a function. Weights are arrays, and nothing has to be told that it
will be differentiated.

>>> weights = np.zeros(2)
>>> fg.grad(loss)(weights)
Array([4.5       , 5.57142857], dtype=float64)
>>> fg.hessian(loss)(weights)
Array([[ 5.75      , -0.35714286],
       [-0.35714286,  5.6122449 ]], dtype=float64)

Sources: S. Dalal, E. Fowlkes, B. Hoadley, "Risk analysis of the space shuttle", JASA 84 (1989), table 1; P. McCullagh,
J. Nelder, "Generalized Linear Models" (1989).
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


def score(weights, temperature):
    """The logarithm of the odds of damage."""
    return weights[0] + weights[1] * (temperature - 70) / 7


def loss(weights):
    """Minus the logarithm of the likelihood."""
    s = score(weights, TEMPERATURE)
    return np.sum(np.logaddexp(0, s) - DAMAGED * s)


def newton(weights, steps):
    """The weights and the loss before each step and after the last.

    >>> course = newton(np.zeros(2), 2)
    >>> [f"{value:.10f}" for _, value in course]
    ['15.9423851529', '10.5925202965', '10.1793156221']
    """
    course = [(weights, float(loss(weights)))]
    for _ in range(steps):
        weights = weights - np.linalg.solve(fg.hessian(loss)(weights), fg.grad(loss)(weights))
        course.append((np.asarray(weights), float(loss(weights))))
    return course


def errors(covariance, temperature):
    """The standard errors of the scores."""
    x = np.stack([np.ones_like(temperature), (temperature - 70) / 7])
    return np.sqrt(np.sum(x * (covariance @ x), axis=0))


def draw(path, course, covariance):
    figure, (left, right) = plt.subplots(1, 2, figsize=(10, 4), layout="constrained")
    t = np.linspace(45.0, 85.0, 81)
    for k, (weights, _) in enumerate(course[:4]):
        left.plot(t, expit(score(weights, t)), color=plt.cm.viridis(k / 4), label=f"after {k} steps")
    left.set(xlabel="temperature, °F", ylabel="probability of damage", title="Newton's steps")
    left.legend()
    s, error = score(course[-1][0], t), 2 * errors(covariance, t)
    right.fill_between(t, expit(s - error), expit(s + error), color="tab:blue", alpha=0.2, lw=0)
    right.plot(t, expit(s), color="tab:blue")
    right.plot(TEMPERATURE, DAMAGED, "o", color="tab:orange", ms=5)
    right.set(xlabel="temperature, °F", title="The fit, ± twice its error, and the flights")
    figure.savefig(path, dpi=90)


def main(arguments=None):
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="the same: it is quick")
    parser.add_argument("--out", type=Path, default=Path("newton_functional.png"), help="where to save the picture")
    options = parser.parse_args(arguments)

    course = newton(np.zeros(2), 7)
    for k, (weights, value) in enumerate(course):
        print(f"step {k}      weights {weights[0]:.12f} {weights[1]:.12f}   loss {value:.12f}")
    covariance = np.linalg.inv(np.asarray(fg.hessian(loss)(course[-1][0])))
    print(f"errors      {np.sqrt(covariance[0, 0]):.12f} {np.sqrt(covariance[1, 1]):.12f}")
    draw(options.out, course, covariance)
    print(f"picture     {options.out}")


if __name__ == "__main__":
    main()
