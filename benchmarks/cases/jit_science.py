"""Workloads of the sciences: a quantum circuit, tomography, deconvolution, a convolutional network, a Gaussian process.

They are among the further workloads: `python benchmarks/compiled.py --more --only circuit marginal`.
"""

from __future__ import annotations

from importlib import import_module
from typing import Any

import numpy as np

QUBITS, LAYERS = 10, 4
SIDE, RAYS, ON_RAY = 128, 6000, 96  # of the image that is reconstructed; what is measured; pixels on a ray


def _rotations(xp, angles):
    """For each qubit the matrix of a turn about y and then z."""
    c, s = xp.cos(0.5 * angles[:, 0]), xp.sin(0.5 * angles[:, 0])
    phase = xp.exp(0.5j * angles[:, 1])
    back = xp.conj(phase)
    return xp.stack([xp.stack([c * back, -s * back], axis=-1), xp.stack([s * phase, c * phase], axis=-1)], axis=-2)


def _circuit(xp, angles, signs, energies):
    """The energy of what layers of rotations and controlled phases make of the first basis state."""
    state = xp.zeros(1 << QUBITS, dtype="complex128").at[0].set(1.0)
    for layer in range(LAYERS):
        gates = _rotations(xp, angles[layer])
        for q in range(QUBITS):
            state = xp.einsum("ab,lbr->lar", gates[q], xp.reshape(state, (1 << q, 2, -1)))
        state = xp.reshape(state, (-1,)) * signs
    return xp.sum(energies * (state.real**2 + state.imag**2))


def _circuit_of_tensors(xp, angles, controlled):
    """The same with a tensor of ten axes, and a gate for each pair of neighbours."""
    state = xp.reshape(xp.zeros(1 << QUBITS, dtype="complex128").at[0].set(1.0), (2,) * QUBITS)
    for layer in range(LAYERS):
        gates = _rotations(xp, angles[layer])
        for q in range(QUBITS):
            state = xp.moveaxis(xp.tensordot(gates[q], state, ((1,), (q,))), 0, q)
        for q in range(QUBITS - 1):
            state = xp.moveaxis(xp.tensordot(controlled, state, ((2, 3), (q, q + 1))), (0, 1), (q, q + 1))
    return xp.sum(xp.abs(state[0]) ** 2)


def _circuit_arrays(rng):
    bits = np.arange(1 << QUBITS)[:, None] >> np.arange(QUBITS) & 1
    signs = (-1.0) ** np.sum(bits[:, 1:] * bits[:, :-1], axis=1)
    return rng.normal(size=(LAYERS, QUBITS, 2)), signs, np.sum(1.0 - 2.0 * bits, axis=1)


def _tensor_arrays(rng):
    return rng.normal(size=(LAYERS, QUBITS, 2)), np.diag([1.0, 1, 1, -1]).reshape(2, 2, 2, 2)


def _variation(xp, u):
    """How much neighbours differ, rounded at zero."""
    return xp.mean(xp.sqrt((u[1:, :-1] - u[:-1, :-1]) ** 2 + (u[:-1, 1:] - u[:-1, :-1]) ** 2 + 1e-4))


def _tomography(xp, image, weights, pixels, measured):
    """Rays through an image: for each a row of pixels and of weights, padded with zeros."""
    found = xp.sum(weights * image[pixels], axis=1)
    return xp.mean((found - measured) ** 2) + 0.1 * _variation(xp, xp.reshape(image, (SIDE, SIDE)))


def _tomography_of_entries(xp, image, weights, rays, pixels, measured):
    """The same with a list of entries, whose rows are added up at their places."""
    found = xp.zeros(RAYS, dtype=image.dtype).at[rays].add(weights * image[pixels])
    return xp.mean((found - measured) ** 2)


def _tomography_arrays(rng):
    pixels = rng.integers(SIDE * SIDE, size=(RAYS, ON_RAY))
    return rng.random(SIDE * SIDE), rng.random((RAYS, ON_RAY)), pixels, rng.normal(size=RAYS)


def _entries(rng):
    image, weights, pixels, measured = _tomography_arrays(rng)
    return image, weights.ravel(), np.repeat(np.arange(RAYS), ON_RAY), pixels.ravel(), measured


def _deconvolution(xp, image, blur, seen):
    """A picture that was blurred, all the way round, and is to vary little."""
    blurred = xp.fft.irfft2(xp.fft.rfft2(image) * xp.fft.rfft2(blur), s=image.shape)
    return xp.mean((blurred - seen) ** 2) + 0.01 * _variation(xp, image)


def _digits(xp, w1, b1, w2, b2, w3, b3, x, wanted):
    """Two convolutions with the largest of each four, and a layer: scores of ten digits."""
    lax: Any = import_module(xp.__name__.split(".")[0]).lax

    def layer(x, w, b):
        y = lax.conv(x, w, (1, 1), "VALID") + b[:, None, None]
        n, c, height, width = y.shape
        return xp.max(xp.reshape(xp.maximum(y, 0.0), (n, c, height // 2, 2, width // 2, 2)), axis=(3, 5))

    h = layer(layer(x, w1, b1), w2, b2)
    s = xp.reshape(h, (len(x), -1)) @ w3 + b3
    s = s - xp.max(s, axis=1, keepdims=True)
    return xp.mean(xp.log(xp.sum(xp.exp(s), axis=1)) - xp.sum(wanted * s, axis=1))


def _digits_arrays(rng):
    shapes = [(8, 1, 5, 5), (8,), (16, 8, 5, 5), (16,), (256, 10), (10,)]
    parameters = [0.1 * rng.normal(size=s) for s in shapes]
    return (*parameters, rng.normal(size=(32, 1, 28, 28)), np.eye(10)[rng.integers(0, 10, 32)])


def _marginal(xp, p, x, y):
    """The marginal likelihood of data under a Gaussian process, by a triangular factor."""
    d = x[:, None, :] - x[None, :, :]
    k = xp.exp(p[0] - 0.5 * xp.sum(d * d * xp.exp(-2 * p[2:]), axis=2)) + xp.exp(p[1]) * xp.eye(len(y), dtype=x.dtype)
    c = xp.linalg.cholesky(k)
    return 0.5 * y @ xp.linalg.solve(k, y) + xp.sum(xp.log(xp.diagonal(c)))


SCIENCE = {
    "circuit": (_circuit, _circuit_arrays, 1),
    "tensors": (_circuit_of_tensors, _tensor_arrays, 1),
    "tomography": (_tomography, _tomography_arrays, 1),
    "entries": (_tomography_of_entries, _entries, 1),
    "deconvolution": (_deconvolution, lambda rng: tuple(rng.normal(size=(3, 256, 256))), 1),
    "digits": (_digits, _digits_arrays, 6),
    "marginal": (
        _marginal,
        lambda rng: (np.array([0.0, -1, 0, 0, 0]), rng.normal(size=(200, 3)), rng.normal(size=200)),
        1,
    ),
}
