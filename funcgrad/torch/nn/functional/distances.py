"""Distances and angles of vectors, and unit vectors."""

from __future__ import annotations

from funcgrad.core.faces import publish
from funcgrad.torch.declare.op import namespaces
from funcgrad.torch.ops import nn as _rows

__all__ = ["cosine_similarity", "one_hot", "pairwise_distance", "pdist"]

assert _rows  # its rows are declared
cosine_similarity = namespaces[""]["cosine_similarity"]
one_hot = namespaces["_nn"]["one_hot"]
pairwise_distance = namespaces[""]["pairwise_distance"]
pdist = namespaces[""]["pdist"]

publish(__name__)
