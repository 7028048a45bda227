"""Tables of vectors: `Embedding` and `EmbeddingBag`."""

from __future__ import annotations

from typing import Any, ClassVar

from funcgrad.core.faces import publish
from funcgrad.torch.base.modes import no_grad
from funcgrad.torch.base.naming import show_as_torch
from funcgrad.torch.declare.op import namespaces
from funcgrad.torch.nn import functional, init
from funcgrad.torch.nn.modules.module import Module
from funcgrad.torch.nn.parameter import Parameter
from funcgrad.torch.tensor.tensor import Tensor

__all__ = ["Embedding", "EmbeddingBag"]

empty = namespaces[""]["empty"]


def _padding(padding_idx: int | None, rows: int, message: str) -> int | None:
    """The number of the padding, counted from the front."""
    if padding_idx is None:
        return None
    if not -rows <= padding_idx < max(rows, 1):
        raise AssertionError(message)
    return padding_idx + rows if padding_idx < 0 else padding_idx


class _Table(Module):
    """What both have: a matrix of as many rows as there are vectors."""

    num_embeddings: int
    embedding_dim: int
    padding_idx: int | None
    max_norm: float | None
    norm_type: float
    scale_grad_by_freq: bool
    sparse: bool
    weight: Tensor

    def _make_weight(self, given: Tensor | None, requires_grad: bool, device: Any, dtype: Any) -> None:
        shape = [self.num_embeddings, self.embedding_dim]
        if given is None:
            self.weight = Parameter(empty(shape, device=device, dtype=dtype), requires_grad=requires_grad)
            self.reset_parameters()
            return
        if list(given.shape) != shape:
            raise AssertionError("Shape of weight does not match num_embeddings and embedding_dim")
        self.weight = Parameter(given, requires_grad=requires_grad)

    def reset_parameters(self) -> None:
        """Draw the table anew, with zeros for the padding."""
        init.normal_(self.weight)
        self._fill_padding_idx_with_zero()

    def _fill_padding_idx_with_zero(self) -> None:
        if self.padding_idx is not None:
            with no_grad():
                self.weight[self.padding_idx].fill_(0)


class Embedding(_Table):
    """A table of vectors, which are read by their numbers.

    Arguments:
        num_embeddings: how many vectors there are.
        embedding_dim: the size of each.
        padding_idx: the number of one that is zero at first and gets no gradient.
        max_norm: vectors that are read and are longer than this are made as long, in place.
        norm_type: of this norm.
        scale_grad_by_freq: whether gradients are divided by how often a vector was read.
        sparse: accepted; the gradient is dense in any case, as there are no sparse tensors.
        device: the cpu.
        dtype: of the table.

    Attributes:
        weight: "num_embeddings embedding_dim"; drawn from the normal distribution.

    Example:
        >>> from funcgrad import torch
        >>> torch.nn.Embedding(10, 3)(torch.tensor([[1, 2, 4, 5]])).shape
        torch.Size([1, 4, 3])
    """

    __constants__: ClassVar[list[str]] = [
        "num_embeddings", "embedding_dim", "padding_idx", "max_norm", "norm_type", "scale_grad_by_freq", "sparse",
    ]  # fmt: skip
    freeze: bool

    def __init__(
        self,
        num_embeddings: int,
        embedding_dim: int,
        padding_idx: int | None = None,
        max_norm: float | None = None,
        norm_type: float = 2.0,
        scale_grad_by_freq: bool = False,
        sparse: bool = False,
        _weight: Tensor | None = None,
        _freeze: bool = False,
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        super().__init__()
        self.num_embeddings = num_embeddings
        self.embedding_dim = embedding_dim
        self.padding_idx = _padding(padding_idx, num_embeddings, "Padding_idx must be within num_embeddings")
        self.max_norm = max_norm
        self.norm_type = norm_type
        self.scale_grad_by_freq = scale_grad_by_freq
        self._make_weight(_weight, not _freeze, device, dtype)
        self.sparse = sparse

    def forward(self, input: Tensor) -> Tensor:
        """The vectors with these numbers."""
        return functional.embedding(
            input,
            self.weight,
            self.padding_idx,
            self.max_norm,
            self.norm_type,
            self.scale_grad_by_freq,
            self.sparse,
        )

    def extra_repr(self) -> str:
        """The sizes, and what is not as by default."""
        parts = [f"{self.num_embeddings}, {self.embedding_dim}"]
        if self.padding_idx is not None:
            parts.append(f"padding_idx={self.padding_idx}")
        if self.max_norm is not None:
            parts.append(f"max_norm={self.max_norm}")
        if self.norm_type != 2:
            parts.append(f"norm_type={self.norm_type}")
        if self.scale_grad_by_freq is not False:
            parts.append(f"scale_grad_by_freq={self.scale_grad_by_freq}")
        if self.sparse is not False:
            parts.append("sparse=True")
        return ", ".join(parts)

    @classmethod
    def from_pretrained(
        cls,
        embeddings: Tensor,
        freeze: bool = True,
        padding_idx: int | None = None,
        max_norm: float | None = None,
        norm_type: float = 2.0,
        scale_grad_by_freq: bool = False,
        sparse: bool = False,
    ) -> Embedding:
        """A module with this table, which is not learned if it is frozen.

        Arguments:
            embeddings: "num_embeddings embedding_dim".
            freeze: whether the table does not require grad.
            padding_idx, max_norm, norm_type, scale_grad_by_freq, sparse: as for the module.
        """
        _check_table(embeddings)
        rows, columns = embeddings.shape
        return cls(
            num_embeddings=rows,
            embedding_dim=columns,
            _weight=embeddings,
            _freeze=freeze,
            padding_idx=padding_idx,
            max_norm=max_norm,
            norm_type=norm_type,
            scale_grad_by_freq=scale_grad_by_freq,
            sparse=sparse,
        )


def _check_table(embeddings: Tensor) -> None:
    if embeddings.dim() != 2:
        raise AssertionError("Embeddings parameter is expected to be 2-dimensional")


class EmbeddingBag(_Table):
    """A table of vectors, of which bags are read: their sums, means or maxima.

    Arguments:
        num_embeddings, embedding_dim, max_norm, norm_type, scale_grad_by_freq, sparse: as for `Embedding`.
        mode: "sum", "mean" or "max".
        include_last_offset: whether the last offset is the end of the last bag.
        padding_idx: the number of a vector that is zero at first, and left out.
        device: the cpu.
        dtype: of the table.

    Attributes:
        weight: "num_embeddings embedding_dim"; drawn from the normal distribution.

    Example:
        >>> from funcgrad import torch
        >>> torch.nn.EmbeddingBag(10, 3)(torch.tensor([[1, 2, 4, 5]])).shape
        torch.Size([1, 3])
    """

    __constants__: ClassVar[list[str]] = [
        "num_embeddings", "embedding_dim", "max_norm", "norm_type", "scale_grad_by_freq", "mode", "sparse",
        "include_last_offset", "padding_idx",
    ]  # fmt: skip
    mode: str
    include_last_offset: bool

    def __init__(
        self,
        num_embeddings: int,
        embedding_dim: int,
        max_norm: float | None = None,
        norm_type: float = 2.0,
        scale_grad_by_freq: bool = False,
        mode: str = "mean",
        sparse: bool = False,
        _weight: Tensor | None = None,
        include_last_offset: bool = False,
        padding_idx: int | None = None,
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        super().__init__()
        self.num_embeddings = num_embeddings
        self.embedding_dim = embedding_dim
        self.max_norm = max_norm
        self.norm_type = norm_type
        self.scale_grad_by_freq = scale_grad_by_freq
        self.padding_idx = _padding(padding_idx, num_embeddings, "padding_idx must be within num_embeddings")
        self._make_weight(_weight, True, device, dtype)
        self.mode = mode
        self.sparse = sparse
        self.include_last_offset = include_last_offset

    def forward(self, input: Tensor, offsets: Tensor | None = None, per_sample_weights: Tensor | None = None) -> Tensor:
        """The bags; arguments as for `functional.embedding_bag`."""
        return functional.embedding_bag(
            input,
            self.weight,
            offsets,
            self.max_norm,
            self.norm_type,
            self.scale_grad_by_freq,
            self.mode,
            self.sparse,
            per_sample_weights,
            self.include_last_offset,
            self.padding_idx,
        )

    def extra_repr(self) -> str:
        """The sizes, the mode, and what is not as by default."""
        parts = [f"{self.num_embeddings!r}, {self.embedding_dim!r}"]
        if self.max_norm is not None:
            parts.append(f"max_norm={self.max_norm!r}")
        if self.norm_type != 2:
            parts.append(f"norm_type={self.norm_type!r}")
        if self.scale_grad_by_freq is not False:
            parts.append(f"scale_grad_by_freq={self.scale_grad_by_freq!r}")
        parts.append(f"mode={self.mode!r}")
        if self.padding_idx is not None:
            parts.append(f"padding_idx={self.padding_idx!r}")
        return ", ".join(parts)

    @classmethod
    def from_pretrained(
        cls,
        embeddings: Tensor,
        freeze: bool = True,
        max_norm: float | None = None,
        norm_type: float = 2.0,
        scale_grad_by_freq: bool = False,
        mode: str = "mean",
        sparse: bool = False,
        include_last_offset: bool = False,
        padding_idx: int | None = None,
    ) -> EmbeddingBag:
        """A module with this table, which is not learned if it is frozen; arguments as for the module."""
        _check_table(embeddings)
        rows, columns = embeddings.shape
        made = cls(
            num_embeddings=rows,
            embedding_dim=columns,
            _weight=embeddings,
            max_norm=max_norm,
            norm_type=norm_type,
            scale_grad_by_freq=scale_grad_by_freq,
            mode=mode,
            sparse=sparse,
            include_last_offset=include_last_offset,
            padding_idx=padding_idx,
        )
        made.weight.requires_grad_(not freeze)
        return made


show_as_torch(__name__)
publish(__name__)
