"""Checkpoints and what they keep, under the names of `jax.ad_checkpoint`."""

from funcgrad.core.faces import publish
from funcgrad.transforms import checkpoint_policies as checkpoint_policies
from funcgrad.transforms.checkpoint import checkpoint as checkpoint
from funcgrad.transforms.checkpoint import checkpoint_name as checkpoint_name
from funcgrad.transforms.checkpoint import remat as remat
from funcgrad.transforms.saved_residuals import print_saved_residuals as print_saved_residuals
from funcgrad.transforms.saved_residuals import saved_residuals as saved_residuals

publish(__name__, checkpoint_policies)
