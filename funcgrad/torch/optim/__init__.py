"""`torch.optim`: optimisers, and schedules of their learning rates."""

from __future__ import annotations

from funcgrad.core.faces import publish
from funcgrad.torch.optim import _functional as _functional
from funcgrad.torch.optim import lr_scheduler as lr_scheduler
from funcgrad.torch.optim import swa_utils as swa_utils
from funcgrad.torch.optim._adafactor import Adafactor as Adafactor
from funcgrad.torch.optim._muon import Muon as Muon
from funcgrad.torch.optim._stateless import swap_in_optimizer_params_and_state as swap_in_optimizer_params_and_state
from funcgrad.torch.optim.adadelta import Adadelta as Adadelta
from funcgrad.torch.optim.adagrad import Adagrad as Adagrad
from funcgrad.torch.optim.adam import Adam as Adam
from funcgrad.torch.optim.adamax import Adamax as Adamax
from funcgrad.torch.optim.adamw import AdamW as AdamW
from funcgrad.torch.optim.asgd import ASGD as ASGD
from funcgrad.torch.optim.lbfgs import LBFGS as LBFGS
from funcgrad.torch.optim.nadam import NAdam as NAdam
from funcgrad.torch.optim.optimizer import Optimizer as Optimizer
from funcgrad.torch.optim.radam import RAdam as RAdam
from funcgrad.torch.optim.rmsprop import RMSprop as RMSprop
from funcgrad.torch.optim.rprop import Rprop as Rprop
from funcgrad.torch.optim.sgd import SGD as SGD
from funcgrad.torch.optim.sparse_adam import SparseAdam as SparseAdam

publish(__name__, lr_scheduler, swa_utils)
