"""`grad` as a user of JAX knows it: what may be passed for the function, its arguments and argnums."""

import functools
from collections import OrderedDict, namedtuple

import numpy as np
import pytest

import funcgrad as fg
import funcgrad.numpy as fnp
from funcgrad.errors import ArgumentError, LeakedTracerError

D = fg.grad
Point = namedtuple("Point", "a b")


class Model:
    def __init__(self):
        self.w = 3.0

    def __call__(self, x):
        return self.w * x

    def square(self, x):
        return self.w * x * x

    @staticmethod
    @fg.grad
    def static(x):
        return x * x

    @functools.partial(fg.grad, argnums=1)
    def method(self, x):
        return self.w * x * x

    @classmethod
    def of_class(cls, x):
        return x * x


@pytest.mark.parametrize(
    "f, expected",
    [
        (Model(), 3.0),
        (Model().square, 12.0),
        (Model.of_class, 4.0),
        (functools.partial(lambda a, x: a * x, 3.0), 3.0),
        (functools.partial(lambda x, a: a * x, a=3.0), 3.0),
        (functools.singledispatch(lambda x: x * x), 4.0),
        (np.square, 4.0),
        (fnp.square, 4.0),
        (lambda x, y=3.0: x * y, 3.0),
    ],
)
def test_functions_of_every_kind(f, expected):
    assert float(D(f)(2.0)) == expected


def test_as_a_decorator():
    assert float(Model.static(2.0)) == 4.0 and float(Model().method(2.0)) == 12.0
    named = fg.grad(Model.of_class)
    assert named.__name__ == "of_class" and D(functools.partial(Model.of_class)).__name__


@pytest.mark.parametrize("argnums", [1, np.int64(1), np.array(1)])
def test_one_argnum(argnums):
    assert float(D(lambda x, y: x * y**2, argnums)(2.0, 3.0)) == 12.0


@pytest.mark.parametrize("argnums", [(0, 1), [0, 1], range(2), (np.int32(0), -1)])
def test_several_argnums(argnums):
    gradients = D(lambda x, y: x * y**2, argnums)(2.0, 3.0)
    assert type(gradients) is tuple and [float(g) for g in gradients] == [9.0, 12.0]


@pytest.mark.parametrize("argnums", [None, 1.0, "y", (), (0, 1.5)])
def test_argnums_that_are_none(argnums):
    with pytest.raises(ArgumentError, match="argnums must be an int or a non-empty sequence"):
        D(lambda x, y: x, argnums)


@pytest.mark.parametrize("args, kwargs", [((), {}), ((), {"x": 1.0})])
def test_an_argument_that_was_not_passed_by_position(args, kwargs):
    with pytest.raises(ArgumentError, match=r"requires at least 1 positional arguments to be passed.*got only 0"):
        D(lambda x: x)(*args, **kwargs)


def test_containers():
    assert D(lambda p: p.a * p.b)(Point(1.0, 2.0)) == Point(2.0, 1.0)
    g = D(lambda p: p["b"] * p["a"])(OrderedDict([("b", 1.0), ("a", 2.0)]))
    assert type(g) is OrderedDict and list(g) == ["b", "a"] and float(g["b"]) == 2.0
    assert D(lambda x: 1.0)({}) == {} and D(lambda x: 1.0)(None) is None
    g = D(lambda p, mode: p["a"] * 2.0 if mode == "double" else 0.0)({"a": 1.0, "n": None}, "double")
    assert float(g["a"]) == 2.0 and g["n"] is None


def test_aux_of_an_inner_gradient_is_differentiated_by_the_outer():
    # aux of the inner is y * x at y = x, so the outer derivative is that of x**2
    assert float(D(lambda x: D(lambda y: (y * x, y * x), has_aux=True)(x)[1])(2.0)) == 4.0


def test_programs_that_call_themselves():
    def doubling(x, n):
        return x if n == 0 else D(lambda y: doubling(y, n - 1) * y)(x)

    assert float(doubling(1.0, 6)) == 2.0**6


def test_generators_and_tasks_inside():
    import asyncio

    def generated(x):
        return sum(D(lambda y, k=k: x * y * k)(1.0) for k in range(3))

    def scheduled(x):
        async def one(k):
            await asyncio.sleep(0)
            return D(lambda y: x * y**k)(2.0)

        async def both():
            return await asyncio.gather(one(1), one(2))

        return sum(asyncio.run(both()))

    assert float(D(generated)(3.0)) == 3.0
    assert float(D(scheduled)(3.0)) == 1 + 4


def test_a_generator_that_outlives_its_transform():
    kept = []

    def f(x):
        generator = (x * k for k in range(2, 4))
        next(generator)
        kept.append(generator)
        return x * x

    D(f)(1.0)
    with pytest.raises(LeakedTracerError, match="outside the call"):
        next(kept[0])


@pytest.mark.parametrize(
    "leaf, words",
    [
        (np.array([1.0, None]), "object"),
        (np.array(["a"]), "<U1"),
        (np.array(["2020"], "M8[Y]"), "datetime64"),
        (np.zeros(2, [("a", float)]), "'a'"),
        (np.str_("a"), "<U1"),
        (10**40, "64 at most"),
    ],
)
def test_a_leaf_that_holds_no_numbers_is_named(leaf, words):
    for transform in (D(lambda p: 1.0), lambda p: fg.vjp(lambda p: 1.0, p)):
        with pytest.raises(ArgumentError, match=rf"(?s)argument 0 at \['w'\]\[1\].*{words}"):
            transform({"w": [1.0, leaf]})
    if type(leaf) is int:  # a Python number takes on the dtype of the value beside it
        return
    with pytest.raises(ArgumentError, match=rf"(?s)tangent of argument 0 at \['w'\].*{words}"):
        fg.jvp(lambda p: 1.0, ({"w": 1.0},), ({"w": leaf},))
    with pytest.raises(ArgumentError, match=rf"(?s)cotangent at \['y'\].*{words}"):
        fg.vjp(lambda x: {"y": x}, 1.0)[1]({"y": leaf})


def test_what_is_no_function():
    for call in (lambda: fg.vjp(3.0, 1.0), lambda: fg.jvp(3.0, (1.0,), (1.0,)), lambda: D(3.0)):
        with pytest.raises(TypeError, match="float"):
            call()


def test_pullback_takes_one_cotangent():
    _, pullback = fg.vjp(lambda x: (x, x), 1.0)
    for args in ((), (1.0, 2.0)):
        with pytest.raises(ArgumentError, match=r"one cotangent.*pullback\(\(a, b\)\)"):
            pullback(*args)


def test_cotangents_of_integer_results():
    _, pullback = fg.vjp(lambda x: (x, 3), 1.0)
    for zero in (np.zeros((), fg.float0), 0, 0.0, fg.Array(0)):
        assert float(pullback((2.0, zero))[0]) == 2.0
    for wrong in ("no", object(), np.zeros(3)):
        with pytest.raises(fg.errors.FuncgradError, match=r"cotangent at \[1\] belongs to an integer result"):
            pullback((1.0, wrong))


def test_a_tangent_of_an_integer_that_is_differentiated_is_not_dropped():
    with pytest.raises(ArgumentError, match="integers have no tangents"):
        D(lambda t: fg.jvp(lambda n, x: n * x, (2, 1.0), (t, 1.0))[1])(0.0)
