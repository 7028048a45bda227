"""`torch.utils.data`: datasets, samplers, and the loader that makes batches of them."""

from __future__ import annotations

from funcgrad.core.faces import publish

publish(__name__)
