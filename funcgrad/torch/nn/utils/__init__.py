"""`torch.nn.utils`: what is done to the parameters of modules."""

from __future__ import annotations

from funcgrad.core.faces import publish
from funcgrad.torch.nn.utils import parametrizations as parametrizations
from funcgrad.torch.nn.utils import parametrize as parametrize
from funcgrad.torch.nn.utils import rnn as rnn
from funcgrad.torch.nn.utils import stateless as stateless
from funcgrad.torch.nn.utils.clip_grad import clip_grad_norm as clip_grad_norm
from funcgrad.torch.nn.utils.clip_grad import clip_grad_norm_ as clip_grad_norm_
from funcgrad.torch.nn.utils.clip_grad import clip_grad_value_ as clip_grad_value_
from funcgrad.torch.nn.utils.clip_grad import clip_grads_with_norm_ as clip_grads_with_norm_
from funcgrad.torch.nn.utils.clip_grad import get_total_norm as get_total_norm
from funcgrad.torch.nn.utils.convert_parameters import parameters_to_vector as parameters_to_vector
from funcgrad.torch.nn.utils.convert_parameters import vector_to_parameters as vector_to_parameters
from funcgrad.torch.nn.utils.fusion import fuse_conv_bn_eval as fuse_conv_bn_eval
from funcgrad.torch.nn.utils.fusion import fuse_conv_bn_weights as fuse_conv_bn_weights
from funcgrad.torch.nn.utils.fusion import fuse_linear_bn_eval as fuse_linear_bn_eval
from funcgrad.torch.nn.utils.fusion import fuse_linear_bn_weights as fuse_linear_bn_weights
from funcgrad.torch.nn.utils.init import skip_init as skip_init
from funcgrad.torch.nn.utils.memory_format import (
    convert_conv2d_weight_memory_format as convert_conv2d_weight_memory_format,
)
from funcgrad.torch.nn.utils.memory_format import (
    convert_conv3d_weight_memory_format as convert_conv3d_weight_memory_format,
)
from funcgrad.torch.nn.utils.spectral_norm import remove_spectral_norm as remove_spectral_norm
from funcgrad.torch.nn.utils.spectral_norm import spectral_norm as spectral_norm
from funcgrad.torch.nn.utils.weight_norm import remove_weight_norm as remove_weight_norm
from funcgrad.torch.nn.utils.weight_norm import weight_norm as weight_norm

publish(__name__, parametrizations, parametrize, rnn, stateless)
