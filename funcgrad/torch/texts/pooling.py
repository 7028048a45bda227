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
ADAPTIVE_EMPTY = (
    "{name}(): Expected input to have non-zero size for non-batch dimensions, but input has sizes {shape} with "
    "dimension {d} being empty"
)
ADAPTIVE_NEGATIVE = "{name}: elements of output_size must be greater than or equal to 0 but received {sizes}"
FRACTIONAL_EMPTY = (
    "{name}(): Expected input to have non-zero size for non-batch dimensions, but got{shape} with dimension {d} being "
    "empty."
)
FRACTIONAL_SIZE = "fractional_max_pool{rank}d requires specifying either an output_size or an output_ratio"
FRACTIONAL_RATIO = "fractional_max_pool{rank}d requires output_ratio to either be a single Int or tuple of Ints."
UNPOOL_INDICES = (
    "Expected shape of indices to be same as that of the input tensor ({shape}) but got indices tensor with shape: "
    "{found}"
)
UNPOOL_INPUT = (
    "Input to max_unpooling{rank}d should be a {few}d or {many}d Tensor, but got a tensor with {n} dimensions."
)
UNPOOL_LENGTH = "output_size should be a sequence containing {rank} or {all} elements, but it has a length of '{n}'"
UNPOOL_SIZE = 'invalid output_size "{size}" (dim {d} must be between {low} and {high})'
UNFOLD_INPUT = (
    "Expected 3D or 4D (batch mode) tensor with possibly 0 batch size and other non-zero dimensions for input, but "
    "got: {shape}"
)
UNFOLD_EMPTY = (
    "Given input with spatial size {lengths}, kernel_size={size}, dilation={dilation}, padding={padding}, calculated "
    "shape of the array of sliding blocks as {counts}, but its components must be at least one."
)
FOLD_INPUT = (
    "Expected 2D or 3D (batch mode) tensor for input with possibly 0 batch size and non-zero dimensions for input, but "
    "got: {shape}"
)
FOLD_FEATURES = (
    "Expected size of input's dimension 1 to be divisible by the product of kernel_size, but got input.size(1)={n} and "
    "kernel_size={size}."
)
FOLD_BLOCKS = (
    "Given output_size={lengths}, kernel_size={size}, dilation={dilation}, padding={padding}, stride={strides}, "
    "expected size of input's dimension 2 to match the calculated number of sliding blocks {blocks}, but got "
    "input.size(2)={n}."
)
FOLD_EMPTY = (
    "Given output_size={lengths}, kernel_size={size}, dilation={dilation}, padding={padding}, stride={strides}, "
    "calculated shape of the array of sliding blocks as {counts}, which is too small (non-positive)"
)
FRACTIONAL_LAYER = "{name} requires specifying either an output size, or a pooling ratio"
