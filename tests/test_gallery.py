"""The programs of the gallery run on small sizes, draw their pictures, and agree with what does not need a gradient.

Each has `--quick` and `--out`, a doctest (tests/test_examples.py) and a picture in docs/images/gallery. Here they are
compared with closed forms, finite differences, eigenvalues and other people's programs.
"""

import importlib.util
import os
import re
import struct
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import funcgrad as fg

pytestmark = pytest.mark.no_cover

plt = pytest.importorskip("matplotlib.pyplot")
pytest.importorskip("scipy")
pytest.importorskip("tqdm")

ROOT = Path(__file__).resolve().parent.parent
EXAMPLES = [path for path in sorted((ROOT / "examples").rglob("*.py")) if path.stem != "conftest"]
PAIRS = sorted(path.stem.removesuffix("_torch") for path in (ROOT / "examples" / "pairs").glob("*_torch.py"))


@pytest.fixture
def program(capsys, tmp_path):
    """A function that runs an example with --quick, and gives its module and what it printed."""

    def run(name, *options):
        specification = importlib.util.spec_from_file_location(Path(name).name, ROOT / "examples" / f"{name}.py")
        module = importlib.util.module_from_spec(specification)
        specification.loader.exec_module(module)
        module.main(["--quick", "--out", str(tmp_path / "picture.png"), *options])
        assert (tmp_path / "picture.png").read_bytes().startswith(b"\x89PNG")
        return module, Printed(capsys.readouterr().out)

    yield run
    plt.close("all")


class Printed(str):
    """What a program printed."""

    def numbers(self, start):
        """The numbers in the line that begins so."""
        line = next(line for line in self.splitlines() if line.startswith(start)).removeprefix(start)
        words = line.replace("%", " ").replace("[", " ").replace("]", " ").replace(",", " ").split()
        return [float(word) for word in words if word.lstrip("-+").replace(".", "").replace("e-", "").isdigit()]


@pytest.mark.parametrize("picture", [path.name for path in sorted((ROOT / "docs/images/gallery").glob("*.png"))])
def test_pictures_are_those_of_programs_and_of_a_reasonable_size(picture):
    assert [path.stem for path in EXAMPLES].count(Path(picture).stem) == 1
    data = (ROOT / "docs/images/gallery" / picture).read_bytes()
    assert len(data) < 120_000
    width, height = struct.unpack(">II", data[16:24])
    assert 500 <= width <= 1000
    assert height <= 800


def test_the_table_has_every_program_and_every_link_leads_somewhere():
    table = (ROOT / "examples" / "README.md").read_text()
    links = {ROOT / "examples" / link for link in re.findall(r"\]\(([^)#]+)\)", table)}
    assert all(link.exists() for link in links)
    assert {path for path in EXAMPLES if path.parent.name != "questions"} <= links


def differences(f, x, step=1e-6):
    """The gradient of f by central differences."""
    return np.array([(f(x + e) - f(x - e)) / (2 * step) for e in step * np.eye(x.size)], dtype=float)


def test_laplace_is_near_the_exact_posterior(program):
    _, printed = program("laplace")
    assert printed.numbers("log evidence") == pytest.approx([-13.56, -13.49], abs=0.01)
    for line in ("damage at 31 °F", "damage at 70 °F"):
        approximate, *_, exact = printed.numbers(line)
        assert approximate == pytest.approx(exact, abs=0.03)


def test_gaussian_process_has_the_likelihood_of_scipy(program):
    from scipy.stats import multivariate_normal

    module, printed = program("gaussian_process")
    t, y = module.monthly_means()
    t, y = t[::10], y[::10] - y.mean()
    density = multivariate_normal(np.zeros(t.size), module.covariance(module.START, t)).logpdf(y)
    assert -module.minus_log_likelihood(module.START, t, y) == pytest.approx(density, rel=1e-9)
    gradient = fg.grad(module.minus_log_likelihood)(module.START, t, y)
    by_differences = differences(lambda theta: module.minus_log_likelihood(theta, t, y), module.START)
    assert gradient == pytest.approx(by_differences, abs=1e-4)
    first, last, _ = printed.numbers("log likelihood")
    assert last > first + 2


def test_draws_of_the_eight_schools_have_the_exact_means(program):
    _, printed = program("hmc")
    drawn, exact = printed.numbers("mean of τ")
    assert drawn == pytest.approx(exact, abs=0.15)
    assert exact == pytest.approx(3.6, abs=0.1)  # of published runs with this prior
    assert printed.numbers("means of θ") == pytest.approx(printed.numbers("exactly"), abs=0.25)


def test_truss_comes_near_the_linear_program(program):
    module, printed = program("truss")
    _, reached = printed.numbers("compliance")
    (least,) = printed.numbers("linear program")
    assert least < reached < 1.03 * least
    truss = module.Truss(columns=4, rows=2)
    areas = np.linspace(0.1, 0.3, len(truss.bars))
    assert fg.grad(truss.compliance)(areas) == pytest.approx(differences(truss.compliance, areas), rel=1e-5)


def test_lens_has_its_paraxial_focal_length_and_sharp_spots(program):
    module, printed = program("lens")
    lens = module.START
    assert module.focal_length(lens) == pytest.approx(1 / module.power(lens), rel=1e-7)
    errors, one = lambda lens: np.asarray(module.errors(lens, module.disc(3))), np.eye(12)[1]
    _, change = fg.jvp(lambda lens: module.errors(lens, module.disc(3)), (lens,), (one,))
    by_differences = (errors(lens + 1e-6 * one) - errors(lens - 1e-6 * one)) / 2e-6
    assert change == pytest.approx(by_differences, rel=1e-4, abs=1e-4)
    focal_length, *spots = printed.numbers("after           focal length")
    assert focal_length == pytest.approx(50, abs=0.1)
    assert max(spots) < 40
    book = 1 / np.array([22.01359, -435.76044, -22.21328, 20.29192, 79.68360, -18.39533])
    of_book = np.append(book, [3.25896, 6.00755, 0.99997, 4.75041, 2.95208, 42.20778])
    assert module.focal_length(of_book) == pytest.approx(50, abs=0.1)
    assert module.radii(of_book, module.disc(50)).max() < 20


def test_circuit_reaches_the_eigenvalues(program):
    module, printed = program("quantum")
    (exact,) = printed.numbers("4 spins         ground state of energy")[:1]
    assert exact == pytest.approx(-2 / np.sin(np.pi / 8), abs=1e-9)
    assert printed.numbers("layers 2")[0] == pytest.approx(exact, abs=1e-9)
    assert printed.numbers("layers 1")[0] > exact + 0.1
    angles = np.array([0.3, 0.2, 0.1, 0.4])
    energy = lambda angles: module.expected_energy(angles.reshape(2, 2), 0.7, 4)
    assert fg.grad(energy)(angles) == pytest.approx(differences(energy, angles), abs=1e-6)


def test_implicit_gradient_is_the_limit_of_unrolling(program):
    _, printed = program("implicit_layer")
    errors = [printed.numbers(f"{steps:>4} steps")[0] for steps in (2, 10, 60)]
    assert errors[0] > 100 * errors[1] > 1e6 * errors[2]
    memory = [printed.numbers(f"{steps:>4} steps")[1] for steps in (2, 60)]
    assert printed.numbers("implicit")[0] < memory[0] < memory[1] / 15


def test_maml_learns_faster_than_usual_training(program):
    _, printed = program("maml")
    maml, usual = printed.numbers("by MAML"), printed.numbers("usual training")
    for of_maml, of_usual in zip((maml[2], maml[4]), (usual[2], usual[4]), strict=True):  # after 1 and 10 steps
        assert of_maml < 0.7 * of_usual


def test_influence_foretells_fitting_again(program):
    _, printed = program("influence")
    n_wrong, found, first, *_ = printed.numbers("wrong labels")
    assert n_wrong == first == found == 6
    assert printed.numbers("fitting again")[0] > 0.9


def test_burgers_comes_nearer_to_cole_and_hopf(program):
    module, printed = program("burgers")
    before, after = printed.numbers("wave            wrong by at most")
    assert after < before / 2
    t, x, e = np.array([0.4]), np.array([0.3]), 1e-4  # and Cole's and Hopf's wave solves the equation
    u, u_t = module.exact(t, x), (module.exact(t + e, x) - module.exact(t - e, x)) / (2 * e)
    right, left = module.exact(t, x + e), module.exact(t, x - e)
    assert u_t + u * (right - left) / (2 * e) == pytest.approx(
        module.VISCOSITY * (right - 2 * u + left) / e**2, abs=1e-5
    )


def test_neural_equation_comes_near_the_pendulum(program):
    module, printed = program("neural_ode")
    before, after, of_the_law = printed.numbers("misfit")
    assert of_the_law < after < before / 4
    weights, pieces = module.new_weights(np.random.default_rng(0)), np.ones((2, 5, 2)) * 0.3
    value = lambda scale: module.misfit_of_all(fg.tree.map(lambda w: scale * w, weights), pieces)
    assert fg.grad(value)(1.0) == pytest.approx(float(value(1 + 1e-6) - value(1 - 1e-6)) / 2e-6, abs=1e-8)


def test_alice_learns_the_frequencies_of_letters(program):
    module, printed = program("alice")
    first, last = printed.numbers("loss")
    assert first == pytest.approx(np.log(72), abs=0.02)
    assert last < 3.2
    text, _ = module.book()
    frequencies = np.bincount(text) / text.size
    by_hand = -np.sum(frequencies * np.log(frequencies))
    assert printed.numbers("by counting")[0] == pytest.approx(by_hand, abs=1e-3)


@pytest.mark.parametrize("torch", ["ours", "PyTorch"])
@pytest.mark.parametrize("pair", PAIRS)
def test_pairs_print_the_same_numbers(pair, torch, program, tmp_path):
    """A torch script in a process of its own, and its twin."""
    if torch == "PyTorch" and importlib.util.find_spec("torch") is None:
        pytest.skip("PyTorch is not installed")
    script = [str(ROOT / "examples" / "pairs" / f"{pair}_torch.py"), "--quick", "--out", "torch.png"]
    command = [sys.executable, *(["-m", "funcgrad.torch"] if torch == "ours" else []), *script]
    environment = {k: v for k, v in os.environ.items() if k != "FUNCGRAD_TYPECHECK"} | {"PYTHONPATH": str(ROOT)}
    done = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr
    assert (tmp_path / "torch.png").read_bytes().startswith(b"\x89PNG")
    _, printed = program(f"pairs/{pair}_functional")
    numbers = [line for line in printed.splitlines() if not line.startswith("picture")]
    assert len(numbers) >= 4
    assert numbers == [line for line in done.stdout.splitlines() if not line.startswith("picture")]
