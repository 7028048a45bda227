"""PyTorch's words about tensors split and put together."""

CONTAINS_OTHERS = "Tensor.__contains__ only supports Tensor or scalar, but you passed in a {kind}."
SELECT_OUT_OF_RANGE = "select(): index {index} out of range for tensor of size {shape} at dimension {dim}"
NARROW_START = "start out of range (expected to be in range of [{low}, {high}], but got {start})"
SPLIT_NO_DIMENSIONS = "split expects at least a 1-dimensional tensor"
SPLIT_SIZE_NEGATIVE = "split expects split_size be non-negative, but got split_size={size}"
SPLIT_SIZE_ZERO = "split_size can only be 0 if dimension size is 0, but got dimension size of {n}"
SPLIT_SIZES_NEGATIVE = (
    "split_with_sizes expects split_sizes have only non-negative entries, but got split_sizes={sizes}"
)
SPLIT_SIZES_SUM = (
    "split_with_sizes expects split_sizes to sum exactly to {n} (input "
    "tensor's size at dimension {dim}), but got split_sizes={sizes}"
)
TENSOR_SPLIT_NO_DIMENSIONS = "tensor_split expected at least a 1-dimensional tensor, but got a tensor with 0 dims"
TENSOR_SPLIT_DTYPE = "tensor_split expected tensor_indices_or_sections to have dtype of long, but got {dtype}"
TENSOR_SPLIT_PLACES_DIMENSIONS = (
    "tensor_split expected tensor_indices_or_sections to be a zero-dimensional "
    "or one-dimensional tensor, but got a tensor with {ndim} dims"
)
SPLIT_DIMENSIONS = (
    "torch.{name} requires a tensor with at least {least} dimension, but got a tensor with {ndim} dimensions!"
)
SPLIT_NOT_DIVISIBLE = (
    "torch.{name} attempted to split along dimension {dim}, but the size "
    "of the dimension {n} is not divisible by the split_size {count}!"
)
MESHGRID_INDEXING_REQUIRED = (
    "torch.meshgrid: in an upcoming release, it will be required to pass the indexing argument."
)
CAT_DIMENSIONS = "Tensors must have same number of dimensions: got {first} and {other}"
STACK_SIZES = "stack expects each tensor to be equal size, but got {first} at entry 0 and {other} at entry {place}"
BLOCK_DIAG_DIMENSIONS = (
    "torch.block_diag: Input tensors must have 2 or fewer dimensions. Input {place} has {ndim} dimensions"
)
MESHGRID_INDEXING = 'torch.meshgrid: indexing must be one of "xy" or "ij", but received: {indexing}'
MESHGRID_DIMENSIONS = "torch.meshgrid: Expected 0D or 1D tensor in the tensor list but got: {tensor}"
CAT_SIZES = (
    "Sizes of tensors must match except in dimension {dim}. Expected size "
    "{wanted} but got size {got} for tensor number {place} in the list."
)
