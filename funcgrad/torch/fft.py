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

from funcgrad.torch.ops.fft import fft as fft
from funcgrad.torch.ops.fft import fft2 as fft2
from funcgrad.torch.ops.fft import fftfreq as fftfreq
from funcgrad.torch.ops.fft import fftn as fftn
from funcgrad.torch.ops.fft import fftshift as fftshift
from funcgrad.torch.ops.fft import hfft as hfft
from funcgrad.torch.ops.fft import hfft2 as hfft2
from funcgrad.torch.ops.fft import hfftn as hfftn
from funcgrad.torch.ops.fft import ifft as ifft
from funcgrad.torch.ops.fft import ifft2 as ifft2
from funcgrad.torch.ops.fft import ifftn as ifftn
from funcgrad.torch.ops.fft import ifftshift as ifftshift
from funcgrad.torch.ops.fft import ihfft as ihfft
from funcgrad.torch.ops.fft import ihfft2 as ihfft2
from funcgrad.torch.ops.fft import ihfftn as ihfftn
from funcgrad.torch.ops.fft import irfft as irfft
from funcgrad.torch.ops.fft import irfft2 as irfft2
from funcgrad.torch.ops.fft import irfftn as irfftn
from funcgrad.torch.ops.fft import rfft as rfft
from funcgrad.torch.ops.fft import rfft2 as rfft2
from funcgrad.torch.ops.fft import rfftfreq as rfftfreq
from funcgrad.torch.ops.fft import rfftn as rfftn
