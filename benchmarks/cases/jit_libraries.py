"""How each library computes value and gradient of a workload: the loss is written once, in words that all of them have.

A loss takes a namespace `xp` with NumPy's functions and a few of machine learning, which are here in each library's own
best form, and then its arrays. torch and autograd get the words that they lack.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from types import SimpleNamespace
from typing import Any

import numpy as np


@dataclass
class Workload:
    """One computation.

    Attributes:
        name: for `--only`.
        make: gives the arrays: those that are differentiated first.
        loss: a function of `xp` and the arrays.
        by_hand: takes the arrays and gives a function that computes value and gradients with NumPy, written well.
        count: how many of the arrays are differentiated.
        skip: libraries that would take minutes, or for which it is not written.
        whole: whether the loss takes NumPy's whole namespace as a library has it, not just the words that all share.
    """

    name: str
    make: Callable[[np.random.Generator], tuple]
    loss: Callable[..., Any]
    by_hand: Callable[..., Callable[[], Any]] | None
    count: int = 1
    skip: tuple[str, ...] = ()
    whole: bool = False


def _common(np_like: Any) -> SimpleNamespace:
    """The words that NumPy-like libraries share."""
    names = [
        "sum",
        "mean",
        "exp",
        "log",
        "sin",
        "cos",
        "tanh",
        "sqrt",
        "square",
        "stack",
        "reshape",
        "transpose",
        "swapaxes",
        "arange",
        "where",
    ]
    return SimpleNamespace(**{n: getattr(np_like, n) for n in names}, pi=math.pi)


def _formulas(xp: SimpleNamespace) -> SimpleNamespace:
    """Layers as formulas, for libraries that have no operation for them."""

    def softmax(x: Any) -> Any:
        e = xp.exp(x - xp.max(x, axis=-1, keepdims=True))
        return e / xp.sum(e, axis=-1, keepdims=True)

    def layer_norm(x: Any, scale: Any, shift: Any) -> Any:
        d = x - xp.mean(x, axis=-1, keepdims=True)
        return d / xp.sqrt(xp.mean(d * d, axis=-1, keepdims=True) + 1e-5) * scale + shift

    def gelu(x: Any) -> Any:
        return 0.5 * x * (1 + xp.tanh(math.sqrt(2 / math.pi) * (x + 0.044715 * x * x * x)))

    def scan(step: Callable, state: Any, n: int) -> Any:
        for _ in range(n):
            state = step(state)
        return state

    for f in (softmax, layer_norm, gelu, scan):
        setattr(xp, f.__name__, getattr(xp, f.__name__, f))
    return xp


def as_arrays(result: Any) -> list[np.ndarray]:
    """Value and gradients as ndarrays."""
    value, gradients = result
    return [np.asarray(value), *[np.asarray(g) for g in gradients]]


def funcgrad_eager(w: Workload, arrays: tuple) -> Callable[[], Any]:
    return _funcgrad(w, arrays, lambda f: f)


def funcgrad_jit(w: Workload, arrays: tuple, backend: str = "numpy") -> Callable[[], Any]:
    from funcgrad.compile.jit import jit

    return _funcgrad(w, arrays, partial(jit, backend=backend))


def _funcgrad(w: Workload, arrays: tuple, transform: Callable) -> Callable[[], Any]:
    import funcgrad as fg
    import funcgrad.numpy as fnp

    xp = _common(fnp)
    xp.max, xp.logsumexp, xp.softmax = fnp.max, fg.nn.logsumexp, fg.nn.softmax
    xp.scan = lambda step, state, n: fg.lax.scan(lambda s, _: (step(s), None), state, None, length=n)[0]
    xp = _formulas(xp)
    if w.whole:
        xp = fnp
    xs = [fnp.asarray(a) for a in arrays]
    f = transform(fg.value_and_grad(lambda *xs: w.loss(xp, *xs), argnums=tuple(range(w.count))))
    return lambda: f(*xs)


def jax_jit(w: Workload, arrays: tuple) -> Callable[[], Any]:
    import jax
    import jax.numpy as jnp

    xp = _common(jnp)
    xp.max, xp.logsumexp, xp.softmax = jnp.max, jax.nn.logsumexp, jax.nn.softmax
    xp.scan = lambda step, state, n: jax.lax.scan(lambda s, _: (step(s), None), state, None, length=n)[0]
    xp = _formulas(xp)
    if w.whole:
        xp = jnp
    xs = [jnp.asarray(a) for a in arrays]
    f = jax.jit(jax.value_and_grad(lambda *xs: w.loss(xp, *xs), argnums=tuple(range(w.count))))
    return lambda: jax.block_until_ready(f(*xs))


def autograd(w: Workload, arrays: tuple) -> Callable[[], Any]:
    import autograd
    import autograd.numpy as anp
    from autograd.scipy.special import logsumexp

    xp = _common(anp)
    xp.max, xp.logsumexp = anp.max, logsumexp
    xp = _formulas(xp)
    value_and_grad = autograd.value_and_grad
    f = value_and_grad(lambda ps, rest: w.loss(xp, *ps, *rest))
    ps, rest = tuple(arrays[: w.count]), arrays[w.count :]
    return lambda: f(ps, rest)


def torch(w: Workload, arrays: tuple) -> Callable[[], Any]:
    import torch

    functional = torch.nn.functional

    def reduction(f: Callable) -> Callable:
        def call(x: Any, axis: Any = None, keepdims: bool = False) -> Any:
            return f(x) if axis is None else f(x, dim=axis, keepdim=keepdims)

        return call

    xp = SimpleNamespace(
        **{
            n: getattr(torch, n)
            for n in ["exp", "log", "sin", "cos", "tanh", "sqrt", "square", "stack", "reshape", "arange", "where"]
        },
        sum=reduction(torch.sum),
        mean=reduction(torch.mean),
        max=reduction(torch.amax),
        transpose=torch.permute,
        swapaxes=torch.swapaxes,
        logsumexp=lambda x, axis: torch.logsumexp(x, axis),
        softmax=lambda x: torch.softmax(x, -1),
        layer_norm=lambda x, scale, shift: functional.layer_norm(x, x.shape[-1:], scale, shift),
        gelu=lambda x: functional.gelu(x, approximate="tanh"),
        pi=math.pi,
    )
    xp = _formulas(xp)
    xs = [torch.tensor(a) for a in arrays]
    ps = [x.requires_grad_() for x in xs[: w.count]]

    def f() -> Any:
        value = w.loss(xp, *xs)
        return value.detach(), torch.autograd.grad(value, ps)

    return f


def numpy(w: Workload, arrays: tuple) -> Callable[[], Any]:
    assert w.by_hand is not None, "skip it"
    return w.by_hand(*arrays)


LIBRARIES: dict[str, Callable[[Workload, tuple], Callable[[], Any]]] = {
    "jit": funcgrad_jit,
    "native": partial(funcgrad_jit, backend="native"),
    "eager": funcgrad_eager,
    "numpy": numpy,
    "autograd": autograd,
    "torch": torch,
    "jax.jit": jax_jit,
}
