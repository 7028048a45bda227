"""`torch.nn.modules`: modules, one file for each family."""

from __future__ import annotations

from funcgrad.core.faces import publish
from funcgrad.torch.nn.modules.activation import *
from funcgrad.torch.nn.modules.adaptive import *
from funcgrad.torch.nn.modules.batchnorm import *
from funcgrad.torch.nn.modules.channelshuffle import *
from funcgrad.torch.nn.modules.container import *
from funcgrad.torch.nn.modules.conv import *
from funcgrad.torch.nn.modules.distance import *
from funcgrad.torch.nn.modules.dropout import *
from funcgrad.torch.nn.modules.flatten import *
from funcgrad.torch.nn.modules.fold import *
from funcgrad.torch.nn.modules.instancenorm import *
from funcgrad.torch.nn.modules.linear import *
from funcgrad.torch.nn.modules.loss import *
from funcgrad.torch.nn.modules.module import Module as Module
from funcgrad.torch.nn.modules.normalization import *
from funcgrad.torch.nn.modules.padding import *
from funcgrad.torch.nn.modules.pixelshuffle import *
from funcgrad.torch.nn.modules.pooling import *
from funcgrad.torch.nn.modules.rnn import *
from funcgrad.torch.nn.modules.sparse import *
from funcgrad.torch.nn.modules.transformer import *
from funcgrad.torch.nn.modules.upsampling import *

publish(__name__)
