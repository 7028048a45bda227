"""A recurrent network over 100 steps: a long tape of small matrix products, with weights that every step uses."""

import numpy as np
from timing import Case

STEPS, BATCH, INPUTS, HIDDEN = 100, 8, 16, 32


def problem():
    """([input weights, recurrent weights, bias, output weights], inputs by step, target), as ndarrays."""
    rng = np.random.default_rng(0)
    params = [
        rng.normal(size=(INPUTS, HIDDEN)) / np.sqrt(INPUTS),
        rng.normal(size=(HIDDEN, HIDDEN)) / np.sqrt(HIDDEN),
        np.zeros(HIDDEN),
        rng.normal(size=(HIDDEN, 1)) / np.sqrt(HIDDEN),
    ]
    return params, rng.normal(size=(STEPS, BATCH, INPUTS)), rng.normal(size=(BATCH, 1))


def funcgrad():
    import funcgrad as fg
    import funcgrad.numpy as fnp

    params, xs, target = problem()
    params, xs, start = [fnp.asarray(p) for p in params], list(map(fnp.asarray, xs)), fnp.zeros((BATCH, HIDDEN))

    def loss(params):
        wx, wh, b, wo = params
        h = start
        for x in xs:
            h = fnp.tanh(x @ wx + h @ wh + b)
        return fnp.mean((h @ wo - target) ** 2)

    f = fg.value_and_grad(loss)
    return lambda: f(params)


def by_hand():
    params, xs, target = problem()
    return gradient_by_hand(*params, xs, target)


def gradient_by_hand(wx, wh, b, wo, xs, target):
    """What gives the loss and its gradients, in the dtype of the arrays."""
    steps, batch, hidden = STEPS, BATCH, HIDDEN

    def f():
        hs = np.zeros((steps + 1, batch, hidden), xs.dtype)
        drive = (xs.reshape(-1, xs.shape[2]) @ wx).reshape(steps, batch, hidden)
        drive += b
        for t in range(steps):
            h = np.matmul(hs[t], wh, out=hs[t + 1])
            h += drive[t]
            np.tanh(h, out=h)
        error = hs[-1] @ wo
        error -= target
        loss = np.mean(error**2)
        error *= 2 / batch
        slopes = hs * hs
        np.subtract(1, slopes, out=slopes)
        deltas = np.empty((steps, batch, hidden), xs.dtype)
        g, wh_t = error @ wo.T, wh.T
        for t in reversed(range(steps)):
            delta = np.multiply(g, slopes[t + 1], out=deltas[t])
            g = delta @ wh_t
        deltas = deltas.reshape(-1, hidden)
        g_wx = xs.reshape(-1, xs.shape[2]).T @ deltas
        g_wh = hs[:-1].reshape(-1, hidden).T @ deltas
        return loss, [g_wx, g_wh, deltas.sum(axis=0), hs[-1].T @ error]

    return f


def autograd():
    import autograd
    import autograd.numpy as anp

    params, xs, target = problem()

    def loss(params):
        wx, wh, b, wo = params
        h = np.zeros((BATCH, HIDDEN))
        for x in xs:
            h = anp.tanh(x @ wx + h @ wh + b)
        return anp.mean((h @ wo - target) ** 2)

    f = autograd.value_and_grad(loss)
    return lambda: f(params)


def torch():
    import torch

    params, xs, target = problem()
    params = [torch.tensor(p, requires_grad=True) for p in params]
    xs, target, start = list(torch.tensor(xs)), torch.tensor(target), torch.zeros(BATCH, HIDDEN, dtype=torch.float64)
    wx, wh, b, wo = params

    def f():
        h = start
        for x in xs:
            h = torch.tanh(x @ wx + h @ wh + b)
        loss = ((h @ wo - target) ** 2).mean()
        return loss.detach(), torch.autograd.grad(loss, params)

    return f


def jax():
    import jax
    import jax.numpy as jnp

    params, xs, target = problem()
    params, xs, target = [jnp.asarray(p) for p in params], list(map(jnp.asarray, xs)), jnp.asarray(target)
    start = jnp.zeros((BATCH, HIDDEN))

    def loss(params):
        wx, wh, b, wo = params
        h = start
        for x in xs:
            h = jnp.tanh(x @ wx + h @ wh + b)
        return jnp.mean((h @ wo - target) ** 2)

    f = jax.value_and_grad(loss)
    return lambda: jax.block_until_ready(f(params))


CASES = [
    Case(
        name="rnn",
        title="value and gradient of a recurrent network: 100 steps, batch 8, hidden 32, float64",
        versions={"funcgrad": funcgrad, "numpy": by_hand, "autograd": autograd, "torch": torch, "jax": jax},
        targets={"autograd": 4, "torch": 1.5, "jax": 20},
        operations=5 * STEPS + 4,
    )
]
