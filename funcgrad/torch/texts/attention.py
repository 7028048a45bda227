"""PyTorch's words about attention and transformers."""

QUERY_NDIM = (
    "Expected query, key, and value to all be  at least 2 dimensional, but got query.dim: {q} key.dim: {k} and "
    "value.dim: {v} instead."
)
QUERY_DTYPES = (
    "Expected query, key, and value to have the same dtype, but got query.dtype: {q} key.dtype: {k} and value.dtype: "
    "{v} instead."
)
MASK_DTYPE = (
    "Expected attn_mask dtype to be bool or float or to match query dtype, but got attn_mask.dtype: {mask} and  "
    "query.dtype: {query} instead."
)
MASK_AND_CAUSAL = "_scaled_dot_product_attention: Explicit attn_mask should not be set when is_causal=True"
NEGATIVE_DROPOUT = "scaled_dot_product_attention_flash_attention: Currently do not support dropout > 0"
HEADS_DIVIDE = "Number of heads in key and value must divide the number of heads in "
