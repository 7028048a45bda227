"""`debug.nans`: the first NaN or infinity is found, and the line that made it is named."""

import asyncio
import pickle
import re
import threading
import warnings
from pathlib import Path

import numpy as np
import pytest

import funcgrad as fg
import funcgrad.numpy as fnp
from funcgrad.core.array import Array
from funcgrad.core.trace import EvalTrace, observer
from funcgrad.debug import nans
from funcgrad.errors import ArgumentError, FuncgradError, NonFiniteError
from funcgrad.transforms.checkpoint import checkpoint
from funcgrad.transforms.custom_jvp import custom_jvp
from funcgrad.transforms.custom_vjp import custom_vjp
from funcgrad.transforms.jvp import JvpTrace
from funcgrad.transforms.vjp import VjpTrace
from funcgrad.transforms.vmap import BatchTrace

SOURCE = Path(__file__).read_text().splitlines()


def at(mark):
    """How a report names the line of this file that ends with a mark."""
    ((number, line),) = [(i, s) for i, s in enumerate(SOURCE, 1) if s.endswith(f"# {mark}")]
    return f"called at test_nans.py:{number}: `{line.strip()}`"


def message(f, *args):
    with pytest.raises(NonFiniteError) as error:
        f(*args)
    return str(error.value)


def root(x):
    y = np.sqrt(x)  # root
    return np.sum(np.where(x > 0, y, 0.0))


def safe_root(x):
    y = np.sqrt(np.where(x > 0, x, 1.0))
    return np.sum(np.where(x > 0, y, 0.0))


def cubic(x):
    return np.sum(x**1.5)  # cubic


X = np.array([4.0, 0.0])


# Forward.


@pytest.mark.parametrize(
    "f, args, head, result",
    [
        (np.log, ([1.0, -1.0],), "NaN from `log`", "float64[2], nan in 1 of 2 elements, the first at index (1,)"),
        (np.log, ([0.0, 0.0],), "Inf from `log`", "float64[2], -inf in 2 of 2 elements, the first at index (0,)"),
        (np.divide, ([[1.0, 2.0]], [[1.0, 0.0]]), "Inf from `divide`", "float64[1,2], inf in 1 of 2 elements"),
        (np.exp, (1000.0,), "Inf from `exp`", "float64[], inf\n"),
        (np.matmul, ([1e200], [1e200]), "Inf from `matmul`", "float64[], inf\n"),
        (lambda x: np.mean(x), (np.zeros(0),), "NaN from `", "float64[], nan\n"),
        (np.linalg.inv, ([[1e-320]],), "Inf from `inv`", "float64[1,1], inf in 1 of 1 elements"),
        (lambda x: np.modf(x)[0] / 0, (1.5,), "Inf from `divide`", "float64[], inf\n"),
        (lambda x: np.log(x.astype("float32")), ([0.0],), "Inf from `log`", "float32[1], -inf in 1 of 1"),
        (lambda x: x.astype("float16"), ([1e6],), "Inf from `", "float16[1], inf in 1 of 1"),
        (lambda x: np.log(x + 0j), ([0.0],), "Inf from `log`", "complex128[1], (-inf+0j) in 1 of 1"),
    ],
)
def test_operations_on_arrays(f, args, head, result):
    text = message(nans(f), *[fnp.array(a) for a in args])
    assert text.startswith(head)
    assert f"\n  result: {result}" in text
    assert "The operands are finite, so it begins here" in text


def test_the_line_is_named():
    with nans(), pytest.raises(NonFiniteError) as error:
        fnp.add(1.0, np.log(fnp.zeros(2)))  # the line
    assert str(error.value).startswith(f"Inf from `log`, {at('the line')}\n  result: float64[2], -inf in 2")


def test_a_line_that_is_too_long_is_cut():
    with nans(), pytest.raises(NonFiniteError, match=r"`np.log\(fnp.zeros\(2\)\), \[.{70,90} …`\n"):
        np.log(fnp.zeros(2)), ["what comes after the operation on a line that goes on and on is of no interest here"]


def test_operands_are_shown_where_it_happens():
    text = message(nans(lambda x, y: x / y), fnp.ones((2, 2)), fnp.array([3.0, 0.0]))
    assert "the first at index (0, 1)" in text
    assert "\n  operand x: float64[2,2], finite, there 1.0\n  operand y: float64[2], finite, there 0.0\n" in text
    assert "\n  operand x: int64[], finite, there 1\n" in message(nans(lambda x: 1 / x), fnp.array(0.0))


def test_it_is_a_floating_point_error():
    assert issubclass(NonFiniteError, FloatingPointError) and issubclass(NonFiniteError, FuncgradError)


@pytest.mark.parametrize(
    "options, found",
    [({}, "both"), ({"inf": False}, "nan"), ({"nan": False}, "inf"), ({"nan": False, "inf": False}, "none")],
)
def test_options_say_what_is_looked_for(options, found):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # what is not looked for NumPy warns of
        for kind, x in (("nan", -1.0), ("inf", 0.0)):
            if found in (kind, "both"):
                assert message(nans(np.log, **options), fnp.array(x)).lower().startswith(f"{kind} from `log`")
            else:
                np.testing.assert_equal(np.asarray(nans(np.log, **options)(fnp.array(x))), np.log(x))


@pytest.mark.parametrize("bad, option", [(np.nan, "nan"), (np.inf, "inf")])
def test_what_was_bad_before_is_reported_as_an_input(bad, option):
    text = message(nans(lambda x, y: x * y), fnp.ones(3), fnp.array([1.0, 2.0, bad]))
    assert re.match(rf"{option}\b.* among the operands of `multiply`, called at", text, re.I)
    assert f"\n  operand y: float64[3], {bad} in 1 of 3 elements, the first at index (2,)\n  operand x:" in text
    assert "No operation that nans sees made it: it is an argument or a constant" in text
    assert text.endswith(f"If it is meant: nans({option}=False).")


def test_what_plain_ndarrays_gave_is_seen_as_an_operand():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        made = nans(np.log)(np.zeros(2))  # NumPy's own, with NumPy's warning
    assert type(made) is np.ndarray and np.isneginf(made).all()
    assert "Inf among the operands of `add`" in message(nans(lambda x: fnp.ones(2) + x), made)


def test_bad_numbers_that_an_operation_discards_are_no_concern():
    with nans():
        np.testing.assert_array_equal(np.where(fnp.array([True, False]), fnp.array([1.0, np.nan]), 2.0), [1.0, 2.0])
        np.testing.assert_array_equal(np.isnan(fnp.array([1.0, np.nan])), [False, True])
        np.testing.assert_array_equal(np.nan_to_num(fnp.array([1.0, np.nan])), [1.0, 0.0])


# Derivatives.

WATCHED = {
    "nans(grad f)": lambda f, x: nans(fg.grad(f))(x),
    "grad(nans f)": lambda f, x: fg.grad(nans(f))(x),
    "nans(vjp f and pullback)": lambda f, x: nans(lambda x: fg.vjp(f, x)[1](1.0))(x),
    "nans(vjp f), pullback": lambda f, x: nans(lambda x: fg.vjp(f, x))(x)[1](1.0),
    "vmap(pullback)": lambda f, x: fg.vmap(fg.vjp(nans(f), x)[1])(np.ones(3)),
    "pullback taken apart": lambda f, x: fg.tree.map(lambda r: r, fg.vjp(nans(f), x)[1])(1.0),
    "nans(vmap(grad f))": lambda f, x: nans(fg.vmap(fg.grad(lambda x: f(x[None]))))(x),
    "vmap(grad(nans f))": lambda f, x: fg.vmap(fg.grad(nans(lambda x: f(x[None]))))(x),
    "nans(grad(vmap f))": lambda f, x: nans(fg.grad(lambda x: np.sum(fg.vmap(lambda x: f(x[None]))(x))))(x),
    "grad(vmap(nans f))": lambda f, x: fg.grad(lambda x: np.sum(fg.vmap(nans(lambda x: f(x[None])))(x)))(x),
}


@pytest.mark.parametrize("derivative", WATCHED.values(), ids=WATCHED)
def test_a_derivative_names_the_line_of_its_operation(derivative):
    text = message(derivative, root, X)
    assert text.startswith(f"NaN in the derivative of `sqrt`, {at('root')}\n  cotangent of x: float64[")
    assert "What arrives there is 0, and 0 times infinity is NaN." in text
    assert "choose before sqrt, too: x = np.where(ok, x, 1.0), then np.where(ok, sqrt(x), 0.0)" in text
    derivative(safe_root, X)  # the remedy is one


@pytest.mark.parametrize(
    "pushforward",
    [
        lambda f, x: nans(lambda: fg.jvp(f, (x,), (x,)))(),
        lambda f, x: fg.jvp(nans(f), (x,), (x,)),
        lambda f, x: fg.jvp(fg.grad(nans(f)), (x,), (x,)),
        lambda f, x: nans(fg.grad(lambda x: fg.jvp(f, (x,), (x,))[1]))(x),
        lambda f, x: fg.vmap(lambda t: fg.jvp(nans(f), (x,), (t,)))(np.eye(2)),
    ],
)
def test_forward_derivatives(pushforward):
    text = message(pushforward, root, X)
    assert text.startswith(f"NaN in the derivative of `sqrt`, {at('root')}\n  tangent of result: float64[2]")
    assert "\n  operand x: float64[2], finite, there 0.0\n  tangent of operand x: float64[2]" in text
    pushforward(safe_root, X)


def test_an_infinite_derivative_that_is_asked_for():
    text = message(nans(fg.grad(np.sqrt)), 0.0)
    assert text.startswith("Inf in the derivative of `sqrt`")
    assert "\n  cotangent of x: float64[], inf\n  cotangent of result: float64[], finite, there 1.0\n" in text
    assert "this is a singular point of sqrt. Keep away from it" in text
    with np.errstate(divide="ignore"):
        assert np.isposinf(np.asarray(nans(fg.grad(np.sqrt), inf=False)(0.0)))


def test_derivatives_of_what_is_not_elementwise():
    text = message(nans(fg.grad(lambda x: np.linalg.norm(x))), np.zeros(2))
    assert text.startswith("NaN in the derivative of `norm`")
    assert "\n  operand x: float64[2], finite\n" in text
    assert "this is a singular point of norm" in text


def test_several_results():
    text = message(nans(fg.grad(lambda a: np.sum(np.linalg.svd(a)[0]))), np.eye(2))
    assert text.startswith("NaN in the derivative of `svd`")
    assert "\n  cotangent of result 0: float64[2,2], finite\n  result 0:" in text  # nothing depends on the others
    text = message(nans(np.divmod), fnp.array([1.0, 2.0]), fnp.array([1.0, 0.0]))
    assert text.startswith("Inf from `divmod`")
    assert "\n  result 0: float64[2], inf in 1 of 2 elements, the first at index (1,)\n" in text


@pytest.mark.parametrize(
    "second",
    [
        lambda x: nans(fg.grad(fg.grad(cubic)))(x),
        lambda x: fg.grad(fg.grad(nans(cubic)))(x),
    ],
)
def test_reverse_over_reverse(second):
    text = message(second, 0.0)
    start = "Inf in the derivative of `power`, in the derivative of `power`, "
    assert text.startswith(f"{start}{at('cubic')}\n  cotangent of x: float64[], inf\n")


@pytest.mark.parametrize(
    "second, label",
    [
        (lambda x: nans(lambda: fg.jvp(fg.grad(cubic), (x,), (1.0,)))(), "tangent of cotangent of x"),
        (lambda x: fg.jvp(fg.grad(nans(cubic)), (x,), (1.0,)), "tangent of cotangent of x"),
        (lambda x: nans(fg.grad(lambda x: fg.jvp(cubic, (x,), (1.0,))[1]))(x), "cotangent of x"),
        (lambda x: nans(lambda: fg.jvp(lambda x: fg.jvp(cubic, (x,), (1.0,))[1], (x,), (1.0,)))(), "tangent of"),
    ],
)
def test_other_second_derivatives(second, label):
    text = message(second, 0.0)
    assert text.startswith("Inf in the derivative of `power`, ") and at("cubic") in text
    assert f"\n  {label}" in text


def test_examples_of_a_batch_are_numbered():
    x = np.array([[1.0, 2.0], [3.0, 0.0], [0.0, 0.0]])
    text = message(nans(fg.vmap(np.log)), x)
    assert "float64[2] (a batch of 3), -inf in 3 of 6 elements, the first at index (1,) of example 1\n" in text
    text = message(nans(fg.vmap(fg.vmap(np.log))), x)
    assert "float64[] (a batch of 3 by 2), -inf in 3 of 6 elements, the first of example (1, 1)\n" in text


def test_a_pullback_that_was_recorded_before():
    pullback = fg.vjp(root, X)[1]
    text = message(nans(pullback), 1.0)
    assert text.startswith("NaN in the derivative of `sqrt`, which was recorded before nans was on")
    assert "\n  cotangent of x: float64[2], nan in 1 of 2 elements, the first at index (1,)\n" in text
    with np.errstate(invalid="ignore"):
        np.testing.assert_equal(np.asarray(pullback(1.0)[0]), [0.25, np.nan])  # and outside nobody minds


def test_the_cotangent_that_a_pullback_is_given():
    assert "NaN in the cotangent that a pullback was given" in message(nans(fg.vjp(np.sin, 1.0)[1]), np.nan)
    assert "arrives at `sin`, called at" in message(fg.vjp(nans(lambda x: np.sin(x)), 1.0)[1], np.inf)


def test_a_sum_of_cotangents_overflows():
    def f(x):
        return np.sum(x * 1e308 - x * -1e308)

    text = message(nans(fg.grad(f)), 0.1)
    assert text.startswith("Inf from adding up cotangents, the last of them from the derivative of `multiply`")
    assert "scale the function down" in text


def test_residuals_that_were_bad_before():
    text = message(nans(fg.grad(lambda x: x ** fnp.array(np.inf))), 0.5)  # the value is 0
    assert text.startswith("NaN in the derivative of `power`")
    assert "\n  operand y: float64[], inf\n" in text and "No operation that nans sees made it" in text


@pytest.mark.parametrize("f", [fnp.sinc, lambda x: fnp.linalg.norm(x + 1), lambda x: fnp.sum(fnp.exp(-x * x))])
def test_what_rules_discard_in_between_is_no_concern(f):
    expected = fg.grad(fg.grad(f))(0.0)
    assert np.isfinite(np.asarray(expected))
    assert nans(fg.grad(fg.grad(f)))(0.0) == expected


# Operations that hold functions.


def test_the_derivative_of_a_checkpoint():
    def f(x):
        return 2 * checkpoint(root)(x)

    for g in (nans(fg.grad(f)), fg.grad(nans(f))):
        assert message(g, X).startswith(f"NaN in the derivative of `sqrt`, {at('root')}\n  cotangent of x: float64[2]")


def test_a_tape_names_the_line_that_it_was_recorded_at():
    tape = nans(fg.make_tape(cubic))(X)
    assert message(nans(tape), -X).startswith(f"NaN from `power`, {at('cubic')}\n  result: float64[2], nan in 1 of 2")
    assert message(nans(fg.make_tape(cubic)(X)), -X).startswith("NaN from `power`, called at")
    np.testing.assert_array_equal(tape(X), 8.0)


@custom_vjp
def total(x):
    return np.sum(x)


def total_backward(x, g):
    return (g / x,)  # user's rule


total.defvjp(lambda x: (total(x), x), total_backward)


@custom_jvp
def total_forward(x):
    return np.sum(x)


@total_forward.defjvp
def _(primals, tangents):
    (x,), (t,) = primals, tangents
    return total_forward(x), np.sum(t / x)  # user's forward rule


@pytest.mark.parametrize(
    "derivative, line, inside",
    [
        (nans(fg.grad(total)), "user's rule", "in the derivative of `total`"),
        (fg.grad(nans(total)), "user's rule", "in the derivative of `total`"),
        (lambda x: fg.jvp(nans(total_forward), (x,), (x + 1,)), "user's forward rule", "in the forward derivative of"),
    ],
)
def test_rules_of_the_user_name_their_own_line(derivative, line, inside):
    assert message(derivative, X).startswith(f"Inf from `divide`, {at(line)}, {inside}")


def test_a_rule_that_gives_nan_by_itself():
    @custom_vjp
    def f(x):
        return np.sum(x)

    f.defvjp(lambda x: (f(x), None), lambda _, g: (np.full(2, np.nan),))
    text = message(nans(fg.grad(lambda x: f(x))), X)
    assert text.startswith("NaN in the derivative of `f`, called at")
    assert "look at what the rule of f does with these arguments" in text


# On and off.


def test_off_nothing_is_observed():
    kinds = []

    def f(x):
        kinds.append(type(x._trace))
        return np.sum(x)

    def all_transforms():
        fg.grad(f)(1.0)
        fg.jvp(f, (1.0,), (1.0,))
        fg.vmap(f)(X)
        return [type(fnp.ones(2)._trace), *kinds]

    plain = [EvalTrace, VjpTrace, JvpTrace, BatchTrace]
    assert all_transforms() == plain
    kinds.clear()
    assert all(new is not old and issubclass(new, old) for new, old in zip(nans(all_transforms)(), plain, strict=True))
    kinds.clear()
    assert all_transforms() == plain and observer.get() is None
    with pytest.raises(NonFiniteError), nans():
        np.log(fnp.zeros(2))
    kinds.clear()
    assert all_transforms() == plain and observer.get() is None


def test_inside_a_transform_it_holds_for_its_block():
    def f(x):
        with nans():
            y = np.sqrt(x)
        return y + np.log(x)  # infinite, and nobody looks

    with np.errstate(all="ignore"):
        text = message(fg.grad(f), 0.0)
    assert text.startswith("Inf in the derivative of `sqrt`")


def test_blocks_nest_and_the_inner_one_counts():
    x = fnp.zeros(1)
    with nans():
        with nans(inf=False), np.errstate(divide="ignore"):
            assert np.isneginf(np.asarray(np.log(x)))
        assert "Inf from `log`" in message(np.log, x)
        manager = nans(inf=False)
        with manager, manager, np.errstate(divide="ignore"):
            np.log(x)
    with np.errstate(divide="ignore"):
        np.log(x)


@pytest.mark.parametrize("differentiate", [fg.grad, fg.value_and_grad, lambda f: fg.grad(nans(f)), fg.make_tape])
def test_results_are_the_same(differentiate):
    def f(x):
        u, s, v = np.linalg.svd(np.outer(x, x) + np.diag(x))
        return np.sum(np.tanh(x[:2]) * s[0]) + np.where(x[0] > 0, x[1] ** 3, u[0, 0]) + np.max(v) / x.size

    x = np.array([0.3, 1.7])
    expected, got = differentiate(f)(x), nans(differentiate(f))(x)
    if differentiate is fg.make_tape:
        assert str(got) == str(expected)
    else:
        fg.tree.map(np.testing.assert_array_equal, got, expected)


def test_a_noted_pullback_prints_and_pickles_like_any_other():
    (_, plain), (_, noted) = fg.vjp(safe_root, X), nans(fg.vjp)(safe_root, X)
    assert str(noted.tape) == str(plain.tape) and noted.tape.residual_bytes == plain.tape.residual_bytes
    (copied,) = pickle.loads(pickle.dumps(noted))(1.0)
    np.testing.assert_array_equal(copied, plain(1.0)[0])


def test_warnings_do_not_come_first():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert "NaN from `log`" in message(nans(np.log), fnp.array(-1.0))
        assert "NaN in the derivative of `sqrt`" in message(nans(fg.grad(root)), X)
        with np.errstate(all="raise"):
            assert "Inf from `log`" in message(nans(np.log), fnp.array(0.0))
            assert "overflow of float64: scale down" in message(nans(np.exp), fnp.array(1e4))


def test_warnings_about_what_is_not_looked_for_remain():
    with pytest.warns(RuntimeWarning, match="divide by zero"):
        nans(np.log, inf=False)(fnp.array(0.0))
    with pytest.warns(RuntimeWarning, match="invalid value"):
        nans(np.log, nan=False)(fnp.array(-1.0))


def test_other_threads_are_left_alone():
    found = []

    def work():
        with np.errstate(divide="ignore"):
            found.append(np.log(fnp.zeros(1)))
            found.append(fg.grad(lambda x: np.log(x))(0.0))

    with nans():
        thread = threading.Thread(target=work)
        thread.start()
        thread.join()
    assert [float(np.asarray(x).ravel()[0]) for x in found] == [-np.inf, np.inf]


def test_many_threads_at_once():
    x, texts, barrier = fnp.zeros(1), [], threading.Barrier(4)

    def work(watched):
        barrier.wait()
        for _ in range(50):
            if watched:
                texts.append(message(nans(np.log), x))
            else:
                with np.errstate(divide="ignore"):
                    assert np.isneginf(np.asarray(np.log(x)))
                texts.append("Inf from `log` is fine here")

    threads = [threading.Thread(target=work, args=(i % 2,)) for i in range(4)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    assert len(texts) == 200 and all(t.startswith("Inf from `log`") for t in texts)
    assert type(Array._trace) is EvalTrace


def test_asynchronous_tasks():
    async def watched(started, go):
        with nans():
            started.set()
            await go.wait()
            return message(np.log, fnp.zeros(1))

    async def free(started, go):
        await started.wait()
        with np.errstate(divide="ignore"):
            out = np.log(fnp.zeros(1))
        go.set()
        return out

    async def both():
        started, go = asyncio.Event(), asyncio.Event()
        return await asyncio.gather(watched(started, go), free(started, go))

    text, out = asyncio.run(both())
    assert text.startswith("Inf from `log`") and np.isneginf(np.asarray(out)).all()


# What it may be given.


def test_it_decorates():
    @nans
    def f(x):
        """The docstring."""
        return np.log(x)

    @nans(inf=False)
    def g(x):
        return np.log(x)

    assert f.__name__ == "f" and f.__doc__ == "The docstring."
    assert "Inf from `log`" in message(f, fnp.array(0.0))
    assert "NaN from `log`" in message(g, fnp.array(-1.0))
    assert f(fnp.array(1.0)) == g(fnp.array(1.0)) == 0

    class Model:
        @nans
        def loss(self, x):
            return np.log(x)

    assert "Inf from `log`" in message(Model().loss, fnp.array(0.0))


def test_what_it_refuses():
    with pytest.raises(ArgumentError, match=r"nans takes a function, got True of type bool\. To say"):
        nans(True)

    async def coroutine():
        pass

    def generator():
        yield

    for f in (coroutine, generator):
        with pytest.raises(ArgumentError, match=f"nans: {f.__name__} is a generator or coroutine function"):
            nans(f)


def test_a_nan_of_an_infinite_cotangent_and_of_infinite_operands_says_so():
    clipped = fg.grad(lambda x: fnp.arcsin(fnp.minimum(x, 1.0)))
    with (
        nans(inf=False),
        np.errstate(all="ignore"),
        pytest.raises(NonFiniteError, match="What arrives there is infinite"),
    ):
        clipped(1.2)
    with (
        nans(inf=False),
        np.errstate(all="ignore"),
        pytest.raises(NonFiniteError, match="comes of the infinity in operand x"),
    ):
        fnp.subtract(fnp.array([np.inf]), fnp.array([np.inf]))
