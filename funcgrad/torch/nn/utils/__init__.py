"""`torch.nn.utils`: what is done to the parameters of modules."""

from __future__ import annotations

from funcgrad.core.faces import publish
from funcgrad.torch.nn.utils import rnn as rnn

publish(__name__, rnn)
