"""Batch normalization, with statistics that training follows and evaluation uses."""

from __future__ import annotations

from typing import Any, ClassVar

from funcgrad.core.faces import publish
from funcgrad.torch.base.modes import no_grad
from funcgrad.torch.base.naming import show_as_torch
from funcgrad.torch.declare.op import namespaces
from funcgrad.torch.nn import functional, init
from funcgrad.torch.nn.modules.lazy import LazyModuleMixin
from funcgrad.torch.nn.modules.module import Module
from funcgrad.torch.nn.parameter import Parameter, UninitializedBuffer, UninitializedParameter
from funcgrad.torch.tensor.tensor import Tensor

__all__ = [
    "BatchNorm1d",
    "BatchNorm2d",
    "BatchNorm3d",
    "LazyBatchNorm1d",
    "LazyBatchNorm2d",
    "LazyBatchNorm3d",
    "SyncBatchNorm",
]

_torch = namespaces[""]


class _NormBase(Module):
    """What batch and instance normalization have: a weight and a bias, and running statistics.

    Attributes:
        ndims: the numbers of dimensions that an input may have.
    """

    _version = 2
    __constants__: ClassVar[list[str]] = ["track_running_stats", "momentum", "eps", "num_features", "affine"]
    ndims: ClassVar[tuple[int, int] | None] = None
    num_features: int
    eps: float
    momentum: float | None
    affine: bool
    track_running_stats: bool
    weight: Any
    bias: Any
    running_mean: Any
    running_var: Any
    num_batches_tracked: Any

    def __init__(
        self,
        num_features: int,
        eps: float = 1e-05,
        momentum: float | None = 0.1,
        affine: bool = True,
        track_running_stats: bool = True,
        device: Any = None,
        dtype: Any = None,
        *,
        bias: bool = True,
    ) -> None:
        super().__init__()
        options = {"device": device, "dtype": dtype}
        self.num_features = num_features
        self.eps = eps
        self.momentum = momentum
        self.affine = affine
        self.track_running_stats = track_running_stats
        for name, there in (("weight", affine), ("bias", affine and bias)):
            if there:
                setattr(self, name, Parameter(_torch["empty"](num_features, **options)))
            else:
                self.register_parameter(name, None)
        tracked = track_running_stats
        self.register_buffer("running_mean", _torch["zeros"](num_features, **options) if tracked else None)
        self.register_buffer("running_var", _torch["ones"](num_features, **options) if tracked else None)
        self.register_buffer("num_batches_tracked", _torch["tensor"](0, device=device) if tracked else None)
        self.reset_parameters()

    def reset_running_stats(self) -> None:
        """Set the statistics to mean 0 and variance 1, of no batches."""
        if self.track_running_stats:
            self.running_mean.zero_()
            self.running_var.fill_(1)
            self.num_batches_tracked.zero_()

    def reset_parameters(self) -> None:
        """Set the statistics, the weight and the bias to where they start from."""
        self.reset_running_stats()
        if self.affine:
            init.ones_(self.weight)
            if self.bias is not None:
                init.zeros_(self.bias)

    def _check_input_dim(self, input: Tensor) -> None:
        if self.ndims is None:
            raise NotImplementedError
        few, many = self.ndims
        if input.dim() not in self.ndims:
            raise ValueError(f"expected {few}D or {many}D input (got {input.dim()}D input)")

    def extra_repr(self) -> str:
        """The arguments."""
        return (
            f"{self.num_features}, eps={self.eps}, momentum={self.momentum}, affine={self.affine}, "
            f"bias={self.bias is not None}, track_running_stats={self.track_running_stats}"
        )

    def _load_from_state_dict(
        self, state_dict: Any, prefix: str, local_metadata: Any, strict: bool, *lists: list
    ) -> None:
        version = local_metadata.get("version", None)
        if (version is None or version < 2) and self.track_running_stats:
            # states of before there was the number of batches
            key = prefix + "num_batches_tracked"
            if key not in state_dict:
                count = self.num_batches_tracked
                state_dict[key] = _torch["tensor"](0) if count is None else count
        super()._load_from_state_dict(state_dict, prefix, local_metadata, strict, *lists)


class _BatchNorm(_NormBase):
    def forward(self, input: Tensor) -> Tensor:
        """`functional.batch_norm`, by the batch's statistics in training, or if there are no running ones."""
        self._check_input_dim(input)
        factor = 0.0 if self.momentum is None else self.momentum
        if self.training and self.track_running_stats and self.num_batches_tracked is not None:
            self.num_batches_tracked.add_(1)
            if self.momentum is None:
                factor = 1.0 / float(self.num_batches_tracked)
        kept = not self.training or self.track_running_stats
        return functional.batch_norm(
            input,
            self.running_mean if kept else None,
            self.running_var if kept else None,
            self.weight,
            self.bias,
            self.training or (self.running_mean is None and self.running_var is None),
            factor,
            self.eps,
        )


class _LazyNormBase(LazyModuleMixin, _NormBase):
    def __init__(
        self,
        eps: float = 1e-05,
        momentum: float | None = 0.1,
        affine: bool = True,
        track_running_stats: bool = True,
        device: Any = None,
        dtype: Any = None,
        *,
        bias: bool = True,
    ) -> None:
        options = {"device": device, "dtype": dtype}
        super().__init__(0, eps, momentum, False, False, **options, bias=False)
        self.affine = affine
        self.track_running_stats = track_running_stats
        if affine:
            self.weight = UninitializedParameter(**options)
            if bias:
                self.bias = UninitializedParameter(**options)
        if track_running_stats:
            self.running_mean = UninitializedBuffer(**options)
            self.running_var = UninitializedBuffer(**options)
            self.num_batches_tracked = _torch["tensor"](0, device=device)

    def reset_parameters(self) -> None:
        """As for other normalizations, once the number of channels is known."""
        if not self.has_uninitialized_params() and self.num_features != 0:
            super().reset_parameters()

    def initialize_parameters(self, input: Tensor) -> None:
        """Take the number of channels from the first input."""
        if not self.has_uninitialized_params():
            return
        self.num_features = input.shape[1]
        tracked = (self.running_mean, self.running_var) if self.track_running_stats else ()
        for t in ((self.weight, self.bias) if self.affine else ()) + tracked:
            if t is not None:
                t.materialize((self.num_features,))
        self.reset_parameters()


class BatchNorm1d(_BatchNorm):
    """Each channel of a batch brought to mean 0 and variance 1, then scaled and shifted: "batch channels (length)".

    Arguments:
        num_features: the number of channels.
        eps: is added to variances.
        momentum: how far a batch moves the running statistics; None: they are the averages of all batches.
        affine: whether there is a weight.
        track_running_stats: whether there are running statistics, by which evaluation normalizes.
        device: the cpu.
        dtype: of parameters and statistics.
        bias: whether there is one beside the weight.

    Example:
        >>> from funcgrad import torch
        >>> layer = torch.nn.BatchNorm1d(1)
        >>> layer(torch.tensor([[1.0], [3.0]]))
        tensor([[-1.0000],
                [ 1.0000]], grad_fn=<NativeBatchNormBackward0>)
        >>> layer.running_mean
        tensor([0.2000])
    """

    ndims = (2, 3)


class BatchNorm2d(_BatchNorm):
    """As `BatchNorm1d`, of "batch channels height width".

    Source: S. Ioffe and C. Szegedy, Batch normalization, https://arxiv.org/abs/1502.03167.
    """

    def _check_input_dim(self, input: Tensor) -> None:
        if input.dim() != 4:
            raise ValueError(f"expected 4D input (got {input.dim()}D input)")


class BatchNorm3d(_BatchNorm):
    """As `BatchNorm1d`, of "batch channels depth height width"."""

    def _check_input_dim(self, input: Tensor) -> None:
        if input.dim() != 5:
            raise ValueError(f"expected 5D input (got {input.dim()}D input)")


class LazyBatchNorm1d(_LazyNormBase, _BatchNorm):
    """`BatchNorm1d` that takes the number of channels from its first input."""

    cls_to_become = BatchNorm1d
    ndims = (2, 3)


class LazyBatchNorm2d(_LazyNormBase, _BatchNorm):
    """`BatchNorm2d` that takes the number of channels from its first input."""

    cls_to_become = BatchNorm2d
    _check_input_dim = BatchNorm2d._check_input_dim


class LazyBatchNorm3d(_LazyNormBase, _BatchNorm):
    """`BatchNorm3d` that takes the number of channels from its first input."""

    cls_to_become = BatchNorm3d
    _check_input_dim = BatchNorm3d._check_input_dim


class SyncBatchNorm(_BatchNorm):
    """Batch normalization over the batches of several processes. There is one process here: it is `BatchNorm2d`.

    Arguments:
        num_features, eps, momentum, affine, track_running_stats, device, dtype, bias: as for `BatchNorm1d`.
        process_group: has no effect.
    """

    def __init__(
        self,
        num_features: int,
        eps: float = 1e-05,
        momentum: float | None = 0.1,
        affine: bool = True,
        track_running_stats: bool = True,
        process_group: Any = None,
        device: Any = None,
        dtype: Any = None,
        *,
        bias: bool = True,
    ) -> None:
        super().__init__(num_features, eps, momentum, affine, track_running_stats, device, dtype, bias=bias)
        self.process_group = process_group

    def _check_input_dim(self, input: Tensor) -> None:
        if input.dim() < 2:
            raise ValueError(f"expected at least 2D input (got {input.dim()}D input)")
        if input.size(1) == 0:
            raise ValueError("SyncBatchNorm number of input channels should be non-zero")

    @classmethod
    def convert_sync_batchnorm(cls, module: Module, process_group: Any = None) -> Module:
        """The module with each batch normalization in it as a `SyncBatchNorm`.

        Arguments:
            module: a batch normalization, which is replaced, or one that holds some.
            process_group: for the new ones.
        """
        found: Any = module
        if isinstance(module, _BatchNorm):
            found = SyncBatchNorm(
                module.num_features,
                module.eps,
                module.momentum,
                module.affine,
                module.track_running_stats,
                process_group,
                bias=module.bias is not None,
            )
            if module.affine:
                with no_grad():
                    found.weight, found.bias = module.weight, module.bias
            found.running_mean, found.running_var = module.running_mean, module.running_var
            found.num_batches_tracked, found.training = module.num_batches_tracked, module.training
            if hasattr(module, "qconfig"):
                found.qconfig = module.qconfig
        for name, child in module.named_children():
            found.add_module(name, cls.convert_sync_batchnorm(child, process_group))
        return found


show_as_torch(__name__)
publish(__name__)
