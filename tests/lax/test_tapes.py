"""Control flow on tapes: what is written down, how it prints, what transforms of tapes make of it."""

import numpy as np
import pytest

import funcgrad as fg
import funcgrad.numpy as fnp
from funcgrad import lax
from funcgrad.errors import ArgumentError, NoValueError
from funcgrad.transforms.linear_transpose import linear_transpose
from funcgrad.transforms.linearize import linearize


def names(tape):
    return [e.primitive.name for e in tape if e.primitive.name != "item"]


def test_cond_prints():
    tape = fg.make_tape(lambda x: lax.cond(x > 0, fnp.sqrt, lambda x: 2.0 * x, x))(1.0)
    assert str(tape) == "\n".join(
        [
            "tape(a: float64[]):",
            "  b: bool[] = greater(a, 0)",
            "  c: (float64[]) = cond(b, a)",
            "    branch 0(a: float64[]):",
            "      b: float64[] = multiply(2.0, a)",
            "      return b",
            "    branch 1(a: float64[]):",
            "      b: float64[] = sqrt(a)",
            "      return b",
            "  d: float64[] = item(c, index=0)",
            "  return d",
        ]
    )


def test_loops_print():
    tape = fg.make_tape(lambda x, n: lax.fori_loop(0, n, lambda i, y: y * x, 1.0))(2.0, 3)
    assert str(tape) == "\n".join(
        [
            "tape(a: float64[], b: int64[]):",
            "  c: (int64[], float64[]) = fori_loop(b, a, 0, 1.0)",
            "    while(a: int64[], b: float64[], c: int64[], d: float64[]):",
            "      e: bool[] = less(c, a)",
            "      return e",
            "    do(a: int64[], b: float64[], c: int64[], d: float64[]):",
            "      e: int64[] = add(c, 1)",
            "      f: float64[] = multiply(d, b)",
            "      return e, f",
            "  d: float64[] = item(c, index=1)",
            "  return d",
        ]
    )
    tape = fg.make_tape(fg.vmap(fg.grad(lambda x: lax.scan(lambda c, x: (c * x, c), 1.0, x, reverse=True)[0])))(
        np.ones((2, 3))
    )
    steps = [line.strip() for line in str(tape).splitlines() if line.startswith("    ") and line.endswith("):")]
    assert steps == [  # the derivative of a scan is a scan
        "3 times, from the last to the first on 2 examples(a: float64[], b: float64[]):",
        "3 times on 2 examples(a: float64[], b: float64[], c: float64[]):",
    ]
    assert "scan" in tape.mermaid()
    tape = fg.make_tape(fg.vmap(fg.grad(lambda x: lax.while_loop(lambda c: c < 5.0, lambda c: c * x, x))))(np.ones(2))
    assert "    pullback of do on 2 examples(a: float64[], b: float64[]):" in str(tape).splitlines()


def test_tapes_with_control_flow_have_no_source():
    with pytest.raises(ArgumentError, match=r"scan, an operation that holds functions, cannot be written as source"):
        fg.make_tape(lambda x: lax.scan(lambda c, x: (c + x, None), 0.0, x)[0])(np.ones(3)).source()


def test_one_equation_each():
    """However many steps, and whether or not the operands themselves are recorded: a closure is enough."""
    x = np.ones((3, 2))

    def f(w):
        h, _ = lax.scan(lambda h, t: (fnp.tanh(h + w * t), None), fnp.zeros(2), x)
        return lax.fori_loop(0, 7, lambda i, h: h * w, h)

    assert names(fg.make_tape(f)(2.0)) == ["scan", "fori_loop"]
    assert len(names(fg.make_tape(fg.grad(lambda w: f(w).sum()))(2.0))) < 10


def test_what_is_known_is_computed():
    """Nothing here depends on the argument, so nothing is on the tape."""
    tape = fg.make_tape(lambda x: x + lax.fori_loop(0, 5, lambda i, s: s + i, 0.0))(1.0)
    assert names(tape) == ["add"] and tape(1.0) == 11.0


def test_a_predicate_that_is_known_chooses_while_recording():
    assert names(fg.make_tape(lambda x: lax.cond(True, fnp.sin, fnp.cos, x))(1.0)) == ["sin"]


def test_closures_work_inside_the_branch():
    """What a branch does to values that it closed over is part of the branch."""
    tape = fg.make_tape(lambda x: lax.cond(x > 0, lambda: fnp.log(x), lambda: fnp.exp(x)))(1.0)
    assert names(tape) == ["greater", "cond"]
    assert tape(-1.0) == np.exp(-1.0)


def test_the_inside_of_a_loop_has_no_values():
    def f(x):
        return lax.while_loop(lambda c: c < 10, lambda c: c * 2 if c > 3 else c + 1, x)

    assert f(1.0) == 16.0
    with pytest.raises(NoValueError, match="while_loop runs the function once"):
        fg.make_tape(f)(1.0)


def test_what_was_recorded_is_run_on_other_values():
    tape = fg.make_tape(lambda x, n: lax.while_loop(lambda c: c[1] < n, lambda c: (c[0] * x, c[1] + 1), (1.0, 0))[0])(
        2.0, 3
    )
    assert [float(tape(3.0, n)) for n in range(4)] == [1.0, 3.0, 9.0, 27.0]
    assert fg.grad(tape)(3.0, 4) == 4 * 27.0
    assert fg.grad(fg.grad(tape))(3.0, 4) == 12 * 9.0
    np.testing.assert_array_equal(fg.vmap(tape)(np.array([2.0, 3.0]), np.array([5, 2])), [32.0, 9.0])
    np.testing.assert_array_equal(fg.vmap(fg.grad(tape), in_axes=(None, 0))(3.0, np.arange(4)), [0.0, 1.0, 6.0, 27.0])


def test_effects_stay():
    seen = []

    def note(x):
        seen.append(float(x))

    def f(x):
        def step(c, t):
            fg.debug.callback(note, c)
            return c + t, None

        return lax.scan(step, 0.0, x)[0] * 0

    tape = fg.make_tape(f)(np.ones(3))
    assert seen == []
    tape(np.array([1.0, 2.0, 3.0]))
    assert seen == [0.0, 1.0, 3.0]


# Linear programs.


def test_linearize_keeps_what_cannot_be_decided():
    """The primal is not known while it is recorded, so the pushforward of the loop is part of the linear map."""

    def f(x):
        return lax.while_loop(lambda c: c < 10.0, lambda c: c * c, x)

    for x, slope in ((3.0, 108.0), (2.0, 32.0), (11.0, 1.0)):
        assert linearize(f, x)[1](1.0) == slope
        assert fg.make_tape(lambda x: linearize(f, x)[1](1.0))(x)(x) == slope
    np.testing.assert_array_equal(
        fg.vmap(lambda x: linearize(f, x)[1](1.0))(np.array([3.0, 2.0, 11.0])), [108.0, 32.0, 1.0]
    )


def test_linear_transpose_of_loops():
    f = lambda x: lax.scan(lambda c, t: (c + t, 2 * c), 0.0, x)[1]
    matrix = np.stack([f(row) for row in np.eye(4)], axis=1)
    (transposed,) = linear_transpose(f, np.zeros(4))(np.arange(4.0))
    np.testing.assert_array_equal(transposed, matrix.T @ np.arange(4.0))
