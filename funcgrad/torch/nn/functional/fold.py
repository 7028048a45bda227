"""Windows as columns, and back."""

from __future__ import annotations

from typing import Any

from funcgrad.core.faces import publish
from funcgrad.torch.declare.op import namespaces
from funcgrad.torch.ops.nn import sliding_blocks as _blocks
from funcgrad.torch.tensor.tensor import Tensor

__all__ = ["fold", "unfold"]

assert _blocks  # its rows are declared
_im2col, _col2im = namespaces["_nn"]["im2col"], namespaces["_nn"]["col2im"]


def unfold(input: Tensor, kernel_size: Any, dilation: Any = 1, padding: Any = 0, stride: Any = 1) -> Tensor:
    """The windows of images as columns.

    Arguments:
        input: "n c h w", or "c h w".
        kernel_size, dilation, padding, stride: of the windows; a number, or one for each dimension.

    Returns:
        "n c·kh·kw windows".

    Example:
        >>> from funcgrad import torch
        >>> torch.nn.functional.unfold(torch.arange(4.0).reshape(1, 1, 2, 2), (1, 2))
        tensor([[[0., 2.],
                 [1., 3.]]])
    """
    return _im2col(input, kernel_size, dilation, padding, stride)


def fold(
    input: Tensor, output_size: Any, kernel_size: Any, dilation: Any = 1, padding: Any = 0, stride: Any = 1
) -> Tensor:
    """Images of columns, which are added up where windows overlap: the transpose of `unfold`.

    Arguments:
        input: "n c·kh·kw windows", or without n.
        output_size: of the images.
        kernel_size, dilation, padding, stride: as for `unfold`.

    Returns:
        "n c h w".
    """
    return _col2im(input, output_size, kernel_size, dilation, padding, stride)


publish(__name__)
