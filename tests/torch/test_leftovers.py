"""Graphs die with the last tensor that refers to them, without the collector, as PyTorch's do."""

import pathlib
import runpy

import pytest

from funcgrad import torch as ours

leftovers = runpy.run_path(str(pathlib.Path(__file__).parents[1] / "leftovers.py"))["leftovers"]


class Stop(Exception):
    pass


def stop(*_):
    raise Stop


def cases(torch):
    """Programs by their names, over one of the two libraries."""
    autograd, func, functional = torch.autograd, torch.func, torch.autograd.functional

    def leaf(n=5):
        return torch.linspace(0.1, 1, n, dtype=torch.float64).requires_grad_()

    def f(x):
        return (x.sin() * x).sum()

    class Square(autograd.Function):
        @staticmethod
        def forward(ctx, x):
            ctx.save_for_backward(x)
            return x * x

        @staticmethod
        def backward(ctx, g):
            return 2 * ctx.saved_tensors[0] * g

    class Exp(autograd.Function):
        @staticmethod
        def forward(ctx, x):
            y = x.exp()
            ctx.save_for_backward(y)
            return y

        @staticmethod
        def backward(ctx, g):
            return ctx.saved_tensors[0] * g

    class WithSetup(autograd.Function):
        @staticmethod
        def forward(x):
            return x * x

        @staticmethod
        def setup_context(ctx, inputs, output):
            ctx.save_for_backward(*inputs)

        @staticmethod
        def backward(ctx, g):
            return 2 * ctx.saved_tensors[0] * g

    class StopsForward(Square):
        forward = staticmethod(stop)

    class StopsBackward(Square):
        backward = staticmethod(stop)

    found = {}

    def case(program):
        found[program.__name__.replace("_", " ")] = program
        return program

    @case
    def backward():
        f(leaf()).backward()

    @case
    def a_graph_that_is_dropped():
        f(leaf())

    @case
    def backward_twice():
        y = f(leaf())
        y.backward(retain_graph=True)
        y.backward()

    @case
    def backward_once_too_often():
        y = f(leaf())
        y.backward()
        y.backward()

    @case
    def second_derivative():
        x = leaf()
        (g,) = autograd.grad(f(x), x, create_graph=True)
        autograd.grad(g.sum(), x)

    @case
    def a_graph_of_a_gradient_that_is_dropped():
        x = leaf()
        autograd.grad(f(x), x, create_graph=True)

    @case
    def saved_results():
        y = leaf().exp().tanh().sigmoid().sqrt().softmax(0).sum()
        y.grad_fn.next_functions[0][0].next_functions
        y.backward()

    @case
    def saved_results_of_a_node():
        leaf().exp().grad_fn._saved_result

    @case
    def several_results():
        a, b = (leaf(6) * 2).chunk(2)
        (a * b).cumsum(0).max(0).values.backward()

    @case
    def in_place():
        y = leaf() * 2
        y.mul_(3)
        y.exp_()
        y[1:3].mul_(2)
        y[0] = y[1]
        y.sum().backward()

    @case
    def in_place_and_dropped():
        y = leaf() * 2
        v = y[1:3]
        v.view(2, 1).exp_()
        y.grad_fn

    @case
    def a_version_that_is_too_new():
        y = leaf().exp()
        y.mul_(2)
        y.sum().backward()

    @case
    def hooks():
        x = leaf()
        y = x * 2
        x.register_hook(lambda g: None)
        x.register_post_accumulate_grad_hook(lambda p: None)
        y.register_hook(lambda g: g * 2)
        y.retain_grad()
        y.grad_fn.register_hook(lambda a, b: None)
        y.grad_fn.register_prehook(lambda g: None)
        y.sum().backward()

    @case
    def hooks_that_are_dropped():
        y = leaf() * 2
        y.register_hook(lambda g: g * 2)
        y.retain_grad()

    @case
    def a_hook_that_raises():
        y = leaf() * 2
        y.register_hook(stop)
        y.sum().backward()

    @case
    def a_hook_on_several():
        x, y = leaf(), leaf()
        z = x * y
        autograd.graph.register_multi_grad_hook([x, y, z], lambda grads: None)
        (2 * z).sum().backward()

    @case
    def saved_tensors_hooks():
        with autograd.graph.saved_tensors_hooks(lambda t: t, lambda t: t):
            y = f(leaf())
        y.backward()

    @case
    def forward_mode():
        x = leaf()
        with autograd.forward_ad.dual_level():
            autograd.forward_ad.unpack_dual(f(autograd.forward_ad.make_dual(x, x.detach())))

    @case
    def forward_mode_that_raises():
        x = leaf()
        with autograd.forward_ad.dual_level():
            y = f(autograd.forward_ad.make_dual(x, x.detach()))
            stop(y)

    for function in (Square, Exp, WithSetup, StopsForward, StopsBackward):
        name = f"Function {function.__name__}"
        found[name] = lambda function=function: function.apply(leaf()).sum().backward()
        found[f"{name} dropped"] = lambda function=function: function.apply(leaf())

    @case
    def second_derivative_of_a_function():
        x = leaf()
        autograd.grad(Square.apply(x).sum(), x, create_graph=True)[0].sum().backward()
        x.grad = None

    for reentrant in (False, True):
        name = f"checkpoint, use_reentrant={reentrant}"

        def run(g, reentrant=reentrant):
            return torch.utils.checkpoint.checkpoint(g, leaf(), use_reentrant=reentrant)

        found[name] = lambda run=run: run(f).backward()
        found[f"{name} dropped"] = lambda run=run: run(f)
        found[f"{name} raises"] = lambda run=run: run(stop)

    transforms = {
        "func.grad": func.grad,
        "func.vjp": lambda f: lambda x: func.vjp(f, x)[1](torch.ones((), dtype=x.dtype)),
        "func.jvp": lambda f: lambda x: func.jvp(f, (x,), (x,)),
        "func.jacrev": func.jacrev,
        "func.jacfwd": func.jacfwd,
        "func.hessian": func.hessian,
        "func.linearize": lambda f: lambda x: func.linearize(f, x)[1](x),
        "func.vmap": lambda f: lambda x: func.vmap(f)(x.expand(3, 5)),
        "func.vmap of grad": lambda f: lambda x: func.vmap(func.grad(f))(x.expand(3, 5)),
        "functional.vjp": lambda f: lambda x: functional.vjp(f, x),
        "functional.jvp": lambda f: lambda x: functional.jvp(f, x, x),
        "functional.jacobian": lambda f: lambda x: functional.jacobian(f, x),
        "functional.jacobian vectorized": lambda f: lambda x: functional.jacobian(f, x, vectorize=True),
        "functional.hessian": lambda f: lambda x: functional.hessian(f, x),
        "functional.hvp": lambda f: lambda x: functional.hvp(f, x, x),
        "functional.vhp": lambda f: lambda x: functional.vhp(f, x, x),
    }
    for name, transform in transforms.items():
        found[name] = lambda transform=transform: transform(f)(leaf().detach())
        found[f"{name} of what requires grad"] = lambda transform=transform: transform(f)(leaf())
        found[f"{name} raises"] = lambda transform=transform: transform(stop)(leaf().detach())
    return found


@pytest.mark.parametrize("name", cases(ours))
def test_nothing_is_left(name):
    cycles, arrays = leftovers(cases(ours)[name], (Stop, RuntimeError))
    assert not cycles
    assert arrays == 0


def test_the_cycle_that_pytorch_warns_of():
    """`backward(create_graph=True)` puts a graph into x.grad that ends in x; setting x.grad to None opens the cycle."""

    def run(end):
        x = ours.ones(5, requires_grad=True)
        with pytest.warns(UserWarning, match="reference cycle"):
            x.sin().sum().backward(create_graph=True)
        end(x)

    assert leftovers(lambda: run(lambda x: None))[0]
    assert not leftovers(lambda: run(lambda x: setattr(x, "grad", None)))[0]
