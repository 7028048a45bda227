"""What `import funcgrad` costs, against `import numpy`: user time of fresh interpreters, taking turns."""

import os
import statistics
import sys
import tempfile

from timing import PEERS, Row, installed, median_ratio


def user_time(statement, environment):
    """Seconds of user time of a Python process that runs one statement."""
    pid = os.posix_spawn(sys.executable, [sys.executable, "-c", statement], environment)
    _, status, usage = os.wait4(pid, 0)
    assert status == 0, f"{statement} failed"
    return usage.ru_utime


def measure(rounds):
    statements = {"numpy": "import numpy", "funcgrad": "import funcgrad"}
    statements |= {peer: f"import {peer}" for peer in PEERS if peer != "numpy" and installed(peer)}
    times = {name: [] for name in statements}
    with tempfile.TemporaryDirectory() as bytecode:  # everyone's is there after one import, as it is for a user
        environment = dict(os.environ) | {"PYTHONPYCACHEPREFIX": bytecode}
        environment.pop("PYTHONDONTWRITEBYTECODE", None)
        for statement in statements.values():
            user_time(statement, environment)
        for _ in range(max(rounds, 11)):
            for name, statement in statements.items():
                times[name].append(user_time(statement, environment))
    rows = [Row("import numpy", statistics.median(times["numpy"]) * 1e3, "ms")]
    for name in statements:
        if name != "numpy":
            ratio = median_ratio(times[name], times["numpy"])
            note = f"{statistics.median(times[name]) * 1e3:.0f} ms"
            rows.append(Row(f"import {name}", ratio, "x NumPy", note, at_most=1.5 if name == "funcgrad" else None))
    return rows
