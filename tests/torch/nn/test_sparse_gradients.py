"""Sparse gradients of tables, which there are none of, are refused when they are asked for, and not before."""

import pytest

from funcgrad import torch


@pytest.mark.parametrize("cls", [torch.nn.Embedding, torch.nn.EmbeddingBag])
def test_sparse_gradients_are_refused_when_asked_for(cls):
    layer = cls(4, 3, sparse=True)
    numbers = torch.tensor([[0, 2, 2]])
    dense = cls(4, 3, _weight=layer.weight.detach())
    assert torch.equal(layer(numbers), dense(numbers))
    with pytest.raises(NotImplementedError, match="no sparse gradients: use sparse=False"):
        layer(numbers).sum().backward()
