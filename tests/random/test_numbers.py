"""The numbers are those of JAX, and of the published threefry; recorded.json has what JAX 0.10 gives."""

import hashlib
import importlib.util
import json
from pathlib import Path

import numpy as np
import pytest

import funcgrad as fg
from funcgrad import random
from funcgrad.ops.random_bits import FEW, threefry2x32
from funcgrad.ops.tiles import TILE

HERE = Path(__file__).parent
CASES = json.loads((HERE / "recorded.json").read_text())["cases"]
TOLERANCE = {"float64": 1e-12, "complex128": 1e-12, "float32": 3e-6, "complex64": 3e-6, "float16": 2e-3}

spec = importlib.util.spec_from_file_location("record", HERE / "record.py")
record = importlib.util.module_from_spec(spec)
spec.loader.exec_module(record)


@pytest.mark.parametrize("expression", CASES)
def test_the_number_is_that_of_jax(expression):
    expected = CASES[expression]
    found = np.asarray(record.evaluate(expression, random, fg.vmap))
    assert (str(found.dtype), list(found.shape)) == (expected["dtype"], expected["shape"])
    got = record.summary(found)
    if "digest" in expected:
        assert got["digest"] == expected["digest"]
    elif found.dtype.kind in "fc" and not expression.startswith("r.uniform"):
        rtol = TOLERANCE[expected["dtype"]]
        np.testing.assert_allclose(got["values"], expected["values"], rtol=rtol, atol=rtol)
    else:
        assert got["values"] == expected["values"]


def test_the_recording_is_what_jax_gives_now():
    jax = pytest.importorskip("jax")
    jax.config.update("jax_enable_x64", True)
    for expression, expected in CASES.items():
        assert record.summary(record.evaluate(expression, jax.random, jax.vmap)) == expected


def test_a_digest_is_of_the_bytes():
    x = np.arange(100)
    assert record.summary(x)["digest"] == hashlib.sha256(x.tobytes()).hexdigest()[:16]
    assert record.summary(x + 1)["digest"] != record.summary(x)["digest"]


# Known answers of the Random123 library, which the authors of threefry publish.
ALL = 2**64 - 1
KNOWN = [
    (0, 0, 0x6B20015999BA4EFE),
    (ALL, ALL, 0x1CB996FCBB002BE7),
    (0x13198A2E03707344, 0x243F6A8885A308D3, 0xC4923A9C483DF7A0),
]


@pytest.mark.parametrize("key, count, expected", KNOWN)
@pytest.mark.parametrize("size", [1, FEW, FEW + 1, TILE + 1])
def test_threefry_gives_the_published_answers(key, count, expected, size):
    found = threefry2x32(np.uint64(key), np.full(size, count, np.uint64))
    assert found.dtype == np.uint64 and (found == expected).all()


@pytest.mark.parametrize("keys, counts", [((), (3, 5)), ((4, 1), (3,)), ((7,), ()), ((2, 9), (2, 9)), ((0,), ())])
def test_threefry_broadcasts(keys, counts):
    rng = np.random.default_rng(0)
    key = np.asarray(rng.integers(2**63, size=keys), np.uint64)
    count = np.asarray(rng.integers(2**63, size=counts), np.uint64)
    found = threefry2x32(key, count)
    pairs = np.broadcast(key, count)
    assert found.shape == pairs.shape
    assert found.ravel().tolist() == [int(threefry2x32(np.uint64(k), np.uint64(c))) for k, c in pairs]


def test_a_large_sample_begins_in_every_tile_where_the_last_one_ended():
    """Counters, not a stream: what is drawn does not depend on how it is cut."""
    n = 2 * TILE + 3
    key = random.key(5)
    whole = np.asarray(random.bits(key, (n,)))
    for start in (0, TILE - 2, 2 * TILE - 2):
        part = threefry2x32(np.uint64(5), np.arange(start, start + 5, dtype=np.uint64))
        np.testing.assert_array_equal(whole[start : start + 5], part)


def test_bits_are_balanced_and_independent_of_their_neighbours():
    x = np.asarray(random.bits(random.key(0), (20_000,)))
    ones = np.unpackbits(x.view(np.uint8)).reshape(len(x), 64)
    deviation = 0.5 / np.sqrt(len(x))
    assert np.abs(ones.mean(0) - 0.5).max() < 5 * deviation
    signs = 2.0 * ones - 1
    correlation = signs.T @ signs / len(x) - np.eye(64)
    assert np.abs(correlation).max() < 6 / np.sqrt(len(x))
