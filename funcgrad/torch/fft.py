"""torch.fft: discrete Fourier transforms.

All of them take `norm`, which says where to divide by the number n of data points: in the inverse ("backward" or None),
by its square root in both directions ("ortho"), or in the transform ("forward").

    fft, ifft, rfft, irfft, hfft, ihfft (input, n=None, dim=-1, norm=None)
        along one dimension, which is cut to n elements or filled up with zeros;
    fft2, ifft2, rfft2, irfft2, hfft2, ihfft2 (input, s=None, dim=(-2, -1), norm=None)
    fftn, ifftn, rfftn, irfftn, hfftn, ihfftn (input, s=None, dim=None, norm=None)
        over several dimensions, with the sizes s.
"""

from __future__ import annotations

from typing import Any as _Any

from funcgrad.core.faces import publish
from funcgrad.torch.declare.op import namespaces as _namespaces

__getattr__: _Any  # for type checkers: the functions that declared themselves
globals().update(_namespaces["fft"].all())

publish(__name__)
