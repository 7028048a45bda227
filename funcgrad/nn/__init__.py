"""The functions of `jax.nn`: activations, softmax and its kin, attention, and initial values of parameters.

They are functions of arrays; there are no layers and no modules here.
"""

from funcgrad.core.faces import publish
from funcgrad.nn import initializers as initializers
from funcgrad.nn.activations import *
from funcgrad.nn.attention import *
from funcgrad.nn.normalised import *

publish(__name__, initializers, source="jax.nn")
