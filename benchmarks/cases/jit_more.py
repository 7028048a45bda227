"""More workloads for jit, of the kinds that people have: statistics, networks, grids, particles, solvers, filters.

Against eager funcgrad, `jax.jit`, and NumPy by hand where that is a page of its own. The losses are written once, with
NumPy's names, which `funcgrad.numpy` and `jax.numpy` have.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from cases.jit_learning import LEARNING
from cases.jit_libraries import Workload
from cases.jit_science import SCIENCE


def _batch_norm(xp, scale, shift, x):
    d = x - xp.mean(x, axis=0)
    h = d / xp.sqrt(xp.mean(d * d, axis=0) + 1e-5) * scale + shift
    return xp.mean(xp.maximum(h, 0.0) ** 2)


def _batch_norm_by_hand(scale, shift, x):
    def f():
        z = x - x.mean(axis=0)
        z /= np.sqrt(np.einsum("ij,ij->j", z, z) / len(x) + 1e-5)
        h = z * scale
        h += shift
        np.maximum(h, 0, out=h)
        value = np.vdot(h, h) / h.size
        h *= 2 / h.size
        return value, [np.einsum("ij,ij->j", h, z), h.sum(axis=0)]

    return f


def _cross_entropy(xp, w, b, x, labels):
    s = x @ w + b
    return xp.mean(xp.log(xp.sum(xp.exp(s), axis=1)) - s[xp.arange(len(labels)), labels])


def _cross_entropy_by_hand(w, b, x, labels):
    rows = np.arange(len(labels))

    def f():
        s = x @ w
        s += b
        right = s[rows, labels]
        np.exp(s, out=s)
        total = s.sum(axis=1)
        value = np.mean(np.log(total) - right)
        s /= total[:, None]
        s[rows, labels] -= 1
        s /= len(labels)
        return value, [x.T @ s, s.sum(axis=0)]

    return f


def _columns(xp, x, w):
    e = x * w
    top = xp.max(e, axis=0)
    return xp.sum(xp.log(xp.sum(xp.exp(e - top), axis=0)) + top)


def _running_sum(xp, x, wanted):
    return xp.mean((xp.cumsum(x) - wanted) ** 2)


def _running_sum_by_hand(x, wanted):
    def f():
        d = np.cumsum(x)
        d -= wanted
        value = np.vdot(d, d) / d.size
        d *= 2 / d.size
        return value, [np.cumsum(d[::-1])[::-1]]

    return f


def _order_statistics(xp, x, w):
    return xp.sum(xp.sort(x) * w)


def _order_statistics_by_hand(x, w):
    def f():
        order = np.argsort(x)
        g = np.empty_like(x)
        g[order] = w
        return np.vdot(x[order], w), [g]

    return f


def _spectrum(xp, x, w):
    f = xp.fft.rfft(x)
    return xp.sum(w * (f.real**2 + f.imag**2))


def _weather(xp, x, forcing):
    for _ in range(100):  # Lorenz's model of 1996
        x = x + 0.01 * ((xp.roll(x, -1) - xp.roll(x, 2)) * xp.roll(x, 1) - x + forcing)
    return xp.sum(x * x)


def _gaussian_process(xp, p, x, y):
    d = xp.sum((x[:, None] - x[None]) ** 2, axis=2)
    k = xp.exp(p[0] - 0.5 * d * xp.exp(-2 * p[1])) + xp.exp(p[2]) * xp.eye(len(y), dtype=x.dtype)
    return 0.5 * y @ xp.linalg.solve(k, y) + xp.sum(xp.log(xp.diagonal(xp.linalg.cholesky(k))))


def _heat(xp, u, wanted):
    for _ in range(5):
        u = u + 0.1 * (xp.roll(u, 1, 0) + xp.roll(u, -1, 0) + xp.roll(u, 1, 1) + xp.roll(u, -1, 1) - 4 * u)
    return xp.mean((u - wanted) ** 2)


def _heat_by_hand(u, wanted):
    def step(u):
        r = np.roll(u, 1, 0)
        r += np.roll(u, -1, 0)
        r += np.roll(u, 1, 1)
        r += np.roll(u, -1, 1)
        r *= 0.1
        r += 0.6 * u
        return r

    def f():
        v = u
        for _ in range(5):
            v = step(v)
        d = v - wanted
        value = np.vdot(d, d) / d.size
        d *= 2 / d.size
        for _ in range(5):  # the step is symmetric
            d = step(d)
        return value, [d]

    return f


def _stencil(xp, u, k):
    laplacian = u[2:, 1:-1] + u[:-2, 1:-1] + u[1:-1, 2:] + u[1:-1, :-2] - 4 * u[1:-1, 1:-1]
    return xp.sum(k * laplacian**2)


def _stencil_by_hand(u, k):
    def f():
        r = u[2:, 1:-1] + u[:-2, 1:-1]
        r += u[1:-1, 2:]
        r += u[1:-1, :-2]
        r -= 4 * u[1:-1, 1:-1]
        kr = k * r
        value = np.vdot(kr, r)
        kr *= 2
        g = np.zeros_like(u)
        g[2:, 1:-1] += kr
        g[:-2, 1:-1] += kr
        g[1:-1, 2:] += kr
        g[1:-1, :-2] += kr
        kr *= 4
        g[1:-1, 1:-1] -= kr
        return value, [g]

    return f


def _image_filter(xp, w, image):
    n, m = image.shape
    out = sum(w[i, j] * image[i : n - 2 + i, j : m - 2 + j] for i in range(3) for j in range(3))
    return xp.mean(xp.tanh(out) ** 2)


def _image_filter_by_hand(w, image):
    n, m = image.shape
    parts = [image[i : n - 2 + i, j : m - 2 + j] for i in range(3) for j in range(3)]

    def f():
        h = w[0, 0] * parts[0]
        for v, part in zip(w.ravel()[1:], parts[1:], strict=True):
            h += v * part
        np.tanh(h, out=h)
        g = h * h
        value = g.mean()
        np.subtract(1, g, out=g)
        g *= h
        g *= 2 / g.size
        return value, [np.array([np.einsum("ij,ij->", g, part) for part in parts]).reshape(3, 3)]

    return f


def _bodies(xp, x, m):
    d = x[:, None] - x[None]
    return -0.5 * xp.sum(m[:, None] * m[None] / xp.sqrt(xp.sum(d * d, axis=2) + 1e-3))


def _bodies_by_hand(x, m):
    def f():
        d = [c[:, None] - c for c in x.T]
        r = d[0] * d[0]
        for c in d[1:]:
            r += c * c
        r += 1e-3
        p = np.sqrt(r)
        np.divide(m, p, out=p)
        p *= m[:, None]
        value = -0.5 * p.sum()
        p /= r
        return value, [np.stack([np.einsum("ij,ij->i", p, c) for c in d], axis=1)]

    return f


def _kalman(xp, a, q, observed):
    eye = xp.eye(4, dtype=a.dtype)
    x, p, h, r, loss = 0 * a[0], eye, eye[:2], 0.1 * eye[:2, :2], 0.0
    for t in range(50):
        x, p = a @ x, a @ p @ a.T + q @ q.T
        s, e = h @ p @ h.T + r, observed[t] - h @ x
        k = xp.linalg.solve(s, h @ p).T
        x, p = x + k @ e, p - k @ h @ p
        loss = loss + e @ xp.linalg.solve(s, e) + xp.linalg.slogdet(s)[1]
    return loss


def _orbit(xp, x, v):
    for _ in range(400):
        v = v - 0.01 * x / xp.sqrt(xp.sum(x * x)) ** 3
        x = x + 0.01 * v
    return xp.sum(x * x) + xp.sum(v * v)


def _runge_kutta(f, y, h):
    k1 = f(y)
    k2 = f(y + h / 2 * k1)
    k3 = f(y + h / 2 * k2)
    return y + h / 6 * (k1 + 2 * k2 + 2 * k3 + f(y + h * k3))


def _epidemic(xp, p, seen, y):
    def f(y):
        new, gone = p[0] * y[0] * y[1], p[1] * y[1]
        return xp.stack([-new, new - gone, gone])

    loss = 0.0
    for t in range(400):
        y = _runge_kutta(f, y, 0.1)
        loss = loss + (y[1] - seen[t]) ** 2
    return loss


def _lorenz(xp, p, y):
    def f(y):
        return xp.stack([p[0] * (y[1] - y[0]), y[0] * (p[1] - y[2]) - y[1], y[0] * y[1] - p[2] * y[2]])

    for _ in range(50):
        y = _runge_kutta(f, y, 0.01)
    return xp.sum(y * y)


def _rod(xp, u, k):
    for _ in range(300):
        u = u + k * (xp.roll(u, 1) + xp.roll(u, -1) - 2 * u)
    return xp.sum(u * u)


def _tree(xp, x):
    x = xp.tanh(x)
    while x.shape[0] > 1:
        x = x[::2] + x[1::2]
        x = x / (1 + 0.1 * x * x)
    return x[0]


def _polynomial(xp, x):
    return xp.sum(x**3 - 2 * x**4 + x**5 / 10)


def _polynomial_by_hand(x):
    def f():
        x2 = x * x
        x3 = x2 * x
        p = x2 / 10
        p -= 2 * x
        p += 1
        value = np.vdot(p, x3)
        g = x2 / 2
        g -= 8 * x
        g += 3
        g *= x2
        return value, [g]

    return f


def _relu(xp, w1, b1, w2, b2, x, y):
    return xp.mean((xp.maximum(x @ w1 + b1, 0) @ w2 + b2 - y) ** 2)


def _relu_by_hand(w1, b1, w2, b2, x, y):
    def f():
        h = x @ w1
        h += b1
        np.maximum(h, 0, out=h)
        r = h @ w2
        r += b2
        r -= y
        value = np.vdot(r, r) / r.size
        r *= 2 / r.size
        g = r @ w2.T
        g *= h > 0
        return value, [x.T @ g, g.sum(axis=0), h.T @ r, r.sum(axis=0)]

    return f


def _convolution(xp, w, x):
    c, height, width = x.shape[1:]
    parts = xp.stack([x[:, :, i : height - 2 + i, j : width - 2 + j] for i in range(3) for j in range(3)], axis=2)
    y = xp.einsum("ncphw,ocp->nohw", parts, xp.reshape(w, (w.shape[0], c, 9)))
    return xp.mean(xp.maximum(y, 0) ** 2)


def _masked_attention(xp, q, k, v, mask):
    s = xp.where(mask, q @ xp.swapaxes(k, -1, -2) / 8.0, -1e9)
    e = xp.exp(s - xp.max(s, axis=-1, keepdims=True))
    return xp.mean((e / xp.sum(e, axis=-1, keepdims=True) @ v) ** 2)


def _robust_regression(xp, w, x, y):
    r = x @ w - y
    size = xp.abs(r)
    return xp.mean(xp.where(size < 1, 0.5 * r * r, size - 0.5))


def _robust_regression_by_hand(w, x, y):
    def f():
        r = x @ w
        r -= y
        g = np.clip(r, -1, 1)
        value = np.mean(g * (r - 0.5 * g))
        return value, [(g @ x) / len(y)]

    return f


def _clusters(xp, centres, x):
    return xp.mean(xp.min(xp.sum((x[:, None, :] - centres) ** 2, axis=-1), axis=1))


def _clusters_by_hand(centres, x):
    def f():
        d = x[:, None, :] - centres
        r = np.vecdot(d, d)
        nearest = r.argmin(axis=1)
        rows = np.arange(len(x))
        g = np.zeros_like(centres)
        np.add.at(g, nearest, d[rows, nearest])
        g *= -2 / len(x)
        return r[rows, nearest].mean(), [g]

    return f


def _pairs(xp, x, y):
    return xp.sum(xp.log1p(xp.exp(-((x[:, None] - y) ** 2))))


def _pairs_by_hand(x, y):
    def f():
        d = x[:, None] - y
        e = d * d
        np.negative(e, out=e)
        np.exp(e, out=e)
        value = np.log1p(e).sum()
        d *= -2
        d *= e
        e += 1
        d /= e
        return value, [d.sum(axis=1), -d.sum(axis=0)]

    return f


def _normal(*shapes):
    return lambda rng: tuple([rng.normal(size=s) for s in shapes])


# The loss, what makes its arrays, how many are differentiated, and value and gradients by hand.
CASES: dict[str, tuple[Any, ...]] = {
    "batch_norm": (_batch_norm, _normal(512, 512, (512, 512)), 2, _batch_norm_by_hand),
    "cross_entropy": (
        _cross_entropy,
        lambda rng: (
            rng.normal(size=(64, 100)) / 8,
            np.zeros(100),
            rng.normal(size=(2000, 64)),
            rng.integers(100, size=2000),
        ),
        2,
        _cross_entropy_by_hand,
    ),
    "columns": (_columns, _normal((1000, 1000), 1000), 2),
    "running_sum": (_running_sum, _normal(300_000, 300_000), 1, _running_sum_by_hand),
    "sort": (_order_statistics, _normal(100_000, 100_000), 1, _order_statistics_by_hand),
    "spectrum": (_spectrum, _normal(1 << 16, (1 << 15) + 1)),
    "weather": (_weather, lambda rng: (rng.normal(size=100), np.full(100, 8.0)), 2),
    "gauss_process": (_gaussian_process, lambda rng: (np.zeros(3), rng.normal(size=(300, 4)), rng.normal(size=300))),
    "heat": (_heat, _normal((500, 500), (500, 500)), 1, _heat_by_hand),
    "stencil": (_stencil, _normal((1000, 1000), (998, 998)), 1, _stencil_by_hand),
    "image_filter": (_image_filter, _normal((3, 3), (512, 512)), 1, _image_filter_by_hand),
    "bodies": (_bodies, lambda rng: (rng.normal(size=(500, 3)), rng.random(500)), 1, _bodies_by_hand),
    "kalman": (_kalman, lambda rng: (np.eye(4) / 2, rng.normal(size=(4, 4)), rng.normal(size=(50, 2))), 2),
    "orbit": (_orbit, lambda rng: (np.array([1.0, 0.0, 0.1]), np.array([0.0, 1.0, 0.0])), 2),
    "epidemic": (_epidemic, lambda rng: (np.array([0.5, 0.1]), rng.random(400), np.array([0.99, 0.01, 0.0]))),
    "lorenz": (_lorenz, lambda rng: (np.array([10.0, 28.0, 8 / 3]), np.ones(3))),
    "rod": (_rod, lambda rng: (rng.random(200), np.array(0.1)), 2),
    "tree": (_tree, _normal(1 << 16)),
    "polynomial": (_polynomial, _normal(200_000), 1, _polynomial_by_hand),
    "relu": (_relu, _normal((100, 500), 500, (500, 10), 10, (1000, 100), (1000, 10)), 4, _relu_by_hand),
    "convolution": (_convolution, _normal((16, 8, 3, 3), (8, 8, 34, 34))),
    "masked": (
        _masked_attention,
        lambda rng: (*[rng.normal(size=(8, 128, 64)) for _ in range(3)], np.tril(np.ones((128, 128), bool))),
        3,
    ),
    "robust": (
        _robust_regression,
        lambda rng: (rng.normal(size=50), rng.normal(size=(20_000, 50)), 3 * rng.normal(size=20_000)),
        1,
        _robust_regression_by_hand,
    ),
    "clusters": (_clusters, _normal((20, 4), (5000, 4)), 1, _clusters_by_hand),
    "pairs": (_pairs, _normal(1000, 800), 2, _pairs_by_hand),
    **SCIENCE,
    **LEARNING,
}

# Loops of hundreds of steps: `jax.jit` takes minutes for their first call, so they are left to it only with `--slow`.
UNROLLED = ("orbit", "epidemic", "lorenz", "rod", "weather", "kalman")


def _workload(name: str, loss: Callable, make: Callable, count: int = 1, by_hand: Callable | None = None) -> Workload:
    unwritten = () if by_hand else ("numpy",)
    skip = ("autograd", "torch", *unwritten, *(("jax.jit",) if name in UNROLLED else ()))
    return Workload(name, make, loss, by_hand, count, skip, whole=True)


WORKLOADS = [_workload(name, *parts) for name, parts in CASES.items()]
