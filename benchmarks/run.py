"""All benchmarks in one run: `python benchmarks/run.py`. See README.md beside this file."""

import os

from threads import environment

os.environ.update(environment(1))

import argparse
import gc
import json
import platform
from importlib.metadata import version
from pathlib import Path

from cases import CASES
from measures import MEASURES
from timing import installed, run_case


def prepare_peers():
    """Import the peers now, with one thread and double precision, and keep the collector away from their objects."""
    if installed("torch"):
        import torch

        torch.set_num_threads(1)
    if installed("jax"):
        import jax

        jax.config.update("jax_enable_x64", True)
    if installed("autograd"):
        import autograd.numpy  # noqa: F401  (its import is not to be measured)
    gc.collect()
    gc.freeze()


def versions():
    names = ["numpy", *[p for p in ("autograd", "torch", "jax") if installed(p)]]
    return f"Python {platform.python_version()}, " + ", ".join(f"{n} {version(n)}" for n in names)


def main():
    names = [c.name for c in CASES] + list(MEASURES)
    parser = argparse.ArgumentParser(description="funcgrad against its peers, in one run on one thread.")
    parser.add_argument("--only", nargs="+", choices=names, metavar="NAME", help=f"some of: {', '.join(names)}")
    parser.add_argument("--rounds", type=int, default=7, help="how often everything is timed (default 7)")
    parser.add_argument("--json", type=Path, metavar="FILE", help="also write the numbers there")
    options = parser.parse_args()
    chosen = options.only or names

    prepare_peers()
    print(f"{versions()}; one thread; {options.rounds} rounds")
    print("x funcgrad: the time of the library as a multiple of funcgrad's, median over rounds; ms: the least time\n")
    jobs = {c.name: (c.title, lambda rounds, c=c: run_case(c, rounds)) for c in CASES} | MEASURES
    report, missed = {}, []
    for name in chosen:
        title, measure = jobs[name]
        print(f"{name}: {title}")
        rows = measure(options.rounds)
        print("\n".join(map(str, rows)), end="\n\n", flush=True)
        report[name] = [vars(row) for row in rows]
        missed += [f"{name} ({row.what})" for row in rows if row.missed]
    print("all targets met" if not missed else "targets missed: " + ", ".join(missed))
    if options.json:
        options.json.write_text(
            json.dumps({"versions": versions(), "rounds": options.rounds, "results": report}, indent=1)
        )


if __name__ == "__main__":
    main()
