"""PyTorch's words about sorting and searching."""

TOPK_DTYPE = "{space}topk does not support {kind} dtypes on CPU"
UNIQUE_EMPTY = "There are 0 sized dimensions, and they aren't selected, so unique cannot be applied"
SEARCHSORTED_SIDE = "torch.searchsorted(): side can only be 'left' or 'right' but got {side}"
SEARCHSORTED_OPPOSITES = (
    "torch.searchsorted(): side and right can't be set to opposites, got side of left while right was True"
)
SEARCHSORTED_NUMBER = (
    "torch.searchsorted(): input value can be a scalar only when boundaries tensor dimension "
    "is 1, but we got boundaries tensor dim({ndim}) and input value's dim(0) numel(1)"
)
SEARCHSORTED_NO_DIMENSIONS = (
    "torch.searchsorted(): boundaries tensor should have positive dimension, but got 0 dimension"
)
SEARCHSORTED_SHAPES = (
    "torch.searchsorted(): boundaries tensor should be 1 dimension or the first N-1 dimensions of boundaries tensor "
    "and input value tensor must match, but we got boundaries tensor {boundaries} and input value tensor {values}"
)
BUCKETIZE_DIMENSIONS = "boundaries tensor must be 1 dimension, but got dim({ndim})"
SEARCHSORTED_SORTER = (
    "torch.searchsorted(): boundary and sorter must have the same size, "
    "but got boundary tensor {boundaries}and got sorter tensor {sorter}"
)
SEARCHSORTED_COPIES = (
    "torch.searchsorted(): {word} tensor is non-contiguous, this will lower the performance "
    "due to extra data copy when converting non-contiguous tensor to contiguous, please use "
    "contiguous {word} tensor if possible. This message will only appear once per program."
)
SEARCHSORTED_SORTER_DTYPE = "torch.searchsorted(): sorter must be a tensor of long dtype but got dtype {dtype}"
SEARCHSORTED_OUT = (
    "torch.searchsorted(): output tensor's dtype is wrong, it can only be Int(int32) or Long(int64) depending on "
    "whether out_int32 flag is True, but we got output tensor's dtype {dtype} and out_int32 flag is {flag}"
)
