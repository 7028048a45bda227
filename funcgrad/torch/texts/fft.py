"""PyTorch's words about Fourier transforms."""

BAD_CONFIGURATION = "MKL FFT error: Intel oneMKL DFTI ERROR: Inconsistent configuration parameters"
TOO_MANY_SIZES = "Got shape with {count} values but input tensor only has {ndim} dimensions."
