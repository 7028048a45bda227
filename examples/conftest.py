"""`import torch` in the examples means funcgrad's torch while they are tested."""

from funcgrad import torch

torch.install()
