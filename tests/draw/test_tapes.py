"""Graphs of tapes and functions: values, gradients, what is kept, cuts, names, lines, groups."""

import numpy as np
import pytest

import funcgrad as fg
import funcgrad.numpy as fnp
from funcgrad.draw.graph import Graph
from funcgrad.draw.sources import assigned, functions_around
from funcgrad.draw.tapes import bytes_of
from funcgrad.draw.values import alarm_text, grad_text, value_text
from funcgrad.errors import ArgumentError

X = np.array([1.0, 2.0])


def nodes(graph: Graph):
    """Nodes by what they are called."""
    return {n.name or n.title: n for n in graph.nodes}


def edges(graph: Graph):
    names = {n.id: n.name or n.title for n in graph.nodes}
    return {(names[e.source], names[e.target]): e for e in graph.edges}


def loss(x):
    y = fnp.sin(x) * 2.0
    z = y * fg.stop_gradient(y)
    if z[0] > 0.0:  # a function may decide by values
        z = z + 1.0
    return fnp.sum(z)


def test_values_and_gradients():
    graph = fg.draw(loss)(X).graph
    found = nodes(graph)
    y = 2 * np.sin(X)
    assert found["x"].kind == "leaf" and found["x"].value == "[1, 2]"
    assert found["x"].grad == grad_text(fg.grad(loss)(X)) == grad_text(y * 2 * np.cos(X))
    assert found["y"].value == value_text(y) and found["y"].grad == value_text(y)
    assert found["sin"].kept == 16 and found["sin"].keeps == "x"
    assert found["y"].notes == ("· 2.0",) and found["y"].place.text == "y = fnp.sin(x) * 2.0"
    result = found["reduce_sum"]
    assert (
        result.kind == "result" and result.grad == "1" and float(result.value) == pytest.approx((y * y + 1).sum(), 1e-3)
    )
    assert graph.title == "loss"


def test_a_cut_is_seen():
    found = edges(fg.draw(loss)(X).graph)
    cut = found["y", "stop"]
    assert cut.cut == "stop_gradient" and cut.place.text == "z = y * fg.stop_gradient(y)"
    assert cut.style == "cut" and found["stop", "z"].style == "value"
    assert found["y", "z"].style == "gradient"
    kinds = {n.title: n.kind for n in fg.draw(loss)(X).graph.nodes}
    assert kinds["stop"] == "value" and kinds["sin"] == "operation"


def test_reasons_of_cuts():
    def f(x):
        mask = x > 1.5
        return fnp.sum(fnp.where(mask, x, fnp.floor(x)))

    found = {(t, e.cut) for (_, t), e in edges(fg.draw(f)(X).graph).items() if e.cut}
    assert found == {("mask", "boolean result"), ("floor", "piecewise constant")}


def test_only_one_real_number_has_gradients():
    for f in (fnp.sin, lambda x: (fnp.sum(x), fnp.sum(x)), lambda x: fnp.sum(x * 1j), lambda x: fnp.sum(x > 0)):
        assert not any(n.grad for n in fg.draw(f)(X).graph.nodes)


def test_arguments_have_their_names():
    def f(params, x, n, *, scale):
        return fnp.sum(params["w"] * x) * n * scale

    graph = fg.draw(f)({"w": X}, X, 3, scale=2.0).graph
    assert [n.title for n in graph.nodes if n.kind == "leaf"] == ["params['w']", "x", "n"]
    assert [n.title for n in fg.draw(max)(1.0, 2.0).graph.nodes if n.kind == "leaf"] == ["argument 0", "argument 1"]


def test_what_goes_wrong_is_said():
    def f(x):
        y = fnp.log(x)
        return fnp.sum(y)

    with np.errstate(all="ignore"):
        found = nodes(fg.draw(f)(np.array([0.0, 1.0])).graph)
    assert found["y"].alarm == "1 Inf" and found["x"].alarm == "grad: 1 Inf"


def test_several_results():
    def f(x):
        _, r = fnp.linalg.qr(x)
        return fnp.sum(r)

    graph = fg.draw(f)(np.eye(2)).graph
    assert edges(graph)["qr", "reduce_sum"].label == "result 1"
    tape = fg.make_tape(lambda x: (x, fnp.sin(x), 3.0))(X)
    shown = [(n.kind, n.heading, n.notes) for n in tape.draw().graph.nodes]
    assert shown == [
        ("leaf", "a", ()),
        ("result", "b = sin", ("result 1",)),
        ("result", "result 0", ()),
        ("constant", "result 2 = 3.0", ()),
    ]


def layer(w, x):
    return fnp.tanh(w * x) + x


def test_functions_are_groups():
    def net(w, x):
        return fnp.sum(layer(w, layer(w, x)))

    graph = fg.draw(net)(2.0, X).graph
    groups = [(n.group, n.calls) for n in graph.nodes if n.title == "tanh"]
    assert [g for g, _ in groups] == [("layer",)] * 2 and groups[0][1] != groups[1][1]
    assert nodes(graph)["reduce_sum"].group == ()
    assert [n.group for n in fg.make_tape(net)(2.0, X).draw().graph.nodes if n.title == "tanh"] == [("layer",)] * 2


def test_scopes_are_groups():
    @fg.named_scope("inner")
    def g(x):
        return fnp.sin(x) * x

    def f(x):
        with fg.named_scope("outer"):
            y = g(x)
        return fnp.sum(y)

    for graph in (fg.draw(f)(X).graph, fg.make_tape(f)(X).draw().graph):
        assert [n.group[:1] + n.group[-1:] for n in graph.nodes if n.title == "sin"] in (
            [("outer", "inner")],
            [("g", "inner")],
        )
    plans = [e.plan.scope for e in fg.make_tape(f)(X)]
    assert plans == [("outer", "inner"), ("outer", "inner"), ()]


def test_a_scope_ends():
    scope = fg.named_scope("a")
    with pytest.raises(ValueError, match="from inside"), scope, scope:
        raise ValueError("from inside")
    tape = fg.make_tape(fnp.sin)(1.0)
    assert [e.plan.scope for e in tape] == [()]
    with pytest.raises(ArgumentError, match="takes a name, got 3"):
        fg.named_scope(3)


def test_named_calls_are_groups():
    inner = fg.named_call(lambda x: fnp.tanh(x) * x, name="layer")
    graph = fg.draw(lambda x: fnp.sum(inner(x)))(X).graph
    assert [n.group for n in graph.nodes if n.title == "tanh"] == [("layer",)]


def test_operations_that_hold_functions():
    def f(w, xs):
        def step(h, x):
            h = fnp.tanh(w * h + x)
            return h, h

        h, hs = fg.lax.scan(step, 0.0, xs)
        return fnp.sum(hs) * h

    tape = fg.make_tape(f)(0.5, np.ones(5))
    graph = tape.draw().graph
    found = {n.title: n for n in graph.nodes}
    assert "scan, 5 times" in found["tanh"].group and "↻ on to the next" in found["tanh"].notes
    ends = {(a, b) for a, b in ((found_by_id(graph, e.source), found_by_id(graph, e.target)) for e in graph.edges)}
    assert ("tanh", "reduce_sum") in ends and ("a", "multiply") in ends and ("b", "add") in ends
    drawn = fg.draw(f)(0.5, np.ones(5))
    assert "× 4" in drawn.svg() or "× 5" in drawn.svg(), "known values make it a loop, which is folded"
    choice = fg.make_tape(lambda x: fg.lax.cond(x > 0, fnp.sin, lambda x: fnp.cos(x) * x, x))(1.0).draw().graph
    assert {"sin", "cos", "cond", "greater"} <= {n.title for n in choice.nodes}
    [cond] = [n for n in choice.nodes if n.title == "cond"]
    assert {found_by_id(choice, e.source) for e in choice.edges if e.target == cond.id} == {
        "greater",
        "sin",
        "multiply",
    }


def found_by_id(graph, id):
    return graph.by_id[id].title


def test_checkpoints_and_custom_rules():
    square = fg.custom_vjp(lambda x: x * x)
    square.defvjp(lambda x: (x * x, x), lambda r, g: (2 * r * g,))
    for f in (fg.checkpoint(lambda x: fnp.sin(x) * x), square, fg.jit(lambda x: fnp.sin(x) * x)):
        graph = fg.draw(lambda x, f=f: fnp.sum(f(x)))(X).graph
        [leaf] = [n for n in graph.nodes if n.kind == "leaf"]
        assert leaf.grad == grad_text(fg.grad(lambda x, f=f: fnp.sum(f(x)))(X))


def test_drawing_inside_of_transforms():
    seen = []

    def f(x):
        seen.append(fg.draw(lambda y: fnp.sum(y * x))(X))
        return fnp.sum(x * x)

    assert fg.grad(f)(X).tolist() == [2.0, 4.0]
    assert len(seen[0].graph.nodes) == 3


def test_errors_are_those_of_the_function():
    with pytest.raises(ZeroDivisionError):
        fg.draw(lambda x: 1 / 0)(1.0)
    with pytest.raises(ArgumentError, match="draw takes a function, got 3"):
        fg.draw(3)
    with pytest.raises(ArgumentError, match="draw"):
        fg.draw(fnp.sin)("a")
    with pytest.raises(ArgumentError, match="direction"):
        fg.make_tape(fnp.sin)(1.0).mermaid("UP")


def test_pullbacks_show_themselves():
    _, pullback = fg.vjp(loss, X)
    assert pullback.mermaid() == pullback.tape.mermaid()
    assert pullback.draw().svg() == pullback.tape.draw().svg()
    assert pullback._repr_mimebundle_() == pullback.tape._repr_mimebundle_()
    assert set(pullback._repr_mimebundle_()) == {"text/plain", "image/svg+xml", "text/vnd.mermaid"}


def test_pictures_of_every_kind_of_value():
    assert value_text(1.23456) == "1.235" and value_text(np.array([True, False])) == "[True, False]"
    assert value_text(np.ones(7)) == "" and value_text(1 + 2j) == "1+2j" and value_text(np.array("a")) == ""
    assert value_text(np.full(6, 1.2345e-17)) == "", "too long"
    assert grad_text(np.full(100, 3.0)) == "norm 30" and grad_text(np.zeros(9, int)) == ""
    assert alarm_text(np.array([np.nan, np.inf, -np.inf])) == "1 NaN, 2 Inf" and alarm_text(np.array([1])) == ""
    assert (
        bytes_of((X, (X, X[:1]), None, np.float32(1), fnp.ones(3), np.broadcast_to(X[:1], (100,))))
        == 16 + 8 + 4 + 24 + 16
    )


def test_what_the_source_says(tmp_path):
    path = tmp_path / "program.py"
    path.write_text(
        "def f(x):\n    def g(y):\n        a = b = (\n            y\n        )\n"
        "    (c, d.e), s[0] = g(x)\n    return c\nz += 1\n"
    )
    file = str(path)
    assert functions_around(file, 3) == ("f", "g") and functions_around(file, 7) == ("f",)
    assert functions_around(file, 8) == () and functions_around("<nowhere>", 1) == ()
    assert assigned(file, 4) == ("a", "b") and assigned(file, 6) == ("c", "d.e", "s[0]")
    assert assigned(file, 7) == () and assigned(file, 8) == ("z",)
    broken = tmp_path / "broken.py"
    broken.write_text("def (")
    assert assigned(str(broken), 1) == () and functions_around(str(broken), 1) == ()
