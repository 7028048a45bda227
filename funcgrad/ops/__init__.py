"""The primitives, by family. One declaration says everything about an operation; see funcgrad/core/primitive.py.

The names here are those of jax.ops, which are compositions of primitives.
"""

from funcgrad.core.faces import publish
from funcgrad.ops.segments import segment_max as segment_max
from funcgrad.ops.segments import segment_min as segment_min
from funcgrad.ops.segments import segment_prod as segment_prod
from funcgrad.ops.segments import segment_sum as segment_sum

publish(__name__)
