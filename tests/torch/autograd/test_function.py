"""Custom Functions: their graph, what they save, and what they may not do."""

from __future__ import annotations

import weakref

import pytest

from funcgrad import torch
from funcgrad.torch.autograd import Function, forward_ad
from funcgrad.torch.autograd.function import once_differentiable


def leaf(*values: float) -> torch.Tensor:
    return torch.tensor(values or (1.0, 2.0), requires_grad=True)


class Square(Function):
    """x * x, with everything said about it."""

    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        ctx.save_for_forward(x)
        return x * x

    @staticmethod
    def backward(ctx, g):
        (x,) = ctx.saved_tensors
        return 2 * g * x

    @staticmethod
    def jvp(ctx, t):
        (x,) = ctx.saved_tensors
        return 2 * t * x


def made(forward, backward=lambda ctx, *g: g[0], **methods):
    """A Function of these methods."""
    methods = {"forward": forward, "backward": backward, **methods}
    return type("F", (Function,), {k: staticmethod(v) for k, v in methods.items()})


def test_gradients_of_first_and_second_order():
    x = leaf(3.0)
    y = Square.apply(x)
    (g,) = torch.autograd.grad(y, x, torch.ones(1), create_graph=True)
    assert g.item() == 6.0
    assert torch.autograd.grad(g, x)[0].item() == 2.0


def test_the_node():
    x = leaf()
    y = Square.apply(x)
    node = y.grad_fn
    assert type(node).__name__ == node.name() == "SquareBackward"
    assert repr(y) == "tensor([1., 4.], grad_fn=<SquareBackward>)"
    assert repr(node).startswith("<torch.autograd.function.SquareBackward object at 0x")
    assert isinstance(node, torch.autograd.graph.Node)
    assert node.next_functions[0][0].variable is x
    assert node.needs_input_grad == (True,)
    assert node.saved_tensors[0] is x


def test_authors_may_call_their_attributes_what_they_like():
    names = ("shape", "dtype", "inputs", "number", "outputs", "params", "saved", "linked", "op", "plan")

    def forward(ctx, x):
        for name in names:
            setattr(ctx, name, name.upper())
        return x * 2

    def backward(ctx, g):
        assert [getattr(ctx, name) for name in names] == [name.upper() for name in names]
        return g * 2

    x = leaf()
    y = made(forward, backward).apply(x)
    y.sum().backward()
    assert x.grad.tolist() == [2.0, 2.0]


def test_attributes_set_on_grad_fn_reach_ctx():
    seen = []
    x = leaf()
    y = made(lambda ctx, x: x * 2, lambda ctx, g: seen.append(ctx.note) or g).apply(x)
    y.grad_fn.note = "later"
    y.sum().backward()
    assert seen == ["later"]


def test_setup_context_and_keywords():
    class Scale(Function):
        @staticmethod
        def forward(x, k=3):
            return x * k

        @staticmethod
        def setup_context(ctx, inputs, output):
            ctx.k = inputs[1]

        @staticmethod
        def backward(ctx, g):
            return g * ctx.k, None

    x = leaf()
    assert torch.autograd.grad(Scale.apply(x).sum(), x)[0].tolist() == [3.0, 3.0]
    assert torch.autograd.grad(Scale.apply(x=x, k=5).sum(), x)[0].tolist() == [5.0, 5.0]


def test_results_that_are_no_tensors_and_integer_results():
    grads = []
    F = made(lambda ctx, x: (x * 2, x.argmax(), "text", None), lambda ctx, *g: grads.extend(g) or g[0])
    x = leaf()
    y, place, text, nothing = F.apply(x)
    assert (place.item(), text, nothing, place.requires_grad) == (1, "text", None, False)
    y.sum().backward()
    assert [None if g is None else g.tolist() for g in grads] == [[1.0, 1.0], 0, None, None]


def test_without_materialized_gradients():
    seen = []

    def forward(ctx, x):
        ctx.set_materialize_grads(False)
        return x * 2, x * 3

    x = leaf()
    made(forward, lambda ctx, *g: seen.append(g) or g[0]).apply(x)[0].sum().backward()
    assert seen[0][1] is None


def test_mark_dirty_writes_history_into_the_input():
    def forward(ctx, x):
        ctx.mark_dirty(x)
        return x.mul_(2)

    x = leaf()
    z = x * 1
    y = made(forward, lambda ctx, g: g * 2).apply(z)
    assert y is z
    assert z.grad_fn.name() == "FBackward"
    assert torch.autograd.grad(z.sum(), x)[0].tolist() == [2.0, 2.0]


def test_an_input_returned_as_it_is_becomes_a_view():
    x = leaf()
    z = x * 1
    y = made(lambda ctx, x: x, lambda ctx, g: g * 5).apply(z)
    assert y is not z
    assert y._base is z
    with pytest.raises(RuntimeError, match=r"Output 0 of F is a view and is being modified inplace. This view was created inside a custom Function"):  # fmt: skip  # noqa: E501
        y.mul_(2)


def _marked_dirty_not_returned(ctx, x):
    ctx.mark_dirty(x)
    return x * 2


def _saves_a_number(ctx, x):
    ctx.save_for_backward(x, 3)
    return x * 2


def _writes_into_a_leaf(ctx, x):
    ctx.mark_dirty(x)
    return x.mul_(2)


@pytest.mark.parametrize(
    ("forward", "error", "text"),
    [
        (_marked_dirty_not_returned, RuntimeError, "Some elements marked as dirty during the forward method were not returned"),  # noqa: E501
        (_saves_a_number, TypeError, "save_for_backward can only save variables, but argument 1 is of type int"),
        (_writes_into_a_leaf, RuntimeError, "a leaf Variable that requires grad has been used in an in-place operation."),  # noqa: E501
    ],
)  # fmt: skip
def test_what_forward_may_not_do(forward, error, text):
    with pytest.raises(error, match=text):
        made(forward).apply(leaf())


@pytest.mark.parametrize(
    ("backward", "text"),
    [
        (lambda ctx, g: (g, g), r"function FBackward returned an incorrect number of gradients \(expected 1, got 2\)"),
        (lambda ctx, g: 1.0, r"expected Variable or None \(got float\)"),
        (lambda ctx, g: torch.ones(3), r"Function FBackward returned an invalid gradient at index 0 - got \[3\] but expected shape compatible with \[2\]"),  # noqa: E501
    ],
)  # fmt: skip
def test_what_backward_may_not_return(backward, text):
    with pytest.raises(RuntimeError, match=text):
        made(lambda ctx, x: x * 2, backward).apply(leaf()).sum().backward()


def test_backward_gradients_are_summed_and_cast_to_the_input():
    x = leaf()
    F = made(lambda ctx, x: x * 2, lambda ctx, g: torch.ones(3, 2, dtype=torch.float64))
    assert repr(torch.autograd.grad(F.apply(x).sum(), x)) == "(tensor([3., 3.]),)"


def test_a_gradient_for_what_is_no_tensor():
    F = made(lambda ctx, x, k: x * k, lambda ctx, g: (g, g))
    with pytest.raises(RuntimeError, match="returned a gradient different than None at position 2"):
        F.apply(leaf(), 3).sum().backward()


def test_missing_methods():
    with pytest.raises(NotImplementedError, match="You must implement the forward function"):
        type("F", (Function,), {}).apply(leaf())
    with pytest.raises(NotImplementedError, match="You must implement either the backward or vjp"):
        type("F", (Function,), {"forward": staticmethod(lambda ctx, x: x * 2)}).apply(leaf()).sum().backward()


def test_instances_are_no_functions():
    with pytest.warns(DeprecationWarning, match="should not be instantiated"):
        f = Square()
    with pytest.raises(RuntimeError, match="Legacy autograd function with non-static forward method is deprecated"):
        f(leaf())
    with pytest.raises(RuntimeError, match="Attribute 'saved_tensors' is invalid for this instance"):
        _ = f.saved_tensors


def test_once_differentiable():
    F = made(lambda ctx, x: x * 2, once_differentiable(lambda ctx, g: g * 2))
    x = leaf()
    (g,) = torch.autograd.grad(F.apply(x), x, torch.ones(2, requires_grad=True), create_graph=True)
    assert g.grad_fn.name() == "torch::autograd::Error"
    with pytest.raises(
        RuntimeError, match="trying to differentiate twice a function that was marked with @once_differ"
    ):
        g.sum().backward()


def test_saved_tensors_are_checked_and_freed():
    x = leaf()
    z = x * 1
    y = Square.apply(z)
    z.add_(1)
    with pytest.raises(RuntimeError, match="which is output 0 of Add, is at version 1; expected version 0 instead"):
        y.sum().backward()
    y = Square.apply(x).sum()
    y.backward()
    with pytest.raises(RuntimeError, match="Trying to backward through the graph a second time"):
        y.backward()


def test_graphs_die_at_once():
    def forward(ctx, x):
        y = x * 2
        ctx.save_for_backward(x, y)
        return y

    y = made(forward).apply(leaf() * 1)
    node = weakref.ref(y.grad_fn)
    del y
    assert node() is None


def test_forward_mode():
    x = torch.tensor(3.0)
    with forward_ad.dual_level():
        y = Square.apply(forward_ad.make_dual(x, torch.tensor(2.0)))
        assert forward_ad.unpack_dual(y).tangent.item() == 12.0
        with pytest.raises(NotImplementedError, match="You must implement the jvp function"):
            made(lambda ctx, x: x * 2).apply(forward_ad.make_dual(x, x))
        F = made(lambda ctx, x: x * 2, jvp=lambda ctx, t: (t, t))
        with pytest.raises(RuntimeError, match=r"invalid number of forward gradients \(expected 1 but got 2\)"):
            F.apply(forward_ad.make_dual(x, x))
