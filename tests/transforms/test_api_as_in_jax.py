"""grad, vjp, jvp and eval_shape where programs written for JAX rely on them: exception classes, the words of messages,
integer arguments, aux, names and docstrings. The words are those that JAX 0.10 uses.
"""

import inspect
from collections import namedtuple
from functools import partial

import numpy as np
import pytest

import funcgrad as fg
import funcgrad.numpy as fnp
from funcgrad.transforms.wraps import name_of

f4 = np.float32
ZERO = np.zeros((), fg.float0)


class ShapeOnly:
    def __init__(self, shape, dtype):
        self.shape, self.dtype = shape, np.dtype(dtype)


def foo(x):
    return x, x


def pullback(f, *primals):
    return fg.vjp(f, *primals)[1]


@pytest.mark.parametrize(
    "error, words, run",
    [
        (TypeError, "Gradient only defined for scalar-output functions. ", lambda: fg.grad(foo)(1.0)),
        (TypeError, "Gradient only defined for scalar-output functions. ", lambda: fg.grad(lambda x: ())(1.0)),
        (TypeError, r"Output had shape: \(3,\)", lambda: fg.grad(lambda x: x)(np.zeros(3))),
        (
            TypeError,
            r"grad requires real- or complex-valued inputs \(input dtype that is a sub-dtype of np.inexact\), "
            r"but got int64",
            lambda: fg.grad(lambda x: x**2)(3),
        ),
        (
            TypeError,
            r"grad requires real-valued outputs \(output dtype that is a sub-dtype of np.floating\), but got complex",
            lambda: fg.grad(lambda x: x * 1j)(3.0),
        ),
        (TypeError, "requires real-valued outputs .*, but got int64", lambda: fg.grad(lambda x: 3)(3.0)),
        (
            TypeError,
            "grad with holomorphic=True requires inputs with complex dtype, but got float64",
            lambda: fg.grad(lambda x: x, holomorphic=True)(3.0),
        ),
        (
            TypeError,
            "grad with holomorphic=True requires outputs with complex dtype, but got float64",
            lambda: fg.grad(abs, holomorphic=True)(3.0j),
        ),
        (TypeError, "two-element tuple", lambda: fg.grad(lambda x: x, has_aux=True)(1.0)),
        (TypeError, r"two-element tuple.*tuple of length 3", lambda: fg.vjp(lambda x: (x, x, x), 1.0, has_aux=True)),
        (TypeError, "two-element tuple", lambda: fg.jvp(lambda x: (x,), (1.0,), (1.0,), has_aux=True)),
        (
            TypeError,
            "differentiating with respect to argnums=0 requires at least 1 positional arguments to be passed by the "
            "caller, but got only 0 positional arguments.",
            lambda: fg.grad(lambda x, y: x + y)(x=0.0, y=1.0),
        ),
        (TypeError, "'foo' of type <class 'str'> is not a valid JAX type", lambda: fg.grad(lambda x: x)("foo")),
        (TypeError, "is not a valid JAX type", lambda: fg.grad(lambda x: x)(np.array([1, 2], object))),
        (TypeError, "applied to foo was called with 2 arguments", lambda: pullback(foo, 1.0)(1.0, 1.0)),
        (TypeError, "applied to foo was called", lambda: pullback(partial(foo), 1.0)(1.0, 1.0)),
        (ValueError, "unexpected tree structure", lambda: pullback(fnp.multiply, f4(3), f4(4))((f4(7), f4(1)))),
        (TypeError, "unexpected tree structure", lambda: pullback(foo, 1.0)([1.0, 1.0])),
        (ValueError, "unexpected JAX type", lambda: pullback(fnp.multiply, f4(3), f4(4))(np.float16(42))),
        (TypeError, "unexpected JAX type", lambda: pullback(fnp.sin, f4(3))(np.float64(4))),
        (
            ValueError,
            r"unexpected JAX type.*float64\[2,4\].*float64\[2,3\]",
            lambda: pullback(fnp.sin, np.ones((2, 3)))(np.ones((2, 4))),
        ),
        (
            TypeError,
            "primal and tangent arguments to jax.jvp must have the same tree structure",
            lambda: fg.jvp(fnp.sin, (f4(2),), ()),
        ),
        (
            TypeError,
            "primal and tangent arguments to jax.jvp must have the same tree structure",
            lambda: fg.jvp(fnp.sin, (f4(2),), [f4(2)]),
        ),
        (
            TypeError,
            "primal and tangent arguments to jax.jvp do not match",
            lambda: fg.jvp(fnp.sin, (np.float16(2),), (f4(4),)),
        ),
        (
            TypeError,
            "primal and tangent arguments to jax.jvp must be tuples or lists; found tuple and ndarray",
            lambda: fg.jvp(fnp.sin, (0.0,), np.array([1.0])),
        ),
        (ValueError, "different primal and tangent shapes", lambda: fg.jvp(fnp.sin, (np.ones(3),), (np.ones(4),))),
        (ValueError, "different primal and tangent shapes", lambda: fg.jvp(fnp.sin, (f4(1),), (np.ones(3, f4),))),
        (ValueError, "different primal and tangent shapes", lambda: fg.jvp(fnp.sin, (np.ones(3),), (20.0,))),
        (ValueError, "dtype must be specified", lambda: fg.ShapeDtypeStruct((), None)),
        (TypeError, "'int' object is not iterable", lambda: fg.ShapeDtypeStruct(4, "float32")),
        (TypeError, r"len\(\) of unsized object", lambda: len(fg.ShapeDtypeStruct((), float))),
        (TypeError, "is not a valid JAX type", lambda: fg.eval_shape(lambda x: x, "foo")),
        (TypeError, "Only integer scalar arrays can be converted to a scalar index", lambda: hex(fnp.arange(3))),
    ],
)
def test_errors(error, words, run):
    with pytest.raises(error, match=words):
        run()


@pytest.mark.parametrize(
    "f, words",
    [
        (lambda x: x if x > 0 else -x, r"Attempted boolean conversion of traced array with shape bool\[\]\.[^.]"),
        (lambda x: [1, 2][x], r"The __index__\(\) method was called on traced array with shape int64\[\]"),
        (hex, r"The __index__\(\) method was called on traced array"),
        (np.asarray, r"The numpy.ndarray conversion method __array__\(\) was called on traced array"),
        (int, r"Abstract tracer value encountered where concrete value is expected; try using `x.astype\(int\)`"),
        (float, r"try using `x.astype\(float\)`"),
        (complex, r"try using `x.astype\(complex\)`"),
        (lambda x: x.item(), "Abstract tracer value encountered where concrete value is expected"),
    ],
)
def test_asking_for_a_number_that_there_is_not(f, words):
    with pytest.raises(TypeError, match=words):
        fg.eval_shape(f, 1)
    with pytest.raises(TypeError, match=words):
        fg.vmap(f)(np.arange(3))


def test_a_tracer_that_escaped():
    kept = []

    def escaping(x):
        kept.append(x)
        return x

    fg.grad(escaping)(0.0)
    for transform in (fg.grad, fg.make_tape):
        with pytest.raises(TypeError, match="unexpected tracer"):
            transform(lambda x: x + kept[0])(2.0)
    with pytest.raises(RuntimeError, match="Encountered an unexpected tracer"):
        fg.grad(lambda x: x)(kept[0])
    fg.vmap(escaping)(np.ones((4, 3, 2), np.int32))
    with pytest.raises(TypeError, match=r"int32\[3,2\]"):
        kept[1] + 1


def test_an_error_leaves_no_transform_running():
    with pytest.raises(ValueError, match="out_axes"):
        fg.vmap(lambda x: x, out_axes=None)(np.arange(3))
    with pytest.raises(ZeroDivisionError):
        fg.grad(lambda x: 1 / 0)(1.0)
    assert type(fnp.ones(3) + 1) is fg.Array and fg.grad(lambda x: x * x)(3.0) == 6.0


# Integers have no derivatives; what stands in for them is a zero of dtype float0.


def test_integers_in_forward_mode():
    for f in (lambda n: n, lambda n: n + 1):
        assert fg.jvp(f, (2,), (ZERO,))[1].dtype == fg.float0
    y, dy = fg.jvp(lambda x: x.astype(np.int32) + 1, (2.0,), (1.0,))
    assert (y.dtype, y, dy.dtype) == (np.int32, 3, fg.float0)


def test_integers_in_reverse_mode():
    y, back = fg.vjp(lambda x, i: x[i], 2 * np.ones(2), 1)
    dx, di = back(1.0)
    assert y == 2.0 and dx.tolist() == [0.0, 1.0] and di.dtype == fg.float0 and di.shape == ()
    (dn,) = fg.vjp(lambda n: n.reshape(2, 2), np.ones((4, 1), int))[1](np.zeros((2, 2), fg.float0))
    assert dn.shape == (4, 1) and dn.dtype == fg.float0


def test_integers_in_grad():
    dx, di = fg.grad(lambda x, i: x[i], argnums=(0, 1), allow_int=True)(np.ones(2), 1)
    assert dx.tolist() == [0.0, 1.0] and di.dtype == fg.float0
    value, gradient = fg.value_and_grad(lambda b: 1.0 if b else 2.0, allow_int=True)(True)
    assert value == 1.0 and gradient.dtype == fg.float0
    dn = fg.grad(lambda n: fnp.sum(n * 0.5), allow_int=True)(np.ones((2, 4), int))
    assert dn.reshape(4, 2).shape == dn.transpose().shape == (4, 2)
    with pytest.raises(TypeError, match="float0"):
        dn + fnp.zeros(())


# has_aux


def test_aux_leaves_the_trace():
    g, aux = fg.grad(lambda x: (x**3, {"y": x, "squares": [x**2, 4.0], "word": "w"}), has_aux=True)(3.0)
    assert g == 27.0 and aux == {"y": 3.0, "squares": [9.0, 4.0], "word": "w"}
    assert type(aux["y"]) is fg.Array
    assert fg.jvp(lambda x: (x**3, [x**2]), (3.0,), (4.0,), has_aux=True) == (27.0, 108.0, [9.0])


def test_aux_is_differentiated_by_an_outer_transform():
    def f(x):
        _, aux = fg.grad(lambda x: (x**3, [x**3]), has_aux=True)(x)
        return aux[0] * fnp.sin(x)

    assert fg.grad(f)(4.0) == pytest.approx(48 * np.sin(4) + 64 * np.cos(4))


# Pytrees as arguments


def test_subclasses_of_named_tuples():
    class Point(namedtuple("Point", "x y")):
        def is_zero(self):
            return self.x == 0 and self.y == 0

    gradient = fg.grad(lambda p: 0.0 if p.is_zero() else fnp.hypot(p.x, p.y))(Point(3.0, 4.0))
    assert isinstance(gradient, Point) and gradient == (0.6, 0.8)


def test_containers_that_check_their_children():
    class Checked(list):
        pass

    def unflatten(_, children):
        assert children[0] is not None
        return Checked(children)

    fg.tree.register_pytree_node(Checked, lambda x: (tuple(x), None), unflatten)
    assert fg.grad(lambda x: x[0] ** 2)(Checked([3.0]))[0] == 6.0
    assert fg.vmap(lambda x: x[0] ** 2)(Checked([np.arange(3.0)])).tolist() == [0.0, 1.0, 4.0]


# Names


@pytest.mark.parametrize(
    "transform, summary",
    [
        (fg.grad, "Gradient of area with respect to positional argument(s) 0."),
        (partial(fg.value_and_grad, argnums=(0, 1)), "Value and gradient of area with respect to positional "),
        (fg.vmap, "Vectorized version of area"),
    ],
)
def test_a_transformed_function_says_what_it_is(transform, summary):
    def area(width, height, *, unit="m"):
        """Of a rectangle."""
        return width * height

    f = transform(area)
    assert f.__wrapped__ is area and f.__name__ == "area" and inspect.signature(f) == inspect.signature(area)
    assert f.__doc__.startswith(summary) and f.__doc__.endswith("\n\nOriginal documentation:\n\nOf a rectangle.")


def test_functions_without_a_name():
    class Model:
        """A class."""

        def __call__(self, x):
            return x

    assert [name_of(f) for f in (Model(), partial(partial(fnp.sin)), foo)] == ["Model", "sin", "foo"]
    assert fg.grad(partial(fnp.sin)).__name__ == "sin"
    assert (
        fg.vmap(Model()).__doc__.startswith("Vectorized version of Model") and "A class" not in fg.vmap(Model()).__doc__
    )


# eval_shape


def test_arguments_that_have_only_a_shape():
    out = fg.eval_shape(lambda a, b: fnp.dot(a, b) + 1, ShapeOnly((3, 4), f4), ShapeOnly((4, 5), f4))
    assert out == fg.ShapeDtypeStruct((3, 5), f4)
    assert fg.eval_shape(lambda: fnp.ones((2, 3))).shape == (2, 3)


def test_keyword_arguments_that_have_only_a_shape():
    x = fg.ShapeDtypeStruct((3,), f4)
    out = fg.eval_shape(lambda x, p, n: {"y": x + p["w"] * p["s"], "z": fnp.zeros(n)}, x, p={"w": x, "s": 2.0}, n=2)
    assert out == {"y": x, "z": fg.ShapeDtypeStruct((2,), float)}
    with pytest.raises(TypeError, match="Attempted boolean conversion"):
        fg.eval_shape(lambda x: x if x.sum() > 0 else -x, x=x)


def test_length_of_a_shape():
    assert len(fg.ShapeDtypeStruct((4, 2), float)) == 4
