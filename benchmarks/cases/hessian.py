"""The Hessian of the Rosenbrock function of 20 variables: forward mode over reverse mode, for all columns at once."""

import numpy as np
from timing import Case

X = np.linspace(-1.0, 1.0, 20)


def rosenbrock(numpy):
    return lambda x: numpy.sum(100.0 * (x[1:] - x[:-1] ** 2) ** 2 + (1.0 - x[:-1]) ** 2)


def funcgrad():
    import funcgrad as fg
    import funcgrad.numpy as fnp

    hessian, x = fg.hessian(rosenbrock(fnp)), fnp.asarray(X)
    return lambda: hessian(x)


def by_hand():
    def hessian():
        h = np.zeros((X.size, X.size))
        diagonal, beside = h.reshape(-1)[:: X.size + 1], -400.0 * X[:-1]
        diagonal[:-1] = 1200.0 * X[:-1] ** 2 - 400.0 * X[1:] + 2.0
        diagonal[1:] += 200.0
        h.reshape(-1)[1 :: X.size + 1] = beside
        h.reshape(-1)[X.size :: X.size + 1] = beside
        return h

    return hessian


def autograd():
    import autograd
    import autograd.numpy as anp

    hessian = autograd.hessian(rosenbrock(anp))
    return lambda: hessian(X)


def torch():
    import torch

    hessian, x = torch.func.hessian(rosenbrock(torch)), torch.tensor(X)
    return lambda: hessian(x)


def jax():
    import jax
    import jax.numpy as jnp

    hessian, x = jax.hessian(rosenbrock(jnp)), jnp.asarray(X)
    return lambda: hessian(x).block_until_ready()


CASES = [
    Case(
        name="hessian",
        title="Hessian of the Rosenbrock function of 20 variables",
        versions={"funcgrad": funcgrad, "numpy": by_hand, "autograd": autograd, "torch": torch, "jax": jax},
        targets={"autograd": 10, "torch": 1.5, "jax": 20},
    )
]
