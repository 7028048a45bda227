"""Gradients of tables are dense, also where a program asks for sparse ones, and trains alike."""

import pytest

from funcgrad import torch


@pytest.mark.parametrize("cls", [torch.nn.Embedding, torch.nn.EmbeddingBag])
def test_sparse_gradients_are_dense(cls):
    layer = cls(4, 3, sparse=True)
    numbers = torch.tensor([[0, 2, 2]])
    dense = cls(4, 3, _weight=layer.weight.detach().clone())
    for module in (layer, dense):
        (module(numbers) ** 2).sum().backward()
        torch.optim.SGD(module.parameters(), lr=0.1).step()
    assert not layer.weight.grad.is_sparse
    assert torch.equal(layer.weight.grad, dense.weight.grad)
    assert torch.equal(layer.weight, dense.weight)
