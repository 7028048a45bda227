"""docs/scipy.md shows what a run found of SciPy's functions, and no derivative was wrong."""

import importlib.util
import json
from pathlib import Path

import numpy as np
import pytest

import funcgrad as fg

scipy = pytest.importorskip("scipy")
_spec = importlib.util.spec_from_file_location("scipy_table", Path(__file__).with_name("scipy_table.py"))
table = importlib.util.module_from_spec(_spec)
_spec.loader.exec_module(table)
RECORD = json.loads(table.RECORD.read_text())


def test_the_page_shows_the_record():
    assert table.PAGE.read_text() == table.written(RECORD)


def test_no_derivative_is_wrong():
    assert set(RECORD["functions"]) == set(table.MODULES)
    assert not [n for found in RECORD["functions"].values() for n, status in found.items() if status == table.SILENT]


def test_a_lost_derivative_is_found(monkeypatch):
    monkeypatch.setitem(table.NAMES, "lost", fg.stop_gradient)
    assert table.status("special", "gammaln", ["m.gammaln(x)"]) == (table.AS_IT_STANDS, "")
    assert table.status("special", "gammaln", ["m.gammaln(lost(x))"]) == (table.SILENT, "m.gammaln(lost(x))")
    with np.errstate(all="ignore"):
        cusp = "m.gammaln(x) + np.sqrt(0 * x)"
        assert table.status("special", "gammaln", [cusp]) == (table.NAN, cusp)
    assert table.status("special", "gammaln", ["m.gammaln(B)"]) == (table.CONSTANT, "")
    assert table.status("special", "gammaln", ["m.gammaln('x')"]) == (table.NOT_CALLED, "")


@pytest.mark.slow
@pytest.mark.skipif(scipy.__version__ != RECORD["scipy"], reason="the record is of another version of SciPy")
@pytest.mark.parametrize("module", table.MODULES)
def test_the_record_holds(module):
    assert {name: kind for name, (kind, _) in table.run(module).items()} == RECORD["functions"][module]
