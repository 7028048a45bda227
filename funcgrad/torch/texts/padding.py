"""PyTorch's words about padding."""

TOO_LONG = (
    "Padding length should be less than or equal to two times the input dimension but got padding length {length} and "
    "input of dimension {ndim}"
)
NOT_SUPPORTED = (
    "Padding size {size} is not supported for {ndim}D input tensor.\n"
    "Supported combinations for non-constant padding:\n"
    "  - 2D or 3D input: padding size = 2 (pads last dimension)\n"
    "  - 3D or 4D input: padding size = 4 (pads last 2 dimensions)\n"
    "  - 4D or 5D input: padding size = 6 (pads last 3 dimensions)"
)
LONGER_THAN_INPUT = (
    "Length of pad should be no more than twice the number of dimensions of the input. Pad length is {length}while the "
    "input has {ndim}dimensions."
)
WRONG_DIMENSIONS = (
    "Expected {k}D or {more}D (batch mode) tensor with possibly 0 batch size and other non-zero dimensions for input, "
    "but got: {shape}"
)
TOO_WIDE = (
    "Argument #{argument}: Padding size should be less than the corresponding input dimension, but got: padding "
    "({before}, {after}) at dimension {dim} of input {shape}"
)
