"""saved_residuals: what reverse mode keeps, in words."""

import numpy as np
import pytest

import funcgrad as fg
import funcgrad.numpy as fnp
from funcgrad.ad_checkpoint import print_saved_residuals, saved_residuals
from funcgrad.errors import ArgumentError

M = np.ones((3, 3))


def sources(f, *args, **kwargs):
    return [source for _, source in saved_residuals(f, *args, **kwargs)]


def test_arguments_by_name_and_place():
    f = lambda p, y, *rest, k: p["a"][0] * p["a"][1] * y * rest[1] * k
    found = saved_residuals(f, {"a": (2.0, M)}, 3.0, 4.0, 5.0, k=6.0)
    kinds = {source: kind.shape for kind, source in found}
    arguments = ["p['a'][0]", "p['a'][1]", "y", "args[3]", "k"]
    assert [s for s in kinds if "argument" in s] == [f"from the argument {a}" for a in arguments]
    assert kinds["from the argument p['a'][1]"] == (3, 3)


def test_what_operations_give():
    assert sources(lambda x: fnp.sin(fnp.exp(x)), M) == ["output of exp"]
    assert sources(lambda x: fg.checkpoint_name(fnp.exp(x), "e") ** 2, M) == ["output of exp", "named 'e'"]
    found = sources(lambda x: fnp.sum(fnp.linalg.eigh(x)[1]), np.diag([1.0, 2.0, 3.0]))
    assert found == ["output 0 of eigh", "output 1 of eigh"]


def test_constants():
    assert sources(lambda x: x * M, M) == ["from a constant"]
    assert fg.grad(lambda a: (sources(lambda x: x * fnp.exp(a), 2.0) == ["from a constant"]) * a)(1.0) == 1.0


def test_what_nothing_asks_for_is_not_there():
    assert sources(lambda x, y: 3.0 * x + y, M, M) == []
    assert sources(lambda x, y: (fnp.sin(x), y)[1], M, M) == []


def test_integers_are_kept_like_others():
    assert sources(lambda x, i: x * i, M, 3) == ["from the argument i"]


def test_it_agrees_with_the_tape():
    def f(x, w):
        return fnp.sum(fnp.tanh(x @ w) * fnp.sin(x))

    total = sum(kind.size * kind.dtype.itemsize for kind, _ in saved_residuals(f, M, 2 * M))
    assert total == fg.vjp(f, M, 2 * M)[1].tape.residual_bytes


def test_decisions_may_look_at_values():
    f = lambda x: fnp.sin(x) if x > 0 else fnp.exp(x)
    assert sources(f, 1.0) == ["from the argument x"]
    assert sources(f, -1.0) == ["output of exp"]


def test_the_table(capsys):
    print_saved_residuals(lambda x, y: fnp.sin(x) * y * fnp.cos(x), 1.0, M)
    assert capsys.readouterr().out == (
        "float64[] from the argument x, for cos and sin\n"
        "float64[3,3] from the argument y, for multiply\n"
        "float64[] output of sin, for multiply\n"
        "float64[3,3] output of multiply, for multiply\n"
        "float64[] output of cos, for multiply\n"
    )


def test_functions_without_a_signature_and_no_functions():
    assert sources(fg.Partial(np.multiply, 2.0), 1.0) == []
    assert sources(max, [1.0, 2.0]) == []
    with pytest.raises(ArgumentError, match="takes a function"):
        saved_residuals(3)
