"""A network of three layers (tanh, cross-entropy) in two sizes: value and gradient with respect to all parameters.

The small one is overhead. The large one is matrix products, which are the same in every library: what differs is what
is done around them.
"""

from functools import partial
from itertools import pairwise

import numpy as np
from timing import Case


def problem(batch, sizes):
    """(list of weights and biases, inputs, labels), as ndarrays."""
    rng = np.random.default_rng(0)
    layers = [(rng.normal(size=(m, n)) / np.sqrt(m), np.zeros(n)) for m, n in pairwise(sizes)]
    return [p for layer in layers for p in layer], rng.normal(size=(batch, sizes[0])), rng.integers(0, 10, batch)


def funcgrad(batch, sizes):
    import funcgrad as fg
    import funcgrad.numpy as fnp

    params, x, labels = problem(batch, sizes)
    params, x, rows = [fnp.asarray(p) for p in params], fnp.asarray(x), np.arange(batch)

    def loss(params):
        w1, b1, w2, b2, w3, b3 = params
        h = fnp.tanh(x @ w1 + b1)
        h = fnp.tanh(h @ w2 + b2)
        scores = h @ w3 + b3
        return fnp.mean(fnp.logsumexp(scores, axis=1) - scores[rows, labels])

    f = fg.value_and_grad(loss)
    return lambda: f(params)


def by_hand(batch, sizes):
    (w1, b1, w2, b2, w3, b3), x, labels = problem(batch, sizes)
    rows = np.arange(batch)

    def through_tanh(g, h):
        slope = h * h
        np.subtract(1, slope, out=slope)
        g *= slope
        return g

    def f():
        h1 = x @ w1
        h1 += b1
        np.tanh(h1, out=h1)
        h2 = h1 @ w2
        h2 += b2
        np.tanh(h2, out=h2)
        p = h2 @ w3
        p += b3
        p -= p.max(axis=1, keepdims=True)
        right = p[rows, labels]
        np.exp(p, out=p)
        total = p.sum(axis=1, keepdims=True)
        loss = np.mean(np.log(total[:, 0]) - right)

        p /= total
        p[rows, labels] -= 1
        p /= batch
        g2 = through_tanh(p @ w3.T, h2)
        g1 = through_tanh(g2 @ w2.T, h1)
        return loss, [x.T @ g1, g1.sum(axis=0), h1.T @ g2, g2.sum(axis=0), h2.T @ p, p.sum(axis=0)]

    return f


def autograd(batch, sizes):
    import autograd
    import autograd.numpy as anp
    from autograd.scipy.special import logsumexp

    params, x, labels = problem(batch, sizes)
    rows = np.arange(batch)

    def loss(params):
        w1, b1, w2, b2, w3, b3 = params
        h = anp.tanh(x @ w1 + b1)
        h = anp.tanh(h @ w2 + b2)
        scores = h @ w3 + b3
        return anp.mean(logsumexp(scores, axis=1) - scores[rows, labels])

    f = autograd.value_and_grad(loss)
    return lambda: f(params)


def torch(batch, sizes):
    import torch

    params, x, labels = problem(batch, sizes)
    params = [torch.tensor(p, requires_grad=True) for p in params]
    x, labels = torch.tensor(x), torch.tensor(labels)
    w1, b1, w2, b2, w3, b3 = params

    def f():
        h = torch.tanh(x @ w1 + b1)
        h = torch.tanh(h @ w2 + b2)
        loss = torch.nn.functional.cross_entropy(h @ w3 + b3, labels)
        return loss.detach(), torch.autograd.grad(loss, params)

    return f


def jax(batch, sizes):
    import jax
    import jax.numpy as jnp

    params, x, labels = problem(batch, sizes)
    params, x, labels, rows = [jnp.asarray(p) for p in params], jnp.asarray(x), jnp.asarray(labels), jnp.arange(batch)

    def loss(params):
        w1, b1, w2, b2, w3, b3 = params
        h = jnp.tanh(x @ w1 + b1)
        h = jnp.tanh(h @ w2 + b2)
        scores = h @ w3 + b3
        return jnp.mean(jax.nn.logsumexp(scores, axis=1) - scores[rows, labels])

    f = jax.value_and_grad(loss)
    return lambda: jax.block_until_ready(f(params))


VERSIONS = {"funcgrad": funcgrad, "numpy": by_hand, "autograd": autograd, "torch": torch, "jax": jax}
SMALL_SIZE = {"batch": 32, "sizes": (64, 64, 64, 10)}
LARGE_SIZE = {"batch": 256, "sizes": (784, 1024, 1024, 10)}

SMALL = [
    Case(
        name="mlp-small",
        title="value and gradient of a small network: batch 32, 64-64-64-10, float64",
        versions={k: partial(v, **SMALL_SIZE) for k, v in VERSIONS.items()},
        targets={"autograd": 4, "torch": 1.5, "jax": 20},
    )
]
LARGE = [
    Case(
        name="mlp-large",
        title="value and gradient of a large network: batch 256, 784-1024-1024-10, float64",
        versions={k: partial(v, **LARGE_SIZE) for k, v in VERSIONS.items()},
        targets={"numpy": 1 / 1.3, "autograd": 1},
    )
]
