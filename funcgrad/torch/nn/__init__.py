"""`torch.nn`: modules, their parameters, and the functions that layers compute.

Files lie where PyTorch has them, since programs import from `torch.nn.modules.linear` and files of weights name it.
"""

from __future__ import annotations

from funcgrad.core.faces import publish
from funcgrad.torch.nn import attention as attention
from funcgrad.torch.nn import functional as functional
from funcgrad.torch.nn import grad as grad
from funcgrad.torch.nn import init as init
from funcgrad.torch.nn import modules as modules
from funcgrad.torch.nn import parallel as parallel
from funcgrad.torch.nn import parameter as parameter
from funcgrad.torch.nn import utils as utils
from funcgrad.torch.nn.modules import *
from funcgrad.torch.nn.parallel import DataParallel as DataParallel
from funcgrad.torch.nn.parameter import Buffer as Buffer
from funcgrad.torch.nn.parameter import Parameter as Parameter
from funcgrad.torch.nn.parameter import UninitializedBuffer as UninitializedBuffer
from funcgrad.torch.nn.parameter import UninitializedParameter as UninitializedParameter

publish(__name__, attention, functional, grad, init, modules, parallel, parameter, utils)
