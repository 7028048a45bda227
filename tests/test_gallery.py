"""The programs of the gallery run on small sizes, draw their pictures, and agree with what does not need a gradient.

Each has `--quick` and `--out`, a doctest (tests/test_examples.py) and a picture in docs/images/gallery. Here they are
compared with closed forms, finite differences, eigenvalues and other people's programs.
"""

import importlib.util
import struct
from pathlib import Path

import numpy as np
import pytest

import funcgrad as fg

plt = pytest.importorskip("matplotlib.pyplot")
pytest.importorskip("scipy")
pytest.importorskip("tqdm")

ROOT = Path(__file__).resolve().parent.parent
GALLERY = [
    path.relative_to(ROOT / "docs/images/gallery") for path in sorted((ROOT / "docs/images/gallery").rglob("*.png"))
]


@pytest.fixture
def program(capsys, tmp_path):
    """A function that runs an example with --quick, and gives its module and what it printed."""

    def run(name, *options):
        specification = importlib.util.spec_from_file_location(name, ROOT / "examples" / f"{name}.py")
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


@pytest.mark.parametrize("picture", GALLERY, ids=str)
def test_pictures_are_those_of_programs_and_of_a_reasonable_size(picture):
    assert (ROOT / "examples" / picture.with_suffix(".py")).exists()
    data = (ROOT / "docs/images/gallery" / picture).read_bytes()
    assert len(data) < 120_000
    width, height = struct.unpack(">II", data[16:24])
    assert 500 <= width <= 1000
    assert height <= 800


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
