"""`torch.optim`: optimisers, and schedules of their learning rates."""

from __future__ import annotations

from funcgrad.core.faces import publish

publish(__name__)
