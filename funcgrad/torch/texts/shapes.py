"""PyTorch's words about shapes, axes and views."""

UNFLATTEN_NO_DIMENSIONS = (
    "unflatten got an unexpected error:\nDimension specified as {dim} but tensor has no dimensions"
)
EXPAND_FEWER_DIMENSIONS = (
    "expand({kind}{{{old}}}, size={size}): the number of sizes provided ({given}) "
    "must be greater or equal to the number of dimensions in the tensor ({ndim})"
)
NO_VIEW_AS_DTYPE = "torch.Tensor.view is not supported for {kind} when converting to a different dtype."
UNFLATTEN_SIZES = (
    "unflatten: Provided sizes {sizes} don't multiply up to the size of dim {dim} ({n}) in the input tensor"
)
EXPAND_LEADING_MINUS_ONE = (
    "The expanded size of the tensor (-1) isn't allowed in a leading, non-existing dimension {dim}"
)
EXPAND_SIZE_DIFFERS = (
    "The expanded size of the tensor ({size}) must match the existing size ({n}) at "
    "non-singleton dimension {dim}.  Target sizes: {target}.  Tensor sizes: {old}"
)
BROADCAST_SHAPES_DIFFER = (
    "Attempting to broadcast a dimension of length {n} at {dim}! Mismatching argument "
    "at index {place} had {shape}; but expected shape should be broadcastable to {out}"
)
PERMUTE_DIMS = (
    "permute(sparse_coo): number of dimensions in the tensor input does not match the length of the "
    "desired ordering of dimensions i.e. input.dim() = {ndim} is not equal to len(dims) = {given}"
)
MOVEDIM_DIMS = (
    "movedim: Invalid source or destination dims: source ({source} dims) "
    "should contain the same number of dims as destination ({destination} dims)"
)
MATRICES_ONLY = "tensor.{name} is only supported on matrices or batches of matrices. Got 1-D tensor."
T_OF_OTHERS_DEPRECATED = (
    "The use of `x.T` on tensors of dimension other than 2 to reverse their shape is deprecated and "
    "it will throw an error in a future release. Consider `x.mT` to transpose batches of matrices "
    "or `x.permute(*torch.arange(x.ndim - 1, -1, -1))` to reverse the dimensions of a tensor."
)
MATRIX_ONLY = "tensor.H is only supported on matrices (2-D tensors). Got {ndim}-D tensor."
AMBIGUOUS_SIZE = (
    "cannot reshape tensor of 0 elements into shape {shape} because the "
    "unspecified dimension size -1 can be any value and is ambiguous"
)
VIEW_NEEDS_COPY = (
    "view size is not compatible with input tensor's size and stride (at least one "
    "dimension spans across two contiguous subspaces). Use .reshape(...) instead."
)
SLICE_SIZE_DIFFERS = "expected src to have a size equal to the slice of self. src size = {src}, slice size = {part}"
SHIFTS_AND_DIMS = "shifts and dimensions must align. shifts: {shifts}, dims:{dims}"
ROTATION_DIMS_EQUAL = "expected rotation dims to be different, but got dim0 = {first} and dim1 = {second}"
FEWER_REPEATS_THAN_DIMS = "Number of dimensions of repeat dims can not be smaller than number of dimensions of tensor"
REPEAT_INTERLEAVE_OUTPUT_SIZE = "repeat_interleave: Invalid output_size, expected {total} but got {given}"
REPEAT_INTERLEAVE_SIZE = (
    "repeats must have the same size as input along dim, but "
    "got repeats.size(0) = {repeats} and input.size({dim}) = {n}"
)
