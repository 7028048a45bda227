"""Complex tensors: parts as views, the lazy conjugate, gradients in torch's convention."""

from __future__ import annotations

import pytest

from funcgrad import torch


def z(*values):
    return torch.tensor(values or (1 + 2j, 3 - 1j), dtype=torch.complex128)


def test_conjugate_is_a_view():
    t = z()
    c = t.conj()
    assert c.is_conj() and c.data_ptr() == t.data_ptr() and c._base is t
    assert c.tolist() == [1 - 2j, 3 + 1j] and not c.resolve_conj().is_conj() and not c.conj().is_conj()
    c.mul_(2j)
    assert c.tolist() == [4 + 2j, -2 + 6j] and t.tolist() == [4 - 2j, -2 - 6j]
    real = torch.ones(2)
    assert torch.conj(real) is real and torch.conj_physical(real) is real


def test_parts_are_views():
    t = z()
    t.real[0] = 5
    t.imag = torch.tensor([7.0, 8.0])
    assert t.tolist() == [5 + 7j, 3 + 8j]
    c = t.conj()
    assert c.imag.is_neg() and c.imag.tolist() == [-7, -8]
    c.imag += 1
    assert t.tolist() == [5 + 6j, 3 + 7j]
    with pytest.raises(RuntimeError, match="imag is not implemented for tensors with non-complex dtypes"):
        torch.ones(2).imag


def test_view_as_real_and_back():
    t = z()
    pairs = torch.view_as_real(t)
    assert pairs.tolist() == [[1, 2], [3, -1]] and pairs.stride() == (2, 1)
    pairs[0, 1] = 9
    assert t[0].item() == 1 + 9j
    assert torch.view_as_complex(pairs).data_ptr() == t.data_ptr()
    with pytest.raises(RuntimeError, match="view_as_real doesn't work on unresolved conjugated tensors"):
        torch.view_as_real(t.conj())
    with pytest.raises(RuntimeError, match="Tensor must have a last dimension of size 2"):
        torch.view_as_complex(torch.ones(3))
    with pytest.raises(RuntimeError, match="Tensor must have a last dimension with stride 1"):
        torch.view_as_complex(torch.ones(2, 2).t())


GRADIENTS = [  # of real functions: the direction of steepest ascent
    ("abs", lambda t: t.abs(), [(1 + 2j) / 5**0.5, (3 - 1j) / 10**0.5]),
    ("square", lambda t: (t * t.conj()).real, [2 + 4j, 6 - 2j]),
    ("real", lambda t: t.real, [1, 1]),
    ("imag", lambda t: t.imag, [1j, 1j]),
    ("conj imag", lambda t: t.conj().imag, [-1j, -1j]),
    ("angle", lambda t: t.angle(), [1j * (1 + 2j) / 5, 1j * (3 - 1j) / 10]),
    ("view_as_real", lambda t: torch.view_as_real(t)[..., 1], [1j, 1j]),
    ("exp", lambda t: t.exp().real, [complex(v).conjugate() for v in z().exp().tolist()]),
]


@pytest.mark.parametrize("f, expected", [g[1:] for g in GRADIENTS], ids=[g[0] for g in GRADIENTS])
def test_gradients_of_real_functions(f, expected):
    t = z().requires_grad_()
    f(t).sum().backward()
    assert t.grad.tolist() == pytest.approx(expected)


def test_complex_numbers_of_parts():
    r, a = (torch.tensor([2.0, 1.0], dtype=torch.float64, requires_grad=True) for _ in range(2))
    t = torch.complex(r, a)
    assert t.tolist() == [2 + 2j, 1 + 1j] and t.grad_fn.name() == "ComplexBackward0"
    t.abs().sum().backward()
    assert r.grad.tolist() == pytest.approx([0.5**0.5] * 2) and a.grad.tolist() == pytest.approx([0.5**0.5] * 2)
    r.grad = a.grad = None
    torch.polar(r, a).imag.sum().backward()
    assert r.grad.tolist() == pytest.approx(torch.sin(a).tolist())
    assert a.grad.tolist() == pytest.approx((r * torch.cos(a)).tolist())
    with pytest.raises(RuntimeError, match="Expected both inputs to be Half, Float or Double tensors but got Long and"):
        torch.complex(torch.tensor([1]), torch.tensor([1]))


def test_angle_of_a_real_tensor():
    assert torch.angle(torch.tensor([-1.0, 0.0, 2.0])).tolist() == pytest.approx([3.14159265, 0, 0])
