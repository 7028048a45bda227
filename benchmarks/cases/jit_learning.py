"""Workloads of learning: a recurrent network with gates, a network with dropout, a network on a graph.

They are among the further workloads: `python benchmarks/compiled.py --more --only lstm dropout graph`.
"""

from __future__ import annotations

from importlib import import_module
from itertools import pairwise
from typing import Any

import numpy as np

STEPS, BATCH, WIDTH = 50, 16, 32
KEPT = 0.8
NODES, EDGES, FEATURES, ROUNDS = 300, 1500, 16, 2


def _library(xp: Any) -> Any:
    """The library whose namespace of arrays xp is, with its `nn`, `lax` and `random`."""
    return import_module(xp.__name__.split(".")[0])


def _weights(rng, *sizes):
    """A matrix and an offset for each layer."""
    return [p for m, n in pairwise(sizes) for p in (rng.normal(size=(m, n)) / np.sqrt(m), np.zeros(n))]


def _lstm(xp, wx, wh, b, out, xs, wanted):
    lib = _library(xp)

    def step(state, x):
        h, c = state
        i, f, g, o = xp.split(x @ wx + h @ wh + b, 4, axis=-1)
        c = lib.nn.sigmoid(f) * c + lib.nn.sigmoid(i) * xp.tanh(g)
        return (lib.nn.sigmoid(o) * xp.tanh(c), c), None

    zeros = xp.zeros((BATCH, WIDTH), dtype=xs.dtype)
    (h, _), _ = lib.lax.scan(step, (zeros, zeros), xs)
    return xp.mean((h @ out - wanted) ** 2)


def _lstm_arrays(rng):
    wx, b = _weights(rng, 8, 4 * WIDTH)
    wh, _ = _weights(rng, WIDTH, 4 * WIDTH)
    return wx, wh, b, rng.normal(size=WIDTH), rng.normal(size=(STEPS, BATCH, 8)), rng.normal(size=BATCH)


def _dropout(xp, w1, b1, w2, b2, w3, b3, x, labels, key):
    lib = _library(xp)
    h = x
    for (w, b), k in zip(((w1, b1), (w2, b2)), lib.random.split(key), strict=True):
        h = lib.nn.relu(h @ w + b)
        h = xp.where(lib.random.bernoulli(k, KEPT, h.shape), h / KEPT, 0)
    scores = lib.nn.log_softmax(h @ w3 + b3)
    return -xp.mean(xp.take_along_axis(scores, labels[:, None], axis=1))


def _dropout_arrays(rng):
    return (
        *_weights(rng, 64, 128, 128, 10),
        rng.normal(size=(128, 64)),
        rng.integers(10, size=128),
        np.array([0, 7], np.uint32),
    )


def _graph(xp, message, offset, update, shift, out, x, senders, receivers, wanted):
    """Nodes add up messages of their neighbours."""
    lib, h = _library(xp), x
    for _ in range(ROUNDS):
        m = lib.nn.relu(xp.concatenate([h[senders], h[receivers]], axis=1) @ message + offset)
        arrived = xp.zeros_like(h).at[receivers].add(m)
        h = h + xp.tanh(xp.concatenate([h, arrived], axis=1) @ update + shift)
    return xp.mean((h @ out - wanted) ** 2)


def _graph_arrays(rng):
    return (
        *_weights(rng, 2 * FEATURES, FEATURES),
        *_weights(rng, 2 * FEATURES, FEATURES),
        rng.normal(size=FEATURES),
        rng.normal(size=(NODES, FEATURES)),
        *rng.integers(NODES, size=(2, EDGES)),
        rng.normal(size=NODES),
    )


LEARNING = {
    "lstm": (_lstm, _lstm_arrays, 4),
    "dropout": (_dropout, _dropout_arrays, 6),
    "graph": (_graph, _graph_arrays, 5),
}
