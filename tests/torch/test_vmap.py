"""torch.vmap: batches, views and writing in place, random numbers, and what it refuses, in torch's words."""

import numpy as np
import pytest

from funcgrad import torch
from funcgrad.torch import vmap
from funcgrad.torch.func import grad, jvp


def same(found, expected):
    np.testing.assert_allclose(found.detach().numpy(), expected, rtol=1e-6)


def counted(*shape):
    return torch.arange(float(np.prod(shape))).reshape(shape).clone()


# Arguments and results.


def test_where_the_examples_lie():
    x = counted(2, 3)
    same(vmap(torch.sum)(x), [3, 12])
    same(vmap(torch.sum, in_dims=1)(x), [3, 5, 7])
    assert vmap(lambda a, b: a * b, in_dims=(None, 0))(x, torch.ones(4)).shape == (4, 2, 3)
    same(vmap(lambda d: d["a"] * d["b"], in_dims=({"a": 0, "b": None},))({"a": x, "b": x[0]}), x * x[0])
    same(vmap(lambda a: (a, 2 * a), out_dims=(0, 1))(x)[1], 2 * x.T.numpy())
    same(vmap(lambda a, k: a + k)(torch.ones(2), k=torch.tensor([1.0, 2.0])), [[2, 3], [2, 3]])  # k is not mapped
    same(vmap(lambda a: torch.ones(2))(x), np.ones((2, 2)))
    same(vmap(vmap(lambda a, b: a * b, (None, 0)), (0, None))(x[0], x[1]), np.outer(x[0], x[1]))
    assert vmap(lambda a: None, out_dims=None)(x) is None


@pytest.mark.parametrize("chunk_size", [1, 2, 3, 100])
def test_chunks(chunk_size):
    x = counted(5, 3)
    same(vmap(torch.sum, chunk_size=chunk_size)(x), x.sum(1))
    same(vmap(lambda a: 2 * a, in_dims=1, out_dims=1, chunk_size=chunk_size)(x), 2 * x)


X = counted(2, 3)


@pytest.mark.parametrize(
    ("call", "error", "words"),
    [
        (lambda: vmap(torch.sin)(), ValueError, "vmap(sin)(<inputs>): got no inputs. Maybe you forgot to add inputs"),
        (lambda: vmap(torch.sin, [0])(X), ValueError, "expected `in_dims` to be int or a (potentially nested) tuple"),
        (lambda: vmap(torch.mul, (0,))(X, X), ValueError, "in_dims has structure TreeSpec(tuple, None, [*]) but"),
        (lambda: vmap(torch.sin, 2)(X), ValueError, "dimensionality 2 so expected in_dim to satisfy -2 <= in_dim < 2"),
        (lambda: vmap(torch.mul)(X, 3.0), ValueError, "is of type <class 'float'>. We cannot vmap over non-Tensor"),
        (lambda: vmap(torch.mul)(X, X.T), ValueError, "same size in the mapped dimension, got sizes [2, 3]"),
        (lambda: vmap(lambda x: 3)(X), ValueError, "must only return Tensors, got type <class 'int'>"),
        (lambda: vmap(torch.sin, out_dims=None)(X), ValueError, "can not return a BatchedTensor when out_dim is None"),
        (lambda: vmap(torch.sin, out_dims=2)(X), IndexError, "expected to be in range of [-2, 1], but got 2"),
        (lambda: vmap(lambda x: (x, x), out_dims=(0,))(X), ValueError, "is not compatible with the structure of `out"),
        (lambda: vmap(torch.sin, randomness="no"), RuntimeError, "are 'error', 'different', or 'same'. Got no"),
        (lambda: vmap(torch.sin, chunk_size=0), ValueError, "chunk_size should be None or greater than 0. (got 0)"),
        (lambda: vmap(lambda x: x.sum().item())(X), RuntimeError, "you're calling .item() on a Tensor"),
        (lambda: vmap(lambda x: x if x.sum() > 0 else -x)(X), RuntimeError, "in some data-dependent control flow"),
        (lambda: vmap(lambda x: x.numpy())(X), RuntimeError, "Cannot access data pointer of Tensor that doesn't have"),
        (lambda: vmap(lambda x: x.data_ptr())(X), RuntimeError, "Cannot access data pointer of Tensor that doesn't"),
        (lambda: vmap(lambda x: x.data)(X), RuntimeError, "accessing `data` under vmap transform is not allowed"),
        (lambda: vmap(torch.nonzero)(X), RuntimeError, "Attempted to vmap over aten::nonzero."),
        (lambda: vmap(torch.where)(X), RuntimeError, "Attempted to vmap over aten::where."),
        (lambda: vmap(torch.unique)(X), RuntimeError, "Attempted to vmap over aten::_unique2."),
        (lambda: vmap(lambda x: x[x > 1])(X), RuntimeError, "Attempting to batch over indexing with a boolean mask."),
        (lambda: vmap(lambda x: x.masked_select(x > 1))(X), RuntimeError, "vmap over `mask` in torch.masked_select"),
        (lambda: vmap(torch.allclose)(X, X), RuntimeError, "vmap over torch.allclose isn't supported yet."),
        (lambda: vmap(torch.equal)(X, X), RuntimeError, "Batching rule not implemented for aten::equal."),
        (lambda: vmap(lambda x, y: torch.abs(x, out=y))(X, X), RuntimeError, "not implemented for aten::abs.out; the"),
        (lambda: vmap(lambda x: x.requires_grad_())(X), RuntimeError, "attempting to call Tensor.requires_grad_()"),
        (lambda: vmap(lambda x: x.sum().backward())(X), RuntimeError, "backward() called inside a functorch transform"),
    ],
)  # fmt: skip
def test_errors(call, error, words):
    with pytest.raises(error) as e:
        call()
    assert words in str(e.value)


def test_tensors_that_outlive_vmap():
    kept = []
    vmap(lambda x: kept.append(x) or x)(X)
    with pytest.raises(RuntimeError, match="may have escaped from inside a function being vmapped"):
        kept[0] + 1


def test_repr():
    texts = []
    vmap(lambda x: texts.append(repr(x)) or x, in_dims=1)(X)
    vmap(grad(lambda x: texts.append(repr(x)) or x))(torch.ones(2))
    assert texts == [
        "BatchedTensor(lvl=1, bdim=1, value=\n    tensor([[0., 1., 2.],\n            [3., 4., 5.]])\n)",
        "GradTrackingTensor(lvl=2, value=\n    BatchedTensor(lvl=1, bdim=0, value=\n        tensor([1., 1.])\n    )\n)",
    ]


# Views and memory.


def test_results_that_are_arguments():
    x = counted(2, 3)
    assert vmap(lambda t: t)(x) is x
    assert vmap(lambda t: t, in_dims=1, out_dims=1)(x) is x
    assert vmap(vmap(lambda t: t))(x) is x
    turned = vmap(lambda t: t, out_dims=1)(x)
    assert turned._base is x
    assert turned.shape == (3, 2)


@pytest.mark.parametrize(
    "look",
    [
        lambda t: t[0],
        lambda t: t[1:],
        lambda t: t.narrow(0, 1, 0),
        lambda t: t.unsqueeze(0),
        lambda t: t.view(-1),
        lambda t: t.diagonal(),
        lambda t: t.transpose(0, 1),
        lambda t: t.unbind()[0],
        lambda t: t.unsqueeze(0).expand(2, 3, 3),
    ],
)
def test_results_that_are_views(look):
    x = counted(2, 3, 3)
    assert vmap(look)(x)._base is x
    nested = x.unsqueeze(0)
    assert vmap(vmap(look))(nested)._base is x


def test_strides_are_those_of_memory():
    seen = []

    def f(t):
        seen.append((t.stride(), t.is_contiguous(), t.contiguous() is t))
        return t.reshape(-1)

    vmap(f, in_dims=1)(counted(2, 3, 2))
    vmap(f)(counted(2, 3, 2))
    assert seen == [((6, 1), False, False), ((2, 1), True, True)]
    with pytest.raises(RuntimeError, match="view size is not compatible with input tensor's size and stride"):
        vmap(lambda t: t.view(-1), in_dims=1)(counted(2, 3, 2))


# Writing in place.


def add_one(t):
    t += 1
    return t


def test_writing_into_arguments():
    x = torch.zeros(2, 3)
    assert vmap(add_one)(x) is x
    assert vmap(add_one, in_dims=1, out_dims=1)(x) is x
    vmap(vmap(add_one), in_dims=1)(x)
    same(x, 3 * np.ones((2, 3)))
    vmap(lambda t: t.__setitem__(0, t[1] + 4) or t, in_dims=1)(x)
    same(x, [[7, 7, 7], [3, 3, 3]])
    vmap(lambda t: jvp(lambda u: u.mul_(2), (t,), (t,)))(x)
    same(x, [[14, 14, 14], [6, 6, 6]])


def test_writing_into_views():
    def f(t):
        t = t.clone()
        t[0].mul_(3)
        t.view(-1)[1:] += 10
        return t

    x = counted(2, 2)
    same(vmap(f)(x), [[0, 11], [6, 13]])
    same(vmap(grad(lambda t: f(t).sum()))(x), [[3, 1], [3, 1]])


def test_writing_and_history():
    leaf = torch.zeros(2, requires_grad=True)
    with pytest.raises(RuntimeError, match="a leaf Variable that requires grad is being used in an in-place"):
        vmap(add_one)(leaf)
    y = leaf * 2
    vmap(lambda t: t.mul_(3))(y)
    same(torch.autograd.grad(y.sum(), leaf)[0], [6, 6])


@pytest.mark.parametrize(
    "f", [lambda y, x: y.copy_(x), lambda y, x: y.__setitem__(0, x), lambda y, x: torch.zeros(3).copy_(x)]
)
def test_what_is_written_must_be_batched(f):
    with pytest.raises(RuntimeError, match=r"vmap: inplace arithmetic\(self, \*extra_args\) is not possible because"):
        vmap(lambda x: f(torch.zeros(2), x) and x)(torch.ones(2))


@pytest.mark.parametrize("new", [torch.zeros_like, lambda t: t.new_zeros(3), lambda t: t.new_empty(3)])
def test_tensors_like_an_example_are_batched(new):
    same(vmap(lambda t: new(t).copy_(t))(counted(2, 3)), counted(2, 3))


def test_captured_tensors_may_be_written_into():
    captured = torch.zeros(2)
    vmap(lambda x: (captured.add_(1), x)[1])(torch.ones(3))
    same(captured, [1, 1])


# Random numbers. Recorded from torch after manual_seed(0).


def drawn(f, randomness, *shape, in_dims=0, **options):
    torch.manual_seed(0)
    return (
        vmap(f, in_dims=in_dims, randomness=randomness, **options)(torch.ones(shape)).double().numpy().round(4).tolist()
    )


def test_random_numbers():
    rand = lambda t: torch.rand(2)
    assert drawn(rand, "different", 2) == [[0.4963, 0.7682], [0.0885, 0.132]]
    assert drawn(rand, "same", 2) == [[0.4963, 0.7682]] * 2
    assert drawn(vmap(rand, randomness="same"), "different", 2, 2) == [[[0.4963, 0.7682]] * 2, [[0.0885, 0.132]] * 2]
    assert drawn(torch.rand_like, "same", 2, 2) == [[0.4963, 0.7682]] * 2
    assert drawn(lambda t: torch.normal(t, 1.0), "different", 2, 2) == [[2.541, 0.7066], [-1.1788, 1.5684]]
    assert drawn(lambda t: t.normal_(), "different", 3) == [1.541, -0.2934, -2.1788]
    assert drawn(lambda t: t.normal_(), "same", 3) == [1.541] * 3
    by_column = drawn(lambda t: t.uniform_(), "different", 3, 2, in_dims=1)
    assert by_column == [[0.4963, 0.0885, 0.3074], [0.7682, 0.132, 0.6341]]
    assert drawn(lambda t: t.bernoulli_(t / 2), "different", 2, 3) == [[1, 0, 1], [1, 1, 0]]
    assert drawn(lambda t: torch.multinomial(torch.ones(4), 2), "different", 2) == [[2, 1], [2, 3]]
    assert drawn(grad(lambda t: (t * torch.rand(2)).sum()), "different", 2, 2) == [[0.4963, 0.7682], [0.0885, 0.132]]
    permuted = vmap(lambda t: torch.randperm(3), randomness="different")
    assert drawn(permuted, "different", 2, 2) == [[[2, 0, 1], [1, 2, 0]], [[2, 1, 0], [1, 2, 0]]]


def test_random_numbers_in_chunks():
    rand = lambda t: torch.rand(1)
    assert drawn(rand, "same", 4, chunk_size=2) == [[0.4963]] * 4
    assert drawn(rand, "different", 4, chunk_size=2) == [[0.4963], [0.7682], [0.0885], [0.132]]


@pytest.mark.parametrize("randomness", ["same", "different"])
@pytest.mark.parametrize("name", ["dropout", "alpha_dropout", "feature_dropout"])
def test_dropout(name, randomness):
    found = np.array(drawn(lambda t: getattr(torch, name)(t, 0.5, True), randomness, 8, 4, 6))
    assert len(np.unique(found)) == 2
    assert (found == found[0]).all() == (randomness == "same")


Y = torch.ones(3)


@pytest.mark.parametrize(
    ("f", "randomness", "words"),
    [
        (lambda t: torch.rand(2), "error", "vmap: called random operation while in randomness error mode."),
        (lambda t: t.normal_(), "error", "vmap: called random operation while in randomness error mode."),
        (torch.bernoulli, "same", "Vmap does not currently support same randomness with a batched tensor input."),
        (lambda t: torch.ones(3).normal_(), "different", "different inplace randomness on an unbatched tensor"),
        (lambda t: torch.zeros(()).bernoulli_(t), "different", r"inplace bernoulli\(self, \*extra_args\) is not"),
        (lambda t: torch.randn(3, out=Y), "same", "do not support calling out variants of random operations inside of"),
    ],
)
def test_random_errors(f, randomness, words):
    with pytest.raises(RuntimeError, match=words):
        vmap(f, randomness=randomness)(torch.ones(3))


# Many operations on a batch agree with a loop over its examples.


@pytest.mark.parametrize(
    "f",
    [
        torch.argmax,
        torch.inverse,
        torch.linalg.norm,
        lambda t: t.sort().values,
        lambda t: t.softmax(0) @ t,
        lambda t: t.cumsum(1).std(0),
        lambda t: torch.cat([t, t.T], 1),
        lambda t: torch.where(t > 1, t, -t),
        lambda t: torch.einsum("ij,kj->ik", t, t),
        lambda t: t[t.argmax(0), torch.arange(3)],
        lambda t: t[t.sum().long() % 3],
        lambda t: torch.zeros(3).scatter(0, t[0].argmax(0, keepdim=True), 1.0),
        lambda t: sum(u * u for u in t),
        grad(lambda t: (t @ t).logsumexp((0, 1))),
    ],
)
@pytest.mark.parametrize("dim", [0, 2])
def test_as_a_loop(f, dim):
    x = torch.rand(4, 3, 3, generator=torch.Generator().manual_seed(1)).movedim(0, dim)
    want = np.stack([np.asarray(f(x.select(dim, i).contiguous())) for i in range(4)])
    np.testing.assert_allclose(vmap(f, in_dims=dim)(x).numpy(), want, rtol=1e-4, atol=1e-5)


def test_per_example_gradients():
    params = [torch.randn(64, 64) / 8, torch.randn(10, 64) / 8]
    xs, ys = torch.randn(32, 64), torch.randint(0, 10, (32,))

    def loss(params, x, y):
        out = params[1] @ torch.tanh(params[0] @ x)
        return out.logsumexp(0) - out[y]

    def batch():
        return vmap(grad(loss), (None, 0, 0))(params, xs, ys)

    def loop():
        return [grad(loss)(params, x, y) for x, y in zip(xs, ys, strict=True)]

    np.testing.assert_allclose(batch()[0].numpy(), np.stack([g[0].numpy() for g in loop()]), rtol=1e-3, atol=1e-6)
