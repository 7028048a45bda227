import json
import re

import numpy as np
import pytest

import funcgrad as fg
import funcgrad.numpy as fnp
from funcgrad.errors import ArgumentError, NoValueError, ShapeError, TreeError


def loss(p, x):
    h = fnp.tanh(x @ p["w"] + p["b"])
    return fnp.sum(h * h)


P = {"w": np.full((3, 2), 0.5), "b": np.zeros(2)}
X = np.arange(12.0).reshape(4, 3) / 10

FUNCTIONS = {
    "loss": (loss, (P, X)),
    "grad": (fg.grad(loss), (P, X)),
    "value_and_grad": (fg.value_and_grad(loss), (P, X)),
    "hvp": (lambda p, x: fg.jvp(lambda x: fg.grad(loss, argnums=1)(p, x), (x,), (x,)), (P, X)),
    "several results": (lambda x: fnp.linalg.qr(x.T @ x + fnp.eye(3)), (X,)),
    "indexing": (lambda x: x[1:, None] * x[0, np.array([0, 1])].sum() + fnp.asarray(x).at[0].set(1.0)[0, 0], (X,)),
    "constant result": (lambda x: (fnp.ones(2), x, 3.0), (X,)),
    "integers": (lambda n, x: (fnp.argmax(x), n // 2, x > 0.5), (np.arange(3), X)),
}


@pytest.mark.parametrize("name", FUNCTIONS)
def test_the_tape_computes_what_the_function_does(name):
    f, args = FUNCTIONS[name]
    tape = fg.make_tape(f)(*args)
    expected, got = fg.tree.leaves(f(*args)), fg.tree.leaves(tape(*args))
    assert fg.tree.structure(tape(*args)) == fg.tree.structure(f(*args))
    for e, g in zip(expected, got, strict=True):
        np.testing.assert_allclose(g, e, rtol=1e-12, atol=1e-14)
        assert g.dtype == np.asarray(e).dtype


@pytest.mark.parametrize("name", FUNCTIONS)
def test_the_source_runs(name):
    f, args = FUNCTIONS[name]
    tape = fg.make_tape(f)(*args)
    namespace = {}
    exec(tape.source("compiled"), namespace)
    outs = namespace["compiled"](*[np.asarray(x) for x in fg.tree.leaves(args)])
    for e, g in zip(fg.tree.leaves(f(*args)), outs, strict=True):
        np.testing.assert_allclose(g, e, rtol=1e-12, atol=1e-14)


def test_text():
    tape = fg.make_tape(lambda x, y: fnp.sum(fnp.sin(x) * y))(np.ones((2, 3)), np.float32(1))
    assert str(tape) == "\n".join(
        [
            "tape(a: float64[2,3], b: float32[]):",
            "  c: float64[2,3] = sin(a)",
            "  d: float64[2,3] = multiply(c, b)",
            "  e: float64[] = reduce_sum(d, axis=(0, 1))",
            "  return e",
        ]
    )
    assert len(tape) == 3 and [e.primitive.name for e in tape] == ["sin", "multiply", "reduce_sum"]


def test_names_stay_apart_on_long_tapes():
    def f(x):
        for _ in range(800):
            x = x + 1.0
        return x

    text = str(fg.make_tape(f)(1.0))
    names = re.findall(r"^  (\w+):", text, re.M)
    assert len(set(names)) == 800 and not {"as", "if", "in", "is", "or", "np"} & set(names)


def test_tape_of_a_pullback_says_what_is_kept():
    x = np.ones(4)
    _, pullback = fg.vjp(lambda x: fnp.sum(fnp.tanh(x + 1.0) * x), x)
    tape = pullback.tape
    lines = str(tape).splitlines()
    assert "keeps" not in lines[1] and "add(a, ·)" in lines[1]
    assert "keeps out float64[4] 32 B" in lines[2]
    assert "keeps y float64[4] 32 B, x float64[4] 32 B" in lines[3]
    assert tape.residual_bytes == 64  # x once, tanh once
    assert "pullback" in repr(pullback).lower() and "4 equations" in repr(pullback)
    with pytest.raises(ArgumentError, match="make_tape"):
        tape(x)
    with pytest.raises(ArgumentError, match="make_tape"):
        tape.source()


def test_additions_keep_nothing():
    def f(x):
        for _ in range(1000):
            x = x + x
        return x

    assert fg.vjp(f, np.ones(100))[1].tape.residual_bytes == 0


def test_mermaid():
    tape = fg.make_tape(lambda x: fnp.linalg.qr(fnp.sin(x) * 2.0)[1].sum())(np.ones((2, 2)))
    text = tape.mermaid("LR")
    assert text.startswith("flowchart LR")
    nodes = set(re.findall(r"^  (\w+)[\[({]", text, re.M))
    for a, b in re.findall(r"^  (\w+) -->\S*(?: 1\"\|)? (\w+)$", text, re.M):
        assert a in nodes and b in nodes
    bundle = tape._repr_mimebundle_()
    assert bundle["text/vnd.mermaid"] == tape.mermaid() and bundle["text/plain"] == str(tape)
    assert bundle["image/svg+xml"] == tape.draw().svg()
    json.dumps(bundle)
    assert "keeps" in fg.vjp(fnp.sin, 1.0)[1].tape.mermaid()
    with pytest.raises(ValueError, match="direction"):
        tape.mermaid("UP")


def test_a_tape_is_differentiable():
    tape = fg.make_tape(lambda x: fnp.sin(x) * x)(1.0)
    assert float(fg.grad(tape)(2.0)) == pytest.approx(np.cos(2.0) * 2.0 + np.sin(2.0))
    assert len(fg.make_tape(tape)(1.0)) == len(tape)


def test_a_tape_of_a_value_of_an_outer_transform():
    """A constant of the tape may be a tracer of a transform further out."""

    def f(c):
        return fg.make_tape(lambda x: x * c)(1.0)(3.0)

    assert float(fg.grad(f)(2.0)) == 3.0


def test_calling_a_tape_with_the_wrong_thing():
    tape = fg.make_tape(loss)(P, X)
    with pytest.raises(TreeError, match="structure"):
        tape(X)
    with pytest.raises(ShapeError, match=r"\(4, 3\).*\(3, 4\)"):
        tape(P, X.T)
    with pytest.raises(ArgumentError, match=r"float64.*float32"):
        tape(P, X.astype("f"))


def test_constants_are_snapshots():
    c = np.ones(2)
    tape = fg.make_tape(lambda x: x * c)(1.0)
    c[:] = 5.0
    assert tape(2.0).tolist() == [2.0, 2.0]


@pytest.mark.parametrize(
    "f, action",
    [
        (lambda x: x if x > 0 else -x, "bool"),
        (float, "float"),
        (int, "int"),
        (lambda x: x.item(), "item"),
        (np.asarray, "asarray"),
        (lambda x: [1, 2][fnp.astype(x, int)], "index"),
        (lambda x: fnp.unique(x), "unique"),
    ],
)
def test_asking_for_a_number_is_an_error(f, action):
    for transform in (fg.make_tape(f), lambda x: fg.eval_shape(f, x)):
        with pytest.raises(NoValueError, match=f"(?s){action}.*where"):
            transform(1.0)


def test_eval_shape():
    kinds = fg.eval_shape(lambda x, n=1: {"a": x @ x.T, "b": fnp.zeros(n)}, fg.ShapeDtypeStruct((10**6, 3), "f"), n=2)
    assert kinds["a"] == fg.ShapeDtypeStruct((10**6, 10**6), "float32") and kinds["b"].shape == (2,)
    kind = kinds["b"]
    assert (kind.ndim, kind.size) == (1, 2) and hash(kind) == hash(fg.ShapeDtypeStruct((2,), float))


def test_errors():
    with pytest.raises(ArgumentError, match=r"argument 0 at \['a'\].*'s'"):
        fg.make_tape(lambda x: x)({"a": "s"})
    with pytest.raises(ArgumentError, match="takes a function"):
        fg.make_tape(1.0)
    with pytest.raises(ArgumentError, match="takes a function"):
        fg.eval_shape(None)


def test_equations_of_one_place_share_what_they_have_in_common():
    def f(x):
        for _ in range(3):
            x = fnp.sin(x) * 2.0
        return (
            x
            + 1.0
        )  # fmt: skip

    tape = fg.make_tape(f)(fnp.ones(2))
    sines = [e.plan for e in tape.equations if e.primitive.name == "sin"]
    assert len(sines) == 3 and len(set(sines)) == 1
    first = f.__code__.co_firstlineno
    assert [e.plan.line[1] - first for e in tape.equations] == [2] * 6 + [4]


def test_kinds_of_results_are_told_apart():
    def f(x, y, n):
        return [x * y, y * x, x * x, y * 2, x * 2, n * 2, n * 2.0, 2.0 * n, n / n, x < y, x[0] * y, x * 2j, -n, -x]

    args = np.ones((2, 3)), np.ones(3, "float32"), np.ones(3, "int8")
    for found, expected in zip(fg.eval_shape(lambda *xs: f(*xs) + f(*xs), *args), f(*args) * 2, strict=True):
        assert (found.shape, found.dtype) == (expected.shape, expected.dtype)
