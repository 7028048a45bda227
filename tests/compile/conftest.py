"""Tests of jit run on each backend that makes something of its own.

With machine code the plain run takes the files in which it differs: loops, calls, random programs; the marker `slow`
adds the others. Tests of NumPy's own text name that backend.
"""

from typing import Any

import pytest

from funcgrad.compile.native.llvm import missing

ALWAYS = ("test_loops", "test_call", "test_random_programs", "test_random_loops")
NEVER = ("test_linear", "test_scripts", "test_liveness")  # of how the text grows, of processes, of NumPy's memory


def pytest_generate_tests(metafunc: Any) -> None:
    name = metafunc.module.__name__.rpartition(".")[2]
    if metafunc.definition.path.parent.name == "native" or name in NEVER:
        return
    marks = [pytest.mark.skipif(bool(missing()), reason=missing()), *([] if name in ALWAYS else [pytest.mark.slow])]
    metafunc.parametrize("default_backend", ["numpy", pytest.param("native", marks=marks)], indirect=True)


@pytest.fixture(autouse=True)
def default_backend(request: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """The backend of compiled functions that name none."""
    monkeypatch.setenv("FUNCGRAD_BACKEND", getattr(request, "param", "numpy"))
