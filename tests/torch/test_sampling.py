"""Random numbers: recorded from PyTorch 2.13 by record_random.py, and against PyTorch itself where it is installed."""

# ruff: noqa: E501  (torch's messages are long)

from __future__ import annotations

import copy
import importlib.util
import json
import pickle
from pathlib import Path

import numpy as np
import pytest

from funcgrad.torch.base import generator as generators
from funcgrad.torch.base import random_integers, rejection, sampling
from funcgrad.torch.base.generator import Generator

spec = importlib.util.spec_from_file_location("record_random", Path(__file__).parent / "record_random.py")
record = importlib.util.module_from_spec(spec)
spec.loader.exec_module(record)
RECORDED = json.loads(record.FILE.read_text(encoding="utf-8"))

# What these give depends on the last bits of the C library's functions.
LIBM = {
    "normal", "normal_strided", "normal_of", "exponential", "cauchy", "log_normal", "standard_gamma", "dirichlet",
}  # fmt: skip


def drawn(operation, g, k):
    """What funcgrad draws."""
    if operation in ("uniform", "normal", "bernoulli", "exponential", "cauchy", "log_normal", "geometric", "dropout_noise"):  # fmt: skip
        return getattr(sampling, operation)(g, **{**k, "shape": tuple(k["shape"])})
    match operation:
        case "normal_strided":
            return sampling.normal(g, (k["n"],), k["dtype"], k["mean"], k["std"], contiguous=False)
        case "normal_of":
            mean, std = record.weights(k["n"]), record.probabilities(k["n"])
            return sampling.normal_of(g, mean.astype(k["dtype"]), std.astype(k["dtype"]))
        case "random":
            return random_integers.random(g, **{**k, "shape": tuple(k["shape"])})
        case "randperm":
            return random_integers.randperm(g, **k)
        case "bernoulli_each":
            return sampling.bernoulli(g, (k["n"],), k["dtype"], record.probabilities(k["n"]).astype(k["real"]))
        case "multinomial":
            return sampling.multinomial(g, record.weights(k["n"]).astype("f4"), k["samples"], k["replacement"])
        case "poisson":
            return rejection.poisson(g, (record.weights(k["n"]) * 12).astype(k["dtype"]))
        case "binomial":
            return rejection.binomial(g, np.arange(k["n"], dtype="f4") * 3, np.float32([k["p"]]))
        case "standard_gamma" | "dirichlet":
            return getattr(rejection, operation)(g, record.weights(k["n"]))
    raise AssertionError(operation)


@pytest.mark.parametrize("program", RECORDED["programs"], ids=lambda p: str(p["seed"]))
def test_programs_draw_what_torch_drew(program):
    g = Generator().manual_seed(program["seed"])
    for i, (operation, parameters, expected) in enumerate(program["calls"]):
        x = drawn(operation, g, parameters)
        got = record.summary(x)
        assert got["shape"] == expected["shape"]
        if operation in LIBM:
            eps = np.finfo(x.dtype).eps
            values = [np.array(list(map(complex, s["values"]))) for s in (got, expected)]
            np.testing.assert_allclose(*values, rtol=64 * eps, atol=64 * eps, err_msg=f"call {i}: {operation}")
        else:
            assert got == expected, (i, operation, parameters)
    assert record.position(g.get_state()) == program["position"]


@pytest.mark.parametrize(
    ("name", "draw"),
    [
        ("uniform", lambda n, g: sampling.uniform(g, (n,), "f4")),
        ("uniform64", lambda n, g: sampling.uniform(g, (n,), "f8")),
        ("normal", lambda n, g: sampling.normal(g, (n + 16,), "f4")),  # arithmetic only, no function of the C library
        ("randperm", lambda n, g: random_integers.randperm(g, n)),
        ("randint", lambda n, g: random_integers.random(g, (n,), "i8", 0, 10)),
    ],
)
def test_all_small_sizes_one_after_the_other(name, draw):
    g = Generator().manual_seed(5)
    assert record.sweep(lambda n: draw(n, g)) == RECORDED["sweeps"][name]


# The generator


def test_default_seed_and_seeds():
    assert Generator().initial_seed() == 67280421310721
    g = Generator().manual_seed(-1)
    assert g.initial_seed() == 2**64 - 1
    assert g.seed() == g.initial_seed() != 2**64 - 1
    # Only the lower half of a seed starts the stream.
    a, b = Generator().manual_seed(7), Generator().manual_seed(2**32 + 7)
    assert (a.words32(10) == b.words32(10)).all()


def test_state_round_trip_keeps_the_spare_normal():
    g = Generator().manual_seed(3)
    sampling.normal(g, (3,), "f4")
    state = g.get_state()
    assert state.dtype == np.uint8 and state.shape == (5056,)
    others = [g.clone_state(), pickle.loads(pickle.dumps(g)), copy.deepcopy(g)]
    expected = sampling.normal(g, (700,), "f8", contiguous=False)
    g.set_state(state)
    others.append(g)
    for other in others:
        assert (other.get_state() == state).all()
        assert (sampling.normal(other, (700,), "f8", contiguous=False) == expected).all()


@pytest.mark.parametrize("n", [0, 1, 623, 624, 625, 1248])
def test_state_at_the_ends_of_a_block(n):
    g = Generator().manual_seed(3)
    g.words32(n)
    other = g.clone_state()
    assert (other.get_state() == g.get_state()).all()
    assert (other.words32(5) == g.words32(5)).all()


def test_one_by_one_leaves_the_generator_after_what_was_used():
    g, other = Generator().manual_seed(3), Generator().manual_seed(3)
    with pytest.raises(ZeroDivisionError), g.one_by_one() as uniform:
        got = [uniform() for _ in range(100)]
        _ = 1 / 0
    assert got == other.doubles(100).tolist()
    assert (g.words32(3) == other.words32(3)).all()


def test_default_generator():
    state = generators.get_rng_state()
    try:
        assert generators.manual_seed(4.0) is generators.default_generator
        assert generators.initial_seed() == 4
        expected = Generator().manual_seed(4).words32(3)
        assert (generators.default_generator.words32(3) == expected).all()
        assert generators.seed() == generators.initial_seed()
    finally:
        generators.set_rng_state(state)
    assert (generators.get_rng_state() == state).all()


# Closed forms and edges


def test_fill_follows_memory():
    out = np.zeros((2, 3, 4), "f4").transpose(2, 0, 1)
    sampling.fill(out, lambda shape: sampling.uniform(Generator().manual_seed(0), shape, "f4"))
    expected = sampling.uniform(Generator().manual_seed(0), (2, 3, 4), "f4").transpose(2, 0, 1)
    assert (out == expected).all()


def test_uniform_never_reaches_its_end():
    # In half precision a fourth of a thousandth below 1 rounds to 1.
    x = sampling.uniform(Generator().manual_seed(0), (200_000,), "f2")
    assert x.max() < 1 and (x == 0).sum() > 20


def test_means():
    g = Generator().manual_seed(0)
    n = (20_000,)
    for x, mean, deviation in [
        (sampling.normal(g, n, "f4", 2.0, 3.0), 2, 3),
        (sampling.exponential(g, n, "f4", 0.5), 2, 2),
        (sampling.geometric(g, n, "i8", 0.25), 4, np.sqrt(12)),
        (sampling.dropout_noise(g, n, "f4", 0.2), 1, 0.5),
        (rejection.poisson(g, np.full(n, 3.0)), 3, np.sqrt(3)),
        (rejection.poisson(g, np.full(n, 30.0)), 30, np.sqrt(30)),
        (rejection.binomial(g, np.full(n, 9.0), np.full(n, 0.6)), 5.4, np.sqrt(2.16)),
        (rejection.binomial(g, np.full(n, 90.0), np.full(n, 0.6)), 54, np.sqrt(21.6)),
        (rejection.standard_gamma(g, np.full(n, 0.7)), 0.7, np.sqrt(0.7)),
    ]:
        assert abs(x.mean() - mean) < 5 * deviation / np.sqrt(n[0])


def test_certain_outcomes():
    g = Generator().manual_seed(0)
    assert rejection.binomial(g, np.float32([5, 5, 0, 5]), np.float32([0, 1, 0.5, np.nan])).tolist()[:3] == [0, 5, 0]
    assert (rejection.poisson(g, np.zeros(3)) == 0).all()
    assert sampling.multinomial(g, np.array([[0.0, 1.0], [2.0, 0.0]]), 5, True).tolist() == [[1] * 5, [0] * 5]
    assert sorted(sampling.multinomial(g, np.ones(30), 30).tolist()) == list(range(30))
    np.testing.assert_allclose(rejection.dirichlet(g, np.full((3, 4), 0.5)).sum(-1), 1)


def test_overflow_is_silent():  # warnings are errors here
    g = Generator().manual_seed(0)
    for n in (5, 40):
        assert np.isinf(sampling.normal(g, (n,), "f4", 0.0, 1e308)).any()
        assert np.isinf(sampling.cauchy(g, (n,), "f4", 0.0, 1e308)).any()
        assert np.isinf(sampling.log_normal(g, (n,), "f4", 800.0)).all()
    assert (sampling.geometric(g, (5,), "i4", 1e-300) == -(2**31)).all()


def test_randperm_fills_a_small_dtype():
    assert sorted(random_integers.randperm(Generator(), 256, "u1").tolist()) == list(range(256))


def test_bfloat16():
    bfloat16 = pytest.importorskip("ml_dtypes").bfloat16
    g = Generator().manual_seed(0)
    x = sampling.normal(g, (20,), bfloat16)
    h = Generator().manual_seed(0)
    head, tail = sampling.normal(h, (16,), "f4"), sampling.normal(h, (16,), "f4")
    assert (x == np.concatenate([head[:4], tail]).astype(bfloat16)).all()
    assert random_integers.random(g, (1000,), bfloat16).max() <= 256


# Errors

CAST = "random_ expects 'from' casted to dtype to be less than or equal to 'to_inc' casted to dtype, but got "
ROUNDED = "probability tensor contains either `inf`, `nan` or element < 0"
ERRORS = [
    (lambda g: sampling.normal(g, (0,), "f4", 0, -1), RuntimeError, "normal expects std >= 0.0, but found std -1"),
    (lambda g: sampling.normal(g, (3,), "i8"), NotImplementedError, "\"normal_kernel_cpu\" not implemented for 'Long'"),
    (lambda g: sampling.normal_of(g, np.zeros(2), np.array([1.0, -1.0])), RuntimeError, "normal expects all elements of std >= 0.0"),
    (lambda g: sampling.normal_of(g, np.zeros(2), np.ones(2, "c8")), RuntimeError, "normal expects standard deviation to be non-complex"),
    (lambda g: sampling.uniform(g, (0,), "f4", 1, 0), RuntimeError, "uniform_ expects to return a [from, to) range, but found from=1 > to=0"),
    (lambda g: sampling.uniform(g, (3,), "f4", 0, np.inf), RuntimeError, "to is out of bounds for float"),
    (lambda g: sampling.uniform(g, (3,), "f4", -3e38, 3e38), RuntimeError, "uniform_ expects to-from <= std::numeric_limits<Float>::max(), but found to=3e+38 and from=-3e+38 which result in to-from to exceed the limit"),
    (lambda g: sampling.uniform(g, (3,), "i4"), NotImplementedError, "\"check_uniform_bounds\" not implemented for 'Int'"),
    (lambda g: random_integers.random(g, (3,), "i8", 5, 2), RuntimeError, "random_ expects 'from' to be less than 'to', but got from=5 >= to=2"),
    (lambda g: random_integers.random(g, (3,), "u1", 0, 300), RuntimeError, "to - 1 is out of bounds for unsigned char"),
    (lambda g: random_integers.random(g, (3,), "u8", -1, 3), RuntimeError, "from is out of bounds for long unsigned int"),
    (lambda g: random_integers.random(g, (3,), "f2", 0, 70000), RuntimeError, "to - 1 is out of bounds for c10::Half"),
    (lambda g: random_integers.random(g, (3,), "f4", 2**25), RuntimeError, CAST + "from=33554432 > to_inc=16777216"),
    (lambda g: random_integers.random(g, (3,), "c8", 0, 3), RuntimeError, "check_random_bounds handles only integral, floating-point and boolean types"),
    (lambda g: random_integers.random(g, (3,), "u2"), NotImplementedError, "\"random_kernel_cpu\" not implemented for 'UInt16'"),
    (lambda g: random_integers.random(g, (3,), "i4", -(2**63)), RuntimeError, "random_full_64_bits_range_kernel_cpu handles only int64, double, float and bfloat16"),
    (lambda g: random_integers.randperm(g, -1), RuntimeError, "Trying to create tensor with negative dimension -1: [-1]"),
    (lambda g: random_integers.randperm(g, 257, "u1"), RuntimeError, "value cannot be converted to type uint8_t without overflow"),
    (lambda g: random_integers.randperm(g, 3000, "f2"), RuntimeError, "n cannot be greater than 2049 for Half type."),
    (lambda g: random_integers.randperm(g, 2**24 + 2, "f4"), RuntimeError, "n cannot be greater than 2^24+1 for Float type."),
    (lambda g: random_integers.randperm(g, 3, "?"), NotImplementedError, "\"randperm\" not implemented for 'Bool'"),
    (lambda g: sampling.bernoulli(g, (3,), "f4", 2), RuntimeError, "bernoulli_ expects p to be in [0, 1], but got p=2"),
    (lambda g: sampling.bernoulli(g, (3,), "c8", 0.5), NotImplementedError, "\"bernoulli_scalar_cpu_\" not implemented for 'ComplexFloat'"),
    (lambda g: sampling.bernoulli(g, (2,), "f4", np.array([1, 0])), NotImplementedError, "\"bernoulli_tensor_cpu_p_\" not implemented for 'Long'"),
    (lambda g: sampling.bernoulli(g, (2,), "f4", np.array([1.0, 2.0])), RuntimeError, "Expected p_in >= 0 && p_in <= 1 to be true, but got false.  (Could this error message be improved?  If so, please report an enhancement request to PyTorch.)"),
    (lambda g: sampling.exponential(g, (3,), "f4", 0), RuntimeError, "exponential_ expects lambda > 0.0, but found lambda=0"),
    (lambda g: sampling.exponential(g, (3,), "i4"), RuntimeError, "Exponential distribution is a continuous probability distribution. dtype must be a floating point but you specified Int"),
    (lambda g: sampling.geometric(g, (3,), "f4", 1.5), RuntimeError, "geometric_ expects p to be in (0, 1), but got p=1.5"),
    (lambda g: sampling.geometric(g, (3,), "?", 0.5), NotImplementedError, "\"geometric_cpu\" not implemented for 'Bool'"),
    (lambda g: sampling.cauchy(g, (3,), "f4", 0, -1), RuntimeError, "cauchy_ expects sigma > 0.0, but found sigma=-1"),
    (lambda g: sampling.cauchy(g, (3,), "i4"), RuntimeError, "Cauchy distribution is a continuous probability distribution. dtype must be a floating point but you specified int"),
    (lambda g: sampling.log_normal(g, (3,), "f4", 0, 0), RuntimeError, "log_normal_ expects std > 0.0, but found std=0"),
    (lambda g: sampling.log_normal(g, (3,), "i4"), NotImplementedError, "\"log_normal_cpu\" not implemented for 'Int'"),
    (lambda g: sampling.multinomial(g, np.ones(3), 0), RuntimeError, "cannot sample n_sample <= 0 samples"),
    (lambda g: sampling.multinomial(g, np.ones(3), 4), RuntimeError, "cannot sample n_sample > prob_dist.size(-1) samples without replacement"),
    (lambda g: sampling.multinomial(g, np.ones((1, 1, 1)), 1), RuntimeError, "prob_dist must be 1 or 2 dim"),
    (lambda g: sampling.multinomial(g, np.ones(3, "i4"), 1), RuntimeError, "multinomial only supports floating-point dtypes for input, got: Int"),
    (lambda g: sampling.multinomial(g, np.array([1.0, np.nan]), 2, True), RuntimeError, ROUNDED),
    (lambda g: sampling.multinomial(g, np.zeros(2), 1), RuntimeError, "invalid multinomial distribution (sum of probabilities <= 0)"),
    (lambda g: rejection.poisson(g, np.array([1.0, -1.0])), RuntimeError, "invalid Poisson rate, expected rate to be non-negative"),
    (lambda g: rejection.binomial(g, np.array([5]), np.array([0.5])), ValueError, "binomial only supports floating-point dtypes for count, got: Long"),
    (lambda g: rejection.binomial(g, np.float32([5]), np.array([0.5])), RuntimeError, "Found dtype Double but expected Float"),
    (lambda g: rejection.standard_gamma(g, np.float16([5])), NotImplementedError, "\"gamma_cpu\" not implemented for 'Half'"),
    (lambda g: g.manual_seed(1.5), RuntimeError, "manual_seed expected a long, but got float"),
    (lambda g: g.manual_seed(2**64), ValueError, "Overflow when unpacking long long"),
    (lambda g: g.set_state(5), TypeError, "expected a torch.ByteTensor, but got int"),
    (lambda g: g.set_state(np.zeros(5056)), TypeError, "RNG state must be a torch.ByteTensor"),
    (lambda g: g.set_state(np.zeros(5, "u1")), RuntimeError, "Expected a CPUGeneratorImplState of size 5056 but found the input RNG state size to be 5"),
    (lambda g: g.set_state(np.zeros(5056, "u1")), RuntimeError, "Invalid mt19937 state"),
    (lambda g: g.get_offset(), RuntimeError, "CPU Generator does not use offset"),
    (lambda g: g.set_offset(1), RuntimeError, "CPU Generator does not use offset"),
]  # fmt: skip


@pytest.mark.parametrize(("call", "kind", "text"), ERRORS, ids=lambda x: x[:40] if isinstance(x, str) else None)
def test_errors(call, kind, text):
    with pytest.raises(kind) as caught:
        call(Generator().manual_seed(0))
    assert type(caught.value) is kind and str(caught.value) == text


def test_integers_that_a_floating_dtype_cannot_tell_apart_are_warned_of():
    with pytest.warns(
        UserWarning, match=r"to - 1 is out of bounds \[-\(2\^24\), 2\^24\]. Due to precision limitations float"
    ):
        random_integers.random(Generator(), (3,), "f4", 0, 2**30)


# Against torch itself


@pytest.mark.parametrize("seed", range(8))
def test_against_torch(seed):
    torch = pytest.importorskip("torch")
    if not torch.__version__.startswith("2.13."):
        pytest.skip("the numbers are those of PyTorch 2.13")
    theirs, ours = torch.Generator().manual_seed(seed), Generator().manual_seed(seed)
    torch.empty(2).bernoulli_(0.5, generator=theirs)
    sampling.bernoulli(ours, (2,), "f4", 0.5)
    elsewhere = {"bernoulli", "dropout_noise"} if (theirs.get_state().numpy() != ours.get_state()).any() else set()
    ours.manual_seed(seed), theirs.manual_seed(seed)
    for operation, parameters in record.program(1000 + seed, 150):
        if operation in elsewhere:
            continue
        expected = record.drawn(operation, theirs, parameters)
        x = drawn(operation, ours, parameters)
        assert x.dtype == expected.dtype and x.shape == expected.shape
        if operation == "dirichlet":  # its rows are divided by sums, which NumPy takes in another order
            np.testing.assert_allclose(x, expected, rtol=1e-15)
        else:
            np.testing.assert_array_equal(x, expected, err_msg=f"{operation} {parameters}")
        assert (theirs.get_state().numpy() == ours.get_state()).all(), (operation, parameters)
