"""What every plan says, and what a plan of one's own must say itself."""

import numpy as np
import pytest

from funcgrad.core.plan import Plan, Plans, twin_of
from funcgrad.core.primitive import registry
from funcgrad.core.tape import Symbol, equation
from funcgrad.ops import elementwise
from funcgrad.transforms.results import Projection
from funcgrad.transforms.walk import walk


class Scaled(Plan):
    """Multiplies by a number; all that such a plan has to write."""

    __slots__ = ("factor",)

    def __init__(self, factor):
        super().__init__(elementwise.negative, (True,))
        self.factor = factor

    def pull(self, g, kept):
        return g * self.factor


def applied(plan, *inputs, number=1, shape=(3,)):
    return equation(number, plan, inputs, {}, (), shape, np.dtype("f8"))


def test_a_plan_of_ones_own_pulls():
    x = applied(None, number=0)
    y = applied(Scaled(4.0), x)
    cotangents = {y: np.ones(3)}
    walk([y, x], cotangents)
    assert cotangents.keys() == {x}
    np.testing.assert_array_equal(cotangents[x], [4.0, 4.0, 4.0])


def test_what_a_plan_does_not_say_is_a_sensible_value():
    plan = Scaled(2.0)
    assert (plan.operands, plan.linked, plan.single) == (("x",), (0,), True)
    assert plan.keep(np.ones(3), {}, np.ones(3)) == plan.names == ()
    assert plan.kept == frozenset()
    assert plan.checked
    assert not plan.partial
    assert plan.trusted is plan.evaluate is plan.picks is plan.line is plan.place is None
    with pytest.raises(NotImplementedError, match="Scaled has no forward rule"):
        plan.push(np.ones(3), {}, (np.ones(3),), np.ones(3))
    with pytest.raises(NotImplementedError, match="Plan has no backward rule"):
        Plan(elementwise.negative, (True,)).pull(np.ones(3), ())


def test_operands_without_names_are_numbered():
    assert Plan(registry["concatenate"], (False, True, True)).operands == ("x0", "x1", "x2")


def test_a_twin_has_all_that_the_plan_has():
    class Louder(Scaled):
        __slots__ = ("note",)

    plan = Scaled(3.0)
    twin = twin_of(plan)
    assert type(twin) is Scaled
    assert (twin.factor, twin.linked, twin.primitive) == (3.0, (0,), elementwise.negative)
    twin.factor = 5.0
    assert plan.factor == 3.0
    louder = twin_of(plan, Louder)
    assert type(louder) is Louder
    assert louder.pull(2.0, ()) == 6.0


def test_a_plan_but_for_what_it_keeps_and_pulls():
    plan = Scaled(3.0)
    other = plan.but(names=("out",), keep=lambda out, params, x: (out,), factor=5.0)
    assert isinstance(other, Scaled)
    assert other.keep(2.0, {}, 1.0) == (2.0,)
    assert other.pull(1.0, ()) == 5.0
    again = other.but(pull=lambda g, kept: other.pull(g, kept) + kept[0])
    assert again.names == ("out",)
    assert again.pull(1.0, (2.0,)) == 7.0
    assert (plan.names, plan.pull(1.0, ())) == ((), 3.0)


def test_the_trusted_twin_of_a_rule_differs_in_one_thing():
    plan = elementwise.multiply.plans[True, True]
    assert plan.checked
    assert not plan.trusted.checked
    assert plan.trusted.trusted is None
    assert (plan.trusted.pull, plan.trusted.keep, plan.trusted.names) == (plan.pull, plan.keep, plan.names)


def test_plans_are_made_once_for_each_mask():
    asked = []
    plans = Plans(lambda mask: asked.append(mask) or (Scaled(1.0) if any(mask) else None))
    assert plans[True, False] is plans[True, False]
    assert plans[False, False] is plans[False, False] is None
    assert asked == [(True, False), (False, False)]


def test_an_equation_knows_whether_it_picks_a_result():
    several = applied(Symbol(registry["split"], 1), applied(None), shape=((2,), (1,)))
    part = applied(Projection(several, 1), several, shape=(1,))
    assert (several.picks, part.picks, applied(None).picks) == (None, 1, None)
    assert part.operation is several
    assert several.operation is several
    assert Projection(several, 1).same_as(part.plan)
    assert not Projection(several, 0).same_as(part.plan)
