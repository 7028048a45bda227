"""`torch.nn.utils.spectral_norm`: the older form of spectral normalization, by a hook; see `parametrizations`."""

from __future__ import annotations

from typing import Any

from funcgrad.core.faces import publish
from funcgrad.torch.base.meta import contiguous_format
from funcgrad.torch.base.modes import no_grad
from funcgrad.torch.base.naming import show_as_torch
from funcgrad.torch.declare.op import namespaces
from funcgrad.torch.nn import functional
from funcgrad.torch.nn.parameter import Parameter, UninitializedParameter
from funcgrad.torch.nn.utils.parametrizations import _out_dim
from funcgrad.torch.texts import nn_utils as texts

__all__ = [
    "SpectralNorm",
    "SpectralNormLoadStateDictPreHook",
    "SpectralNormStateDictHook",
    "remove_spectral_norm",
    "spectral_norm",
]


class SpectralNorm:
    """The hook that divides a weight by its largest singular value before each call of the module.

    Arguments:
        name: of the weight.
        n_power_iterations: how many steps improve the singular vectors, in each call.
        dim: that of the outputs.
        eps: keeps norms from being zero.
    """

    _version = 1

    def __init__(self, name: str = "weight", n_power_iterations: int = 1, dim: int = 0, eps: float = 1e-12) -> None:
        self.name, self.dim, self.eps = name, dim, eps
        if n_power_iterations <= 0:
            raise ValueError(texts.POWER_ITERATIONS.format(n=n_power_iterations))
        self.n_power_iterations = n_power_iterations

    def reshape_weight_to_matrix(self, weight: Any) -> Any:
        """The weight as a matrix whose rows belong to the outputs."""
        if self.dim != 0:
            weight = weight.permute(self.dim, *[d for d in range(weight.dim()) if d != self.dim])
        return weight.reshape(weight.size(0), -1)

    def compute_weight(self, module: Any, do_power_iteration: bool) -> Any:
        """The weight over its largest singular value, as far as the vectors know it."""
        weight, u, v = (getattr(module, self.name + suffix) for suffix in ("_orig", "_u", "_v"))
        matrix = self.reshape_weight_to_matrix(weight)
        if do_power_iteration:
            with no_grad():
                for _ in range(self.n_power_iterations):  # in place: replicas of a module share the vectors
                    v = functional.normalize(matrix.t().mv(u), dim=0, eps=self.eps, out=v)
                    u = functional.normalize(matrix.mv(v), dim=0, eps=self.eps, out=u)
                u, v = u.clone(memory_format=contiguous_format), v.clone(memory_format=contiguous_format)
        return weight / u.dot(matrix.mv(v))

    def remove(self, module: Any) -> None:
        """Make the weight a parameter again."""
        with no_grad():
            weight = self.compute_weight(module, do_power_iteration=False)
        for suffix in ("", "_u", "_v", "_orig"):
            delattr(module, self.name + suffix)
        module.register_parameter(self.name, Parameter(weight.detach()))

    def __call__(self, module: Any, inputs: Any) -> None:
        setattr(module, self.name, self.compute_weight(module, do_power_iteration=module.training))

    def _solve_v_and_rescale(self, matrix: Any, u: Any, target_sigma: Any) -> Any:
        """The right vector for which a state without it had this singular value."""
        factors = [matrix.t().mm(matrix).pinverse(), matrix.t(), u.unsqueeze(1)]
        v = namespaces["linalg"]["multi_dot"](factors).squeeze(1)
        return v.mul_(target_sigma / u.dot(matrix.mv(v)))

    @staticmethod
    def apply(module: Any, name: str, n_power_iterations: int, dim: int, eps: float) -> SpectralNorm:
        """Put a parameter of a module aside, draw singular vectors, and register the hooks."""
        for hook in module._forward_pre_hooks.values():
            if isinstance(hook, SpectralNorm) and hook.name == name:
                raise RuntimeError(f"Cannot register two spectral_norm hooks on the same parameter {name}")
        f = SpectralNorm(name, n_power_iterations, dim, eps)
        weight = module._parameters[name]
        if weight is None:
            raise ValueError(f"`SpectralNorm` cannot be applied as parameter `{name}` is None")
        if isinstance(weight, UninitializedParameter):
            raise ValueError(texts.LAZY_SPECTRAL_NORM)
        with no_grad():
            h, w = f.reshape_weight_to_matrix(weight).size()
            u = functional.normalize(weight.new_empty(h).normal_(0, 1), dim=0, eps=f.eps)
            v = functional.normalize(weight.new_empty(w).normal_(0, 1), dim=0, eps=f.eps)
        delattr(module, name)
        module.register_parameter(name + "_orig", weight)
        setattr(module, name, weight.data)  # something is there before the first call
        module.register_buffer(name + "_u", u)
        module.register_buffer(name + "_v", v)
        module.register_forward_pre_hook(f)
        module._register_state_dict_hook(SpectralNormStateDictHook(f))
        module._register_load_state_dict_pre_hook(SpectralNormLoadStateDictPreHook(f))
        return f


class SpectralNormLoadStateDictPreHook:
    """Finds the right singular vector for states that were saved when there was none in them."""

    def __init__(self, fn: SpectralNorm) -> None:
        self.fn = fn

    def __call__(
        self,
        state_dict: Any,
        prefix: str,
        local_metadata: dict,
        strict: bool,
        missing_keys: list[str],
        unexpected_keys: list[str],
        error_msgs: list[str],
    ) -> None:
        f, key = self.fn, prefix + self.fn.name
        version = local_metadata.get("spectral_norm", {}).get(f.name + ".version", None)
        if version is not None and version >= 1:
            return
        if version is None and key not in state_dict and all(key + s in state_dict for s in ("_orig", "_u", "_v")):
            return
        missing = [key + s for s in ("_orig", "", "_u") if key + s not in state_dict]
        if missing:
            missing_keys += missing if strict else []
            return
        with no_grad():
            original, weight = state_dict[key + "_orig"], state_dict.pop(key)
            sigma = (original / weight).mean()
            matrix = f.reshape_weight_to_matrix(original)
            state_dict[key + "_v"] = f._solve_v_and_rescale(matrix, state_dict[key + "_u"], sigma)


class SpectralNormStateDictHook:
    """Notes in a state which version of the normalization it is of."""

    def __init__(self, fn: SpectralNorm) -> None:
        self.fn = fn

    def __call__(self, module: Any, state_dict: Any, prefix: str, local_metadata: dict) -> None:
        versions = local_metadata.setdefault("spectral_norm", {})
        key = self.fn.name + ".version"
        if key in versions:
            raise RuntimeError(f"Unexpected key in metadata['spectral_norm']: {key}")
        versions[key] = self.fn._version


def spectral_norm(
    module: Any, name: str = "weight", n_power_iterations: int = 1, eps: float = 1e-12, dim: int | None = None
) -> Any:
    """Divide a weight by its largest singular value; gives the module. See `parametrizations.spectral_norm`.

    Arguments:
        module: whose weight it is.
        name: of the weight.
        n_power_iterations: how many steps improve the singular vectors, in each call.
        eps: keeps norms from being zero.
        dim: that of the outputs; by default 0, or 1 for transposed convolutions.

    Source: Miyato, Kataoka, Koyama and Yoshida (2018), https://arxiv.org/abs/1802.05957
    """
    SpectralNorm.apply(module, name, n_power_iterations, _out_dim(module) if dim is None else dim, eps)
    return module


def remove_spectral_norm(module: Any, name: str = "weight") -> Any:
    """Make a weight that `spectral_norm` divides a parameter again; gives the module."""
    for number, hook in module._forward_pre_hooks.items():
        if isinstance(hook, SpectralNorm) and hook.name == name:
            hook.remove(module)
            del module._forward_pre_hooks[number]
            break
    else:
        raise ValueError(f"spectral_norm of '{name}' not found in {module}")
    for hooks, kind in (
        (module._state_dict_hooks, SpectralNormStateDictHook),
        (module._load_state_dict_pre_hooks, SpectralNormLoadStateDictPreHook),
    ):
        for number, hook in hooks.items():
            hook = getattr(hook, "hook", hook)  # those before loading are wrapped
            if isinstance(hook, kind) and hook.fn.name == name:
                del hooks[number]
                break
    return module


show_as_torch(__name__)
publish(__name__)
