"""Value and gradient of whole workloads in each library, compiled and not: a table, a bar chart, README's tables.

`python benchmarks/compiled.py [--threads 1 2] [--only mlp rnn] [--more] [--chart FILE] [--readme]`
"""

from __future__ import annotations

import argparse
import gc
import json
import math
import os
import platform
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from importlib.metadata import version
from pathlib import Path
from typing import Any

from results import least, ratios
from threads import environment

HERE = Path(__file__).resolve().parent
LIBRARIES = ("jit", "native", "eager", "numpy", "autograd", "torch", "jax.jit")
NEEDS = {"native": "llvmlite", "autograd": "autograd", "torch": "torch", "jax.jit": "jax"}


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="funcgrad, compiled and not, against its peers")
    parser.add_argument("--threads", type=int, nargs="+", default=[1], help="one run for each number (default 1)")
    parser.add_argument("--dtype", choices=("float64", "float32"), default="float64")
    parser.add_argument("--only", nargs="+", default=[], metavar="NAME", help="workloads")
    parser.add_argument("--more", action="store_true", help="the further workloads as well")
    parser.add_argument("--libraries", nargs="+", default=list(LIBRARIES), choices=LIBRARIES, metavar="NAME")
    parser.add_argument("--rounds", type=int, default=7, help="how often everything is timed (default 7)")
    parser.add_argument("--slow", action="store_true", help="also what takes minutes: XLA on the unrolled solver")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write the numbers there")
    parser.add_argument("--chart", type=Path, metavar="FILE", help="draw the first run as bars there")
    parser.add_argument("--readme", action="store_true", help="write README's tables from the first run")
    parser.add_argument("--child", type=int, help=argparse.SUPPRESS)
    return parser.parse_args()


def main() -> None:
    options = _options()
    if options.child is not None:
        _measure(options)
        return
    runs = [_in_child(n, options) for n in options.threads]
    if options.json:
        options.json.write_text(json.dumps(runs, indent=1))
    if options.chart:
        from chart import bars

        bars(runs[0], options.chart)
    if options.readme:
        from readme import write

        write(runs[0])


def _in_child(threads: int, options: argparse.Namespace) -> dict[str, Any]:
    """What a process with this number of threads measures: libraries read it when they are imported."""
    env = {**os.environ, **environment(threads)}
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "run.json"
        words = [*sys.argv, "--child", str(threads), "--json", str(file)]
        subprocess.run([sys.executable, *words], env=env, check=True)
        return json.loads(file.read_text())


def _measure(options: argparse.Namespace) -> None:
    """Time all workloads in this process, and write the numbers down."""
    if hasattr(os, "sched_setaffinity"):  # some libraries take a second core whatever they are told
        os.sched_setaffinity(0, sorted(os.sched_getaffinity(0))[: options.child])
    import numpy as np
    from cases import jit_libraries, jit_more, jit_networks, jit_small, jit_statistics
    from timing import check_equal, installed, interleaved

    libraries = [n for n in options.libraries if n not in NEEDS or installed(NEEDS[n])]
    if "torch" in libraries:
        import torch

        torch.set_num_threads(options.child)
    if "jax.jit" in libraries:
        import jax

        jax.jit(lambda x: x + 1)(1.0)  # what it prepares once is not part of the time to a first result
    workloads = [*jit_small.WORKLOADS, *jit_networks.WORKLOADS, *jit_statistics.WORKLOADS]
    if options.more or options.only:
        workloads += jit_more.WORKLOADS
    gc.collect()
    gc.freeze()
    run: dict[str, Any] = {"machine": _machine(options.child), "dtype": options.dtype, "rows": []}
    others = [n for n in libraries if n != "jit"]
    print(f"{run['machine']}; {options.dtype}")
    print(
        "times as multiples of that of fg.jit: the median over rounds, and the least and the greatest; first: ms from"
    )
    print("the first call to its result")
    print(f"{'':13}{'jit, ms':>9}" + "".join(f"{n:>20}" for n in others) + f"{'first':>9}{'calls':>7}{'jax':>9}")
    for w in workloads:
        if options.only and w.name not in options.only:
            continue
        arrays = tuple(
            a.astype(options.dtype) if a.dtype.kind == "f" else a
            for a in map(np.asarray, w.make(np.random.default_rng(0)))
        )
        functions: dict[str, Callable[[], Any]] = {}
        first: dict[str, float] = {}
        results: dict[str, Any] = {}
        for n in libraries:
            if n in w.skip and not (options.slow and n == "jax.jit"):
                continue
            f = jit_libraries.LIBRARIES[n](w, arrays)
            start = time.perf_counter()
            result = f()
            first[n] = time.perf_counter() - start
            results[n], functions[n] = jit_libraries.as_arrays(result), f
        if options.dtype == "float64":
            check_equal(results)
        row = {"name": w.name, "first": first, "times": interleaved(functions, options.rounds)}
        run["rows"].append(row)
        print(_line(row, others), flush=True)
    print(f"{'geom. mean':22}" + "".join(f"{_mean(run['rows'], n):>20}" for n in others))
    options.json.write_text(json.dumps(run))


def _line(row: dict[str, Any], others: list[str]) -> str:
    """A row of the table."""
    text = f"{row['name']:13}{least(row, 'jit'):9.4g}"
    for n in others:
        r = ratios(row, n)
        text += (f"{statistics.median(r):.2f} ({min(r):.2f}-{max(r):.2f})" if r else "-").rjust(20)
    first = row["first"]
    calls = f"{first['jit'] * 1e3 / least(row, 'eager'):.1f}" if "eager" in first else "-"
    jax_first = f"{first['jax.jit'] * 1e3:.1f}" if "jax.jit" in first else "-"
    return f"{text}{first['jit'] * 1e3:9.1f}{calls:>7}{jax_first:>9}"


def _mean(rows: list[dict[str, Any]], library: str) -> str:
    found = [math.log(statistics.median(r)) for row in rows if (r := ratios(row, library))]
    return f"{math.exp(sum(found) / len(found)):.2f}" if found else "-"


def _machine(threads: int) -> str:
    """The machine, and the versions."""
    from timing import installed

    names = [n for n in ("numpy", "llvmlite", "autograd", "torch", "jax") if installed(n)]
    found = ", ".join(f"{n} {version(n)}" for n in names)
    count = "one thread" if threads == 1 else f"{threads} threads"
    return f"{_processor()}, {platform.system()}, {count}; Python {platform.python_version()}, {found}"


def _processor() -> str:
    """What the processor calls itself."""
    info = Path("/proc/cpuinfo")
    lines = info.read_text().splitlines() if info.exists() else []
    names = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    return names[0] if names else platform.processor() or platform.machine()


if __name__ == "__main__":
    main()
