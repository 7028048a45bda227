"""`torch.amp`: mixed precision, as it is on a CPU."""

from __future__ import annotations

from funcgrad.core.faces import publish
from funcgrad.torch.amp import autocast_mode as autocast_mode
from funcgrad.torch.amp import grad_scaler as grad_scaler
from funcgrad.torch.amp.autocast_mode import autocast as autocast
from funcgrad.torch.amp.autocast_mode import custom_bwd as custom_bwd
from funcgrad.torch.amp.autocast_mode import custom_fwd as custom_fwd
from funcgrad.torch.amp.autocast_mode import is_autocast_available as is_autocast_available
from funcgrad.torch.amp.grad_scaler import GradScaler as GradScaler

publish(__name__, autocast_mode, grad_scaler)
