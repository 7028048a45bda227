"""Random numbers from explicit keys: the functions of `jax.random`, with its numbers.

    key = fg.random.key(0)
    key, subkey = fg.random.split(key)
    x = fg.random.normal(subkey, (3,))

For the same key, shape and dtype the numbers are those of JAX (with 64-bit types and the generator threefry2x32):
bits, floats in an interval, integers, choices and permutations to the last bit, the others up to rounding.
"""

from funcgrad.core.faces import publish
from funcgrad.random.choices import *
from funcgrad.random.counts import *
from funcgrad.random.gammas import *
from funcgrad.random.keys import *
from funcgrad.random.normals import *
from funcgrad.random.quantiles import *
from funcgrad.random.uniforms import *

publish(__name__, source="jax.random")
