"""Control flow that transforms see through, and JAX's names for operations on arrays: `jax.lax` on NumPy.

    cond, switch, while_loop, fori_loop, scan, map, associative_scan      control flow
    psum, all_gather, axis_index, …                                       collective operations of a vmap with a name
    add, sin, dot_general, dynamic_slice, reduce_sum, …                   operations on arrays, which promote nothing

Here `fg.lax.add(x, y)` is an error if x and y differ in dtype, or in shape unless one is a scalar; funcgrad.numpy has
NumPy's promotion and broadcasting.
"""

from funcgrad.core.faces import publish
from funcgrad.lax import linalg as linalg
from funcgrad.lax.associative_scan import *
from funcgrad.lax.bitwise import *
from funcgrad.lax.comparison import *
from funcgrad.lax.cond import *
from funcgrad.lax.contractions import *
from funcgrad.lax.conversion import *
from funcgrad.lax.convolution import *
from funcgrad.lax.cumulative import *
from funcgrad.lax.elementwise import *
from funcgrad.lax.fori_loop import *
from funcgrad.lax.map import *
from funcgrad.lax.padding import *
from funcgrad.lax.parallel import *
from funcgrad.lax.platform_dependent import *
from funcgrad.lax.reductions import *
from funcgrad.lax.scan import *
from funcgrad.lax.select import *
from funcgrad.lax.shapes import *
from funcgrad.lax.slicing import *
from funcgrad.lax.sorting import *
from funcgrad.lax.special import *
from funcgrad.lax.while_loop import *
from funcgrad.lax.windows import *
from funcgrad.transforms.custom_linear_solve import custom_linear_solve as custom_linear_solve
from funcgrad.transforms.custom_root import custom_root as custom_root
from funcgrad.transforms.stop_gradient import stop_gradient as stop_gradient

publish(__name__, linalg, source="jax.lax")
