"""Whether a tensor is worth its `_value` alone is kept, not worked out; `_set` keeps it, and conftest.py checks it."""

import numpy as np
import pytest

from funcgrad import torch
from funcgrad.torch.func import grad

pytestmark = pytest.mark.usefixtures("checked_plain")


@pytest.mark.parametrize(
    "make, plain",
    [
        (lambda z: z, True),
        (lambda z: z.conj(), False),
        (lambda z: z.conj().conj(), True),
        (lambda z: z.conj().imag, False),  # negated when it is read
        (lambda z: z.conj().clone(), True),
        (lambda z: z.conj().detach(), False),
        (lambda z: z.conj().resolve_conj(), True),
    ],
)
def test_lazy_bits(make, plain):
    assert make(torch.tensor([1 + 2j]))._plain is plain


def test_tangents_come_and_go():
    x = torch.ones(2)
    with torch.autograd.forward_ad.dual_level():
        dual = torch.autograd.forward_ad.make_dual(x, torch.ones(2))
        view = dual.view(1, 2)
        assert (x._plain, dual._plain, view._plain, dual.detach()._plain) == (True, False, False, True)
    assert dual._plain
    assert view._plain


def test_values_inside_of_a_transform():
    seen = []

    def f(x):
        y = torch.zeros(2)
        y[0] = x[0]
        seen.extend([x, y, y.view(1, 2), torch.zeros(2)])
        return y.sum()

    grad(f)(torch.ones(2))
    assert [x._plain for x in seen] == [False, False, False, True]


def test_data_of_another_kind():
    x = torch.tensor([1 + 2j])
    x.data = torch.tensor([3 + 4j]).conj()
    assert not x._plain
    assert (x * 1).tolist() == [3 - 4j]
    x.data = torch.tensor([3 + 4j])
    assert x._plain


def test_a_slip_is_seen():
    x = torch.ones(2)
    x._lazy = 2
    with pytest.raises(AssertionError, match="_plain is True of a tensor with lazy=2"):
        x * 2
    x._set(lazy=2)
    np.testing.assert_array_equal((x * 2).numpy(), [-2.0, -2.0])
