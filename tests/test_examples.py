"""The examples run as their users run them, and what they print is right.

Their docstrings run as doctests: `pytest --doctest-modules examples` is part of the README's test command.
"""

import ast
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.no_cover

ROOT = Path(__file__).resolve().parent.parent
EXAMPLES = ROOT / "examples"


def output_of(example, *options, cwd):
    """What an example prints, run in a directory of its own with numerical warnings as errors."""
    environment = {k: v for k, v in os.environ.items() if k != "FUNCGRAD_TYPECHECK"} | {"PYTHONPATH": str(ROOT)}
    command = [sys.executable, "-W", "error::RuntimeWarning", str(ROOT / "examples" / example), *options]
    done = subprocess.run(command, cwd=cwd, env=environment, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr
    return done.stdout


def numbers(line):
    return [float(x) for x in re.findall(r"[-+]?\d[\d.]*(?:e[-+]\d+)?", line)]


def line_with(text, output):
    return next(line for line in output.splitlines() if line.strip().startswith(text))


STORIES = [path for path in sorted(EXAMPLES.rglob("*.py")) if path.stem != "conftest"]


@pytest.mark.parametrize("example", STORIES, ids=lambda path: path.stem)
def test_each_example_tells_its_story_in_doctests(example):
    module = ast.parse(example.read_text())
    story = ast.get_docstring(module)
    assert story.count(">>>") >= 3
    assert f" -m doctest -v {example.relative_to(ROOT)}" in story


@pytest.mark.parametrize("question", sorted((EXAMPLES / "questions").glob("*.py")), ids=lambda path: path.stem)
def test_each_question_runs_on_both_faces_and_has_its_page(question, tmp_path):
    output = output_of(question.relative_to(EXAMPLES), cwd=tmp_path)
    assert "torch face" in output
    assert "functional face" in output
    assert (ROOT / "docs" / "torch" / f"{question.stem.replace('_', '-')}.md").exists()


def test_predator_prey_knows_what_fitting_again_would_give(tmp_path):
    pytest.importorskip("scipy")
    pytest.importorskip("matplotlib")
    output = output_of("predator_prey.py", "--out", "picture.png", cwd=tmp_path)
    influence = [float(x) for x in line_with("influence", output).split("[")[1].rstrip("]").split()]
    again = [float(x) for x in line_with("by fitting again", output).split("[")[1].rstrip("]").split()]
    assert influence == pytest.approx(again, abs=0.003)
    assert (tmp_path / "picture.png").read_bytes().startswith(b"\x89PNG")


def test_digits_learns_to_read(tmp_path):
    pytest.importorskip("matplotlib")
    pytest.importorskip("tqdm")
    output = output_of("digits.py", "--epochs", "12", "--out", "picture.png", cwd=tmp_path)
    accuracy, misread = numbers(line_with("test accuracy", output))
    assert accuracy >= 96
    assert misread == round(359 * (1 - accuracy / 100))
    first, last = numbers(line_with("training", output))[-2:]
    assert last < first / 3
    assert (tmp_path / "picture.png").read_bytes().startswith(b"\x89PNG")


@pytest.mark.slow
@pytest.mark.parametrize("seed", ["0", "1", "2", "3"])
def test_digits_reaches_97_percent_whatever_the_seed(seed, tmp_path):
    pytest.importorskip("matplotlib")
    pytest.importorskip("tqdm")
    output = output_of("digits.py", "--seed", seed, cwd=tmp_path)
    assert numbers(line_with("test accuracy", output))[0] >= 97
    assert (tmp_path / "digits.png").exists()


def test_digits_says_what_to_install(tmp_path):
    """Without matplotlib the first line of help is the extra, not a traceback."""
    program = "import sys, runpy; sys.modules['matplotlib'] = None; del sys.argv[0]; "
    program += "runpy.run_path(sys.argv[0], run_name='__main__')"
    command = [sys.executable, "-c", program, str(ROOT / "examples" / "digits.py")]
    environment = os.environ | {"PYTHONPATH": str(ROOT)}
    done = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True)
    assert done.returncode == 1
    assert done.stderr.strip() == "This example also needs matplotlib: pip install 'funcgrad[examples]'"


def test_plain_numpy_agrees_with_differences_and_finds_the_pendulum(tmp_path):
    output = output_of("plain_numpy.py", cwd=tmp_path)
    for name in ("swing period", "pendulum misfit", "beam compliance", "heat on a ring"):
        line = line_with(name, output)
        *_, backward, forward = numbers(line)
        assert "same" in line.split()
        assert backward < 1e-6
        assert forward < 1e-12
    found, true = numbers(line_with("found", output)), numbers(line_with("true", output))
    assert found == pytest.approx(true, rel=0.02)
    assert found != true  # the measurements are noisy


def test_scipy_minimize_finds_the_certified_values(tmp_path):
    pytest.importorskip("scipy")
    pytest.importorskip("matplotlib")
    output = output_of("scipy_minimize.py", cwd=tmp_path)
    for i in range(1, 8):
        certified, exact, _ = numbers(line_with(f"b{i} ", output))[1:]
        assert exact == pytest.approx(certified, rel=1e-7)
    exact_digits, difference_digits = numbers(line_with("correct digits", output))
    assert exact_digits > 7 > difference_digits
    assert line_with("converged", output).split()[1] == "yes"
    exact_work, difference_work = numbers(line_with("evaluations of the model", output))
    assert 10 * exact_work < difference_work
