"""`torch.nn.utils.weight_norm`: the older form of weight normalization, by a hook; see `parametrizations`."""

from __future__ import annotations

import warnings
from typing import Any

from funcgrad.core.faces import publish
from funcgrad.torch.base.naming import show_as_torch
from funcgrad.torch.nn.parameter import Parameter, UninitializedParameter
from funcgrad.torch.ops.nn.weight_norm import _weight_norm, norm_except_dim
from funcgrad.torch.texts import nn_utils as texts

__all__ = ["WeightNorm", "remove_weight_norm", "weight_norm"]


class WeightNorm:
    """The hook that computes a weight from its direction and its length before each call of the module.

    Arguments:
        name: of the weight.
        dim: that along which lengths differ; None: there is one length.
    """

    def __init__(self, name: str, dim: int | None) -> None:
        self.name, self.dim = name, -1 if dim is None else dim

    def compute_weight(self, module: Any) -> Any:
        """The weight."""
        return _weight_norm(getattr(module, self.name + "_v"), getattr(module, self.name + "_g"), self.dim)

    @staticmethod
    def apply(module: Any, name: str, dim: int | None) -> WeightNorm:
        """Split a parameter of a module, and register the hook."""
        warnings.warn(texts.WEIGHT_NORM_DEPRECATED, FutureWarning, stacklevel=3)
        for hook in module._forward_pre_hooks.values():
            if isinstance(hook, WeightNorm) and hook.name == name:
                raise RuntimeError(f"Cannot register two weight_norm hooks on the same parameter {name}")
        f = WeightNorm(name, dim)
        weight = getattr(module, name)
        if isinstance(weight, UninitializedParameter):
            raise ValueError(texts.LAZY_WEIGHT_NORM)
        del module._parameters[name]
        module.register_parameter(name + "_g", Parameter(norm_except_dim(weight, 2, f.dim).data))
        module.register_parameter(name + "_v", Parameter(weight.data))
        setattr(module, name, f.compute_weight(module))
        module.register_forward_pre_hook(f)
        return f

    def remove(self, module: Any) -> None:
        """Make the weight a parameter again."""
        weight = self.compute_weight(module)
        delattr(module, self.name)
        del module._parameters[self.name + "_g"]
        del module._parameters[self.name + "_v"]
        setattr(module, self.name, Parameter(weight.data))

    def __call__(self, module: Any, inputs: Any) -> None:
        setattr(module, self.name, self.compute_weight(module))


def weight_norm(module: Any, name: str = "weight", dim: int | None = 0) -> Any:
    """Superseded by `parametrizations.weight_norm`: split a weight into `name_v`, its direction, and `name_g`.

    Source: Salimans and Kingma (2016), https://arxiv.org/abs/1602.07868
    """
    WeightNorm.apply(module, name, dim)
    return module


def remove_weight_norm(module: Any, name: str = "weight") -> Any:
    """Make a weight that `weight_norm` split a parameter again; gives the module."""
    for number, hook in module._forward_pre_hooks.items():
        if isinstance(hook, WeightNorm) and hook.name == name:
            hook.remove(module)
            del module._forward_pre_hooks[number]
            return module
    raise ValueError(f"weight_norm of '{name}' not found in {module}")


show_as_torch(__name__)
publish(__name__)
