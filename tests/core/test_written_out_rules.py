"""Rules whose text stands in the plan give what the rules give."""

import numpy as np
import pytest

from funcgrad.core.primitive import registry
from funcgrad.core.rules import _WRITTEN_OUT, _body, rule_names

RULES = [
    (p, i, r)
    for p in registry.values()
    if isinstance(p.vjp, tuple)
    for i, r in enumerate(p.vjp)
    if hasattr(r, "__code__") and _body(r) in _WRITTEN_OUT
]


def test_every_text_is_of_use():
    assert {_body(r) for _, _, r in RULES} == set(_WRITTEN_OUT)


@pytest.mark.parametrize(
    ("p", "i", "rule"), RULES, ids=lambda x: str(x) if not callable(x) or hasattr(x, "vjp") else ""
)
def test_pull(p, i, rule):
    plan = p.plans[tuple(k == i for k in range(len(p.operands)))]
    kept = tuple(np.array([0.5 + k, -0.0, np.inf]) for k in range(len(plan.names)))
    values = dict(zip(plan.names, kept, strict=True))
    g = np.array([2.0, -1.0, 0.0])
    with np.errstate(all="ignore"):
        np.testing.assert_array_equal(plan.pull(g, kept), rule(g, *[values[n] for n in rule_names(rule)]))
