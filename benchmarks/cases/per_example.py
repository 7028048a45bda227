"""Gradients of the small network for each example of a batch: vmap of grad, in the libraries that have it.

"NumPy by hand" is the loop that vmap replaces: funcgrad's own gradient, one example after the other.
"""

import numpy as np
from timing import Case

from cases.mlp import problem

BATCH, SIZES = 32, (64, 64, 64, 10)


def network(np_like, logsumexp):
    def loss(params, x, label):
        w1, b1, w2, b2, w3, b3 = params
        h = np_like.tanh(x @ w1 + b1)
        h = np_like.tanh(h @ w2 + b2)
        scores = h @ w3 + b3
        return logsumexp(scores) - scores[label]

    return loss


def funcgrad():
    import funcgrad as fg
    import funcgrad.numpy as fnp

    params, x, labels = problem(BATCH, SIZES)
    params, x, labels = [fnp.asarray(p) for p in params], fnp.asarray(x), fnp.asarray(labels)
    f = fg.vmap(fg.grad(network(fnp, fnp.logsumexp)), in_axes=(None, 0, 0))
    return lambda: f(params, x, labels)


def loop():
    import funcgrad as fg
    import funcgrad.numpy as fnp

    params, x, labels = problem(BATCH, SIZES)
    params = [fnp.asarray(p) for p in params]
    f = fg.grad(network(fnp, fnp.logsumexp))

    def run():
        rows = [f(params, x[i], int(labels[i])) for i in range(BATCH)]
        return [np.stack([np.asarray(g) for g in column]) for column in zip(*rows, strict=True)]

    return run


def torch():
    import torch

    params, x, labels = problem(BATCH, SIZES)
    params, x, labels = [torch.tensor(p) for p in params], torch.tensor(x), torch.tensor(labels)

    def loss(params, x, label):
        w1, b1, w2, b2, w3, b3 = params
        h = torch.tanh(x @ w1 + b1)
        h = torch.tanh(h @ w2 + b2)
        return torch.nn.functional.cross_entropy((h @ w3 + b3)[None], label[None])

    f = torch.func.vmap(torch.func.grad(loss), in_dims=(None, 0, 0))
    return lambda: f(params, x, labels)


def jax():
    import jax
    import jax.numpy as jnp

    params, x, labels = problem(BATCH, SIZES)
    params, x, labels = [jnp.asarray(p) for p in params], jnp.asarray(x), jnp.asarray(labels)
    f = jax.vmap(jax.grad(network(jnp, jax.nn.logsumexp)), in_axes=(None, 0, 0))
    return lambda: jax.block_until_ready(f(params, x, labels))


CASES = [
    Case(
        name="per-example",
        title="gradients of the small network for each of 32 examples, float64 (by hand: a loop over them)",
        versions={"funcgrad": funcgrad, "numpy": loop, "torch": torch, "jax": jax},
        targets={"numpy": 10, "torch": 1, "jax": 3},
    )
]
