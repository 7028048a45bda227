"""How cost grows: the time per element from 10 to 10⁷ of them, and the time per operation from 10 to 10⁶.

`python benchmarks/growth.py docs/images/growth.png`. One thread; what would take longer than some seconds is left out.
"""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from threads import environment

os.environ.update(environment(1))

import numpy as np
from chart import COLOURS
from results import TITLES
from timing import installed

import funcgrad as fg
import funcgrad.numpy as fnp

SLOW = 4.0  # seconds of a call from which larger sizes are left out
COLOUR = {**COLOURS, "jax.jit": "#3b6fb5"}


def per_element() -> dict[str, Callable[[int], Callable[[], Any]]]:
    """For each library what makes, for a number of elements, value and gradient of a formula on each of them."""

    def loss(xp: Any, x: Any) -> Any:
        return xp.sum(xp.exp(-x * x) * xp.sin(3.0 * x))

    def numpy(n: int) -> Callable[[], Any]:
        x = _points(n)

        def f() -> Any:
            e, s = np.exp(-x * x), np.sin(3.0 * x)
            return np.sum(e * s), e * (3.0 * np.cos(3.0 * x) - 2.0 * x * s)

        return f

    def ours(transform: Callable) -> Callable[[int], Callable[[], Any]]:
        def make(n: int) -> Callable[[], Any]:
            f, x = transform(fg.value_and_grad(lambda x: loss(fnp, x))), fnp.asarray(_points(n))
            return lambda: f(x)

        return make

    found = {"jit": ours(lambda f: fg.jit(f, backend="numpy")), "eager": ours(lambda f: f), "numpy": numpy}
    if installed("llvmlite"):
        found["native"] = ours(lambda f: fg.jit(f, backend="native"))
    if installed("autograd"):
        import autograd
        import autograd.numpy as anp

        found["autograd"] = lambda n: lambda x=_points(n): autograd.value_and_grad(lambda x: loss(anp, x))(x)
    if installed("jax"):
        import jax
        import jax.numpy as jnp

        compiled = jax.jit(jax.value_and_grad(lambda x: loss(jnp, x)))
        found["jax.jit"] = lambda n: lambda x=jnp.asarray(_points(n)): jax.block_until_ready(compiled(x))
    if installed("torch"):
        import torch

        torch.set_num_threads(1)

        def in_torch(n: int) -> Callable[[], Any]:
            x = torch.tensor(_points(n), requires_grad=True)
            return lambda: torch.autograd.grad(loss(torch, x), x)

        found["torch"] = in_torch
    return found


def per_operation() -> dict[str, Callable[[int], Callable[[], Any]]]:
    """For each library what makes the gradient of a chain of operations on one number, recorded anew in each call."""

    def chain(sin: Callable, x: Any, n: int) -> Any:
        for _ in range(n // 2):
            x = sin(x) * 1.5
        return x

    found = {"eager": lambda n: lambda: fg.grad(lambda x: chain(fnp.sin, x, n))(0.5)}
    if installed("autograd"):
        import autograd
        import autograd.numpy as anp

        # beyond this its walk back meets Python's limit on recursion when the graph is freed
        found["autograd"] = lambda n: lambda: autograd.grad(lambda x: chain(anp.sin, x, n))(0.5)
    if installed("torch"):
        import torch

        def in_torch(n: int) -> Callable[[], Any]:
            x = torch.tensor(0.5, dtype=torch.float64, requires_grad=True)
            return lambda: torch.autograd.grad(chain(torch.sin, x, n), x)

        found["torch"] = in_torch
    return found


def _points(n: int) -> np.ndarray:
    return np.linspace(-2.0, 2.0, n)


def _seconds(f: Callable[[], Any]) -> float:
    """The least time of a call, over at least three and about half a second."""
    f()
    times: list[float] = []
    while len(times) < 3 or (sum(times) < 0.5 and len(times) < 2000):
        start = time.perf_counter()
        f()
        times.append(time.perf_counter() - start)
        if times[-1] > SLOW:
            break
    return min(times)


def main() -> None:
    import matplotlib as mpl

    mpl.use("Agg")
    import matplotlib.pyplot as plt

    figure, panels = plt.subplots(1, 2, figsize=(11, 4.2))
    questions = [
        (panels[0], per_element(), 7, "elements", "value and gradient of Σ exp(−x²) sin 3x"),
        (panels[1], per_operation(), 6, "operations", "gradient of a chain of operations on a number, not compiled"),
    ]
    for axes, libraries, powers, what, title in questions:
        for name, make in libraries.items():
            sizes, costs = [], []
            for n in [10**k for k in range(1, powers + 1)]:
                found = _seconds(make(n))
                sizes.append(n)
                costs.append(1e9 * found / n)
                print(f"{name:10}{n:10,} {what:11}{costs[-1]:12.4g} ns for each", flush=True)
                if found > SLOW:
                    break
            axes.loglog(sizes, costs, "o-", color=COLOUR[name], label=TITLES[name], markersize=3)
        axes.set_xlabel(what)
        axes.set_ylabel(f"ns for each of the {what}")
        axes.set_title(title, fontsize=9)
        axes.grid(which="both", alpha=0.2)
        axes.spines[["top", "right"]].set_visible(False)
        axes.legend(frameon=False, fontsize=8)
    figure.tight_layout()
    figure.savefig(Path(sys.argv[1]), dpi=110)


if __name__ == "__main__":
    main()
