"""A function of a million doubles made of eight elementwise operations: memory traffic and the ufuncs themselves."""

import numpy as np
from timing import Case

X = np.random.default_rng(0).normal(size=1_000_000)


def funcgrad():
    import funcgrad as fg
    import funcgrad.numpy as fnp

    def f(x):
        return fnp.sum(fnp.tanh(x) * fnp.exp(-x * x) + fnp.sin(x) ** 2)

    gradient, x = fg.grad(f), fnp.asarray(X)
    return lambda: gradient(x)


def by_hand():
    value_and_gradient = gradient_by_hand(X)

    def gradient():
        value, (g,) = value_and_gradient()
        assert value > 0
        return g

    return gradient


def gradient_by_hand(x):
    """What gives the value and the gradient; the forward pass is part of the work."""

    def f():
        t, s, e = np.tanh(x), np.sin(x), x * x
        np.negative(e, out=e)
        np.exp(e, out=e)
        value = np.dot(t, e) + np.dot(s, s)
        g = np.cos(x)  # d/dx = (1 - t²) e - 2 x t e + 2 s cos(x)
        g *= s
        np.multiply(x, t, out=s)
        g -= np.multiply(s, e, out=s)
        g *= 2
        np.multiply(t, t, out=t)
        np.subtract(1, t, out=t)
        t *= e
        g += t
        return value, [g]

    return f


def autograd():
    import autograd
    import autograd.numpy as anp

    def f(x):
        return anp.sum(anp.tanh(x) * anp.exp(-x * x) + anp.sin(x) ** 2)

    gradient = autograd.grad(f)
    return lambda: gradient(X)


def torch():
    import torch

    x = torch.tensor(X, requires_grad=True)

    def gradient():
        y = (torch.tanh(x) * torch.exp(-x * x) + torch.sin(x) ** 2).sum()
        return torch.autograd.grad(y, x)[0]

    return gradient


def jax():
    import jax
    import jax.numpy as jnp

    def f(x):
        return jnp.sum(jnp.tanh(x) * jnp.exp(-x * x) + jnp.sin(x) ** 2)

    gradient, x = jax.grad(f), jnp.asarray(X)
    return lambda: gradient(x).block_until_ready()


CASES = [
    Case(
        name="elementwise",
        title="gradient of sum(tanh(x) * exp(-x * x) + sin(x)**2), a million doubles",
        versions={"funcgrad": funcgrad, "numpy": by_hand, "autograd": autograd, "torch": torch, "jax": jax},
        targets={"numpy": 1 / 1.3, "autograd": 1},
    )
]
