import copy
import keyword
import pickle
import re

import numpy as np
import pytest

import funcgrad as fg
import funcgrad.numpy as fnp
from funcgrad.core.primitive import registry
from funcgrad.errors import ArgumentError
from funcgrad.testing.samples import samples


def sines(n):
    def f(x):
        for _ in range(n):
            x = fnp.sin(x)
        return x

    return f


def test_tapes_without_equations():
    for f, args, result in [(lambda: 3.0, (), 3.0), (lambda x: None, (1.0,), None), (lambda x: x, (2.0,), 2.0)]:
        tape = fg.make_tape(f)(*args)
        assert len(tape) == 0 and tape(*args) == result
        assert str(tape) and tape.mermaid() and fg.vjp(f, *args)[1].tape.mermaid()
        exec(tape.source(), {})


def test_constant_results_keep_their_types():
    tape = fg.make_tape(lambda x: (x, np.ones(2, "f"), 3, True, 1j))(1.0)
    assert [str(v.dtype) for v in tape(2.0)] == ["float64", "float32", "int64", "bool", "complex128"]


def test_a_long_tape_prints_evaluates_and_travels():
    tape = fg.make_tape(sines(20_000))(1.0)
    assert str(tape).count("\n") == 20_001 and tape.mermaid().count("-->") == 20_000
    x = 1.0
    for _ in range(20_000):
        x = np.sin(x)
    again = pickle.loads(pickle.dumps(tape))
    assert float(tape(1.0)) == float(again(1.0)) == float(copy.copy(tape)(1.0)) == x
    namespace = {}
    exec(tape.source(), namespace)
    assert float(namespace["program"](1.0)[0]) == x


def test_names_are_no_keywords():
    tape = fg.make_tape(sines(12_000))(1.0)
    found = set(re.findall(r"^  (\w+):", str(tape), re.M))
    assert len(found) == 12_000 and not found & ({*keyword.kwlist} | {"np", "inf", "nan"})


def test_pullbacks_travel():
    def f(x):
        return fnp.sum(fnp.sin(x) * x * 2.0 + x[::2].sum() + fnp.modf(x)[0])

    x = np.array([0.3, 1.2, 2.0])
    _, pullback = fg.vjp(f, x)
    for again in (pickle.loads(pickle.dumps(pullback)), copy.copy(pullback), copy.deepcopy(pullback)):
        np.testing.assert_array_equal(again(1.0)[0], pullback(1.0)[0])
        assert str(again.tape) == str(pullback.tape)
    long = fg.vjp(sines(20_000), 1.0)[1]
    assert float(pickle.loads(pickle.dumps(long))(1.0)[0]) == float(long(1.0)[0])
    assert str(pickle.loads(pickle.dumps(pullback.tape))) == str(pullback.tape)


def test_python_numbers_take_on_the_dtype_of_the_input_where_it_holds_them():
    as_int, as_float = fg.make_tape(lambda x: x * 2)(1), fg.make_tape(lambda x: x * 2)(np.float32(1))
    assert as_int(3).dtype == int and as_float(3).dtype == as_float(2.5).dtype == np.float32
    for tape, number in ((as_int, 2.5), (as_int, 1j), (as_float, 1j)):
        with pytest.raises(ArgumentError, match="this tape takes dtype"):
            tape(number)


def test_messages_name_the_place():
    tape = fg.make_tape(lambda p: p["a"]["b"][1])({"a": {"b": [1.0, np.ones(2)]}})
    for leaf, words in [(np.ones(2, "f"), "float32"), (np.ones(3), r"\(3,\)"), ("no", "<U2")]:
        with pytest.raises(fg.errors.FuncgradError, match=rf"argument 0 at \['a'\]\['b'\]\[1\].*{words}"):
            tape({"a": {"b": [1.0, leaf]}})
    for leaf in (np.array(["a"]), np.array([None]), fg.ShapeDtypeStruct((2,), object), 10**40):
        with pytest.raises(ArgumentError, match=r"argument 0 at \['x'\]"):
            fg.make_tape(lambda p: p)({"x": leaf})


def test_keywords_pass_to_the_function():
    tape = fg.make_tape(lambda x, n: x**n)(2.0, n=3)
    assert float(tape(2.0)) == 8.0


def test_what_is_kept_cannot_be_written_to():
    y, pullback = fg.vjp(fnp.exp, np.ones(3))
    for e in pullback.tape:
        for value in e.kept.values():
            with pytest.raises((TypeError, ValueError)):
                value[...] = 0.0
    np.testing.assert_array_equal(y, np.exp(np.ones(3)))


@pytest.mark.parametrize(
    "constant",
    [complex(1, np.inf), complex(-0.0, np.nan), np.complex64(1 - 2j), np.array([[complex(np.nan, -0.0), 1j]]), -0.0],
    ids=str,
)
def test_source_writes_constants_exactly(constant):
    tape = fg.make_tape(lambda x: (fnp.equal(x, constant), constant))(1.0)
    namespace = {}
    exec(tape.source(), namespace)
    assert np.asarray(namespace["program"](1.0)[1]).tobytes() == np.asarray(constant).tobytes()


@pytest.mark.parametrize("name", sorted(registry))
def test_every_primitive_prints_draws_and_runs_from_source(name):
    primitive = registry[name]
    for dtype in primitive.dtypes:
        for sample in samples(primitive, dtype):
            arrays = [i for i, a in enumerate(sample.args) if isinstance(a, np.ndarray | np.generic)]
            for places in {tuple(arrays), tuple(arrays[:1])}:

                def f(*xs, sample=sample, places=places):
                    args = list(sample.args)
                    for i, x in zip(places, xs, strict=True):
                        args[i] = x
                    return primitive(*args, **sample.params)

                xs = [sample.args[i] for i in places]
                with np.errstate(all="ignore"):
                    tape, expected = fg.make_tape(f)(*xs), f(*xs)
                    namespace = {}
                    exec(tape.source(), namespace)
                    got = namespace["program"](*xs)
                for a, b in zip(got, expected if isinstance(expected, tuple) else (expected,), strict=True):
                    assert np.shape(a) == np.shape(b) and np.asarray(a).dtype == np.asarray(b).dtype
                    np.testing.assert_allclose(a, b, rtol=1e-5 if dtype in "fF" else 1e-12, atol=1e-6)
                assert "object at 0x" not in str(tape) and "array(" not in str(tape)
                for line in tape.mermaid().splitlines()[1:]:
                    label = re.fullmatch(r'  \w+(?:\(\[|\[|\{\{)"(.*)"(?:\]\)|\]|\}\})', line)
                    assert label or re.fullmatch(r'  \w+ -->(\|"result \d"\|)? \w+', line), line
                    assert not label or not re.search('["<]', label[1].replace("<br/>", "")), line
