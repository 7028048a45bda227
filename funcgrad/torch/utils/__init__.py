"""`torch.utils`: checkpointing, handles of hooks, exchange of memory with other libraries."""

from __future__ import annotations

from funcgrad.core.faces import publish
from funcgrad.torch.utils import checkpoint as checkpoint
from funcgrad.torch.utils import dlpack as dlpack
from funcgrad.torch.utils import hooks as hooks

publish(__name__, checkpoint, dlpack, hooks)
