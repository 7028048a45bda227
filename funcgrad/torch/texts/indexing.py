"""PyTorch's words about indices: reading and writing at them."""

SEQUENCE_AS_TUPLE = (
    "Using a non-tuple sequence for multidimensional indexing is deprecated and will be changed in pytorch "
    "2.9; use x[tuple(seq)] instead of x[seq]. In pytorch 2.9 this will be interpreted as tensor index, "
    "x[torch.tensor(seq)], which will result either in an error or a different result "
    "(Triggered internally at /__w/pytorch/pytorch/torch/csrc/autograd/python_variable_indexing.cpp:{line}.)"
)
OUT_OF_BOUNDS = "index {index} is out of bounds for dimension {dim} with size {n}"
TOO_MANY_INDICES = "too many indices for tensor of dimension {ndim}"
INDEX_OF_NUMBER = (
    "invalid index of a 0-dim tensor. Use `tensor.item()` in Python or "
    "`tensor.item<T>()` in C++ to convert a 0-dim tensor to a number"
)
NO_DTYPE = "new(): invalid data type '{kind}'"
NO_INDEX = (
    "only integers, slices (`:`), ellipsis (`...`), None and long or byte Variables are valid indices (got {kind})"
)
INVALID_GRADIENT = (
    "Function {name} returned an invalid gradient at index 1 - got {got} but expected shape compatible with {wanted}"
)
BYTES_AS_MASK = (
    "indexing with dtype torch.uint8 is now deprecated, please use a dtype torch.bool instead. "
    "(Triggered internally at /__w/pytorch/pytorch/aten/src/ATen/native/IndexingUtils.h:37.)"
)
VALUE_SHAPE = "shape mismatch: value tensor of shape {given} cannot be broadcast to indexing result of shape {part}"
EXPANDED_DEPRECATED = (
    "Use of {name} on expanded tensors is deprecated. Please clone() the tensor before performing this "
    "operation. This also applies to advanced indexing e.g. {written_as} "
    "(Triggered internally at /__w/pytorch/pytorch/aten/src/ATen/native/TensorAdvancedIndexing.cpp:{line}.)"
)
TOO_MANY_INDICES_GOT = "too many indices for tensor of dimension {ndim} (got {got})"
MASK_OF_BYTES = "masked_fill_ only supports boolean masks, but got mask with dtype unsigned char"
INDEX_PUT_DTYPES = (
    "Index put requires the source and destination dtypes match, got "
    "{destination} for the destination and {source} for the source."
)
INDEX_SHAPES = "shape mismatch: indexing tensors could not be broadcast together with shapes {shapes}"
MASK_SHAPE = (
    "The shape of the mask {mask} at index {at} does not match the shape of the indexed tensor {shape} at index {dim}"
)
TAKE_ALONG_DIM_DTYPE = "torch.take_along_dim(): dtype of indices should be Long but got {dtype}"
TAKE_ALONG_DIM_DIMENSIONS = (
    "torch.take_along_dim(): input and indices should have the same number of "
    "dimensions, but got {have} dimensions for input, and {want} dimensions for indices"
)
SLICE_NO_DIMENSIONS = "slice() cannot be applied to a 0-dim tensor."
NO_DIMENSIONS = "Dimension specified as {dim} but tensor has no dimensions"
INDEX_SELECT_OF_NUMBER = "index_select(): Index to scalar can have only 1 value, got {n} value(s)"
INDEX_NOT_LONG = "{name}(): Expected a long tensor for index, but got {dtype}"
TAKE_OUT_OF_RANGE = "out of range: tried to access index {index} on a tensor of {n} elements."
SIZES_DIFFER = "The size of tensor a ({n}) must match the size of tensor b ({m}) at non-singleton dimension {dim}"
OUT_OF_RANGE = "index out of range in self"
GATHER_SIZE = (
    "Size does not match at dimension {at} expected index {index} "
    "to be no larger than self {shape} apart from dimension {dim}"
)
INDEX_NO_VECTOR = "{name}(): Index is supposed to be a vector, but got dim: {ndim} with type: {dtype} and size: {shape}"
INDEX_NOT_INT = "{name}(): Expected dtype int32/int64 for index but got: {dtype}"
SCALAR_TYPES_DIFFER = "{name}(): self ({dtype}) and source ({source}) must have the same scalar type"
SLICES_DIFFER = (
    "source tensor shape must match self tensor shape, excluding the "
    "specified dimension. Got self.shape = {shape} source.shape = {source}"
)
NUMBER_OF_INDICES = "{name}(): Number of indices ({n}) should be equal to source.size(dim): ({count}), for dim: {dim}"
INDEX_COPY_OF_NUMBER = "index_copy_(): When source is scalar, index should have one element (got {n})"
INDEX_COPY_DIMENSIONS = (
    "index_copy_(): When source and destination are not scalars, their dimensionality must "
    "match. Source dimensionality ({source}), destination dimensionality ({destination})"
)
INDEX_COPY_NOT_LONG = "index_copy_(): Expected a long tensor for index, but got {dtype}"
INDEX_COPY_DTYPES = (
    "index_copy_(): self and source expected to have the same dtype, but got (self) {dtype} and (source) {source}"
)
INDEX_COPY_SLICES = (
    "index_copy_(): Source/destination tensor must have same slice shapes. Destination slice "
    "shape: {destination} at dimension {dim} and source slice shape: {source} at dimension 0."
)
INDEX_COPY_NUMBER = "index_copy_(): Number of indices ({n}) should be equal to source.size(dim) ({count})"
INDEX_COPY_OUT_OF_BOUNDS = "index_copy_(): index {index} is out of bounds for dimension {dim} with size {n}"
INDEX_FILL_VALUE_DIMENSIONS = (
    "index_fill_ only supports a 0-dimensional value tensor, but got tensor with {ndim} dimension(s)."
)
INDEX_FILL_COMPLEX = "index_fill_(): Converting complex Scalar to non-complex type is not supported"
SCATTER_SIZE_WITH_SOURCE = (
    "Expected index {index} to be no larger than self {shape} apart "
    "from dimension {dim} and to be no larger size than src {source}"
)
SCATTER_SIZE = "Expected index {index} to be no larger than self {shape} apart from dimension {dim}"
PUT_DTYPES = (
    "put_(): self and source expected to have the same dtype, but got self.dtype = {dtype} and source.dtype = {source}"
)
PUT_NUMBER = (
    "put_(): Expected source and index to have the same number of "
    "elements, but got source.numel() = {source}, index.numel() = {index}"
)
INDEX_REDUCE_BETA = (
    "index_reduce() is in beta and the API may change at any time. "
    "(Triggered internally at /__w/pytorch/pytorch/aten/src/ATen/native/TensorAdvancedIndexing.cpp:1523.)"
)
SCATTER_REDUCE_NAMES = "reduce argument must be either sum, prod, mean, amax or amin, got {reduce}"
INDEX_REDUCE_NAMES = "index_reduce(): Expected reduce to be one of prod, mean, amax or amin but got {reduce}."
SCATTER_REDUCE_DEPRECATED = (
    "The reduce argument of torch.scatter with Tensor src is deprecated and will be removed in a future "
    "PyTorch release. Use torch.scatter_reduce instead for more reduction options. "
    "(Triggered internally at /__w/pytorch/pytorch/aten/src/ATen/native/TensorAdvancedIndexing.cpp:225.)"
)
