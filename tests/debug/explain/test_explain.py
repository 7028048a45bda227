"""`fg.explain`: planted causes are found in their lines, and nothing is found where nothing is wrong."""

import json
import math
import re
from pathlib import Path

import numpy as np
import pytest

import funcgrad as fg
import funcgrad.numpy as fnp
from funcgrad import nn
from funcgrad.debug.explain import words
from funcgrad.scipy import stats
from tests.debug.explain import healthy, planted


def names(cases):
    return [getattr(c[0], "__name__", "partial") for c in cases]


@pytest.mark.parametrize("case", planted.CASES, ids=names(planted.CASES))
def test_a_planted_cause_is_found_in_its_line(case):
    e = fg.explain(case.f, *case.args)
    found = [f for f in e.findings if f.severity == case.severity]
    assert [(f.kind, f.line, f.variables) for f in found] == [(case.kind, case.line, case.variables)], str(e)
    assert e.ok == (case.severity == "note")
    assert found[0].text in str(e) and f"planted.py:{case.line}: " in str(e)


@pytest.mark.parametrize("f, args", healthy.NOTHING, ids=names(healthy.NOTHING))
def test_nothing_is_found_in_a_healthy_function(f, args):
    e = fg.explain(f, *args)
    assert e.ok and not e.findings, str(e)
    assert len(str(e).splitlines()) == 2


@pytest.mark.parametrize("f, args", [*healthy.NOTHING, *[c[:2] for c in planted.CASES]])
def test_the_gradient_is_that_of_grad(f, args):
    e = fg.explain(f, *args)
    chosen = [k for k, a in enumerate(args) if any(np.asarray(x).dtype.kind in "fc" for x in fg.tree.leaves(a))]
    try:
        value, gradient = fg.value_and_grad(f, argnums=chosen)(*args)
    except fg.errors.ArgumentError:  # the result has integers
        return
    assert np.array_equal(value, e.value)
    for a, b in zip(fg.tree.leaves(gradient), fg.tree.leaves(e.gradient), strict=True):
        np.testing.assert_allclose(a, b, rtol=1e-12, atol=1e-300)


def kinds(e):
    return {(f.kind, f.severity): f for f in e.findings}


def test_every_kind_has_a_planted_cause_and_a_row_in_the_documentation():
    page = (Path(__file__).parents[3] / "docs" / "explain.md").read_text()
    told = set(re.findall(r"^\| `([a-z _]+)` \|", page, re.MULTILINE))
    assert told == {*words.WORDS, "nonfinite"}
    assert {c.kind for c in planted.CASES} == told - {"nonfinite"}


def test_a_sum_of_zero_names_the_lines_of_all_its_terms():
    def two_paths(x):
        a = 2.0 * x
        b = x + x
        return np.sum(a - b)

    (f,) = fg.explain(two_paths, np.ones(3)).findings
    assert f.kind == "cancelled" and f.severity == "zero"
    assert [p.source for p in f.others] == ["a = 2.0 * x"] and f.place.source == "b = x + x"
    assert f.lines()[0].endswith("a = 2.0 * x") and f.lines()[1].endswith("b = x + x")


def test_where_all_paths_are_cut_the_numbers_do_not_matter():
    def f(w, x):
        h = nn.relu(x @ w - 1.0)
        code = fnp.round(h)
        return np.sum(code * 2.0)

    (found,) = fg.explain(f, np.ones((3, 4)), np.eye(3), argnums=0).findings
    assert (found.kind, found.severity, found.place.source) == ("rounding", "loss", "code = fnp.round(h)")


def test_of_an_operation_with_several_results_only_integers_are_used():
    def f(x):
        _, exponents = np.frexp(x)
        return np.sum(exponents * 1.0)

    (found,) = fg.explain(f, np.array([0.3, 3.0])).findings
    assert (found.kind, found.severity) == ("integers", "loss")


def test_an_operation_inside_of_a_method_is_told_by_the_name_of_the_method():
    e = fg.explain(lambda x: np.sum(stats.uniform.logpdf(x, 0.0, 2.0)), np.array([0.2, 0.7]))
    assert "`logpdf` multiplies it by 0 in all 2 elements" in str(e)


def test_terms_that_broadcasting_adds_up_cancel():
    e = fg.explain(lambda x, shift: np.sum((x - shift) ** 2), np.array([1.0, 3.0]), 2.0, argnums=1)
    assert [(f.kind, f.severity) for f in e.findings] == [("cancelled", "zero")] and "binary" not in str(e)
    mean = fg.explain(
        lambda x: np.sum(fg.vmap(lambda v: v - fg.lax.pmean(v, "i"), axis_name="i")(x) ** 2), np.arange(3.0)
    )
    assert {f.kind for f in mean.findings} == {"cancelled", "flat"} and "binary" not in str(mean)


def test_each_path_on_which_an_element_is_lost_is_named():
    def f(x):
        kept = np.sum(fnp.where(x > 0, x**2, 0))
        return kept + np.sum(np.clip(x, -1, 1)[:2])

    first, second = fg.explain(f, np.array([0.5, -2.0, 3.0])).findings
    assert (first.kind, first.severity, first.place.source[:6]) == ("clipped", "note", "return")
    assert (second.kind, second.severity, second.place.source[:4]) == ("where", "note", "kept")


def test_a_cut_on_the_way_to_a_decision_is_no_cause():
    def split(x):
        middle = fg.stop_gradient(np.median(x))
        return np.sum(fnp.where(x < middle, x, 0.0) ** 2)

    (found,) = fg.explain(split, np.array([0.3, 2.0, -1.0])).findings
    assert (found.kind, found.severity) == ("where", "note")
    straight_through = fg.explain(lambda x: np.sum(x + fg.stop_gradient(fnp.round(x) - x)), np.array([0.3, 2.2]))
    assert [(f.kind, f.severity) for f in straight_through.findings] == [("stop_gradient", "note")]


def test_an_index_of_a_plain_array_is_told_with_the_line_of_the_cut():
    def reward(x):
        k = fnp.argmax(x)
        gain = [1.0, 2.0, 3.0][k]
        return fnp.asarray(gain)

    (found,) = fg.explain(reward, np.array([0.1, 0.7, 0.2])).findings
    assert (found.kind, found.severity) == ("indices", "loss")
    assert [p.source for p in (*found.others, found.place)] == ["k = fnp.argmax(x)", "gain = [1.0, 2.0, 3.0][k]"]


def test_rounding_errors_of_a_sum_count_as_zero_and_small_numbers_do_not():
    assert ("cancelled", "zero") in kinds(fg.explain(lambda x: np.sum(nn.softmax(x)), np.array([0.1, 0.7, -0.3])))
    assert fg.explain(lambda x: 1e-30 * np.sum(np.sin(x)), np.ones(3)).findings == []


def test_not_finite_numbers_are_told_in_the_words_of_nans():
    def root(x):
        return np.sum(np.where(x > 0, np.sqrt(x), 0.0))

    e = fg.explain(root, np.array([4.0, 0.0]))
    with pytest.raises(fg.errors.NonFiniteError) as error:
        fg.debug.nans(fg.grad(root))(np.array([4.0, 0.0]))
    f = kinds(e)["nonfinite", "nonfinite"]
    assert f.text == str(error.value) and f.variables == ("x",) and not e.ok
    assert f.place.source == "return np.sum(np.where(x > 0, np.sqrt(x), 0.0))"
    assert e.inputs[0].gradient == "not finite"


def test_a_result_that_is_not_finite_is_told_though_its_gradient_is():
    e = fg.explain(lambda x: np.sum(x) + np.inf, np.ones(2))
    assert e.findings[0].variables == ("the result",) and "the result is not finite" in str(e)


def test_the_infinity_that_a_nan_comes_of_is_told_as_well():
    def f(x):
        logs = np.log(x)
        return np.sum(logs - logs)

    finding = kinds(fg.explain(f, np.array([1.0, 0.0])))["nonfinite", "nonfinite"]
    assert finding.variables == ("x", "the result") and finding.place.source == "return np.sum(logs - logs)"
    assert "NaN from `subtract`" in finding.text and "comes of the infinity in operand x" in finding.text
    assert "The first infinity, before it: Inf from `log`" in finding.text


def test_a_derivative_that_does_not_depend_on_a_parameter():
    def residual(w):
        def u(x):
            return nn.relu(w * x)

        return fg.grad(fg.grad(u))(3.0) ** 2

    (f,) = fg.explain(residual, 2.0).findings
    assert (f.kind, f.severity) == ("unused", "loss") and f.text.startswith("grad takes a derivative of what")
    assert "smooth" in f.remedy


def test_a_phase_that_cancels_up_to_rounding():
    def expectation(phase):
        state = np.array([0.6, 0.8j]) * np.exp(1j * phase)
        return np.real(np.sum(np.conj(state) * np.array([1.0, -1.0]) * state))

    assert {f.kind for f in fg.explain(expectation, 0.3).findings} == {"cancelled"}


def test_infinities_on_the_way_are_no_matter():
    def masked(x):
        return np.sum(nn.softmax(fnp.where(np.array([True, True, False]), x, -np.inf)) ** 2)

    assert fg.explain(masked, np.array([0.3, 0.1, 0.2])).ok


def test_integers_that_were_asked_for():
    e = fg.explain(lambda x, n: np.sum(x) * n, np.ones(3), 2, argnums=(0, 1))
    (f,) = e.findings
    assert (f.kind, f.severity, f.variables, f.line, f.file) == ("integers", "loss", ("n",), None, None)
    assert fg.explain(lambda x, n: np.sum(x) * n, np.ones(3), 2).ok
    assert len(e.gradient) == 2 and e.gradient[1].dtype == fg.float0


def test_argnums_choose_as_those_of_grad():
    f = lambda a, b: np.sum(a) * fg.stop_gradient(b)
    assert [i.name for i in fg.explain(f, np.ones(2), 3.0).inputs] == ["a", "b"]
    assert [i.name for i in fg.explain(f, np.ones(2), 3.0, argnums=0).inputs] == ["a"]
    assert [i.name for i in fg.explain(f, np.ones(2), 3.0, argnums=-1).inputs] == ["b"]


def test_names_are_those_of_arguments_and_paths():
    def f(params, *rest):
        return np.sum(params["w"][0]) + rest[0]

    e = fg.explain(f, {"w": [np.ones(2), np.ones(3)]}, 1.0)
    assert [i.name for i in e.inputs] == ["params['w'][0]", "params['w'][1]", "args[1]"]
    assert kinds(e)["unused", "loss"].variables == ("params['w'][1]",)
    assert [i.reaches for i in e.inputs] == [True, False, True]


def test_other_arguments_are_passed_as_they_are():
    def f(x, n, mode, *, scale, aux):
        assert type(n) is int and type(mode) is str and type(scale) is float
        return np.sum(x) * scale * n, {"x": np.floor(x), "aux": aux}

    e = fg.explain(f, np.ones(3), 3, "a", has_aux=True, scale=2.0, aux=None)
    assert e.ok and e.value == 18.0 and np.array_equal(e.gradient[0], np.full(3, 6.0))


def test_a_result_that_is_no_scalar():
    e = fg.explain(lambda x: {"a": nn.softmax(x), "n": np.argmax(x)}, np.array([0.1, 0.4]))
    assert e.ok and "random weights" in str(e) and e.value["n"] == 1


def test_a_function_that_returns_nothing():
    def f(x):
        np.sum(x)

    assert "is its `return` missing?" in str(fg.explain(f, np.ones(2)))


def test_a_function_without_floats():
    e = fg.explain(lambda n, flag: n + 1, np.array([3, 4]), True)
    assert not e.ok and e.inputs == [] and e.findings[0].variables == ("n",)
    assert "pass floats" in str(e)
    assert "no input with floating-point numbers" in str(fg.explain(lambda flag: 1.0, True))


@pytest.mark.parametrize(
    "call, message",
    [
        (lambda: fg.explain(3, 1.0), "explain takes a function, got 3"),
        (lambda: fg.explain(np.sin, 1.0, argnums=2), "argnums=2"),
        (lambda: fg.explain(np.sin, 1.0, has_aux=True), "has_aux"),
        (lambda: fg.grad(lambda x: fg.explain(np.sin, 1.0) and x)(1.0), "cannot run inside of a transform"),
    ],
)
def test_what_cannot_be_explained_is_refused(call, message):
    with pytest.raises(fg.errors.ArgumentError, match=re.escape(message)):
        call()


def test_a_value_that_leaves_is_the_error_of_grad_and_says_that_all_arguments_are_looked_at():
    f = lambda x, scale: np.sum(x) * float(scale)
    with pytest.raises(fg.errors.LostTraceError, match="float") as error:
        fg.explain(f, np.ones(2), 2.0)
    assert "argnums" in error.value.__notes__[0]
    assert fg.explain(f, np.ones(2), 2.0, argnums=0).ok


def test_residuals_are_those_that_vjp_keeps():
    def f(x):
        y = np.tanh(x)
        z = np.exp(y) * y
        return np.sum(z)

    n = 1000
    e = fg.explain(f, np.ones(n))
    assert e.residual_bytes == fg.vjp(f, fnp.ones(n))[1].tape.residual_bytes == 16 * n
    assert [(r.bytes, r.place and r.place.source) for r in e.residuals] == [
        (8 * n, "y = np.tanh(x)"),
        (8 * n, "z = np.exp(y) * y"),
    ]
    assert "fg.checkpoint" in e.costs() and "16 kB" in e.costs()


def test_residuals_of_a_scan_and_a_checkpoint():
    def f(x):
        def step(c, r):
            c = np.sin(c * r)
            return c, None

        return fg.lax.scan(step, np.ones(10), x)[0].sum()

    e = fg.explain(f, np.ones((20, 10)))
    assert e.residuals[0].place.source == "c = np.sin(c * r)"
    assert fg.explain(fg.checkpoint(f), np.ones((20, 10))).residual_bytes == 20 * 10 * 8


def test_the_picture_has_the_causes_the_cuts_and_the_gradients():
    @fg.jit
    def f(x, y):
        h = np.tanh(100.0 * x) + np.floor(y)
        return np.sum(h * x)

    svg = fg.explain(f, np.ones(2), np.ones(2)).draw().svg()
    assert "cut: rounding" in svg and "grad [" in svg
    assert "saturated" in fg.explain(lambda x: np.sum(np.tanh(x)), 50 * np.ones(2)).draw().mermaid()
    loop = fg.explain(lambda x: fg.lax.scan(lambda c, r: (np.sin(c + r), None), 0.0, x)[0], np.ones(30))
    assert len(loop.draw().svg()) < len(loop.draw(fold=False).svg()) / 3


def test_times_add_up():
    def f(x):
        y = np.sin(x) @ x
        return np.sum(y)

    e = fg.explain(f, np.ones((200, 200)))
    assert e.times[0].place.source == "y = np.sin(x) @ x" and e.times[0].share > 0.5
    assert sum(t.share for t in e.times) == pytest.approx(1.0)
    assert e.seconds == pytest.approx(sum(t.forward + t.backward for t in e.times))


def test_decisions_inside_of_our_own_functions_are_no_causes_where_others_are():
    e = fg.explain(np.median, np.array([3.0, 1.0, 2.0, 5.0, 4.0]))
    assert {f.kind for f in e.findings} == {"not read"} and e.ok


def test_a_shared_value_is_told_once_for_all_inputs_that_it_concerns():
    def f(params, x):
        for w in params:
            x = np.tanh(x @ w)
        return np.floor(np.sum(x))

    e = fg.explain(f, [np.eye(3) / 2] * 20, np.ones(3))
    (finding,) = e.findings
    assert len(finding.variables) == 21 and "and 16 more" in str(e)


def test_it_is_a_text_for_notebooks_and_prompts():
    e = fg.explain(np.sin, 1.0)
    assert repr(e) == str(e) and e._repr_html_() == f"<pre>{e}</pre>"
    lost = fg.explain(lambda x: np.floor(x) < 1, 1.0)
    assert "<svg" in lost._repr_html_() and "&gt; " in lost._repr_html_()
    (f,) = lost.findings
    assert json.loads(json.dumps(f.as_dict())) == {
        "line": f.place.line, "file": __file__, "kind": "rounding", "severity": "loss", "variables": ["x"],
        "text": f.text, "remedy": f.remedy,
    }  # fmt: skip  # in rows


def test_closed_forms_of_what_arrives():
    x = np.array([-1.0, 0.0, 2.0, 3.0])
    e = fg.explain(lambda x: np.sum(np.maximum(x, 0.0) ** 2), x)
    assert np.array_equal(e.gradient[0], np.where(x > 0, 2 * x, 0.0))
    assert (e.inputs[0].zeros, e.inputs[0].first, e.inputs[0].size) == (2, (0,), 4)
    assert "zero in 2 of 4 elements, the first at [0]" in str(e)


def with_a_rule_that_closes_over(x):
    n = fg.stop_gradient(x)[0]

    @fg.custom_vjp
    def f(y):
        return y * n

    f.defvjp(lambda y: (y * n, None), lambda kept, g: (fg.lax.cond(n > 0, lambda: g * n, lambda: g),))
    return np.sum(f(x))


def into_a_buffer(x):
    buffer = np.zeros(3)
    buffer += fg.stop_gradient(x)
    buffer[0] = fg.stop_gradient(x)[1]
    np.sin(fg.stop_gradient(x), out=buffer)
    return np.sum(x * buffer)


@pytest.mark.parametrize(
    "f",
    [
        with_a_rule_that_closes_over,
        into_a_buffer,
        lambda x: np.sum(x) * np.array([fg.stop_gradient(x)[0], 2.0]).sum(),
        lambda x: np.sum(x) * sorted(fg.stop_gradient(x))[0] * math.sin(fg.stop_gradient(x)[1]),
        lambda x: np.sum(x) * float(f"{fg.stop_gradient(x)[0]:.2f}") * fg.stop_gradient(x).tolist()[1],
        lambda x: sum(np.sum(x) for _ in range(fg.stop_gradient(x)[1].astype(int))) * [1.0, 2.0, 3.0][fnp.argmax(x)],
        lambda x: np.sum(x[fg.stop_gradient(x) > 1]) + np.sum(x[np.nonzero(x > 1)[0]]),
        lambda x: np.sum(x.reshape((fg.stop_gradient(x)[2].astype(int), 1))) * len(np.unique(fg.stop_gradient(x))),
        lambda x: fg.lax.fori_loop(0, fg.stop_gradient(x)[2].astype(int), lambda i, c: c * x[0] + x[i], 0.0),
        lambda x: fg.lax.switch(fnp.argmax(x), [np.sum, lambda y: 2 * np.sum(y), lambda y: 3 * np.sum(y)], x),
        lambda x: np.sum(fg.vmap(lambda i: x[i])(fnp.argsort(x)) * np.digitize(x, np.array([1.5]))),
        lambda x: np.sum(np.interp(x, fg.stop_gradient(x), np.arange(3.0))) * max(x),
        lambda x: fg.grad(lambda y: y * np.sum(fg.stop_gradient(x)))(2.0) * np.sum(x),
        lambda x: (str(x), fg.debug.callback(lambda _: None, x), np.sum(x))[2],
        lambda x: np.sum(np.array([x[0], 2.0, x[1] * x[2]])),
    ],
)
def test_a_program_may_do_with_values_that_are_cut_off_what_it_may_in_grad(f):
    x = np.array([1.0, 2.0, 3.0])
    e = fg.explain(f, x)
    np.testing.assert_allclose(e.gradient[0], fg.grad(f)(x), rtol=1e-14)
    assert e.value == f(fnp.asarray(x))
