"""How costs grow: with the length of a tape, and with the number of elements that a loop reads one by one."""

import gc
import time

import numpy as np
from timing import Row, installed

import funcgrad as fg
import funcgrad.numpy as fnp


def best(f, rounds):
    times = []
    for _ in range(rounds):
        gc.collect()
        start = time.perf_counter()
        f()
        times.append(time.perf_counter() - start)
    return min(times)


def measure_scalars(rounds):
    def chain(n):
        def f(x):
            for _ in range(n // 2):
                x = x * 0.999 + 0.001
            return x

        return fg.grad(f)

    rows = []
    for n in (10**3, 10**4, 10**5, 10**6):
        gradient = chain(n)
        seconds = best(lambda gradient=gradient: gradient(0.5), rounds if n < 10**5 else 2)
        first = rows[0].value if rows else None
        per_operation = seconds / n * 1e6
        rows.append(Row(f"{n:,} operations", per_operation, "µs each", at_most=2 * first if first else None))
    return rows


def measure_indexing(rounds):
    def read_all(x, total=0.0):
        for i in range(len(x)):
            total = total + x[i] * x[i]
        return total

    def by_funcgrad(x):
        gradient, a = fg.grad(read_all), fnp.asarray(x)
        return lambda: gradient(a)

    def by_autograd(x):
        import autograd

        gradient = autograd.grad(read_all)
        return lambda: gradient(x)

    def by_torch(x):
        import torch

        a = torch.tensor(x, requires_grad=True)
        return lambda: torch.autograd.grad(read_all(a), a)

    rows = []
    for name, make in {"funcgrad": by_funcgrad, "autograd": by_autograd, "torch": by_torch}.items():
        first = None
        for n in (10**2, 10**3, 10**4):
            if not installed(name):
                rows.append(Row(f"{name}, n = {n:,}", None))
                continue
            f = make(np.linspace(0, 1, n))
            f()
            per_element = best(f, rounds if n < 10**4 else 3) / n * 1e6
            first = first or per_element
            bound = 2 * first if name == "funcgrad" and n > 10**2 else None
            rows.append(Row(f"{name}, n = {n:,}", per_element, "µs each", at_most=bound))
    return rows


def measure_residuals(rounds):
    def additions(x):
        for _ in range(1000):
            x = x + 1.5
        return x

    def products(x):
        for _ in range(1000):
            x = x * 1.5
        return x

    x = np.ones(1000)
    return [
        Row("1000 additions of 1000 doubles", fg.vjp(additions, x)[1].tape.residual_bytes, "bytes", at_most=0),
        Row("1000 products with a number", fg.vjp(products, x)[1].tape.residual_bytes, "bytes", at_most=0),
    ]
