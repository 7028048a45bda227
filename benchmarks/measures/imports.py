"""What starting costs: `import funcgrad` against `import numpy`, `python -m funcgrad.torch` against PyTorch.

User time of fresh interpreters, taking turns.
"""

import os
import statistics
import sys
import tempfile

from timing import PEERS, Row, installed, median_ratio

HELLO = """
import torch
x = torch.tensor([1.0, 2.0], requires_grad=True)
(x * x).sum().backward()
assert str(x.grad) == "tensor([2., 4.])"
"""


def user_time(arguments, environment):
    """Seconds of user time of a Python process."""
    pid = os.posix_spawn(sys.executable, [sys.executable, *arguments], environment)
    _, status, usage = os.wait4(pid, 0)
    assert status == 0, f"{arguments} failed"
    return usage.ru_utime


def taking_turns(programs, rounds):
    """The times of Python processes, by name, with everyone's bytecode there, as it is for a user after the first."""
    times = {name: [] for name in programs}
    with tempfile.TemporaryDirectory() as bytecode:
        environment = dict(os.environ) | {"PYTHONPYCACHEPREFIX": bytecode}
        environment.pop("PYTHONDONTWRITEBYTECODE", None)
        for arguments in programs.values():
            user_time(arguments, environment)
        for _ in range(max(rounds, 11)):
            for name, arguments in programs.items():
                times[name].append(user_time(arguments, environment))
    return times


def measure_script(rounds):
    """A script that prints a gradient."""
    with tempfile.NamedTemporaryFile("w", suffix=".py") as script:
        script.write(HELLO)
        script.flush()
        programs = {"funcgrad": ["-m", "funcgrad.torch", script.name]}
        if installed("torch"):
            programs["torch"] = [script.name]
        times = taking_turns(programs, rounds)
    rows = [Row("python -m funcgrad.torch", statistics.median(times["funcgrad"]) * 1e3, "ms")]
    if "torch" not in times:
        return [*rows, Row("torch", None)]
    note = f"{statistics.median(times['torch']) * 1e3:.0f} ms"
    ratio = median_ratio(times["torch"], times["funcgrad"])
    return [*rows, Row("torch", ratio, "x funcgrad", note, at_least=10)]


def measure(rounds):
    statements = {"numpy": "import numpy", "funcgrad": "import funcgrad"}
    statements |= {peer: f"import {peer}" for peer in PEERS if peer != "numpy" and installed(peer)}
    times = taking_turns({name: ["-c", statement] for name, statement in statements.items()}, rounds)
    rows = [Row("import numpy", statistics.median(times["numpy"]) * 1e3, "ms")]
    for name in statements:
        if name != "numpy":
            ratio = median_ratio(times[name], times["numpy"])
            note = f"{statistics.median(times[name]) * 1e3:.0f} ms"
            rows.append(Row(f"import {name}", ratio, "x NumPy", note, at_most=1.5 if name == "funcgrad" else None))
    return rows
