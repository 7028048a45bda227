"""`fg.explain` of every public function, by every operand that is a real number: the gradient is that of `grad`."""

import runpy
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

import funcgrad as fg

every = SimpleNamespace(**runpy.run_path(str(Path(__file__).parents[2] / "test_every_operand.py")))


@pytest.mark.slow
@pytest.mark.parametrize("name, args, kwargs, place, parameter", every.CASES)
def test_explain_sees_what_grad_gives(name, args, kwargs, place, parameter):
    f = every.as_scalar(every.FUNCTIONS[name], args, kwargs, place)
    x = args[place] if isinstance(place, int) else kwargs[place]
    leaves, tree = fg.tree.flatten(x)
    moving = [k for k, v in enumerate(leaves) if every._floating(v)]

    def of_floats(values):
        full = list(leaves)
        for k, v in zip(moving, values, strict=True):
            full[k] = v
        return f(tree.unflatten(full))

    floats = [leaves[k] for k in moving]
    with np.errstate(all="ignore"):
        try:
            if f(x) is None:
                return
            gradient = fg.grad(of_floats)(floats)
        except fg.errors.FuncgradError as error:
            with pytest.raises(type(error)):
                fg.explain(of_floats, floats)
            return
        e = fg.explain(of_floats, floats)
    for i, g, found in zip(e.inputs, gradient, e.gradient[0], strict=True):
        np.testing.assert_allclose(found, g, rtol=1e-9, atol=1e-12)
        about = [f for f in e.findings if i.name in f.variables]
        assert bool(about) or i.gradient == "full", str(e)
