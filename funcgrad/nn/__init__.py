"""The functions of `jax.nn`: activations, softmax and its kin, attention, and initial values of parameters.

They are functions of arrays; there are no layers and no modules here.
"""

from funcgrad.nn import initializers as initializers
from funcgrad.nn.activations import celu as celu
from funcgrad.nn.activations import elu as elu
from funcgrad.nn.activations import gelu as gelu
from funcgrad.nn.activations import glu as glu
from funcgrad.nn.activations import hard_sigmoid as hard_sigmoid
from funcgrad.nn.activations import hard_silu as hard_silu
from funcgrad.nn.activations import hard_swish as hard_swish
from funcgrad.nn.activations import hard_tanh as hard_tanh
from funcgrad.nn.activations import identity as identity
from funcgrad.nn.activations import leaky_relu as leaky_relu
from funcgrad.nn.activations import log1mexp as log1mexp
from funcgrad.nn.activations import log_sigmoid as log_sigmoid
from funcgrad.nn.activations import mish as mish
from funcgrad.nn.activations import relu as relu
from funcgrad.nn.activations import relu6 as relu6
from funcgrad.nn.activations import selu as selu
from funcgrad.nn.activations import sigmoid as sigmoid
from funcgrad.nn.activations import silu as silu
from funcgrad.nn.activations import soft_sign as soft_sign
from funcgrad.nn.activations import softplus as softplus
from funcgrad.nn.activations import sparse_plus as sparse_plus
from funcgrad.nn.activations import sparse_sigmoid as sparse_sigmoid
from funcgrad.nn.activations import squareplus as squareplus
from funcgrad.nn.activations import swish as swish
from funcgrad.nn.activations import tanh as tanh
from funcgrad.nn.attention import dot_product_attention as dot_product_attention
from funcgrad.nn.normalised import log_softmax as log_softmax
from funcgrad.nn.normalised import logmeanexp as logmeanexp
from funcgrad.nn.normalised import logsumexp as logsumexp
from funcgrad.nn.normalised import one_hot as one_hot
from funcgrad.nn.normalised import softmax as softmax
from funcgrad.nn.normalised import standardize as standardize
