"""`torch.distributions`: probability distributions that are drawn from and differentiated."""

from __future__ import annotations

from funcgrad.core.faces import publish

publish(__name__)
