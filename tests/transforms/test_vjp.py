import math
import threading

import numpy as np
import pytest

import funcgrad as fg
import funcgrad.numpy as fnp
from funcgrad.errors import ArgumentError, LeakedTracerError, LostTraceError, ShapeError, TreeError
from funcgrad.testing import check_grads

D = fg.grad


def test_vjp_of_several_arguments_and_results():
    (a, b), pullback = fg.vjp(lambda x, y: (x * y, {"s": x + y}), 2.0, 5.0)
    assert (float(a), float(b["s"])) == (10.0, 7.0)
    x_bar, y_bar = pullback((3.0, {"s": 1.0}))
    assert (float(x_bar), float(y_bar)) == (16.0, 7.0)


def test_pullback_may_be_called_many_times_and_is_linear():
    _, pullback = fg.vjp(lambda x: fnp.sin(x) * x, np.array([0.3, 1.2]))
    w = np.array([1.0, -2.0])
    first, second = pullback(w)[0], pullback(w)[0]
    np.testing.assert_array_equal(first, second)
    np.testing.assert_allclose(pullback(2 * w)[0], 2 * np.asarray(first))


def test_pullback_is_a_pytree_of_its_residuals():
    x = np.array([0.3, 1.2])
    _, pullback = fg.vjp(lambda x: fnp.sin(x) * x, x)
    leaves, structure = fg.tree.flatten(pullback)
    assert sum(leaf.nbytes for leaf in leaves) >= pullback.tape.residual_bytes > 0
    assert all(isinstance(leaf, fg.Array) for leaf in leaves)
    again = fg.tree.unflatten(structure, leaves)
    np.testing.assert_array_equal(again(np.ones(2))[0], pullback(np.ones(2))[0])
    zero = fg.tree.map(lambda r: r * 0, pullback)
    np.testing.assert_array_equal(zero(np.ones(2))[0], [0.0, 0.0])  # cos(0) * 0 + 0


def test_pullback_of_several_results_is_a_pytree():
    _, pullback = fg.vjp(lambda x: fnp.modf(x)[0], np.array([1.5]))
    again = fg.tree.map(lambda r: r, pullback)
    np.testing.assert_array_equal(again(np.ones(1))[0], [1.0])


def test_pullback_differentiates():
    """The pullback may be called inside other transforms: d/dw of w * f'(x) is f'(x)."""
    _, pullback = fg.vjp(fnp.sin, 0.4)
    assert float(D(lambda w: pullback(w)[0] * w)(3.0)) == pytest.approx(2 * 3.0 * math.cos(0.4))


def test_grad_of_everything_unused_is_zero():
    g = D(lambda p: p["a"] * 2.0)({"a": 1.0, "b": np.ones((2, 3)), "c": np.float32(1)})
    assert float(g["a"]) == 2.0
    np.testing.assert_array_equal(g["b"], np.zeros((2, 3)))
    assert g["c"].dtype == np.float32
    assert float(D(lambda x: 3.0)(1.0)) == 0.0


def test_argnums_aux_and_keywords():
    def f(x, y, *, scale=1.0):
        return scale * x * y**2

    assert float(D(f, argnums=1)(2.0, 3.0, scale=10.0)) == 120.0
    assert [float(g) for g in D(f, argnums=(1, 0))(2.0, 3.0)] == [12.0, 9.0]
    assert float(D(f, argnums=-1)(2.0, 3.0)) == float(D(f, argnums=np.int64(1))(2.0, 3.0)) == 12.0
    g, aux = D(lambda x: (x**2, {"twice": 2 * x}), has_aux=True)(3.0)
    assert float(g) == 6.0 and float(aux["twice"]) == 6.0 and type(aux["twice"]) is fg.Array
    (v, aux), g = fg.value_and_grad(lambda x: (x**2, "words"), has_aux=True)(3.0)
    assert (float(v), aux, float(g)) == (9.0, "words", 6.0)


def test_derivatives_to_high_order_of_a_closed_form():
    f = lambda x: fnp.exp(2.0 * x)
    for order in range(6):
        assert float(f(0.3)) == pytest.approx(2.0**order * math.exp(0.6))
        f = D(f)


def test_no_perturbation_confusion():
    """The classic: d/dx (x * d/dy (x + y)) is 1, not 2."""
    assert float(D(lambda x: x * D(lambda y: x + y)(1.0))(1.0)) == 1.0
    assert float(fg.jvp(lambda x: x * fg.jvp(lambda y: x + y, (1.0,), (1.0,))[1], (1.0,), (1.0,))[1]) == 1.0
    assert float(D(lambda x: x * fg.jvp(lambda y: x + y, (1.0,), (1.0,))[1])(1.0)) == 1.0
    assert float(fg.jvp(lambda x: x * D(lambda y: x + y)(1.0), (1.0,), (1.0,))[1]) == 1.0
    assert float(D(lambda x: D(lambda y: D(lambda z: x * y * z)(1.0))(2.0))(3.0)) == 1.0


def test_closures_over_outer_tracers_at_every_level():
    # d/dx [x^2 * d/dy (x y^3) at y = 2] = d/dx 12 x^3
    assert float(D(lambda x: x**2 * D(lambda y: x * y**3)(2.0))(5.0)) == pytest.approx(36 * 25.0)
    # Hessian-vector product, forward over reverse and reverse over reverse
    f = lambda x: fnp.sum(fnp.sin(x) * x[::-1])
    x, v = np.array([0.1, 0.7, -1.0]), np.array([1.0, 2.0, 0.5])
    a = fg.jvp(D(f), (x,), (v,))[1]
    b = D(lambda x: fnp.vdot(D(f)(x), v))(x)
    np.testing.assert_allclose(a, b, rtol=1e-14)


def test_python_control_flow_on_values():
    def f(x):
        while x < 100.0:
            x = x * x if x > 3.0 else x + 1.0
        return x

    assert float(f(2.0)) == 256.0  # 2 -> 3 -> 4 -> 16 -> 256: near 2 this is (x + 2)**4
    assert float(D(f)(2.0)) == 4 * 4.0**3
    assert float(fg.jvp(f, (2.0,), (1.0,))[1]) == 4 * 4.0**3


def test_dtypes_of_gradients_are_those_of_arguments():
    g = D(lambda x, y: fnp.sum(x * y), argnums=(0, 1))(np.ones(2, np.float32), np.ones((3, 2)))
    assert g[0].dtype == np.float32 and g[0].shape == (2,) and g[0].tolist() == [3.0, 3.0]
    assert g[1].dtype == np.float64
    z = D(lambda x: fnp.real(x * (2 + 1j)))(3.0)
    assert z.dtype == np.float64 and float(z) == 2.0


def test_complex_convention_is_that_of_jax():
    f = lambda z: fnp.real(z) ** 2 + fnp.imag(z) ** 2
    assert complex(D(f)(1.0 + 2.0j)) == 2 - 4j
    assert complex(D(fnp.sin, holomorphic=True)(1.0 + 2.0j)) == pytest.approx(np.cos(1 + 2j))


@pytest.mark.parametrize("n", [100_000, pytest.param(1_000_000, marks=pytest.mark.slow)])
def test_a_long_chain_needs_no_recursion(n):
    def f(x):
        for _ in range(n):
            x = x + 1.0
        return x

    y, pullback = fg.vjp(f, 0.0)
    assert float(y) == n
    assert float(pullback(1.0)[0]) == 1.0
    assert pullback.tape.residual_bytes == 0


def test_dead_branches_are_not_on_the_tape():
    def f(x):
        fnp.exp(x) * 3.0
        return fnp.sin(x)

    _, pullback = fg.vjp(f, 1.0)
    assert [e.primitive.name for e in pullback.tape] == ["sin"]


def test_memory_of_dead_values_is_freed_while_the_function_runs():
    import weakref

    def f(x):
        dead = fnp.exp(x)
        ref = weakref.ref(dead)
        del dead
        assert ref() is None
        return fnp.sin(x)

    D(f)(1.0)


@pytest.mark.parametrize("where", ["global", "closure"])
def test_a_leaked_tracer_raises(where):
    kept = []
    D(lambda x: kept.append(x) or x * x)(1.0)
    (leak,) = kept
    for use in (
        lambda: leak + 1.0,
        lambda: 1.0 + leak,
        lambda: fnp.sin(leak),
        lambda: np.add(leak, np.ones(2)),
        lambda: float(leak),
        lambda: bool(leak > 0.0),
        lambda: D(lambda x: x * leak)(1.0),
        lambda: D(lambda x: D(lambda y: y * leak)(x))(1.0),
        lambda: fg.vjp(fnp.sin, leak),
        lambda: fg.jvp(fnp.sin, (1.0,), (leak,)),
        lambda: fg.make_tape(lambda x: x + leak)(1.0),
    ):
        with pytest.raises(LeakedTracerError, match="outside the call"):
            use()


def test_a_tracer_of_one_thread_in_a_transform_of_another_raises():
    errors = []

    def f(x):
        def other():
            try:
                D(lambda y: x * y)(2.0)
            except LeakedTracerError as e:
                errors.append(e)

        t = threading.Thread(target=other)
        t.start()
        t.join()
        return x * x

    D(f)(1.0)
    import sys

    if not getattr(sys.flags, "thread_inherit_context", False):
        assert len(errors) == 1  # the other thread counts its levels from one, so x would be confused with y


@pytest.mark.parametrize(
    "leave",
    [
        float,
        complex,
        math.sin,
        lambda x: np.asarray(x, float),
        lambda x: x.item(),
        lambda x: x.tolist(),
        lambda x: np.array([x, x], np.float32),
        lambda x: np.full(3, x, float),
        lambda x: fg.Array(x),
        lambda x: np.float64(x),
        lambda x: x.tobytes(),
        lambda x: __import__("pickle").dumps(x),
    ],
)
@pytest.mark.parametrize("transform", [D, lambda f: lambda x: fg.jvp(f, (x,), (1.0,))])
def test_leaving_the_trace_is_an_error_that_names_stop_gradient(leave, transform):
    with pytest.raises(LostTraceError, match="stop_gradient"):
        transform(lambda x: x * leave(x))(0.5)


def test_stop_gradient_is_the_way_out():
    def f(x):
        c = fg.stop_gradient(x)
        return x * float(c) * math.exp(c) * np.asarray(c).item()

    assert float(D(f)(0.5)) == pytest.approx(0.25 * math.exp(0.5))
    assert float(D(lambda x: D(lambda y: fg.stop_gradient(y) * y)(x) * x)(3.0)) == 3.0
    assert fg.stop_gradient({"a": 1, "b": "words"}) == {"a": 1, "b": "words"}


def test_comparisons_bool_and_integers_stay_free():
    def f(x):
        assert x > 0.0 and bool(x) and int(x) == 2 and x == 2.5 and not x != 2.5
        assert type(x > 0.0) is fg.Array
        assert [10, 20, 30][fnp.argmax(fnp.array([0.0, 1.0]) * x)] == 20
        assert f"{x:.1f} {x}" == "2.5 2.5" and "2.5" in repr(x)
        return x * x

    assert float(D(f)(2.5)) == 5.0


def test_assigning_into_a_buffer_names_the_line_and_the_remedies():
    def f(x):
        y = np.zeros(3)
        y[0] = x[0] ** 2
        return y.sum()

    with pytest.raises(LostTraceError) as e:
        D(f)(np.ones(2))
    text = str(e.value)
    assert "y[0] = x[0] ** 2" in text and "test_vjp.py" in text
    assert ".at[i].set" in text and "stack" in text and "where" in text


@pytest.mark.parametrize(
    "write",
    [
        lambda x, y: np.add(x, 1.0, out=y),
        lambda x, y: y.__iadd__(x),
        lambda x, y: np.add.at(y, 0, x),
        lambda x, y: np.sum(x, out=y),
        lambda x, y: y.__setitem__(..., x),
        lambda x, y: np.copyto(y, x),
        lambda x, y: np.add.reduce(x, out=y),
    ],
)
def test_writing_tracers_into_ndarrays_is_refused(write):
    def f(x):
        write(x, np.zeros(()) if x.ndim == 0 else np.zeros(x.shape))
        return x

    with pytest.raises(TypeError, match=r"stack|stop_gradient|immutable"):
        D(f)(1.0)


def test_augmented_assignment_rebinds():
    def f(x):
        y = x
        y += x
        y *= 3.0
        return y

    assert float(D(f)(1.0)) == 6.0


@pytest.mark.parametrize(
    "call, error, words",
    [
        (lambda: D(lambda x: x)(np.ones(2)), ShapeError, r"Gradient only defined for scalar-output.*\(2,\).*sum"),
        (lambda: D(lambda x: x * 1.0)(3), ArgumentError, r"^grad requires real- or.*int64 for argument 0\..*3\.0"),
        (lambda: D(lambda p: p["n"] * 1.0)({"n": np.arange(2)}), ArgumentError, r"int64 for argument 0 at \['n'\]"),
        (lambda: D(lambda x: x, argnums=2)(1.0), ArgumentError, r"argnums=2 requires at least 3.*got only 1"),
        (lambda: D(lambda x: x, argnums="x"), ArgumentError, "argnums must be an int"),
        (lambda: D(lambda x: x, argnums=()), ArgumentError, "argnums must be an int"),
        (lambda: D(lambda x, y: x, argnums=(0, -2))(1.0, 2.0), ArgumentError, "twice"),
        (lambda: D(3.0), ArgumentError, "takes a function"),
        (lambda: D(lambda x: (x, x))(1.0), ArgumentError, "has_aux=True"),
        (lambda: D(lambda x: x, has_aux=True)(1.0), ArgumentError, "pair"),
        (lambda: D(lambda x: x > 0.0)(1.0), ArgumentError, "bool"),
        (lambda: D(lambda x: x * 1j)(1.0), ArgumentError, "real-valued outputs.*complex128.*holomorphic"),
        (
            lambda: D(lambda x: x, holomorphic=True)(1.0),
            ArgumentError,
            "requires inputs with complex dtype, but got float64",
        ),
        (
            lambda: D(fnp.abs, holomorphic=True)(1j),
            ArgumentError,
            "requires outputs with complex dtype, but got float64",
        ),
        (lambda: D(lambda x: "no")(1.0), ArgumentError, "result of the function.*'no' of type <class 'str'>"),
        (
            lambda: D(lambda p: p["a"])({"a": 1.0, "s": "adam"}),
            ArgumentError,
            r"argument 0 at \['s'\].*'adam' of type <class 'str'>",
        ),
        (lambda: fg.vjp(lambda x: x, object()), ArgumentError, "argument 0"),
        (lambda: fg.vjp(fnp.sin, np.ones(2))[1](np.ones(3)), ShapeError, r"got float64\[3\].*float64\[2\]"),
        (lambda: fg.vjp(fnp.sin, np.ones(2))[1](np.ones(2, "f")), ArgumentError, "float64.*float32.*astype"),
        (lambda: fg.vjp(fnp.sin, 1.0)[1](1j), ArgumentError, "complex"),
        (lambda: fg.vjp(fnp.sin, 1.0)[1]((1.0,)), TreeError, r"structure.*\(\*,\)"),
        (lambda: fg.vjp(lambda x: {"a": x}, 1.0)[1]({"a": "no"}), ArgumentError, r"\['a'\].*'no'"),
        (lambda: fg.vjp(lambda x: x, 1.0, has_aux=True), ArgumentError, "pair"),
    ],
)
def test_errors_name_what_came_and_what_to_do(call, error, words):
    with pytest.raises(error, match=words):
        call()


def test_integers_with_allow_int():
    g = D(lambda n, x: n * x, argnums=(0, 1), allow_int=True)(2, 3.0)
    assert g[0].dtype == fg.float0 and g[0].shape == () and float(g[1]) == 2.0
    _, pullback = fg.vjp(lambda n, x: n * x, np.arange(3), 2.0)
    n_bar, x_bar = pullback(np.ones(3))
    assert n_bar.dtype == fg.float0 and n_bar.shape == (3,) and float(x_bar) == 3.0
    _, pullback = fg.vjp(lambda x: (x, 3), 1.0)
    assert float(pullback((1.0, np.zeros((), fg.float0)))[0]) == 1.0


def test_sparse_cotangents_meet_dense_ones():
    def f(x):
        return x[0] * x[1] + fnp.sum(x * x) + x[0] + fnp.sum(x[1:]) + x[np.array([0, 0])].sum()

    x = np.array([2.0, 3.0, 4.0])
    np.testing.assert_allclose(D(f)(x), [3 + 4 + 1 + 2, 2 + 6 + 1, 8 + 1])
    check_grads(f, (x,), order=3)


def test_cotangents_are_not_written_to_by_accumulation():
    """Both operands of add get the same cotangent; adding to one in place must not change the other."""

    def f(x, y):
        s = x + y
        return s + x + x + x, s

    _, pullback = fg.vjp(f, np.ones(3), np.ones(3))
    w = np.ones(3)
    x_bar, y_bar = pullback((w, w))
    assert x_bar.tolist() == [5.0] * 3 and y_bar.tolist() == [2.0] * 3 and w.tolist() == [1.0] * 3


def test_nothing_the_caller_does_later_changes_anything():
    x, c, w = np.array([1.0, 2.0]), np.array([3.0, 4.0]), np.array([1.0, 1.0])
    index, mask = np.array([0, 1]), np.array([True, False])
    results = []

    def f(x):
        a = x * c
        c[:] = -1.0
        b = fnp.sin(a)[index]
        index[:] = 0
        d = fnp.where(mask, b, a * b)
        mask[:] = True
        return d

    y, pullback = fg.vjp(f, x)
    before = np.array(y)
    x[:] = 100.0
    results.append(np.array(pullback(w)[0]))
    (g,) = pullback(w)
    w[:] = 50.0
    np.testing.assert_array_equal(y, before)
    results.append(np.array(g))
    a = np.array([1.0, 2.0]) * np.array([3.0, 4.0])
    expected = [3 * np.cos(a[0]), 4 * (np.sin(a[1]) + a[1] * np.cos(a[1]))]
    for r in results:
        np.testing.assert_allclose(r, expected)


def test_results_cannot_be_written_to():
    y, pullback = fg.vjp(lambda x: x[:2], np.ones(3))
    (g,) = pullback(np.ones(2))
    for array in (y, g):
        view = np.asarray(array, copy=False)
        with pytest.raises(ValueError, match="read-only"):
            view[0] = 5.0
        with pytest.raises(ValueError):
            view.flags.writeable = True


def test_threads():
    """Many threads differentiate nested functions at once; each gets its own numbers."""
    failures = []

    def work(k):
        for n in range(30):
            a = 0.1 * k + 0.01 * n
            f = lambda x: fnp.sin(a * x) * D(lambda y: fnp.exp(x * y))(a)
            got = float(fg.jvp(D(f), (0.5,), (1.0,))[1])
            x = 0.5  # f = sin(a x) x exp(a x)
            s, c, e = math.sin(a * x), math.cos(a * x), math.exp(a * x)
            first_s, second_s = a * c, -a * a * s
            u, du, ddu = x * e, e * (1 + a * x), e * (2 * a + a * a * x)
            expected = second_s * u + 2 * first_s * du + s * ddu
            if not math.isclose(got, expected, rel_tol=1e-10):
                failures.append((k, n, got, expected))

    shared = fg.vjp(lambda x: fnp.sin(x) * x, np.arange(5.0))[1]
    expected = np.array(shared(np.ones(5))[0])

    def pull():
        for _ in range(100):
            if not np.array_equal(np.asarray(shared(np.ones(5))[0]), expected):
                failures.append("shared pullback")

    threads = [threading.Thread(target=work, args=(k,)) for k in range(12)] + [
        threading.Thread(target=pull) for _ in range(4)
    ]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    assert not failures
