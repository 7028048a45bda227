"""Members installed from above: what the class has then, and that nothing is declared twice."""

import pytest

from funcgrad.torch.tensor.members import add_member, member_of, property_of


class Base:
    def inherited(self):
        return "base"


@pytest.fixture
def cls():
    return type("Shape", (Base,), {"sides": 4, "__qualname__": "Shape"})


def test_a_function_becomes_a_method_and_stays_a_function(cls):
    @member_of(cls)
    def corners(self, more):
        return self.sides + more

    assert cls().corners(1) == corners(cls(), 1) == 5
    with pytest.raises(TypeError, match=r"^Shape\.corners\(\) missing 1 required positional argument: 'more'$"):
        cls().corners()


def test_under_another_name(cls):
    member_of(cls, name="edges")(lambda self: self.sides)
    assert cls().edges() == 4


def test_properties(cls):
    def _set_half(self, n):
        self.sides = 2 * n

    @property_of(cls, setter=_set_half)
    def half(self):
        """Half of them."""
        return self.sides // 2

    @property_of(cls)
    def third(self):
        return self.sides // 3

    x = cls()
    x.half = 5
    assert (x.sides, x.half, cls().half, x.third, half(x)) == (10, 5, 2, 3, 5)
    assert cls.half.__doc__ == "Half of them."
    with pytest.raises(AttributeError):
        x.third = 1
    with pytest.raises(TypeError, match=r"^Shape\.half is declared twice$"):
        property_of(cls)(half)


def test_static_and_class_methods(cls):
    @member_of(cls)
    @staticmethod
    def unit():
        return 1

    @member_of(cls)
    @classmethod
    def count(cls):
        return cls.sides

    assert (cls.unit(), cls().count()) == (1, 4)


def test_no_name_is_declared_twice(cls):
    with pytest.raises(TypeError, match=r"^Shape\.sides is declared twice$"):
        add_member(cls, "sides", 5)
    add_member(cls, "inherited", len)  # what a parent has may be overridden
    with pytest.raises(TypeError, match=r"^Shape\.inherited is declared twice$"):
        member_of(cls)(Base.inherited)
    assert cls.sides == 4
