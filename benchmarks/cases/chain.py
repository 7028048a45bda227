"""A chain of 600 operations on ten elements: nothing but the cost of recording them and walking back."""

import numpy as np
from timing import Case

STEPS = 300
X = np.linspace(0.5, 1.5, 10)


def funcgrad():
    import funcgrad as fg
    import funcgrad.numpy as fnp

    def f(x):
        for _ in range(STEPS):
            x = fnp.sin(x) * x
        return fnp.sum(x)

    gradient, x = fg.grad(f), fnp.asarray(X)
    return lambda: gradient(x)


def by_hand():
    def gradient():
        x, kept = X, []
        for _ in range(STEPS):
            s = np.sin(x)
            kept.append((x, s))
            x = s * x
        g = np.ones_like(x)
        for x, s in reversed(kept):
            c = np.cos(x)
            c *= x
            c += s
            g *= c
        return g

    return gradient


def autograd():
    import autograd
    import autograd.numpy as anp

    def f(x):
        for _ in range(STEPS):
            x = anp.sin(x) * x
        return anp.sum(x)

    gradient = autograd.grad(f)
    return lambda: gradient(X)


def torch():
    import torch

    x0 = torch.tensor(X, requires_grad=True)

    def gradient():
        x = x0
        for _ in range(STEPS):
            x = torch.sin(x) * x
        return torch.autograd.grad(x.sum(), x0)[0]

    return gradient


def jax():
    import jax
    import jax.numpy as jnp

    def f(x):
        for _ in range(STEPS):
            x = jnp.sin(x) * x
        return jnp.sum(x)

    gradient, x = jax.grad(f), jnp.asarray(X)
    return lambda: gradient(x).block_until_ready()


CASES = [
    Case(
        name="chain",
        title="gradient of a chain: 300 times x = sin(x) * x, 10 elements",
        versions={"funcgrad": funcgrad, "numpy": by_hand, "autograd": autograd, "torch": torch, "jax": jax},
        targets={"autograd": 4, "torch": 1.5, "jax": 20},
        operations=2 * STEPS + 1,
    )
]
