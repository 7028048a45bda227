"""Logistic regression by Newton's method, as a torch script: the Hessian of a graph.

    pip install 'funcgrad[examples]'
    python -m funcgrad.torch -m doctest -v examples/pairs/newton_torch.py    # the story
    python -m funcgrad.torch examples/pairs/newton_torch.py                  # the full work, with its picture
    python examples/pairs/newton_torch.py                                    # the same with PyTorch

How likely is an O-ring of the space shuttle damaged at a temperature? Newton's method finds the weights of the largest
likelihood in a few steps, and the inverse of the Hessian at the end says how sure they are. The twin,
newton_functional.py, does the same with functions of functions, and both print the same numbers to the last digit. The
picture shows the steps, and the fit with twice its error.

Here the weights say that they will be differentiated. The gradient is kept as a graph, and each of its elements is
differentiated again: a row of the Hessian each.

>>> weights = torch.zeros(2, dtype=torch.float64, requires_grad=True)
>>> gradient, hessian = derivatives(weights)
>>> gradient
tensor([4.5000, 5.5714], dtype=torch.float64)
>>> hessian
tensor([[ 5.7500, -0.3571],
        [-0.3571,  5.6122]], dtype=torch.float64)

Sources: S. Dalal, E. Fowlkes, B. Hoadley, "Risk analysis of the space shuttle", JASA 84 (1989), table 1; P. McCullagh,
J. Nelder, "Generalized Linear Models" (1989).
"""

import argparse
from pathlib import Path

import matplotlib.pyplot as plt
import torch
from torch.nn import functional as F

# fmt: off
TEMPERATURE = torch.tensor([  # °F, of the joints, in the order of the flights
    66, 70, 69, 68, 67, 72, 73, 70, 57, 63, 70, 78, 67, 53, 67, 75, 70, 81, 76, 79, 75, 76, 58,
], dtype=torch.float64)
DAMAGED = torch.tensor([0, 1, 0, 0, 0, 0, 0, 0, 1, 1, 1, 0, 0, 1, 0, 0, 0, 0, 0, 0, 1, 0, 1], dtype=torch.float64)
# fmt: on


def score(weights, temperature):
    """The logarithm of the odds of damage."""
    return weights[0] + weights[1] * (temperature - 70) / 7


def loss(weights):
    """Minus the logarithm of the likelihood."""
    return F.binary_cross_entropy_with_logits(score(weights, TEMPERATURE), DAMAGED, reduction="sum")


def derivatives(weights):
    """The gradient of the loss, and its Hessian row by row."""
    (gradient,) = torch.autograd.grad(loss(weights), weights, create_graph=True)
    rows = [torch.autograd.grad(element, weights, retain_graph=True)[0] for element in gradient]
    return gradient.detach(), torch.stack(rows)


def newton(weights, steps):
    """The weights and the loss before each step and after the last.

    >>> course = newton(torch.zeros(2, dtype=torch.float64), 2)
    >>> [f"{value:.10f}" for _, value in course]
    ['15.9423851529', '10.5925202965', '10.1793156221']
    """
    weights = weights.clone().requires_grad_()
    course = [(weights.detach().clone(), loss(weights).item())]
    for _ in range(steps):
        gradient, hessian = derivatives(weights)
        with torch.no_grad():
            weights -= torch.linalg.solve(hessian, gradient)
        course.append((weights.detach().clone(), loss(weights).item()))
    return course


def errors(covariance, temperature):
    """The standard errors of the scores."""
    x = torch.stack([torch.ones_like(temperature), (temperature - 70) / 7])
    return (x * (covariance @ x)).sum(dim=0).sqrt()


def draw(path, course, covariance):
    figure, (left, right) = plt.subplots(1, 2, figsize=(10, 4), layout="constrained")
    t = torch.linspace(45.0, 85.0, 81, dtype=torch.float64)
    for k, (weights, _) in enumerate(course[:4]):
        left.plot(t, torch.sigmoid(score(weights, t)), color=plt.cm.viridis(k / 4), label=f"after {k} steps")
    left.set(xlabel="temperature, °F", ylabel="probability of damage", title="Newton's steps")
    left.legend()
    s, error = score(course[-1][0], t), 2 * errors(covariance, t)
    right.fill_between(t, torch.sigmoid(s - error), torch.sigmoid(s + error), color="tab:blue", alpha=0.2, lw=0)
    right.plot(t, torch.sigmoid(s), color="tab:blue")
    right.plot(TEMPERATURE, DAMAGED, "o", color="tab:orange", ms=5)
    right.set(xlabel="temperature, °F", title="The fit, ± twice its error, and the flights")
    figure.savefig(path, dpi=90)


def main(arguments=None):
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="the same: it is quick")
    parser.add_argument("--out", type=Path, default=Path("newton_torch.png"), help="where to save the picture")
    options = parser.parse_args(arguments)

    course = newton(torch.zeros(2, dtype=torch.float64), 7)
    for k, (weights, value) in enumerate(course):
        print(f"step {k}      weights {weights[0]:.12f} {weights[1]:.12f}   loss {value:.12f}")
    covariance = torch.linalg.inv(derivatives(course[-1][0].requires_grad_())[1])
    print(f"errors      {covariance[0, 0].sqrt():.12f} {covariance[1, 1].sqrt():.12f}")
    draw(options.out, [(weights.detach(), value) for weights, value in course], covariance)
    print(f"picture     {options.out}")


if __name__ == "__main__":
    main()
