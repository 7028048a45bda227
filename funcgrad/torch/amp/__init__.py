"""`torch.amp`: mixed precision, as it is on a CPU."""

from __future__ import annotations

from funcgrad.core.faces import publish

publish(__name__)
