"""Functions with nothing wrong, and arguments for each; in those of NOTHING there is nothing to say at all."""

from __future__ import annotations

from functools import partial

import numpy as np

import funcgrad as fg
import funcgrad.nn as nn
import funcgrad.numpy as fnp
from funcgrad.scipy import special

RNG = np.random.default_rng(3)
X, Y, A = RNG.normal(size=4), RNG.normal(size=4), RNG.normal(size=(4, 4))
SPD = A @ A.T + 4.0 * np.eye(4)


def least_squares(w, x, y):
    return np.mean((x @ w - y) ** 2)


def logistic(w, x, y):
    z = x @ w
    return np.mean(np.logaddexp(0.0, z) - y * z)


def cross_entropy(logits):
    return -nn.log_softmax(logits)[1]


def mlp(params, x):
    for w, b in params[:-1]:
        x = np.tanh(x @ w + b)
    w, b = params[-1]
    return np.mean((x @ w + b) ** 2)


def gaussian_process(length, x, y):
    k = np.exp(-(((x[:, None] - x[None]) / length) ** 2)) + 0.1 * np.eye(len(x))
    return y @ np.linalg.solve(k, y) / 2 + np.linalg.slogdet(k)[1] / 2


def attention(q, k, v):
    return np.sum(nn.softmax(q @ k.T / 2.0, axis=-1) @ v * v)


def loop(x):
    y = x
    for _ in range(5):
        y = np.sin(y) + x
    return np.sum(y)


def scanned(x, w):
    return fg.lax.scan(lambda c, r: (np.tanh(w @ c + r), None), np.zeros(4), x)[0].sum()


def newton_root(a):
    return fg.lax.while_loop(lambda x: fnp.abs(x * x - a) > 1e-12, lambda x: (x + a / x) / 2, 1.0)


def checked(x):
    if np.sum(x) > 100:
        return np.sum(x)
    return np.sum(x**2)


def choice(x):
    return fg.lax.cond(x[0] > 0, lambda x: fnp.sum(x**2), lambda x: fnp.sum(x**3), x)


@fg.jit
def compiled(x):
    return fnp.sum(fnp.sin(x) * x)


def of_a_gradient(x):
    return np.sum(fg.grad(lambda y: np.sum(np.sin(y) * x))(x))


def batched(x, a):
    return np.sum(fg.vmap(lambda row: np.sin(row @ x))(a))


def checkpointed(x):
    return np.sum(fg.checkpoint(lambda x: np.sin(np.exp(x)))(x))


def eigenvalues(a):
    return np.sum(np.linalg.eigvalsh(a + a.T) ** 3)


def of_complex_numbers(z):
    return np.sum(np.abs(z) ** 2 + np.real(z))


def likelihood(mean, log_scale, x):
    return np.mean(0.5 * ((x - mean) / np.exp(log_scale)) ** 2 + log_scale)


def gammas(a):
    return np.sum(special.gammaln(a) - a * special.digamma(a))


def spectrum(x):
    return np.sum(np.abs(np.fft.rfft(x)) ** 2)


def sorted_weights(x):
    return np.sum(np.sort(x) * np.arange(1.0, 5.0))


def largest_by_logsumexp(x):
    return special.logsumexp(x)


def masked_attention(s):
    scores = fnp.where(fnp.tril(fnp.ones((3, 3), bool)), s[:, None] * s[None], -fnp.inf)
    return fnp.sum(nn.softmax(scores, axis=-1)[2] ** 2)


def leaky(x):
    return np.sum(nn.leaky_relu(x))


def huber(x):
    return np.sum(np.where(np.abs(x) < 1, 0.5 * x**2, np.abs(x) - 0.5))


@fg.custom_jvp
def cube(x):
    return x**3


cube.defjvp(lambda primals, tangents: (primals[0] ** 3, 3 * primals[0] ** 2 * tangents[0]))


def by_a_rule(x):
    return np.sum(cube(x))


def dtype_of_parts(x):
    return np.sum(x.astype(np.float64) ** 2)


def powers(x):
    return sum(c * x**k for k, c in enumerate((1.0, 2.0, 3.0)))


def in_place(x):
    y = fnp.zeros(5).at[1:].set(x)
    return fnp.sum(y * y)


NOTHING = [
    (least_squares, (X, A, Y)),
    (logistic, (X, A, (Y > 0).astype(float))),
    (cross_entropy, (X,)),
    (mlp, ([(A, Y), (A[:, :1], np.ones(1))], A)),
    (gaussian_process, (0.7, X, Y)),
    (attention, (A, SPD, A + 1)),
    (loop, (X,)),
    (scanned, (A, A / 4)),
    (newton_root, (2.0,)),
    (checked, (X,)),
    (choice, (X,)),
    (compiled, (X,)),
    (of_a_gradient, (X,)),
    (batched, (X, A)),
    (checkpointed, (X,)),
    (eigenvalues, (A,)),
    (of_complex_numbers, (X + 1j * Y,)),
    (likelihood, (0.1, 0.2, X)),
    (gammas, (np.abs(X) + 1,)),
    (spectrum, (X,)),
    (sorted_weights, (X,)),
    (largest_by_logsumexp, (X,)),
    (masked_attention, (X[:3],)),
    (leaky, (X,)),
    (huber, (X,)),
    (by_a_rule, (X,)),
    (dtype_of_parts, (X.astype(np.float32),)),
    (powers, (1.5,)),
    (in_place, (X,)),
    (partial(least_squares, x=A, y=Y), (X,)),
]
