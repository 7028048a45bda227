"""PyTorch's words about Fourier transforms."""

BAD_CONFIGURATION = "MKL FFT error: Intel oneMKL DFTI ERROR: Inconsistent configuration parameters"
TOO_MANY_SIZES = "Got shape with {count} values but input tensor only has {ndim} dimensions."
NO_WINDOW = "A window was not provided. A rectangular window will be applied"
LEAKAGE = (
    ",which is known to cause spectral leakage. Other windows such as torch.hann_window or torch.hamming_window are "
    "recommended to reduce spectral leakage."
)
SAME_WINDOW = ".Please provide the same window used by stft to make the inversion lossless."
SUPPRESS_NO_WINDOW = (
    "To suppress this warning and use a rectangular window, explicitly set `window=torch.ones(n_fft, device=<device>)`."
)
RETURN_COMPLEX_NEEDED = (
    "stft requires the return_complex parameter be given for real inputs, and will further require that "
    "return_complex=True in a future PyTorch release."
)
RETURN_COMPLEX_DEPRECATED = (
    "stft with return_complex=False is deprecated. In a future pytorch release, stft will return complex tensors for "
    "all inputs, and return_complex=False will raise an error.\n"
    "Note: you can still call torch.view_as_real on the complex output to recover the old return format."
)
ONESIDED_OF_COMPLEX = "Cannot have onesided output if window or input is complex"
ISTFT_OF_REAL = "istft requires a complex-valued input tensor matching the output from stft with return_complex=True."
ISTFT_FREQUENCIES = (
    " : expected the frequency dimension (3rd to the last) of the input tensor to match {word}, but got {frequencies}"
)
ISTFT_WINDOW = " : Invalid window shape. window has to be 1D and length of `win_length`"
ISTFT_ENVELOPE = " window overlap add min: 1\n[ CPUBoolType{} ]"
ISTFT_SHORT = (
    "The length of signal is shorter than the length parameter. Result is being padded with zeros in the tail. Please "
    "check your center and hop_length settings."
)
REFLECTS_TOO_FAR = (
    "Argument #4: Padding size should be less than the corresponding input dimension, but got: padding ({n}, {n}) at "
    "dimension 2 of input {shape}"
)
