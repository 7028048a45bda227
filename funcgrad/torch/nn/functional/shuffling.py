"""Elements that move between channels and space, and between groups of channels."""

from __future__ import annotations

from funcgrad.core.faces import publish
from funcgrad.torch.declare.op import namespaces
from funcgrad.torch.ops import nn as _rows

__all__ = ["channel_shuffle", "native_channel_shuffle", "pixel_shuffle", "pixel_unshuffle"]

assert _rows  # its rows are declared
channel_shuffle = namespaces[""]["channel_shuffle"]
native_channel_shuffle = namespaces[""]["native_channel_shuffle"]
pixel_shuffle = namespaces[""]["pixel_shuffle"]
pixel_unshuffle = namespaces[""]["pixel_unshuffle"]

publish(__name__)
