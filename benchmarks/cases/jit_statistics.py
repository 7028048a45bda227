"""Likelihoods, and a function of many numbers: arrays that are read more than they are computed with."""

from __future__ import annotations

import numpy as np

from cases.elementwise import gradient_by_hand as elementwise_by_hand
from cases.jit_libraries import Workload

N, D, K = 1000, 10, 25


def _mixture(xp, weights, means, scales, x):
    """The negative log-likelihood of a mixture of K Gaussians with diagonal covariances."""
    z = (x[:, None, :] - means) * xp.exp(-scales)
    terms = weights - xp.sum(scales, axis=1) - 0.5 * xp.sum(z * z, axis=2)
    return -xp.mean(xp.logsumexp(terms, axis=1)) + xp.logsumexp(weights, axis=0)


def _mixture_by_hand(weights, means, scales, x):
    def f():
        s = np.exp(-scales)
        z = x[:, None, :] - means
        z *= s
        t = np.vecdot(z, z)
        t *= -0.5
        t += weights - scales.sum(axis=1)
        top = t.max(axis=1, keepdims=True)
        t -= top
        np.exp(t, out=t)
        total = t.sum(axis=1, keepdims=True)
        w = np.exp(weights - weights.max())
        value = -np.mean(np.log(total) + top) + np.log(w.sum()) + weights.max()
        t /= total
        t /= -N  # the responsibilities: d value / d terms
        by_component = t.sum(axis=0)
        # d terms / d means = z s, d terms / d scales = z² - 1
        g_means = np.einsum("nk,nkd->kd", t, z) * s
        np.multiply(z, z, out=z)
        g_scales = np.einsum("nk,nkd->kd", t, z) - by_component[:, None]
        return value, [by_component + w / w.sum(), g_means, g_scales]

    return f


def _logistic(xp, w, b, x, y):
    s = x @ w + b
    return xp.mean(xp.log(1 + xp.exp(-y * s)))


def _logistic_arrays(rng):
    return rng.normal(size=100), np.zeros(()), rng.normal(size=(10_000, 100)), rng.choice([-1.0, 1.0], 10_000)


def _logistic_by_hand(w, b, x, y):
    def f():
        s = x @ w
        s += b
        s *= y
        np.negative(s, out=s)
        np.exp(s, out=s)
        t = s + 1
        value = np.log(t).mean()
        s /= t
        s *= y
        s /= -len(y)
        return value, [s @ x, s.sum()]

    return f


def _elementwise(xp, x):
    return xp.sum(xp.tanh(x) * xp.exp(-x * x) + xp.sin(x) ** 2)


WORKLOADS = [
    Workload(
        "mixture",
        lambda rng: (np.zeros(K), rng.normal(size=(K, D)), 0.1 * rng.normal(size=(K, D)), rng.normal(size=(N, D))),
        _mixture,
        _mixture_by_hand,
        count=3,
    ),
    Workload("logistic", _logistic_arrays, _logistic, _logistic_by_hand, count=2),
    Workload("elementwise", lambda rng: (rng.normal(size=1_000_000),), _elementwise, elementwise_by_hand),
]
