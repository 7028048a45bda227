"""`torch.distributions.kl`: Kullback-Leibler divergences."""

from __future__ import annotations

from funcgrad.core.faces import publish
from funcgrad.torch.distributions import kl_between_families as _between_families
from funcgrad.torch.distributions import kl_of_normal_vectors as _of_normal_vectors
from funcgrad.torch.distributions import kl_of_one_family as _of_one_family
from funcgrad.torch.distributions.kl_of_one_family import _kl_expfamily_expfamily as _kl_expfamily_expfamily
from funcgrad.torch.distributions.kl_registry import _KL_MEMOIZE as _KL_MEMOIZE
from funcgrad.torch.distributions.kl_registry import _KL_REGISTRY as _KL_REGISTRY
from funcgrad.torch.distributions.kl_registry import _dispatch_kl as _dispatch_kl
from funcgrad.torch.distributions.kl_registry import kl_divergence as kl_divergence
from funcgrad.torch.distributions.kl_registry import register_kl as register_kl

assert _between_families and _of_normal_vectors and _of_one_family  # where they are declared

publish(__name__)
