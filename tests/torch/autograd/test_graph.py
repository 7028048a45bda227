"""Hooks, edges, what is saved and how backward walks."""

from __future__ import annotations

import threading
import weakref

import pytest

from funcgrad import torch
from funcgrad.torch.autograd import graph


def leaf(*values: float) -> torch.Tensor:
    return torch.tensor(values or (1.0, 2.0), requires_grad=True)


def test_hooks_run_in_torchs_order():
    log = []
    x = leaf()
    y = x * 2
    y.register_hook(lambda g: log.append("tensor") or g * 10)
    y.grad_fn.register_prehook(lambda g: log.append("prehook") or (g[0] * 10,))
    y.retain_grad()
    y.grad_fn.register_hook(lambda gi, go: log.append("post"))
    accumulate = y.grad_fn.next_functions[0][0]
    accumulate.register_prehook(lambda g: log.append("leaf prehook"))
    accumulate.register_hook(lambda gi, go: log.append("leaf post"))
    x.register_hook(lambda g: log.append("leaf"))
    x.register_post_accumulate_grad_hook(lambda t: log.append("accumulated"))
    (y * 3).sum().backward()
    assert log == ["tensor", "prehook", "post", "leaf", "leaf prehook", "accumulated", "leaf post"]
    assert y.grad.tolist() == [30.0, 30.0]  # before the node's own hook
    assert x.grad.tolist() == [600.0, 600.0]


def test_captured_gradients_are_those_before_the_hooks_unless_the_node_does_not_run():
    x = leaf()
    y = x * 2
    y.register_hook(lambda g: g * 10)
    z = (y * 3).sum()
    assert torch.autograd.grad(z, [y, x], retain_graph=True)[0].tolist() == [3.0, 3.0]
    assert torch.autograd.grad(z, [y])[0].tolist() == [30.0, 30.0]


@pytest.mark.parametrize(
    ("hook", "error", "text"),
    [
        (lambda g: 3, TypeError, "expected Variable, but hook returned 'int'"),
        (lambda g: torch.ones(3), RuntimeError, "has changed the size of value"),
        (lambda g: g.double(), RuntimeError, "has changed the type of value .was torch.FloatTensor got torch.DoubleTensor"),  # noqa: E501
    ],
)  # fmt: skip
def test_what_tensor_hooks_may_not_return(hook, error, text):
    y = leaf() * 2
    y.register_hook(hook)
    with pytest.raises(error, match=text):
        y.sum().backward()


@pytest.mark.parametrize(
    ("hook", "error", "text"),
    [
        (lambda gi, go: gi[0], TypeError, "expected tuple, but hook returned 'Tensor'"),
        (lambda gi, go: (gi[0],), RuntimeError, r"incorrect number of values \(got 1, but expected 2\)"),
        (lambda gi, go: (gi[0], gi[0]), RuntimeError, "can't replace a None gradient with a non-None value"),
    ],
)
def test_what_node_hooks_may_not_return(hook, error, text):
    y = leaf() * 2
    y.grad_fn.register_hook(hook)
    with pytest.raises(error, match=text):
        y.sum().backward()


def test_post_accumulate_hooks_return_nothing():
    x = leaf()
    x.register_post_accumulate_grad_hook(lambda t: t.grad)
    with pytest.raises(RuntimeError, match="Tensor post accumulate grad hooks should return None"):
        x.sum().backward()


def test_backward_for_some_inputs():
    x, w = leaf(), leaf()
    y = x * w
    y.sum().backward(inputs=[x, y])
    assert (x.grad.tolist(), w.grad, y.grad.tolist()) == ([1.0, 2.0], None, [1.0, 1.0])
    assert y.retains_grad


def test_accumulation():
    x = leaf()
    x.sum().backward()
    first = x.grad
    (2 * x).sum().backward()
    assert x.grad is first
    with pytest.warns(UserWarning, match=r"Using backward.. with create_graph=True will create a reference cycle"):
        (x * x).sum().backward(create_graph=True)
    assert x.grad is not first
    assert x.grad.tolist() == [5.0, 7.0]
    given = torch.ones(2)
    y = leaf()
    y.backward(given)
    assert y.grad is not given
    assert y.grad.data_ptr() != given.data_ptr()


def test_a_root_that_is_a_leaf_waits_for_its_other_gradients():
    x, seen = leaf(1.0), []
    x.register_hook(lambda g: seen.append(g.item()))
    torch.autograd.backward([x, x * 2])
    assert (seen, x.grad.item()) == ([3.0], 3.0)


def test_errors_of_grad():
    x = leaf()
    with pytest.raises(RuntimeError, match="The differentiated Tensor at index 0 appears to not have been used"):
        torch.autograd.grad(leaf().sum(), x)
    with pytest.raises(RuntimeError, match="One of the differentiated Tensors does not require grad"):
        torch.autograd.grad(x.sum(), torch.ones(2))
    with pytest.raises(RuntimeError, match="element 0 of tensors does not require grad and does not have a grad_fn"):
        torch.ones(()).backward()
    with pytest.raises(RuntimeError, match="grad can be implicitly created only for scalar outputs"):
        (x * 2).backward()
    with pytest.raises(RuntimeError, match="got 2 tensors and 1 gradients"):
        torch.autograd.grad([x.sum(), x.sum()], x, [torch.tensor(1.0)])
    with pytest.raises(RuntimeError, match=r"`inputs` argument to `backward\(\)` cannot be empty"):
        x.sum().backward(inputs=[])
    assert torch.autograd.grad(leaf().sum(), x, allow_unused=True) == (None,)
    assert torch.autograd.grad(leaf().sum(), x, materialize_grads=True)[0].tolist() == [0.0, 0.0]
    assert torch.autograd.grad((x * 2).sum(), {"x": x})["x"].tolist() == [2.0, 2.0]


def test_batches_of_gradients():
    x = leaf()
    (g,) = torch.autograd.grad(x * x, x, torch.eye(2), is_grads_batched=True)
    assert g.tolist() == [[2.0, 0.0], [0.0, 4.0]]
    with pytest.raises(RuntimeError, match="If `is_grads_batched=True`, we interpret the first dimension"):
        torch.autograd.grad(x * x, x, torch.ones(2, 3), is_grads_batched=True)


def test_gradient_edges():
    x = leaf()
    y = x * 2
    edge = graph.get_gradient_edge(y)
    assert edge.node is y.grad_fn
    assert torch.autograd.grad(edge, graph.get_gradient_edge(x), torch.ones(2))[0].tolist() == [2.0, 2.0]
    with pytest.raises(RuntimeError, match="It is not possible to get the gradient edge for a Tensor"):
        graph.get_gradient_edge(torch.ones(1))


@pytest.mark.parametrize(("mode", "calls"), [("all", [[True, True]]), ("any", [True])])
def test_multi_grad_hook(mode, calls):
    a, b = leaf(), leaf()
    seen = []

    def hook(grads):
        seen.append([g is not None for g in grads] if mode == "all" else grads is not None)

    handle = graph.register_multi_grad_hook((a, b), hook, mode=mode)
    (a * b).sum().backward()
    assert seen == calls
    handle.remove()
    (a * b).sum().backward()
    assert seen == calls
    with pytest.raises(ValueError, match="Expects mode to be one of"):
        graph.register_multi_grad_hook((a,), hook, mode="none")


def test_hooks_on_saved_tensors():
    packed, unpacked = [], []
    x, w = leaf(), leaf(3.0, 4.0)
    with graph.saved_tensors_hooks(lambda t: packed.append(t) or t.detach() * 2, lambda t: unpacked.append(t) or t):
        y = x * w
    assert [t is s for t, s in zip(packed, (w, x), strict=True)] == [True, True]  # torch's order: by name
    assert y.grad_fn._saved_self.tolist() == [2.0, 4.0]
    y.sum().backward()
    assert x.grad.tolist() == [6.0, 8.0]


def test_raw_saved_tensors():
    x = leaf()
    y = x.exp()
    saved = y.grad_fn._raw_saved_result
    saved.register_hooks(lambda t: t.numpy().copy(), torch.tensor)
    with pytest.raises(
        RuntimeError, match="Calling register_hooks on a saved tensor whose hooks have already been set"
    ):
        saved.register_hooks(lambda t: t, lambda t: t)
    (g,) = torch.autograd.grad(y.sum(), x, create_graph=True)
    assert torch.allclose(g, y)
    assert torch.allclose(torch.autograd.grad(g.sum(), x)[0], y)


def test_packed_tensors_are_let_go():
    x = leaf()
    z = x * 1
    with graph.saved_tensors_hooks(lambda t: t.tolist(), torch.tensor):
        y = z * z
    held = weakref.ref(z)
    del z
    assert held() is None
    y.sum().backward()
    assert x.grad.tolist() == [2.0, 4.0]


@pytest.mark.parametrize(
    ("pack", "unpack", "error", "text"),
    [
        (lambda t: t.detach().mul_(2), lambda t: t, RuntimeError, "pack hook is modifying its input in place"),
        (lambda t: t, lambda t: 3, TypeError, "unpack_hook expected to be a Tensor but got result of type int"),
        (1, 2, TypeError, "incompatible function arguments"),
    ],
)
def test_wrong_hooks_on_saved_tensors(pack, unpack, error, text):
    x = leaf()
    with pytest.raises(error, match=text), graph.saved_tensors_hooks(pack, unpack):
        (x * x).sum().backward()


def test_disabled_hooks():
    with (
        graph.disable_saved_tensors_hooks("not now"),
        pytest.raises(RuntimeError, match="not now"),
        graph.save_on_cpu(),
    ):
        pass


def test_saved_tensors_may_be_written_into():
    x = leaf()
    with graph.allow_mutation_on_saved_tensors() as kept:
        y = x.clone()
        z = (y * y).sum()
        y[0] = 5.0
        assert len(kept.cloned) == 1
        z.backward()
    assert x.grad.tolist() == [2.0, 4.0]


def test_increment_version():
    x = leaf()
    y = x * x
    graph.increment_version(x)
    with pytest.raises(RuntimeError, match="is at version 1; expected version 0 instead"):
        y.sum().backward()


def test_long_chains_and_threads():
    x = leaf(1.0)
    y = x
    for _ in range(50_000):
        y = y * 1
    held = weakref.ref(y.grad_fn)
    y.backward()
    del y
    assert held() is None
    modes = []
    with torch.no_grad():
        thread = threading.Thread(target=lambda: modes.append(torch.is_grad_enabled()))
        thread.start()
        thread.join()
    assert modes == [True]


def test_backward_within_backward_goes_deep():
    class Deep(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            with torch.enable_grad():
                ctx.x = x.detach().requires_grad_() - 1
            return ctx.x.detach()

        @staticmethod
        def backward(ctx, g):
            if ctx.x >= 0:
                with torch.enable_grad():
                    Deep.apply(ctx.x).backward()
            return g

    x = torch.tensor(300.0, requires_grad=True)
    Deep.apply(x).backward()
    assert x.grad.item() == 1.0


def test_callbacks_run_at_the_end():
    log = []
    x = leaf()
    engine = torch.autograd.Variable._execution_engine
    x.register_hook(lambda g: engine.queue_callback(lambda: log.append(x.grad.tolist())))
    x.sum().backward()
    assert log == [[1.0, 1.0]]
    with pytest.raises(RuntimeError, match="Final callbacks can only be installed during backward pass"):
        engine.queue_callback(lambda: None)


def test_variable_is_an_old_name():
    t = torch.autograd.Variable(torch.ones(2), requires_grad=True)
    assert isinstance(t, torch.autograd.Variable)
    assert t.requires_grad
    assert type(t) is torch.Tensor


def test_anomaly_detection():
    x = leaf(-1.0)
    with pytest.warns(UserWarning, match="Anomaly Detection has been enabled"), torch.autograd.detect_anomaly():
        y = x.sqrt()
        with (
            pytest.warns(UserWarning, match=r"Error detected in SqrtBackward0. Traceback of forward call"),
            pytest.raises(RuntimeError, match="Function 'SqrtBackward0' returned nan values in its 0th output"),
        ):
            y.backward()
