"""PyTorch's words about dtypes, sizes and devices."""

BYTE_ORDER = (
    "given numpy array has byte order different from the native byte order. Conversion between byte orders is "
    "currently not supported."
)
NO_SUCH_DTYPE = (
    "can't convert np.ndarray of type {kind}. The only supported types are: float64, float32, float16, complex64, "
    "complex128, int64, int32, int16, int8, uint64, uint32, uint16, uint8, and bool."
)
DEFAULT_MUST_FLOAT = "invalid dtype object: only floating-point types are supported as the default type"
NO_PROMOTION = "Promotion for uint16, uint32, uint64 types is not supported, attempted to promote {first} and {second}"
TYPE_NO_DTYPE = "{name}(): argument 'type' (position 1) must be torch.dtype, not {kind}"
NO_EIGHT_PROMOTION = "Promotion for Float8 Types is not supported, attempted to promote {first} and {second}"
NO_ML_DTYPES = "torch.{name} needs the package ml_dtypes; install it with: pip install 'funcgrad[torch]'"
FINFO_OF_INTEGERS = "torch.finfo() requires a floating point input type. Use torch.iinfo to handle 'torch.finfo'"
IINFO_OF_FLOATS = "torch.iinfo() requires an integer input type. Use torch.finfo to handle 'torch.iinfo'"
NO_NUMBERS = "funcgrad.torch has no values of dtype torch.{name}: NumPy has no such numbers"
SIZE_OF_NO_INTS = "torch.Size() takes an iterable of 'int' (item {place} is '{kind}')"
NO_BACKEND = (
    "Could not run 'aten::empty.memory_format' with arguments from the '{backend}' backend. This could be because "
    "the operator doesn't exist for this backend, or was omitted during the selective/custom build process (if "
    "using custom build)."
)
INDEX_NO_INT = "device(): argument 'index' (position 2) must be int, not {kind}"
INVALID_TYPES = "\n      didn't match because some of the arguments have invalid types: (!{got}!)"
DEVICE_ARGUMENTS = (
    "device() received an invalid combination of arguments - got ({got}), but expected one of:\n * (torch.device "
    "device){reason}\n * (str type, int index = -1)\n"
)
INDEX_TWICE = "type (string) must not include an index because index was passed explicitly: {text}"
INDEX_NEGATIVE = "Device index must not be negative"
NO_COMPLEX = "Unknown Complex ScalarType for {dtype}"
DEFAULT_NOT_FLOATING = "only floating-point types are supported as the default type"
