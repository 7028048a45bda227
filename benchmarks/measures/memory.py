"""Peak memory of the gradient of the large network, each library in a process of its own.

Run as a script with the name of a library it prints by how many bytes the peak of the resident memory, reset just
before the gradient, exceeded what was resident then. Linux says both in /proc, and glibc gives back what is free.
"""

import ctypes
import gc
import os
import statistics
import subprocess
import sys
from pathlib import Path

BENCHMARKS = Path(__file__).resolve().parent.parent


def status(field):
    """A field of /proc/self/status, in bytes."""
    for line in Path("/proc/self/status").read_text().splitlines():
        if line.startswith(field):
            return int(line.split()[1]) * 1024
    raise ValueError(f"no field {field} in /proc/self/status")


def growth(library):
    from cases import mlp

    small = mlp.VERSIONS[library](batch=8, sizes=(8, 8, 8, 10))
    small()  # what the library sets up on first use is not the gradient's
    f = mlp.VERSIONS[library](**mlp.LARGE_SIZE)
    gc.collect()
    ctypes.CDLL(None).malloc_trim(0)  # what making the data left free must not serve the gradient unseen
    Path("/proc/self/clear_refs").write_text("5")  # resets the peak
    before = status("VmRSS")
    result = f()
    peak = status("VmHWM")
    assert result is not None
    return peak - before


def measure(rounds):
    from timing import PEERS, TITLES, Row, installed, median_ratio

    if not hasattr(ctypes.CDLL(None), "malloc_trim"):
        print("  not measured: this needs Linux with glibc")
        return []
    libraries = ["funcgrad", *[p for p in PEERS if p == "numpy" or installed(p)]]
    environment = os.environ | {"PYTHONPATH": os.pathsep.join([str(BENCHMARKS), *filter(None, sys.path)])}
    grown = {name: [] for name in libraries}
    for _ in range(min(rounds, 5)):
        for name in libraries:
            command = [sys.executable, __file__, name]
            done = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
            grown[name].append(int(done.stdout) / 1e6)
    rows = []
    for name in libraries:
        torch = median_ratio(grown["funcgrad"], grown["torch"]) if name == "funcgrad" and "torch" in grown else None
        rows.append(Row(TITLES[name], statistics.median(grown[name]), "MB"))
        if torch is not None:
            rows.append(Row("funcgrad : torch", torch, "", at_most=1.1))
    return rows


if __name__ == "__main__":
    if sys.argv[1] == "jax":
        import jax

        jax.config.update("jax_enable_x64", True)
    print(growth(sys.argv[1]))
