"""PyTorch's words about convolutions and windows that do not fit."""

RANK = "Expected {rank}D (unbatched) or {batched}D (batched) input to {name}, but got input of size: {shape}"
WEIGHT_RANK = "weight should have at least three dimensions"
PARAMETER = (
    "expected {name} to be a single integer value or a list of {rank} values to match the convolution dimensions, "
    "but got {name}={given}"
)
INPUT_RANK = (
    "Expected {rank}-dimensional input for {rank}-dimensional weight {weight}, but got {found}-dimensional input of "
    "size {shape} instead"
)
FEW_FEATURES = (
    "Given groups={groups}, expected weight to be at least {groups} at dimension 0, but got weight of size {weight} "
    "instead"
)
UNEVEN_FEATURES = (
    "Given groups={groups}, expected weight to be divisible by {groups} at dimension 0, but got weight of size "
    "[{weight}] instead"
)
CHANNELS = (
    "Given {given}, weight of size {weight}, expected input{shape} to have {wanted} channels, but got {found} channels "
    "instead"
)
BIAS = (
    "Given {given}weight of size {weight}, expected bias to be 1-dimensional with {wanted} elements, but got bias of "
    "size {bias} instead"
)
KERNEL_TOO_LARGE = (
    "Calculated padded input size per channel: ({padded}). Kernel size: ({kernel}). Kernel size can't be greater than "
    "actual input size"
)
OUTPUT_PADDING = (
    "output padding must be smaller than either stride or dilation, but got output_padding_height: {h} "
    "output_padding_width: {w} stride_height: {sh} stride_width: {sw} dilation_height: {dh} dilation_width: {dw}"
)
OUTPUT_PADDING_3D = (
    "output padding must be smaller than either stride or dilation, but got output_padding_depth: {d} "
    "output_padding_height: {h} output_padding_width: {w} stride_depth: {sd} stride_height: {sh} stride_width: {sw} "
    "dilation_depth: {dd} dilation_height: {dh} dilation_width: {dw}"
)
DESCRIPTOR = "could not construct a memory descriptor using a format tag"
PRIMITIVE = (
    "could not create a primitive descriptor for the convolution forward propagation primitive. Run workload with "
    "environment variable ONEDNN_VERBOSE=all to get additional diagnostic information."
)
STRIDED_SAME = "padding='same' is not supported for strided convolutions"
EVEN_SAME = (
    "Using padding='same' with even kernel lengths and odd dilation may require a zero-padded copy of the input be "
    "created"
)
INPUT_TYPE = (
    "Input type ({input}) and weight type ({weight}) should be the same or input should be a MKLDNN tensor and weight "
    "is a dense tensor"
)
ONLY_ZEROS = 'Only "zeros" padding mode is supported for {name}'
OUTPUT_SIZE_LENGTH = (
    "ConvTranspose{rank}D: for {dims}D input, output_size must have {rank} or {all} elements (got {given})"
)
OUTPUT_SIZE_RANGE = (
    "requested an output size of {size}, but valid sizes range from {low} to {high} (for an input of {input})"
)
