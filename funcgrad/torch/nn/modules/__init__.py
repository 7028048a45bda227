"""`torch.nn.modules`: modules, one file for each family."""

from __future__ import annotations

from funcgrad.core.faces import publish

publish(__name__)
