"""PyTorch's words about making tensors."""

SPACE_OF_COMPLEX = "torch.{name}(): inferred dtype {own} can't be safely cast to passed dtype {dtype}"
CANNOT_ALIAS_SCALARS = "can't alias NumPy scalars. Either remove copy=False or transform it in a ndarray. "

OUT_NEEDS_NO_GRAD = (
    "aten::{name}(): functions with out=... arguments don't support automatic differentiation, but one of the "
    "arguments requires grad."
)
SIZES_AND_STRIDES = "dimensionality of sizes ({sizes}) must match dimensionality of strides ({strides})"
PERMUTED_LENGTH = (
    "Number of dimensions in size does not match the length of the physical_layout; i.e. len(size) = {sizes} is "
    "not equal to len(physical_layout) = {layout}"
)
PERMUTED_RANGE = (
    "Dimension out of range (expected to be between 0 and {highest}, but got {d} at index {i}).  NB: negative dims "
    "not currently supported; file an issue if you want it."
)
ARANGE_RESIZES = (
    "The number of elements in the out tensor of shape {shape} is {size} which does not match the computed number "
    "of elements {n}. Note that this may occur as a result of rounding error. The out tensor will be resized to a "
    "tensor of shape ({n},)."
)
RANGE_DEPRECATED = (
    "torch.range is deprecated and will be removed in a future release because its behavior is inconsistent with "
    "Python's range builtin. Instead, use torch.arange, which produces values in [start, end)."
)
ENDS_ARE_SCALARS = (
    "{name} only supports 0-dimensional start and end tensors, but got {argument} with {ndim} dimension(s)."
)
NEGATIVE_STRIDES = (
    "At least one stride in the given numpy array is negative, and tensors with negative strides are not currently "
    "supported. (You can probably work around this by making a copy of your array  with array.copy().) "
)
NOT_WRITABLE = (
    "The given NumPy array is not writable, and PyTorch does not support non-writable tensors. This means writing "
    "to this tensor will result in undefined behavior. You may want to copy the array to protect its data or make "
    "it writable before converting it to a tensor. This type of warning will be suppressed for the rest of this "
    "program."
)
BUFFER_NOT_WRITABLE = (
    "The given buffer is not writable, and PyTorch does not support non-writable tensors. This means you can write "
    "to the underlying (supposedly non-writable) buffer using the tensor. You may want to copy the buffer to "
    "protect its data or make it writable before converting it to a tensor. This type of warning will be "
    "suppressed for the rest of this program."
)
LIST_OF_ARRAYS = (
    "Creating a tensor from a list of numpy.ndarrays is extremely slow. Please consider converting the list to a "
    "single numpy.ndarray with numpy.array() before converting to a tensor."
)
COPY_CONSTRUCT = (
    "To copy construct from a tensor, it is recommended to use sourceTensor.detach().clone() or "
    "sourceTensor.detach().clone().requires_grad_(True), rather than {name}(sourceTensor)."
)
ASARRAY_REQUIRES_GRAD = (
    "torch.asarray: unspecified requires_grad now defaults to obj.requires_grad instead of False. Pass "
    "requires_grad=False explicitly to get the old behavior and silence this warning."
)
STRIDES_NOT_OF_ELEMENTS = (
    "given numpy array strides not a multiple of the element byte size. Copy the numpy array to reallocate the memory."
)
FROM_NUMPY_TAKES_ONE = "torch._VariableFunctionsClass.from_numpy() takes exactly one argument ({count} given)"
OFFSET_BEYOND_BUFFER = (
    "offset ({offset} bytes) must be non-negative and no greater than buffer length ({size} bytes) minus 1"
)
BUFFER_TOO_SHORT = (
    "requested buffer length ({count} * {item} bytes) after offset ({offset} bytes) must not be greater than "
    "actual buffer length ({size} bytes)"
)
BUFFER_NOT_OF_ELEMENTS = (
    "buffer length ({rest} bytes) after offset ({offset} bytes) must be a multiple of element size ({item})"
)
INVALID_CAPSULE = (
    "from_dlpack received an invalid capsule. Note that DLTensor capsules can be consumed only once, so you might "
    "have already constructed a tensor from it once."
)
NEW_OTHER_DEVICE = "legacy constructor expects device type: cpu but device type: {type} was passed"
NEW_OPTIONS = (
    "dtype={dtype}, device=cpu, layout=Strided, requires_grad=false (default), pinned_memory=false (default), "
    "memory_format=(nullopt)"
)
KIND_OF_GRADIENT = "Only Tensors of floating point and complex dtype can require gradients"
ARANGE_KIND = "\"arange_cpu\" not implemented for '{kind}'"
STORAGE_OF_OTHER_TYPE = "Expected a Storage of type {wanted} or an UntypedStorage, but got {got}"
OPTIONS_OF_WINDOW = (
    "TensorOptions(dtype={dtype}, device=cpu, layout={layout}, requires_grad=false (default), pinned_memory=false, "
    "memory_format=(nullopt))"
)
