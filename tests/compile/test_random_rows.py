"""Random programs of elementwise work, views, products and loops, compiled against uncompiled."""

import sys
from pathlib import Path

import numpy as np
import pytest

import funcgrad as fg

sys.path.append(str(Path(__file__).parent))
from random_rows import Program

pytestmark = pytest.mark.no_cover


def check(program):
    found, expected = [fg.tree.leaves(f(*program.args)) for f in (fg.jit(program), program)]
    for a, b in zip(map(np.asarray, found), map(np.asarray, expected), strict=True):
        assert (a.shape, a.dtype) == (b.shape, b.dtype)
        np.testing.assert_allclose(a, b, rtol=1e-10, atol=1e-10 * max(1.0, np.max(np.abs(b))))


@pytest.mark.parametrize("seed", range(60))
def test_small_arrays(seed):
    check(Program(seed))


@pytest.mark.parametrize("seed", range(12))
def test_many_rows(seed):
    check(Program(seed, rows=(300, 1000, 4096)))


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(100, 1600))
def test_more_of_both(seed):
    check(Program(seed))
    check(Program(seed, rows=(300, 1000, 4096)))
