"""PyTorch's words about statistics: variance, covariance, histograms, quantiles."""

REDUCTION_TOO_SMALL = (
    "{name}(): degrees of freedom is <= 0. Correction should be strictly less than the reduction factor (input numel "
    "divided by output numel)."
)
SPREAD_DTYPE = "{name} only support floating point and complex dtypes"
TOO_FEW_OBSERVATIONS = (
    "cov(): degrees of freedom is <= 0. Correction should be strictly less than the number of observations."
)
OBSERVATIONS_NOT_A_MATRIX = (
    "{name}(): expected input to have two or fewer dimensions but got an input with {ndim} dimensions"
)
WEIGHTS_NOT_A_VECTOR = "cov(): expected {what} to have one or fewer dimensions but got {what} with {ndim} dimensions"
WEIGHTS_DTYPE = "cov(): expected {what} to have {kind} dtype but got {what} with {dtype} dtype"
WEIGHTS_NUMEL = (
    "cov(): expected {what} to have the same numel as there are observations in the input but got {numel} != "
    "{observations}"
)
HISTOGRAM_WEIGHT_SHAPE = (
    "torch.histogramdd: if weight tensor is provided it should have the same shape as the input tensor excluding its "
    "innermost dimension, but got input with shape [{numel}, 1] and weight with shape {weight}"
)
HISTOGRAM_DTYPES = (
    "torch.histogramdd: input tensor and bins tensors should have the same dtype, but got input with dtype {input} and "
    "bins for dimension 0 with dtype {bins}"
)
HISTOGRAM_WEIGHT_DTYPE = (
    "torch.histogramdd: if weight tensor is provided, input tensor and weight tensor should have the same dtype, but "
    "got input({input}), and weight({weight})"
)
HISTOGRAM_WITHOUT_BINS = (
    "torch.histogramdd: bins tensor should have at least 1 element, but got 0 elements in the bins tensor for "
    "dimension 0"
)
HISTOGRAM_BINS_DIMENSIONS = (
    "torch.histogramdd: bins tensor should have one dimension, but got {ndim} dimensions in the bins tensor for "
    "dimension 0"
)
HISTOGRAM_RANGE_LENGTH = "torch.histogramdd: for a 1-dimensional histogram range should have 2 elements, but got {n}"
HISTOGRAM_RANGE_REVERSED = (
    "torch.histogramdd: min should not exceed max, but got min {low:g} max {high:g} for dimension 0"
)
HISTOGRAM_RANGE_NOT_FINITE = "torch.histogramdd: dimension 0's range [{low:g}, {high:g}] is not finite"
HISTOGRAM_BINS_NOT_POSITIVE = "torch.histogram(): bins must be > 0, but got {bins} for dimension 0"
QUANTILE_INTERPOLATION = (
    "quantile() interpolation must be one of linear, lower, higher, midpoint or nearest, but got {interpolation}"
)
GRADIENT_ALL_DIMS = (
    "torch.gradient expected spacing to be unspecified, a scalar, or a list of length equal to 'self.dim() = {ndim}', "
    "since dim argument was not given, but got a list of length {length}"
)
GRADIENT_SOME_DIMS = (
    "torch.gradient expected spacing to be unspecified, a scalar or it's spacing and dim arguments to have the same "
    "length, but got a spacing argument of length {length} and a dim argument of length {dims}."
)
GRADIENT_COORDINATES = (
    "torch.gradient expected each element of spacing to have one dimension, but got an element with {ndim} dimensions!"
)
