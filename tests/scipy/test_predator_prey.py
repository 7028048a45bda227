"""The example of hares and lynxes runs, and what it prints is right."""

import os
import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

ROOT = Path(__file__).resolve().parents[2]


def numbers(line):
    return [float(x) for x in re.findall(r"[-+]?\d+\.?\d*", line)]


@pytest.mark.slow
def test_the_fit_and_the_influence_of_a_count(tmp_path):
    pytest.importorskip("matplotlib")
    pytest.importorskip("scipy")
    environment = {k: v for k, v in os.environ.items() if k != "FUNCGRAD_TYPECHECK"} | {"PYTHONPATH": str(ROOT)}
    command = [sys.executable, "-W", "error::RuntimeWarning", str(ROOT / "examples" / "predator_prey.py")]
    done = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr
    lines = {re.split(r"\s{2,}", line)[0]: line for line in done.stdout.splitlines()}
    # The rates that others found for these counts: B. Carpenter, "Predator-prey population dynamics" (2018).
    for name, rate in (("hares born", 0.55), ("hares eaten", 0.028), ("lynxes born", 0.024), ("lynxes starved", 0.80)):
        assert numbers(lines[name])[0] == pytest.approx(rate, rel=0.05)
    influence = numbers(lines["influence of the lynxes of 1903"])[1:]
    again = numbers(lines["by fitting again"])
    np.testing.assert_allclose(influence, again, atol=0.003)
    assert (tmp_path / "predator_prey.png").read_bytes().startswith(b"\x89PNG")
