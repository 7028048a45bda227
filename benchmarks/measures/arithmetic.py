"""The price of an Array where nothing is differentiated: microseconds above the same operation on ndarrays."""

import statistics

import numpy as np
from timing import Row, interleaved, median_ratio

import funcgrad.numpy as fnp


def measure(rounds):
    rows = []
    for n in (10, 1_000_000):
        x, y = np.linspace(0.1, 1, n), np.linspace(1, 2, n)
        a, b = fnp.asarray(x), fnp.asarray(y)
        pairs = {
            "x + y": (lambda: a + b, lambda: x + y),
            "x * 2.0": (lambda: a * 2.0, lambda: x * 2.0),
            "-x": (lambda: -a, lambda: -x),
            "sin(x)": (lambda: fnp.sin(a), lambda: np.sin(x)),
            "np.sin(x)": (lambda: np.sin(a), lambda: np.sin(x)),
        }
        for name, (ours, theirs) in pairs.items():
            times = interleaved({"funcgrad": ours, "numpy": theirs}, rounds, seconds=0.02)
            if n == 10:
                above = statistics.median(f - g for f, g in zip(times["funcgrad"], times["numpy"], strict=True)) * 1e6
                bound = None if name == "np.sin(x)" else 0.6  # the protocol of NumPy itself costs about that
                note = f"NumPy {min(times['numpy']) * 1e6:.2f} µs"
                rows.append(Row(f"{name}, {n} elements", above, "µs above", note, at_most=bound))
            else:  # here the overhead is less than the noise of a millisecond, so the ratio is what can be told
                ratio = median_ratio(times["funcgrad"], times["numpy"])
                note = f"NumPy {min(times['numpy']) * 1e3:.2f} ms"
                rows.append(Row(f"{name}, {n:,} elements", ratio, "x NumPy", note, at_most=1.1))
    return rows
