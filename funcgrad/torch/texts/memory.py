"""PyTorch's words about memory: strides, storages, and what is written into them."""

IS_CONTIGUOUS_IN_VMAP = (
    "NYI: querying is_contiguous inside of vmap for memory_format other than torch.contiguous_format"
)
AS_STRIDED_NEGATIVE = "as_strided: Negative strides are not supported at the moment, got strides: {strides}"
STORAGE_TOO_LARGE = "Storage size calculation overflowed with sizes={sizes} and strides={strides}"
AS_STRIDED_LENGTHS = (
    "Tensor.as_strided(size, stride, ...): size and stride must "
    "have the same length! Got size {size} and stride {stride}"
)
AS_STRIDED_RANGES = (
    "`result` can access some memory in range [{low}, {high}], but "
    "`tensor` can only access some memory in range [{first}, {last}]."
)
AS_STRIDED_NO_STORAGE = (
    "`tensor` has no storage but the passed-in (size, stride, storage_offset) imply a result with some storage."
)
AS_STRIDED_IN_VMAP = (
    "result = tensor.as_strided({size}, {stride}, {offset}) can access memory "
    "outside of `tensor`. {ranges} This is not supported inside of vmap, please "
    "try to rewrite the `as_strided` call as a sequence of PyTorch view operations"
)
STORAGE_OF_OTHER_TYPE = (
    "Expected a Storage of type {wanted} or an UntypedStorage, but got type {got} for argument 1 'storage'"
)
DEEPCOPY_NEEDS_LEAF = (
    "Only Tensors created explicitly by the user (graph leaves) support the deepcopy protocol "
    "at the moment.  If you were attempting to deepcopy a module, this may be because of a "
    "torch.nn.utils.weight_norm usage, see https://github.com/pytorch/pytorch/pull/103001"
)
SUBCLASS_NEEDS_TENSOR = (
    "Creating a Tensor subclass from a class that does not inherit from "
    "Tensor is not possible. Make sure your class inherits from Tensor."
)
IMAGINARY_PART_LOST = (
    "Casting complex values to real discards the imaginary part "
    "(Triggered internally at /__w/pytorch/pytorch/aten/src/ATen/native/Copy.cpp:307.)"
)
APPLY_NEEDS_DETACH = "Can't call {name}() on Variable that requires grad. Use var.detach().{name}() instead."
FILL_VALUE_DIMENSIONS = "{name} only supports 0-dimension value tensor but got tensor with {ndim} dimensions."
MAP_OTHER_TYPE = "{name}: expected {wanted} for {word} (got {got})"
SAME_MEMORY = (
    "unsupported operation: some elements of the input tensor and the written-to tensor refer "
    "to a single memory location. Please clone() the tensor before performing the operation."
)
TYPED_STORAGE_DEPRECATED = (
    "TypedStorage is deprecated. It will be removed in the future and UntypedStorage will be the only storage "
    "class. This should only matter to you if you are using storages directly.  To access UntypedStorage directly, "
    "use tensor.untyped_storage() instead of tensor.storage()"
)
STORAGE_TOO_SMALL = (
    "setStorage: sizes {sizes}, strides {strides}, storage offset {offset}, and itemsize {item} requiring a "
    "storage size of {needed} are out of bounds for storage of size {size}"
)
NO_MEMORY = (
    "[enforce fail at alloc_cpu.cpp:121] err == 0. DefaultCPUAllocator: can't allocate memory: you tried to "
    "allocate {size} bytes. Error code 12 (Cannot allocate memory)"
)
NOT_RESIZABLE = "Trying to resize storage that is not resizable"
NEGATIVE_DIMENSION = "Trying to create tensor with negative dimension {n}: {sizes}"
NUMEL_OVERFLOW = "numel: integer multiplication overflow"
RANK_OF_FORMAT = "required rank {rank} tensor to use {layout} format"
INVALID_OFFSET = "Tensor: invalid storage offset {offset}"
TYPED_STORAGE_ARGUMENTS = (
    "TypedStorage.__init__ received an invalid combination of arguments. Expected one of:\n"
    " * (*, torch.device device, torch.dtype dtype)\n"
    " * (int size, *, torch.device device, torch.dtype dtype)\n"
    " * (Sequence data, *, torch.device device, torch.dtype dtype)\n"
    " * (*, UntypedStorage wrap_storage, torch.dtype dtype)"
)
LEGACY_STORAGE_ARGUMENTS = (
    "{kind}.__new__ received an invalid combination of arguments. Expected one of:\n"
    " * no arguments\n"
    " * (int size)\n"
    " * (Sequence data)\n"
    " * (*, UntypedStorage wrap_storage)"
)
DATA_AND_WRAPPED = "\nNo positional arguments should be given when using 'wrap_storage'"
DEVICE_OF_WRAPPED = "\nArgument 'device' should not be specified when 'wrap_storage' is given"
WRAPS_NO_STORAGE = "\nArgument 'wrap_storage' must be UntypedStorage, but got {kind}"
DIM_ORDER_AMBIGUOUS = (
    "The tensor does not have unique dim order, or cannot map to exact one of the given memory formats."
)
FILE_NOT_OPENED = "unable to open file <{file}> in {mode} mode: {reason} ({number})"
FILE_TOO_SMALL = "file <{file}> size <{size}> is smaller than the required mapping size <{wanted}>"
FILE_NOT_MAPPED = "unable to mmap {wanted} bytes from file <{file}>: Cannot allocate memory (12)"
NO_SUCH_BYTE_ORDER = "invalid byte_order '{order}' (expected 'big', 'little', or 'native')"
OFFSET_BEYOND_END = "offset must be non-negative and no greater than buffer length ({offset}) , but got {size}"
NOT_WHOLE_ELEMENTS = "buffer size ({size}) must be a multiple of element size ({item})"
TOO_FEW_ELEMENTS = "buffer has only {held} elements after offset {offset}, but specified a size of {count}"
