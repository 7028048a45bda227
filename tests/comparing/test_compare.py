"""`fg.compare`: equal programs are said to be equal, and others where they differ."""

import re
import types
from html.parser import HTMLParser

import numpy as np
import pytest

import funcgrad as fg
import funcgrad.numpy as fnp
from funcgrad import torch


def torch_loss(w, x):
    h = torch.tanh(x @ w)
    return h.pow(2).mean()


def loss(w, x):
    h = np.tanh(x @ w)
    return np.mean(h**2)


W, X = np.array([0.5, -1.0, 2.0], np.float32), np.arange(6.0).reshape(2, 3) / 5


def test_equal_programs_side_by_side():
    c = fg.compare(torch_loss, loss, W, X)
    assert c.agree and c.summary == "Both sides give the same value and the same 2 gradients."
    assert [r.name for r in c.rows] == ["value", "gradient of w", "gradient of x"]
    expected = fg.grad(loss)(W.astype(float), X)
    np.testing.assert_allclose(c.rows[1].functional, expected, rtol=1e-15)
    np.testing.assert_allclose(c.rows[1].torch, expected, rtol=1e-14)
    assert all(r.torch.dtype == r.functional.dtype == np.float64 for r in c.rows)
    text = str(c)
    for left, right in [
        ("h = torch.tanh(x @ w)", "h = np.tanh(x @ w)"),
        ("c = MvBackward0(b, a)", "c: float64[2] = matmul(b, a)"),
        ("d = TanhBackward0(c)", "d: float64[2] = tanh(c)"),
        ("return f", "return f"),
    ]:
        assert re.search(rf"^ *{re.escape(left)} +\| +{re.escape(right)}", text, re.MULTILINE), text
    assert repr(c) == text


def test_gradients_by_complex_numbers_are_conjugates_of_each_other():
    z = np.array([1.0 + 1.0j, 2.0 - 3.0j])
    c = fg.compare(lambda z: (z * z.abs()).sum(), lambda z: np.sum(z * np.abs(z)), z)
    assert c.agree
    expected = np.conj(fg.vjp(lambda z: np.sum(z * np.abs(z)), z)[1](1.0 + 0.0j))
    np.testing.assert_allclose(c.rows[1].functional, expected.squeeze(), rtol=1e-14)


def test_a_gradient_that_one_side_cuts_off():
    c = fg.compare(lambda a, b: (a.detach() * b).sum(), lambda a, b: np.sum(a * b), np.ones(2), np.ones(2))
    assert not c.agree and c.summary == "The two sides differ: gradient of a."
    (reason,) = c.reasons
    assert reason.startswith("torch, gradient of a:") and "detach()" in reason and reason in str(c)
    assert "<pre>torch, gradient of a:" in c.html()
    assert [r.verdict for r in c.rows] == ["equal", "DIFFERENT: there is none on the torch side", "equal"]
    assert "None" in str(c)


def test_a_gradient_that_the_functional_side_loses():
    c = fg.compare(lambda a: (a * 2.0).sum(), lambda a: np.sum(fg.stop_gradient(a) * 2.0), np.ones(2))
    (reason,) = c.reasons
    assert reason.startswith("functional, gradient of a:") and "`stop_gradient` makes a constant of it" in reason


def test_none_is_what_the_functional_face_says_by_zeros():
    stopped = lambda a, b: np.sum(fg.stop_gradient(a) * b)
    c = fg.compare(lambda a, b: (a.detach() * b).sum(), stopped, np.ones(2), np.ones(2))
    assert c.agree and c.rows[1].torch is None and "says by zeros" in c.rows[1].verdict
    c = fg.compare(lambda a: torch.ones(2).sum(), lambda a: fnp.sum(fnp.ones(2)), np.ones(2))
    assert c.agree and "return no grad_fn" in c.torch.recorded


def test_other_values_say_where():
    c = fg.compare(lambda x: x * torch.tensor([1.0, 1.0, 3.0]), lambda x: 1.0 * x, np.ones(3))
    assert [r.verdict for r in c.rows] == ["DIFFERENT by up to 2 at [2]", "DIFFERENT by up to 2 at [2]"]
    c = fg.compare(lambda x: x.sum(), lambda x: x, np.ones(3))
    assert c.rows[0].verdict == "DIFFERENT: shapes () and (3,)"


def test_the_tolerance_is_relative():
    pair = (lambda x: (x * (1 + 1e-7)).sum(), np.sum)
    assert not fg.compare(*pair, np.ones(3)).agree
    c = fg.compare(*pair, np.ones(3), rtol=1e-6)
    assert c.agree and c.rows[0].verdict == "equal up to 3.0e-07"


def test_infinities_and_nan_in_the_same_places_are_equal():
    with np.errstate(all="ignore"):
        c = fg.compare(torch.log, np.log, np.array([0.0, -1.0, 1.0]))
    assert c.rows[0].agree and c.rows[0].difference == 0


def test_a_function_that_calls_backward_itself_and_makes_parameters():
    def step(w):
        scale = torch.nn.Parameter(torch.tensor(3.0))
        loss = (w * scale).sum()
        loss.backward()
        return loss

    c = fg.compare(step, lambda w: np.sum(3.0 * w), np.ones(2))
    assert c.agree and "another leaf" in c.torch.recorded


def test_trees_integers_and_other_arguments():
    def f(params, n, mode, flag):
        assert mode == "sum" and flag is True
        return params["w"].sum() * n, params["b"][0]

    c = fg.compare(f, f, {"w": np.ones(2), "b": [2.0 + 1.0j]}, 3, "sum", True)
    assert c.agree
    assert [r.name for r in c.rows] == ["value 0", "value 1", "gradient of params['b'][0]", "gradient of params['w']"]


def test_the_default_dtype_is_as_before():
    fg.compare(lambda x: x + torch.zeros(1), lambda x: x, 1.0)
    assert torch.get_default_dtype() is torch.float32


def test_a_graph_of_many_nodes():
    def long(x):
        for _ in range(2000):
            x = x + 1
        return x

    c = fg.compare(long, long, 1.0)
    assert c.agree and c.torch.recorded.count("AddBackward0") == 2000
    assert len(str(c).splitlines()) < 110 and "lines more" in str(c) and "lines more" in c.html()


@pytest.mark.parametrize(
    "call, message",
    [
        (lambda: fg.compare(3, loss, W, X), "compare takes two functions, got 3"),
        (lambda: fg.compare(lambda x: 3.0, lambda x: x, 1.0), "must return tensors, got 3.0"),
        (lambda: fg.compare(lambda x: (x, x), lambda x: x, 1.0), "gives 2 results, the functional one 1"),
    ],
)
def test_what_cannot_be_compared_is_refused(call, message):
    with pytest.raises(fg.errors.ArgumentError, match=re.escape(message)):
        call()


def test_a_function_of_pytorch_itself_is_refused(monkeypatch):
    other = types.ModuleType("torch.nn.functional")
    monkeypatch.setitem(globals(), "F", other)
    with pytest.raises(fg.errors.ArgumentError, match="is written with PyTorch itself, which it calls F"):
        fg.compare(lambda x: F.relu(x), lambda x: x, 1.0)  # noqa: F821  (set above)


class Balanced(HTMLParser):
    """Tags that are opened are closed, in order."""

    def __init__(self):
        super().__init__()
        self.open = []

    def handle_starttag(self, tag, attrs):
        if tag not in ("meta", "br"):
            self.open.append(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag


def test_the_page(tmp_path):
    c = fg.compare(lambda x: (x * 2 < 5).double().sum(), lambda x: np.sum(x * 2 < 5), np.ones(2))
    page = c.html()
    parser = Balanced()
    parser.feed(page)
    assert not parser.open and page.startswith("<!DOCTYPE html>")
    assert "x * 2 &lt; 5" in page and c._repr_html_() in page and page.count("<svg") == 2
    assert "src=" not in page and "<script" not in page and "<link" not in page
    c.save(tmp_path / "c.html")
    c.save(tmp_path / "c.txt")
    assert (tmp_path / "c.html").read_text() == page and (tmp_path / "c.txt").read_text() == f"{c}\n"


def test_pictures_have_gradients_and_cuts():
    c = fg.compare(
        lambda a, b: (a.detach() * b).sum(), lambda a, b: np.sum(fg.stop_gradient(a) * b), np.ones(2), 2 * np.ones(2)
    )
    assert "grad [1, 1]" in c.torch.draw().svg() and "cut: stop_gradient" in c.functional.draw().svg()
    several = fg.compare(lambda x, n: (x * n, x), lambda x, n: (x * n, x), np.ones(2), True)
    assert "result 1" in several.torch.draw().svg() and "multiply" in several.functional.draw().svg()


def test_functions_without_source():
    f = eval("lambda x: x.sum()")
    assert "(no source)" in str(fg.compare(f, f, np.ones(2))) and "(no source)" in fg.compare(f, f, np.ones(2)).html()
