"""Keys: their two forms, splitting, folding, and what is no key."""

import copy
import pickle

import numpy as np
import pytest

import funcgrad as fg
import funcgrad.numpy as fnp
from funcgrad import random
from funcgrad.errors import ArgumentError, ShapeError

KEY, RAW = random.key(3), random.PRNGKey(3)


def same(found, expected):
    np.testing.assert_array_equal(np.asarray(found), np.asarray(expected))


def test_the_two_forms():
    assert (KEY.shape, KEY.dtype) == ((), np.uint64)
    assert (RAW.shape, RAW.dtype) == ((2,), np.uint32)
    same(random.key_data(KEY), RAW)
    same(random.key_data(RAW), RAW)
    same(random.wrap_key_data(RAW), KEY)
    same(random.key_data(random.key(2**40 + 7)), [2**8, 7])


def test_functions_take_either_form_and_give_that_form():
    same(random.normal(KEY, (3,)), random.normal(RAW, (3,)))
    same(random.key_data(random.split(KEY, 3)), random.split(RAW, 3))
    same(random.key_data(random.fold_in(KEY, 9)), random.fold_in(RAW, 9))
    assert random.split(KEY, 3).shape == (3,) and random.split(RAW, 3).shape == (3, 2)
    assert random.split(KEY, (2, 3)).shape == (2, 3) and random.split(RAW, (2, 3)).shape == (2, 3, 2)


@pytest.mark.parametrize("key", [KEY, np.uint64(3), np.array(3, np.uint64), RAW, np.array([0, 3], np.uint32)])
def test_any_array_with_the_bits_of_a_key_is_one(key):
    out = random.uniform(key, (2,))
    assert type(out) is fg.Array
    same(out, random.uniform(KEY, (2,)))


def test_keys_are_arrays():
    keys = random.split(KEY, 6)
    first, second = random.split(KEY)
    same(fnp.stack([first, second]), random.split(KEY))
    same(keys.reshape(2, 3)[1, 0], keys[3])
    assert [int(k) for k in keys] == keys.tolist()
    same(pickle.loads(pickle.dumps(keys)), keys)
    assert copy.deepcopy(KEY) is KEY
    assert fg.tree.leaves({"k": KEY}) == [KEY]
    same(fg.tree.map(random.normal, [first, second])[1], random.normal(second))
    assert repr(random.key(7)) == "Array(7, dtype=uint64)"


def test_splitting_and_folding_agree():
    keys = random.split(KEY, 5)
    same([random.fold_in(KEY, i) for i in range(5)], keys)
    same(random.split(KEY, 3), keys[:3])
    assert len(set(keys.tolist()) | {int(KEY)}) == 6


def test_draws_of_different_keys_differ():
    drawn = np.concatenate([np.asarray(random.uniform(k, (100,))) for k in random.split(KEY, 5)])
    assert len(np.unique(drawn)) == 500


def test_a_caller_can_write_into_its_own_array_later():
    words = np.array([0, 3], np.uint32)
    key, clone = random.wrap_key_data(words), random.clone(words)
    words[:] = 9
    same(key, KEY)
    same(clone, RAW)


def test_seeds():
    same(random.key(-1), 2**64 - 1)
    same(random.key(np.int64(-1)), 2**64 - 1)
    same(random.key(np.int32(-1)), 2**32 - 1)
    same(random.key(fnp.array(5)), 5)
    same(fg.vmap(random.key)(fnp.arange(3)), [0, 1, 2])
    same(fg.vmap(random.PRNGKey)(fnp.arange(3)), [[0, 0], [0, 1], [0, 2]])
    same(fg.make_tape(random.key)(0)(12), random.key(12))


def test_the_generator_has_a_name():
    assert random.key_impl(KEY) == random.key_impl(RAW) == random.key_impl(random.split(KEY)) == "threefry2x32"
    same(random.key(3, impl="threefry2x32"), KEY)


@pytest.mark.parametrize("seed", [1.5, "a", None, True, 2**64, -(2**63) - 1, np.float64(3), 1j])
def test_no_seed(seed):
    for f in (random.key, random.PRNGKey):
        with pytest.raises(ArgumentError, match=f"{f.__name__}: seed must"):
            f(seed)


def test_several_seeds():
    with pytest.raises(ShapeError, match=r"one seed.*shape \(3,\).*vmap"):
        random.key(np.arange(3))


@pytest.mark.parametrize(
    "key, told",
    [
        (0, r"got 0; make a key of it with fg.random.key\(0\)"),
        (None, "got None"),
        ([0, 3], r"got \[0, 3\]"),
        (np.int64(3), r"dtype uint64.*got int64\[\]"),
        (np.array([0.0, 3.0]), r"got float64\[2\]"),
        (np.zeros(3, np.uint32), r"last axis of length 2.*got uint32\[3\]"),
    ],
    ids=str,
)
def test_no_key(key, told):
    for f in (random.normal, random.split, random.key_data, random.key_impl, random.clone):
        with pytest.raises(ArgumentError, match=f"{f.__name__}: key must be.*{told}"):
            f(key)


@pytest.mark.parametrize("keys", [random.split(KEY, 3), random.split(RAW, 3)])
def test_several_keys(keys):
    for f in (random.normal, random.split, random.bits):
        with pytest.raises(ShapeError, match=rf"{f.__name__}: takes one key, but got keys of shape \(3,\).*fg.vmap"):
            f(keys)
    assert random.key_data(keys).shape == (3, 2)


@pytest.mark.parametrize("num", [-1, 2.5, (2, -3), None, "3"])
def test_no_number_of_keys(num):
    with pytest.raises((ArgumentError, ShapeError), match="split: num must"):
        random.split(KEY, num)


def test_splitting_into_none():
    assert random.split(KEY, 0).shape == (0,) and random.split(RAW, 0).shape == (0, 2)


@pytest.mark.parametrize("data", [1.5, -1, 2**32, True])
def test_nothing_to_fold_in(data):
    with pytest.raises(ArgumentError, match="fold_in: data must"):
        random.fold_in(KEY, data)
    with pytest.raises(ShapeError, match="fold_in: takes one number"):
        random.fold_in(KEY, np.arange(2))


@pytest.mark.parametrize("words", [np.zeros(2), np.zeros(3, np.uint32), np.uint32(1), [0, 1]])
def test_no_words(words):
    with pytest.raises(ArgumentError, match="wrap_key_data: the words of keys"):
        random.wrap_key_data(words)


@pytest.mark.parametrize("make", [random.key, random.PRNGKey])
def test_another_generator(make):
    with pytest.raises(ArgumentError, match=f'{make.__name__}: there is one generator, impl="threefry2x32", got'):
        make(0, impl="rbg")
    with pytest.raises(ArgumentError, match="wrap_key_data"):
        random.wrap_key_data(RAW, impl="rbg")
