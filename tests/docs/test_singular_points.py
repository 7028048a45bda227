"""Every difference from JAX on the grid of singular points is on docs/conventions.md, with funcgrad's own value."""

import importlib.util
import json
from pathlib import Path

import numpy as np
import pytest

# By its path: the folders of tests are no packages.
_spec = importlib.util.spec_from_file_location("singular_points", Path(__file__).with_name("singular_points.py"))
grid = importlib.util.module_from_spec(_spec)
_spec.loader.exec_module(grid)
RECORD = json.loads(grid.RECORD.read_text())
DIFFERENCES = RECORD["differences"]
FUNCTIONS = sorted({key.partition(" at ")[0] for key in DIFFERENCES})


def test_the_page_shows_the_record():
    assert grid.PAGE.read_text() == grid.written(RECORD)


def test_every_function_says_why():
    assert set(RECORD["why"]) == set(FUNCTIONS)


def same(a, b):
    """Whether two results of the record agree, to the digits that it has."""
    if isinstance(a, list):
        return len(a) == len(b) and all(same(x, y) for x, y in zip(a, b, strict=True))
    if a is None or b is None:  # not one point of many
        return a is b
    try:
        a, b = grid.value(a), grid.value(b)
    except ValueError:  # words
        return a == b
    return bool(np.isclose(a, b, rtol=1e-5, atol=1e-8, equal_nan=True))


@pytest.mark.parametrize("function", FUNCTIONS)
def test_ours(function):
    """Our values are the recorded ones, without JAX."""
    lib, names = grid.spaces()
    seen = set()
    for key, text, xs in grid.entries(RECORD["one"], RECORD["two"]):
        if key.partition(" at ")[0] != function or key not in DIFFERENCES:
            continue
        for quantity, f in grid.quantities(text, xs, lib, names):
            for where, ours, _ in DIFFERENCES[key].get(quantity, ()):
                seen.add((key, quantity))
                got = grid.evaluated(f)
                if ours == "error":
                    assert got is None
                elif where is not None:
                    points = [i for i in range(xs[0].size) if same(grid.point(xs, i), where)]
                    assert any(same(grid.number(got[i]), ours) for i in points), (key, quantity, where)
                elif ours != "a number":
                    assert same([grid.number(v) for v in got.flat], ours), (key, quantity)
    assert seen == {(k, q) for k in DIFFERENCES if k.partition(" at ")[0] == function for q in DIFFERENCES[k]}


@pytest.mark.slow
def test_jax_differs_there_and_nowhere_else():
    jax = pytest.importorskip("jax")
    jax.config.update("jax_enable_x64", True)
    found = grid.elementwise_functions(jax)
    for n, names in ((1, RECORD["one"]), (2, RECORD["two"])):
        assert set(found[n]) ^ set(names) == set()
    differences = grid.differences(found[1], found[2], jax)
    assert differences.keys() == DIFFERENCES.keys()
    for key in DIFFERENCES:
        assert differences[key].keys() == DIFFERENCES[key].keys(), key
        for quantity, rows in DIFFERENCES[key].items():
            assert same(differences[key][quantity], rows), (key, quantity)
