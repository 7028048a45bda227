"""Softmax over very many classes, most of them rare: `AdaptiveLogSoftmaxWithLoss`."""

from __future__ import annotations

import itertools
from collections import namedtuple
from collections.abc import Sequence
from typing import Any

from funcgrad.core.faces import publish
from funcgrad.torch.base.naming import show_as_torch
from funcgrad.torch.nn.modules.container import ModuleList, Sequential
from funcgrad.torch.nn.modules.linear import Linear
from funcgrad.torch.nn.modules.module import Module
from funcgrad.torch.tensor.tensor import Tensor
from funcgrad.torch.texts import losses as texts

__all__ = ["AdaptiveLogSoftmaxWithLoss"]

_ASMoutput = namedtuple("_ASMoutput", ["output", "loss"])


class AdaptiveLogSoftmaxWithLoss(Module):
    """The logarithms of probabilities of classes that stand in the order of their frequency, and the loss.

    A head computes those of the frequent classes and of clusters of rare ones; each cluster has a smaller tail, which
    is computed for its own classes only. See E. Grave et al., Efficient softmax approximation for GPUs (2017).

    Arguments:
        in_features: the size of an input.
        n_classes: how many classes there are.
        cutoffs: at which class each cluster begins.
        div_value: by how much the size of each further tail is divided.
        head_bias: whether the head has a bias.
        device: the cpu.
        dtype: of the parameters.

    Example:
        >>> from funcgrad import torch
        >>> layer = torch.nn.AdaptiveLogSoftmaxWithLoss(8, 20, cutoffs=[5, 10])
        >>> layer(torch.ones(3, 8), torch.tensor([0, 7, 19])).output.shape
        torch.Size([3])
    """

    in_features: int
    n_classes: int
    cutoffs: list[int]
    div_value: float
    head_bias: bool
    head: Linear
    tail: ModuleList

    def __init__(
        self,
        in_features: int,
        n_classes: int,
        cutoffs: Sequence[int],
        div_value: float = 4.0,
        head_bias: bool = False,
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        super().__init__()
        cutoffs = list(cutoffs)
        if not cutoffs:
            raise ValueError("cutoffs should be a sequence of length larger than 0")
        if (
            cutoffs != sorted(set(cutoffs))
            or min(cutoffs) <= 0
            or max(cutoffs) > n_classes - 1
            or any(int(c) != c for c in cutoffs)
        ):
            raise ValueError(texts.CUTOFFS)
        self.in_features = in_features
        self.n_classes = n_classes
        self.cutoffs = [*cutoffs, n_classes]
        self.div_value = div_value
        self.head_bias = head_bias
        self.shortlist_size = self.cutoffs[0]
        self.n_clusters = len(self.cutoffs) - 1
        self.head_size = self.shortlist_size + self.n_clusters
        made = {"device": device, "dtype": dtype}
        self.head = Linear(in_features, self.head_size, bias=head_bias, **made)
        self.tail = ModuleList()
        for i, (start, stop) in enumerate(itertools.pairwise(self.cutoffs)):
            hidden = int(in_features // div_value ** (i + 1))
            self.tail.append(
                Sequential(
                    Linear(in_features, hidden, bias=False, **made), Linear(hidden, stop - start, bias=False, **made)
                )
            )

    def reset_parameters(self) -> None:
        """Draw the parameters anew."""
        self.head.reset_parameters()
        cluster: Any
        for cluster in self.tail:
            for layer in cluster:
                layer.reset_parameters()

    def forward(self, input_: Tensor, target_: Tensor) -> Any:
        """The logarithm of the probability of each target, `output`, and minus their mean, `loss`.

        Arguments:
            input_: (n, in_features) or (in_features,).
            target_: (n,) or (): the true classes.
        """
        batched = self._check(input_, target_)
        input, target = (input_, target_) if batched else (input_.unsqueeze(0), target_.unsqueeze(0))
        n = target.size(0)
        output, head_classes = input.new_zeros(n), target.new_empty(n)
        found = 0
        for i, (low, high) in enumerate(itertools.pairwise([0, *self.cutoffs])):
            here = (target >= low) & (target < high)
            rows = here.nonzero().squeeze()
            if rows.numel() == 0:
                continue
            found += rows.numel()
            if i == 0:
                head_classes.index_copy_(0, rows, target[here])
                continue
            head_classes.index_fill_(0, rows, self.shortlist_size + i - 1)
            scores = self.tail[i - 1](input.index_select(0, rows)).log_softmax(1)
            own = scores.gather(1, (target[here] - low).unsqueeze(1))
            output.index_copy_(0, rows, own.squeeze(1))
        if found != n:
            outside = {"last": self.n_classes - 1, "low": target.min().item(), "high": target.max().item()}
            raise RuntimeError(texts.ADAPTIVE_TARGETS.format(**outside))
        head = self.head(input).log_softmax(1)
        output += head.gather(1, head_classes.unsqueeze(1)).squeeze()
        loss = (-output).mean()
        return _ASMoutput(output if batched else output.squeeze(0), loss)

    @staticmethod
    def _check(input: Tensor, target: Tensor) -> bool:
        """Whether there are several examples."""
        if target.dim() > 1:
            raise RuntimeError("0D or 1D target tensor expected, multi-target not supported")
        if target.dim() == 1 and input.size(0) != target.size(0):
            raise RuntimeError(texts.ADAPTIVE_BATCH)
        if input.dim() != target.dim() + 1:
            sizes = {"target": target.dim(), "input": target.dim() + 1, "size": input.size()}
            raise RuntimeError(texts.ADAPTIVE_DIMENSIONS.format(**sizes))
        return target.dim() == 1

    def _full_log_prob(self, input: Tensor, head_output: Tensor) -> Tensor:
        """The logarithms of the probabilities of all classes."""
        out = input.new_empty((head_output.size(0), self.n_classes))
        head = head_output.log_softmax(1)
        out[:, : self.shortlist_size] = head[:, : self.shortlist_size]
        for i, (start, stop) in enumerate(itertools.pairwise(self.cutoffs)):
            cluster = self.tail[i](input).log_softmax(1)
            out[:, start:stop] = cluster + head[:, self.shortlist_size + i].unsqueeze(1)
        return out

    def log_prob(self, input: Tensor) -> Tensor:
        """The logarithms of the probabilities of all classes, (n, n_classes)."""
        return self._full_log_prob(input, self.head(input))

    def predict(self, input: Tensor) -> Tensor:
        """The class that is the most probable one, (n,)."""
        head_output = self.head(input)
        output = head_output.argmax(dim=1)
        rare = output >= self.shortlist_size
        if not rare.any():
            return output
        if rare.all():
            return self._full_log_prob(input, head_output).argmax(dim=1)
        output[rare] = self._full_log_prob(input[rare], head_output[rare]).argmax(dim=1)
        return output


show_as_torch(__name__)
publish(__name__)
