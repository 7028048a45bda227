"""The table of jit: value and gradient of each workload in each library, in one run.

`PYTHONPATH=benchmarks python -m cases.jit_table [--threads 2] [--dtype float32] [--only mlp rnn]`
"""

from __future__ import annotations

import argparse
import math
import os
import sys
import time
from typing import Any


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="funcgrad's jit against its peers")
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--dtype", choices=("float64", "float32"), default="float64")
    parser.add_argument("--only", nargs="+", metavar="NAME")
    parser.add_argument("--libraries", nargs="+", metavar="NAME")
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--all", action="store_true", help="also what takes minutes: XLA on the unrolled solver")
    return parser.parse_args()


def _threads(n: int) -> None:
    """Each library reads its number of threads when it is imported, NumPy before this file: so start again."""
    if os.environ.get("OPENBLAS_NUM_THREADS") == str(n):
        return
    names = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "VECLIB_MAXIMUM_THREADS")
    os.environ.update({name: str(n) for name in (*names, "FUNCGRAD_NUM_THREADS")})
    os.environ["JAX_PLATFORMS"], os.environ["JAX_ENABLE_X64"] = "cpu", "1"
    if n == 1:
        os.environ["XLA_FLAGS"] = "--xla_cpu_multi_thread_eigen=false intra_op_parallelism_threads=1"
    if hasattr(os, "sched_setaffinity"):  # some take a second core whatever they are told
        os.sched_setaffinity(0, sorted(os.sched_getaffinity(0))[:n])
    os.execv(sys.executable, [sys.executable, "-m", "cases.jit_table", *sys.argv[1:]])


def run(options: argparse.Namespace) -> None:
    import gc

    import numpy as np
    from timing import check_equal, installed, interleaved, median_ratio

    from cases import jit_networks, jit_small, jit_statistics
    from cases.jit_libraries import LIBRARIES, NEEDS, _arrays

    names = [n for n in options.libraries or LIBRARIES if n not in NEEDS or installed(NEEDS[n])]
    if "torch" in names:
        import torch

        torch.set_num_threads(options.threads)
    if "jax.jit" in names:
        import jax

        jax.jit(lambda x: x + 1)(1.0)  # what it prepares once is not part of the time to a first result
    gc.collect()
    gc.freeze()
    others = [n for n in names if n != "jit"]
    print(f"{options.threads} thread(s), {options.dtype}; times as multiples of jit's; first: call to result, in ms")
    print(f"{'':13}{'jit, ms':>9}" + "".join(f"{n:>10}" for n in others) + f"{'first':>10}{'jax first':>11}")
    ratios: dict[str, list[float]] = {n: [] for n in others}
    large: list[float] = []
    for w in [*jit_small.WORKLOADS, *jit_networks.WORKLOADS, *jit_statistics.WORKLOADS]:
        if options.only and w.name not in options.only:
            continue
        arrays = tuple(np.asarray(a, options.dtype) for a in w.make(np.random.default_rng(0)))
        functions: dict[str, Any] = {}
        first: dict[str, float] = {}
        results: dict[str, Any] = {}
        for n in names:
            if n in w.skip and not options.all:
                continue
            f = LIBRARIES[n](w, arrays)
            start = time.perf_counter()
            result = f()
            first[n] = time.perf_counter() - start
            results[n], functions[n] = _arrays(result), f
        if options.dtype == "float64":
            check_equal(results)
        times = interleaved(functions, options.rounds)
        row = f"{w.name:13}{min(times['jit']) * 1e3:9.4g}"
        for n in others:
            if n not in times:
                row += f"{'-':>10}"
                continue
            ratio = median_ratio(times[n], times["jit"])
            ratios[n].append(ratio)
            if n == "jax.jit" and w.large:
                large.append(ratio)
            row += f"{ratio:10.2f}"
        jax_first = f"{first['jax.jit'] * 1e3:11.1f}" if "jax.jit" in first else f"{'-':>11}"
        print(f"{row}{first['jit'] * 1e3:10.1f}{jax_first}", flush=True)
    means = {n: math.exp(sum(map(math.log, r)) / len(r)) for n, r in ratios.items() if r}
    print(f"{'geom. mean':22}" + "".join(f"{means[n]:10.2f}" if n in means else f"{'-':>10}" for n in others))
    if large:
        print(f"jax.jit over the large: {math.exp(sum(map(math.log, large)) / len(large)):.2f}")


if __name__ == "__main__":
    chosen = _options()
    _threads(chosen.threads)
    run(chosen)
