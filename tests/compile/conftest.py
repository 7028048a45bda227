"""Tests of jit run on each backend that makes something of its own: with NumPy, and in machine code where llvmlite is.

In machine code the plain run leaves out the files of LONG; `pytest -m "slow or not slow" -k native tests/compile` runs
all. Tests of NumPy's own text name that backend.
"""

from typing import Any

import pytest

from funcgrad.compile.native.llvm import missing

LONG = (
    "test_jit_every_primitive",
    "test_linear",
    "test_mixed_kinds",
    "test_numpy_backend",
    "test_passes",
    "test_rolling",
)
"""Files that take more than five seconds in machine code, and in which little of it is special."""


def pytest_generate_tests(metafunc: Any) -> None:
    name = metafunc.module.__name__.rpartition(".")[2]
    if metafunc.definition.path.parent.name == "native":
        return
    marks = [pytest.mark.skipif(bool(missing()), reason=missing()), *([pytest.mark.slow] if name in LONG else [])]
    metafunc.parametrize("default_backend", ["numpy", pytest.param("native", marks=marks)], indirect=True)


@pytest.fixture(autouse=True)
def default_backend(request: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """The backend of compiled functions that name none."""
    monkeypatch.setenv("FUNCGRAD_BACKEND", getattr(request, "param", "numpy"))
