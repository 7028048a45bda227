"""PyTorch's words about pooling, and about the blocks of fold and unfold, that do not fit."""

KERNEL_1D = "max_pool1d() kernel_size must be an int, list of ints or tuple of ints of size 1 but got size {n}"
STRIDE_1D = "max_pool1d() stride must be None, an int, list of ints, or tuple of ints of size 1 but got size {n}"
PADDING_1D = "max_pool1d() padding must be an int, list of ints, or tuple of ints of size 1 but got size {n}"
DILATION_1D = "max_pool1d() dilation must be an int, list of ints or tuple of ints of size 1 but got size {n}"
HALF_1D = "max_pool1d() padding should be at most half of kernel size, but got padding={p} and kernel_size={k}"
INPUT_1D = "max_pool1d: Expected 2D or 3D (batch mode) tensor with optional 0 dim batch size for input, but got:{shape}"
DIMENSIONS_1D = (
    "Expected 2 to 3 dimensions, but got {n}-dimensional tensor for argument #1 'self' (while checking arguments for "
    "{name})"
)
HALF = "pad should be at most half of effective kernel size, but got pad={p}, kernel_size={k} and dilation={d}"
INPUT = "Expected 3D or 4D (batch mode) tensor with optional 0 dim batch size for input, but got:{shape}"
EMPTY_3D = (
    "{name}(): Expected input's non-batch dimensions to have positive length, but input has a shape of {shape} and "
    "non-batch dimension 0 has length zero!"
)
TOO_SMALL = "Given input size: ({given}). Calculated output size: ({found}). Output size is too small"
SMALLER_THAN_KERNEL = "input image (T: {n} H: {h} W: {w}) smaller than kernel size (kT: {kt} kH: {kh} kW: {kw})"
