"""Elementwise primitives written out as ufuncs: the same values, and none stays outside without a reason."""

import itertools
import sys
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("llvmlite")

import funcgrad as fg
import funcgrad.torch  # whose primitives are in the registry
from funcgrad.compile.native import elementwise
from funcgrad.compile.native.formulas import formula
from funcgrad.compile.numpy_backend.groups import elementwise as member
from funcgrad.core import batching
from funcgrad.core.primitive import registry
from funcgrad.core.tape import Equation
from funcgrad.testing import samples

sys.path.append(str(Path(__file__).parents[1]))
from array_operands import of_arrays

OUTSIDE = {
    "bits, and shapes": "stop name bitcast bitcast_floats as_real as_complex",
    "series": "bessel_i gamma_ratio polygamma zeta riemann_zeta_slope i0 i1 i0e i1e",
    "many pieces": "erfcx erfinv ndtri log_ndtr sph_harm_y_at_0",
    "searches and continued fractions": "gamma_density gammainc_order gammainc gammaincc beta_density betainc_order",
    "operands of two dtypes": "ldexp ldexp_kept",
    "as many steps as an element needs": "gcd lcm",
    "as many tries as an element needs": "random_gamma",
    "a look at all values": "remainder_of_fmod",
}
"""Elementwise primitives that stay with NumPy, by what they need. So do those whose values are SciPy's."""
NAMES = {name for names in OUTSIDE.values() for name in names.split()}
SCIPYS = ("scipy_", "bessel_", "complex_polygamma")
ELEMENTWISE = [
    p for p in registry.values() if p.batch is batching.elementwise and not p.multiple and not p.name.startswith(SCIPYS)
]
FLOATS = [0.0, -0.0, 1.0, -1.0, 2.5, -0.3, 0.5, 1e-310, np.inf, -np.inf, np.nan, 1e300, -1e10, 300.75]


def equation(p, sample):
    """The equation of a primitive whose operands are arrays, but for numbers."""
    f, arrays = of_arrays(p, sample)
    equations = fg.make_tape(f)(*arrays).equations
    return equations[0] if len(equations) == 1 else None


def is_real(e):
    return e.dtype.kind != "c" and not any(np.dtype(getattr(i, "dtype", float)).kind == "c" for i in e.inputs)


@pytest.mark.parametrize("p", ELEMENTWISE, ids=lambda p: p.name)
def test_an_elementwise_primitive_is_taken_or_has_a_reason(p):
    found = []
    for code in set(p.dtypes) & set("fdlQ"):
        for e in [equation(p, s) for s in samples(p, code)]:
            if e is None or not is_real(e) or (p.name == "sinc" and e.params["order"] > 0):
                continue
            inner = formula(e)
            found.append(
                elementwise.takes(e) and member(e) if inner is None else all(map(elementwise.takes, inner.equations))
            )
    assert all(found) == (p.name not in NAMES) or not found


@pytest.mark.parametrize("p", ELEMENTWISE, ids=lambda p: p.name)
def test_formulas_give_the_same_bits(p):
    for code in set(p.dtypes) & set("fd"):
        for sample in samples(p, code):
            e = equation(p, sample)
            inner = None if e is None else formula(e)
            if inner is None:
                continue
            count = sum([type(i) is Equation and i.dtype.kind == "f" for i in e.inputs])
            with np.errstate(all="ignore"):
                ends = np.array(list(itertools.product(FLOATS, repeat=count))).T.astype(code)
                columns = iter(ends)
                special = [
                    next(columns) if type(i) is Equation and i.dtype.kind == "f" else a
                    for a, i in zip(sample.args, e.inputs, strict=True)
                ]
                kinds = [getattr(i, "dtype", np.dtype(float)).kind for i in e.inputs]
                for values in [sample.args] if "b" in kinds else [sample.args, special]:
                    (found,) = inner.run(values)
                    expected = p.impl(*values, **sample.params)
                    assert found.dtype == expected.dtype
                    np.testing.assert_array_equal(found, expected)
                    if expected.dtype.kind == "f":
                        number = ~np.isnan(expected)
                        np.testing.assert_array_equal(np.signbit(found)[number], np.signbit(expected)[number])
