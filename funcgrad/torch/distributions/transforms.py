"""`torch.distributions.transforms`: functions that take one distribution to another."""

from __future__ import annotations

from funcgrad.core.faces import publish
from funcgrad.torch.distributions.elementwise_transforms import AbsTransform as AbsTransform
from funcgrad.torch.distributions.elementwise_transforms import AffineTransform as AffineTransform
from funcgrad.torch.distributions.elementwise_transforms import (
    CumulativeDistributionTransform as CumulativeDistributionTransform,
)
from funcgrad.torch.distributions.elementwise_transforms import ExpTransform as ExpTransform
from funcgrad.torch.distributions.elementwise_transforms import PowerTransform as PowerTransform
from funcgrad.torch.distributions.elementwise_transforms import SigmoidTransform as SigmoidTransform
from funcgrad.torch.distributions.elementwise_transforms import SoftplusTransform as SoftplusTransform
from funcgrad.torch.distributions.elementwise_transforms import TanhTransform as TanhTransform
from funcgrad.torch.distributions.joined_transforms import CatTransform as CatTransform
from funcgrad.torch.distributions.joined_transforms import StackTransform as StackTransform
from funcgrad.torch.distributions.transform import ComposeTransform as ComposeTransform
from funcgrad.torch.distributions.transform import IndependentTransform as IndependentTransform
from funcgrad.torch.distributions.transform import ReshapeTransform as ReshapeTransform
from funcgrad.torch.distributions.transform import Transform as Transform
from funcgrad.torch.distributions.transform import _InverseTransform as _InverseTransform
from funcgrad.torch.distributions.transform import identity_transform as identity_transform
from funcgrad.torch.distributions.vector_transforms import CorrCholeskyTransform as CorrCholeskyTransform
from funcgrad.torch.distributions.vector_transforms import LowerCholeskyTransform as LowerCholeskyTransform
from funcgrad.torch.distributions.vector_transforms import PositiveDefiniteTransform as PositiveDefiniteTransform
from funcgrad.torch.distributions.vector_transforms import SoftmaxTransform as SoftmaxTransform
from funcgrad.torch.distributions.vector_transforms import StickBreakingTransform as StickBreakingTransform

publish(__name__)
