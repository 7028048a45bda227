"""`torch.autograd`: gradients of tensors."""

from __future__ import annotations

from funcgrad.torch.autograd.anomaly_mode import detect_anomaly as detect_anomaly
from funcgrad.torch.autograd.anomaly_mode import set_detect_anomaly as set_detect_anomaly
from funcgrad.torch.autograd.backward import backward as backward
from funcgrad.torch.autograd.backward import grad as grad
