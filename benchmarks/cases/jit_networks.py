"""Networks: a small and a large perceptron, and a block of a transformer."""

from __future__ import annotations

import math
from functools import partial
from itertools import pairwise

import numpy as np

from cases.jit_libraries import Workload


def _mlp(xp, w1, b1, w2, b2, w3, b3, x, wanted):
    h = xp.tanh(x @ w1 + b1)
    h = xp.tanh(h @ w2 + b2)
    scores = h @ w3 + b3
    return xp.mean(xp.logsumexp(scores, axis=1) - xp.sum(scores * wanted, axis=1))


def _mlp_arrays(rng, batch, sizes):
    layers = [(rng.normal(size=(m, n)) / np.sqrt(m), np.zeros(n)) for m, n in pairwise(sizes)]
    wanted = np.eye(sizes[-1])[rng.integers(0, sizes[-1], batch)]
    return (*[p for layer in layers for p in layer], rng.normal(size=(batch, sizes[0])), wanted)


def _mlp_by_hand(w1, b1, w2, b2, w3, b3, x, wanted):
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
        right = np.vecdot(p, wanted)
        np.exp(p, out=p)
        total = p.sum(axis=1, keepdims=True)
        loss = np.mean(np.log(total[:, 0]) - right)
        p /= total
        p -= wanted
        p /= len(x)
        g2 = through_tanh(p @ w3.T, h2)
        g1 = through_tanh(g2 @ w2.T, h1)
        return loss, [x.T @ g1, g1.sum(axis=0), h1.T @ g2, g2.sum(axis=0), h2.T @ p, p.sum(axis=0)]

    return f


BATCH, TOKENS, WIDTH, HEADS = 4, 64, 128, 4


def _attention_arrays(rng):
    d = WIDTH

    def weights(m, n):
        return rng.normal(size=(m, n)) / np.sqrt(m)

    return (
        np.ones(d), np.zeros(d), weights(d, 3 * d), weights(d, d), np.ones(d), np.zeros(d),
        weights(d, 4 * d), np.zeros(4 * d), weights(4 * d, d), np.zeros(d),
        rng.normal(size=(BATCH, TOKENS, d)),
    )  # fmt: skip


def _attention(xp, s1, t1, wqkv, wo, s2, t2, w1, b1, w2, b2, x):
    h = xp.layer_norm(x, s1, t1)
    qkv = xp.reshape(h @ wqkv, (BATCH, TOKENS, 3, HEADS, WIDTH // HEADS))
    qkv = xp.transpose(qkv, (2, 0, 3, 1, 4))
    q, k, v = qkv[0], qkv[1], qkv[2]
    p = xp.softmax(q @ xp.swapaxes(k, -1, -2) / math.sqrt(WIDTH // HEADS))
    h = xp.reshape(xp.transpose(p @ v, (0, 2, 1, 3)), (BATCH, TOKENS, WIDTH))
    x = x + h @ wo
    h = xp.layer_norm(x, s2, t2)
    x = x + xp.gelu(h @ w1 + b1) @ w2 + b2
    return xp.mean(x * x)


def _attention_by_hand(s1, t1, wqkv, wo, s2, t2, w1, b1, w2, b2, x0):
    n, d, e = BATCH * TOKENS, WIDTH, WIDTH // HEADS
    x0 = x0.reshape(n, d)
    c = math.sqrt(2 / math.pi)

    def norm(x):
        z = x - x.mean(axis=1, keepdims=True)
        r = np.vecdot(z, z)[:, None]
        r /= d
        r += 1e-5
        np.sqrt(r, out=r)
        z /= r
        return z, r

    def norm_back(g, z, r, s):
        gs, gt = np.einsum("ij,ij->j", g, z), g.sum(axis=0)
        g = g * s
        m = np.vecdot(g, z)[:, None] / d
        g -= g.mean(axis=1, keepdims=True)
        g -= z * m
        g /= r
        return g, gs, gt

    def f():
        z1, r1 = norm(x0)
        h1 = z1 * s1
        h1 += t1
        qkv = (h1 @ wqkv).reshape(BATCH, TOKENS, 3, HEADS, e).transpose(2, 0, 3, 1, 4)
        q, k, v = qkv
        p = q @ k.mT
        p /= math.sqrt(e)
        p -= p.max(axis=-1, keepdims=True)
        np.exp(p, out=p)
        p /= p.sum(axis=-1, keepdims=True)
        h = (p @ v).transpose(0, 2, 1, 3).reshape(n, d)
        x1 = h @ wo
        x1 += x0
        z2, r2 = norm(x1)
        h2 = z2 * s2
        h2 += t2
        a = h2 @ w1
        a += b1
        aa = a * a
        u = aa * (0.044715 * c)
        u += c
        u *= a
        np.tanh(u, out=u)
        half = 0.5 * u
        half += 0.5
        y = half * a
        x2 = y @ w2
        x2 += b2
        x2 += x1
        value = np.vdot(x2, x2) / x2.size

        g = x2
        g *= 2 / x2.size
        gw2, gb2 = y.T @ g, g.sum(axis=0)
        ga = g @ w2.T
        np.multiply(u, u, out=u)  # d gelu = (1 + u) / 2 + a (1 - u²) / 2 (c + 3 · 0.044715 c a²)
        np.subtract(0.5, 0.5 * u, out=u)
        aa *= 3 * 0.044715 * c
        aa += c
        u *= aa
        u *= a
        u += half
        ga *= u
        gw1, gb1 = h2.T @ ga, ga.sum(axis=0)
        g2, gs2, gt2 = norm_back(ga @ w1.T, z2, r2, s2)
        g = g + g2
        gwo = h.T @ g
        gh = (g @ wo.T).reshape(BATCH, TOKENS, HEADS, e).transpose(0, 2, 1, 3)
        gqkv = np.empty((BATCH, TOKENS, 3, HEADS, e), x0.dtype)
        gq, gk, gv = gqkv.transpose(2, 0, 3, 1, 4)
        np.matmul(p.mT, gh, out=gv)
        gp = gh @ v.mT
        gp -= np.vecdot(gp, p)[..., None]
        gp *= p
        gp /= math.sqrt(e)
        np.matmul(gp, k, out=gq)
        np.matmul(gp.mT, q, out=gk)
        gqkv = gqkv.reshape(n, 3 * d)
        gwqkv = h1.T @ gqkv
        _, gs1, gt1 = norm_back(gqkv @ wqkv.T, z1, r1, s1)
        return value, [gs1, gt1, gwqkv, gwo, gs2, gt2, gw1, gb1, gw2, gb2]

    return f


WORKLOADS = [
    Workload("mlp", partial(_mlp_arrays, batch=32, sizes=(64, 64, 64, 10)), _mlp, _mlp_by_hand, count=6),
    Workload("attention", _attention_arrays, _attention, _attention_by_hand, count=10),
    Workload(
        "mlp-large",
        partial(_mlp_arrays, batch=256, sizes=(784, 1024, 1024, 10)),
        _mlp,
        _mlp_by_hand,
        count=6,
    ),
]
