"""`torch.utils.data`: datasets, samplers, and the loader that makes batches of them."""

from __future__ import annotations

from funcgrad.core.faces import publish
from funcgrad.torch.utils.data import _utils as _utils
from funcgrad.torch.utils.data import dataloader as dataloader
from funcgrad.torch.utils.data import dataset as dataset
from funcgrad.torch.utils.data import distributed as distributed
from funcgrad.torch.utils.data import sampler as sampler
from funcgrad.torch.utils.data.dataloader import *
from funcgrad.torch.utils.data.dataset import *
from funcgrad.torch.utils.data.distributed import *
from funcgrad.torch.utils.data.sampler import *

publish(__name__)
