"""PyTorch's words about reductions: sums, extrema, norms, cumulative functions."""

NO_SUCH_DIM_OF_SCALAR = "{name}(): Expected reduction dim -1 or 0 for scalar but got {dim}"
DIFF_SHAPES = (
    "diff expects the shape of tensor to prepend or append to match that of input except along the differencing "
    "dimension; input.size({dim}) = {have}, but got tensor.size({dim}) = {got}"
)
SAMPLE_POINTS = "{name}: There must be one `x` value for each sample point"
NEEDS_DIM = (
    "{name}(): Expected reduction dim to be specified for input.numel() == 0. Specify the reduction dim with the 'dim' "
    "argument."
)
AMINMAX_OF_NOTHING = "aminmax(): cannot compute aminmax over an empty dimension as the operation has no identity."
MEAN_DTYPE = (
    "mean(): could not infer output dtype. {which} dtype must be either a floating point or complex dtype. Got: {dtype}"
)
NANMEAN_DTYPE = "nanmean(): expected input to have floating point or complex dtype but got {dtype}"
FROBENIUS_NORM_DEPRECATED = (
    "at::frobenius_norm is deprecated and it is just left for JIT compatibility. It will be removed in a future "
    "PyTorch release. Please use `linalg.vector_norm(A, 2., dim, keepdim)` instead"
)
VECTOR_NORM_INPUT = "linalg.vector_norm: Expected a floating point or complex tensor as input. Got {dtype}"
VECTOR_NORM_DTYPE = "linalg.vector_norm: dtype should be floating point or complex. Got {dtype}"
VECTOR_NORM_KIND = "linalg.vector_norm: dtype should be {kind} for {kind} inputs, but got {dtype}"
VECTOR_NORM_NARROWS = (
    "linalg.vector_norm: the dtype of the input ({input}) should be convertible without narrowing to the specified "
    "dtype ({dtype})"
)
VECTOR_NORM_OF_NOTHING = (
    "linalg.vector_norm cannot compute the {ord} norm on an empty tensor because the operation does not have an "
    "identity"
)
VECTOR_NORM_OF_EMPTY_DIM = (
    "linalg.vector_norm cannot compute the {ord} norm on the dimension {dim}because this dimension is empty and the "
    "operation does not have an identity"
)
NORM_INPUT = "norm(): input dtype should be either floating point or complex. Got {dtype} instead."
NOT_THE_SCALAR_TYPE = "expected scalar_type {expected} but found {found}"
NOT_THE_DTYPE_OF_INPUT = (
    "Expected the dtype for input and out to match, but got {expected} for input's dtype and {found} for out's dtype."
)
TRUTH_OUT = "{name} only supports bool tensor for result, got: {found}"
NOT_BOOL = (
    "self.scalar_type() == at::kBool INTERNAL ASSERT FAILED at "
    '"/__w/pytorch/pytorch/aten/src/ATen/native/ReduceOps.cpp":{line}, please report a bug to PyTorch. '
)
