"""`torch.optim._functional`: single steps, as functions of lists of tensors."""

from __future__ import annotations

from funcgrad.torch.optim.adadelta import adadelta as adadelta
from funcgrad.torch.optim.adagrad import adagrad as adagrad
from funcgrad.torch.optim.adam import adam as adam
from funcgrad.torch.optim.adamax import adamax as adamax
from funcgrad.torch.optim.adamw import adamw as adamw
from funcgrad.torch.optim.asgd import asgd as asgd
from funcgrad.torch.optim.nadam import nadam as nadam
from funcgrad.torch.optim.radam import radam as radam
from funcgrad.torch.optim.rmsprop import rmsprop as rmsprop
from funcgrad.torch.optim.rprop import rprop as rprop
from funcgrad.torch.optim.sgd import sgd as sgd
