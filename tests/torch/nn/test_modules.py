"""What recordings of modules cannot show: costs, graphs, leftovers, what is the same object."""

import gc
import warnings
import weakref

import numpy as np
import pytest

from funcgrad import torch
from funcgrad.torch import nn
from funcgrad.torch.nn import functional
from funcgrad.torch.nn.modules.module import _WrappedHook


def test_the_quick_linear_map_records_what_the_general_one_does():
    def graph(node):
        return node and (node.name(), [graph(n) for n, _ in node.next_functions])

    def answers(x, w, b, apply):
        y = apply(x, w, b)
        found = torch.autograd.grad((y**3).sum(), [t for t in (x, w, b) if t.requires_grad], create_graph=True)
        again = torch.autograd.grad(sum(g.sum() for g in found), [t for t in (x, w, b) if t.requires_grad])
        return [y, *found, *again], graph(y.grad_fn)

    g = torch.Generator().manual_seed(0)
    for mask in ((1, 1, 1), (1, 0, 0), (0, 1, 0), (0, 0, 1), (0, 1, 1)):
        draws = [torch.randn(*s, generator=g, dtype=torch.float64) for s in ((4, 3), (5, 3), (5,))]
        x, w, b = (t.requires_grad_(bool(m)) for t, m in zip(draws, mask, strict=True))
        quick, its_graph = answers(x, w, b, functional.linear)
        general, graph_of_both = answers(x, w, b, lambda x, w, b: torch.addmm(b, x, w.t()))
        assert its_graph == graph_of_both
        for one, other in zip(quick, general, strict=True):
            np.testing.assert_allclose(one.detach().numpy(), other.detach().numpy(), rtol=1e-12)


def test_the_products_of_addmm_against_differences():
    g = torch.Generator().manual_seed(0)
    shapes = ((2,), (3, 4), (4, 2))
    operands = [torch.randn(*s, generator=g, dtype=torch.float64, requires_grad=True) for s in shapes]

    def f(x, a, b):
        return torch.addmm(x, a, b, beta=0.5, alpha=-2.0)

    assert torch.autograd.gradcheck(f, operands) and torch.autograd.gradgradcheck(f, operands)
    assert torch.autograd.gradcheck(lambda x, a, b: f(x, a.T, b.T), [operands[0], operands[1].T, operands[2].T])
    assert torch.autograd.gradcheck(functional.linear, [operands[1], operands[2].T, operands[0]], check_forward_ad=True)


def test_linear_in_transforms():
    g = torch.Generator().manual_seed(0)
    w, b, x = (torch.randn(*s, generator=g) for s in ((5, 3), (5,), (4, 3)))
    found = torch.vmap(functional.linear, (0, None, None))(x, w, b)
    np.testing.assert_allclose(found, functional.linear(x, w, b), rtol=1e-6)
    jacobian = torch.func.jacrev(lambda x: functional.linear(x, w, b))(x[0])
    np.testing.assert_allclose(jacobian, w, rtol=1e-6)
    _, tangent = torch.func.jvp(lambda x: functional.linear(x, w, b), (x,), (torch.ones_like(x),))
    np.testing.assert_allclose(tangent, torch.ones_like(x) @ w.T, rtol=1e-6)


def test_linear_in_modes():
    x, layer = torch.ones(2, 3), nn.Linear(3, 1)
    with torch.no_grad():
        assert layer(x).grad_fn is None
    with torch.inference_mode():
        assert layer(x).is_inference()
    with torch.autograd.graph.saved_tensors_hooks(lambda t: t.clone(), lambda t: t * 2):
        y = layer(x)
    y.sum().backward()
    np.testing.assert_array_equal(layer.weight.grad, np.full((1, 3), 4.0))


def test_a_loaded_state_leaves_no_cycles():
    module = nn.Sequential(nn.Linear(2, 2), nn.Sequential(nn.Linear(2, 2)))
    state = module.state_dict()
    gc.collect()
    gc.disable()
    try:
        module.load_state_dict(state)
        assert gc.collect() == 0
    finally:
        gc.enable()


def test_a_swapped_tensor_has_no_way_back():
    a, b = torch.ones(2, requires_grad=True), torch.zeros(3)
    y = (a * 2).sum()
    torch.utils.swap_tensors(a, b)
    with pytest.raises(RuntimeError, match="poisoned by swap_tensors"):
        y.backward()
    held = weakref.ref(a)
    with pytest.raises(RuntimeError, match="Cannot swap t1 because it has weakref"):
        torch.utils.swap_tensors(a, b)
    assert held() is a


def test_tensors_of_other_layouts_are_not_swapped():
    class Slotted(torch.Tensor):
        __slots__ = ("note",)

    with pytest.raises(RuntimeError, match="different slots"):
        torch.utils.swap_tensors(object.__new__(Slotted), torch.ones(1))


def test_conversions_that_cannot_swap_say_which_tensor():
    module = nn.Linear(1, 1)
    held = weakref.ref(module.weight)
    torch.__future__.set_swap_module_params_on_conversion(True)
    try:
        with pytest.raises(RuntimeError, match=r"_apply\(\): Couldn't swap Linear.weight"):
            module.double()
        with pytest.raises(RuntimeError, match='While swapping the parameter named "weight"'):
            module.load_state_dict(nn.Linear(1, 1).state_dict())
    finally:
        torch.__future__.set_swap_module_params_on_conversion(False)
    assert held() is module.weight


def test_a_hook_of_a_module_that_is_gone():
    module = nn.Identity()
    hook = _WrappedHook(lambda module, x: x, module)
    assert hook(3) == 3 and hook.__getstate__()["module"] is module
    del module
    with pytest.raises(RuntimeError, match="hook of a dead Module"):
        hook(3)
    with pytest.raises(RuntimeError, match="revive the hook of a dead Module"):
        hook.__setstate__(hook.__getstate__())


def test_hooks_on_tensors_are_not_saved():
    t = torch.ones(1, requires_grad=True)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        torch.utils.hooks.warn_if_has_hooks(t)
        t.register_hook(torch.utils.hooks.unserializable_hook(lambda g: g))
        torch.utils.hooks.warn_if_has_hooks(t)
    t.register_hook(lambda g: g)
    with pytest.warns(UserWarning, match="will not be serialized"):
        torch.utils.hooks.warn_if_has_hooks(t)


def test_devices_that_there_are_not():
    for name in ("cuda", "xpu", "ipu", "mtia"):
        with pytest.raises((RuntimeError, AssertionError, AttributeError)):
            getattr(nn.Linear(1, 1), name)()


def test_an_uninitialized_parameter_cannot_be_computed_with():
    p, b = nn.UninitializedParameter(dtype=torch.float64), nn.UninitializedBuffer()
    for f in (lambda: p + 1, lambda: torch.relu(p), lambda: p.detach(), lambda: len(p), lambda: p[0]):
        with pytest.raises(ValueError, match="Attempted to use an uninitialized parameter in"):
            f()
    with pytest.raises(RuntimeError, match="Can't share memory"):
        p.share_memory_()
    assert p.dtype is torch.float64 and p.is_floating_point() and type(b.half()) is nn.UninitializedBuffer
    with torch.no_grad():
        assert b.copy_(nn.UninitializedBuffer()) is b
