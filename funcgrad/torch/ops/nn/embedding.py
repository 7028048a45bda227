"""Rows of a table by their numbers: `torch.embedding`, and the table's lengths bounded."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy import ndarray

from funcgrad.torch.base.dtypes import int32, int64, of_numpy
from funcgrad.torch.declare.checks import check_real_if_recorded
from funcgrad.torch.declare.op import op
from funcgrad.torch.primitives import embedding as core
from funcgrad.torch.tensor import inplace
from funcgrad.torch.tensor.operation import Operation
from funcgrad.torch.tensor.tensor import Tensor
from funcgrad.torch.tensor.values import wrapped
from funcgrad.torch.texts import embedding as texts
from funcgrad.torch.texts import indexing as indexing_texts

EMBEDDING = Operation(core.embedding, "EmbeddingBackward0", operands=("weight", "indices"), edges=1)
EMBEDDING_BACKWARD = Operation(
    core.embedding_backward, "EmbeddingDenseBackwardBackward0", operands=("grad_output", "indices"), edges=1
)


def check_numbers(x: Any, name: str, place: int, function: str, *, kinds: tuple = (int64, int32)) -> None:
    """Raise torch's error if a tensor is not of one of these dtypes."""
    d = of_numpy(x._value.dtype)
    if d not in kinds:
        expected = ", ".join([k.title for k in kinds])
        raise RuntimeError(
            texts.SCALAR_TYPES.format(place=place, name=name, types=expected, found=d.title, function=function)
        )


@op(
    "embedding",
    "(Tensor weight, Tensor indices, int padding_idx = -1, bool scale_grad_by_freq = False, bool sparse = False)",
    method=False,
    records=EMBEDDING,
)
def embedding(
    weight: Any, indices: Any, padding_idx: int = -1, scale_grad_by_freq: bool = False, sparse: bool = False
) -> Tensor:
    """Rows of a matrix by their numbers.

    Arguments:
        weight: (rows, features).
        indices: the numbers, of any shape.
        padding_idx: the number of a row that gets no gradient.
        scale_grad_by_freq: whether gradients are divided by how often a row was read.
        sparse: accepted; the gradient is dense in any case, as there are no sparse tensors.

    Returns:
        (..., features).
    """
    value = indices._value
    if weight._value.ndim != 2:
        raise RuntimeError("'weight' must be 2-D")
    check_numbers(indices, "indices", 1, "embedding")
    if type(value) is ndarray and value.size and (value.min() < 0 or value.max() >= weight._value.shape[0]):
        raise IndexError(indexing_texts.OUT_OF_RANGE)
    check_real_if_recorded("embedding", weight, weight)
    return EMBEDDING(weight, indices, padding=padding_idx, by_frequency=scale_grad_by_freq)


@op("embedding_renorm_", "(Tensor input, Tensor indices, float max_norm, float norm_type)", method=False)
def embedding_renorm_(input: Any, indices: Any, max_norm: float, norm_type: float) -> Tensor:
    """Shorten the rows with these numbers, in place, that are longer than a bound.

    Arguments:
        input: (rows, features).
        indices: the numbers.
        max_norm: the bound.
        norm_type: of the norm.
    """
    if input._value.ndim != 2:
        raise RuntimeError(texts.RENORM_DIMENSIONS.format(ndim=input._value.ndim))
    check_numbers(indices, "indices", 2, "embedding_renorm_")
    inplace.check_inplace(input, name="embedding_renorm_")
    table = np.array(input._value)
    rows = np.unique(indices._value)
    if rows.size and (rows[0] < 0 or rows[-1] >= len(table)):
        raise IndexError(indexing_texts.OUT_OF_RANGE)
    lengths = np.linalg.norm(table[rows].astype(np.float64), norm_type, 1)
    long = lengths > max_norm
    factors = (max_norm / (lengths[long] + 1e-7)).astype(table.dtype)
    table[rows[long]] *= factors[:, None]
    return inplace.write(input, wrapped(table), recorded=False)
