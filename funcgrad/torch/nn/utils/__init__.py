"""`torch.nn.utils`: what is done to the parameters of modules."""

from __future__ import annotations

from funcgrad.core.faces import publish

publish(__name__)
