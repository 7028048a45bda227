"""PyTorch's words about masks."""

FILL_VALUE_HAS_DIMENSIONS = (
    "masked_fill_ only supports a 0-dimensional value tensor, but got tensor with {ndim} dimension(s)."
)
FILL_MASK_NOT_BOOL = "masked_fill_ only supports boolean masks, but got mask with dtype {dtype}"
SCATTER_DTYPES = "masked_scatter: expected self and source to have same dtypes but got{have} and {source}"
SCATTER_MASK_NOT_BOOL = "masked_scatter_ only supports boolean masks, but got mask with dtype {dtype}"
NONZERO_OUT_NOT_INT64 = "nonzero: Expected out tensor to have scalar type Long but got scalar type{dtype}"
