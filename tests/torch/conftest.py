"""While tests ask for `checked_plain`, each look at `Tensor._plain` is checked against what the tensor is made of."""

import pytest

from funcgrad.core.array import Array
from funcgrad.torch.tensor.tensor import Tensor


class CheckedPlain:
    """In the place of the flag `Tensor._plain`, by which operations see whether a tensor is worth its `_value` alone.

    It is kept and not worked out each time, and a wrong one gives wrong numbers, so that here it is worked out.
    """

    def __get__(self, t, cls):
        plain = t.__dict__.get("_plain", True)
        value, lazy, tangent = t._value, t._lazy, t._tangent
        if plain is not (not lazy and tangent is None and not isinstance(value, Array)):
            raise AssertionError(f"_plain is {plain} of a tensor with {lazy=}, {tangent=} and the value {value!r}")
        return plain

    def __set__(self, t, plain):
        t.__dict__["_plain"] = plain


@pytest.fixture
def checked_plain(monkeypatch):
    """Check the flag at each look, in tests that go through what could forget it."""
    monkeypatch.setattr(Tensor, "_plain", CheckedPlain())
