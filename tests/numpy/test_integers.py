"""Axes, shapes and counts must be integers: what is none raises, in every function, and the error says so.

The tests check the signatures of public functions, and would stop such calls before funcgrad does. So these run in a
process of their own without that.
"""

import inspect
import os
import runpy
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

import funcgrad as fg
import funcgrad.numpy as fnp
from funcgrad.errors import NoValueError

CHECKED = os.environ["FUNCGRAD_TYPECHECK"] == "1"
unchecked = pytest.mark.skipif(CHECKED, reason="runs where signatures are not checked")


@pytest.mark.skipif(not CHECKED, reason="this is that process")
def test_without_checks_of_signatures():
    run = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-x", "-p", "no:cacheprovider", __file__],
        env={**os.environ, "FUNCGRAD_TYPECHECK": "0"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert run.returncode == 0, run.stdout


table = SimpleNamespace(**runpy.run_path(str(Path(__file__).parent.parent / "operands.py")))
INTEGERS = """
axis axis1 axis2 axisa axisb axisc axes source destination shape new_shape N ndim ndmin num
minlength length total_repeat_length reps repeats shift decimals
"""
MORE = {
    **dict.fromkeys(["ones", "zeros", "empty", "eye", "identity", "tri", "tril_indices", "triu_indices"], (3,)),
    "diag_indices": (3,),
    "indices": ((3,),),
    "diff": (table.A,),
    "rot90": (table.M,),
}
ALSO = {
    "diff": ["n"],
    "rot90": ["k"],
    "tril_indices": ["n", "k", "m"],
    "diag_indices": ["n"],
    "eye": ["k"],
    "tri": ["k"],
}


def cases():
    for space, module in (("numpy", fnp), ("linalg", fnp.linalg), ("fft", fnp.fft)):
        for name in dir(module):
            f = getattr(module, name)
            if name[0] == "_" or not callable(f) or isinstance(f, type) or name in ("r_", "unpackbits"):
                continue
            args = MORE.get(name) if space == "numpy" else None
            call = (args, {}) if args is not None else sample(f"{space}.{name}", f)
            if call is None:
                continue
            bound = inspect.signature(f).bind(*call[0], **call[1]).arguments
            for p in inspect.signature(f).parameters:
                if p in INTEGERS.split() or p in ALSO.get(name, ()):
                    for bad in (0.0, 2.0) if not isinstance(bound.get(p), tuple) else ((0.0,), (2.0,)):
                        yield pytest.param(f, {**bound, p: bad}, p, id=f"{space}.{name}-{p}-{bad}")


def sample(name, f):
    if name in table.SAMPLES:
        return table.SAMPLES[name][0]
    args = []
    for p in inspect.signature(f).parameters.values():
        if p.kind is p.VAR_POSITIONAL:
            args += [table.A, table.B]
        elif p.kind is not p.VAR_KEYWORD and p.default is p.empty:
            if p.name not in table.REQUIRED:
                return None
            args.append(table.REQUIRED[p.name])
    return args, {}


@unchecked
@pytest.mark.parametrize("f, arguments, parameter", list(cases()))
def test_a_float_is_no_integer(f, arguments, parameter):
    bound = inspect.BoundArguments(inspect.signature(f), arguments)
    with pytest.raises(TypeError, match="integer"):
        f(*bound.args, **bound.kwargs)


@unchecked
@pytest.mark.parametrize(
    "call",
    [
        lambda x: fnp.sum(x, axis=1.0),
        lambda x: np.sum(x, axis=1.0),
        lambda x: x.sum(1.0),
        lambda x: fnp.max(x, (0, 1.0)),
        lambda x: fnp.sort(x, 1.0),
        lambda x: fnp.stack([x, x], 1.0),
        lambda x: fnp.ones(1.0),
        lambda x: fnp.ones((2, 1.0)),
        lambda x: fnp.full([1.0], 0.5),
        lambda x: x.reshape(4.0),
        lambda x: fnp.broadcast_to(x, (2, 2, 1.0)),
    ],
)
def test_the_error_says_what_was_expected_and_what_came(call):
    with pytest.raises(TypeError, match=r"must be an integer, got .*1?\.0"):
        call(fnp.ones((2, 2)))


@unchecked
def test_what_has_no_value_says_that():
    for call in (lambda n: fnp.ones(n), lambda n: fnp.sum(fnp.ones((2, 2)), n), lambda n: fnp.ones(4).reshape(n, -1)):
        with pytest.raises(NoValueError):
            fg.jit(call)(1)
