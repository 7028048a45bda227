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
NO_KERNEL = "No available kernel.  Aborting execution."
NO_BACKEND = (
    "No viable backend for scaled_dot_product_attention was found. This is likely due to turning off both the math "
    "kernel and the fused kernels."
)
NOT_USED = "Flash attention kernel not used because:"
FLASH_DROPOUT = "Both fused kernels do not support non-zero dropout."
FLASH_DIMS = (
    "All fused kernels requires query, key and value to be 4 dimensional, but got Query dim: {q}, Key dim: {k}, Value "
    "dim: {v} instead."
)
BACKEND_TYPE = "Backend must be an instance of SDPBackend or a list of SDPBackend instances, got {kind}"
SDP_KERNEL = (
    "`torch.backends.cuda.sdp_kernel()` is deprecated. In the future, this context manager will be removed. Please see "
    "`torch.nn.attention.sdpa_kernel()` for the new context manager, with updated signature."
)
LOWER_RIGHT = "Lower right causal bias will produce NaNs in the output when seq_len_q > seq_len_kv!"
MISMATCHED_MASKS = "Support for mismatched {mask} and {other} is deprecated. Use same type for both instead."
QUERY_DIMS = "query should be unbatched 2D or batched 3D tensor but received {n}-D query tensor"
KEY_DIMS = (
    "For {kind} ({n}-D) `query`, expected `key` and `value` to be {n}-D but found {key}-D and {value}-D tensors "
    "respectively"
)
PADDING_DIMS = (
    "For {kind} ({n}-D) `query`, expected `key_padding_mask` to be `None` or {m}-D but found {found}-D tensor instead"
)
MASK_DIMS = (
    "For {kind} ({n}-D) `query`, expected `attn_mask` to be `None`, 2-D or 3-D but found {found}-D tensor instead"
)
CAUSAL_HINT = (
    "Need attn_mask if specifying the is_causal hint. You may use the Transformer module method "
    "`generate_square_subsequent_mask` to create this mask."
)
KEY_AND_VALUE = "key's sequence and batch dims {key} do not match value's {value}"
MASK_SHAPE = "The shape of the {n}D attn_mask is {found}, but should be {expected}."
PADDING_SHAPE = "Expected key_padded_mask.shape[{d}] to be {n}, but got {found}"
HEADS_POSITIVE = "embed_dim and num_heads must be greater than 0, got embed_dim={embed} and num_heads={heads} instead"
EMBED_DIM = "passed-in embed_dim {embed} didn't match last dim of query {found}"
NESTED = "enable_nested_tensor is True, but self.use_nested_tensor is False because {reason}"
NESTED_PROTOTYPE = (
    "The PyTorch API of nested tensors is in prototype stage and will change in the near future. We recommend "
    "specifying layout=torch.jagged when constructing a nested tensor, as this layout receives active development, has "
    "better operator coverage, and works with torch.compile."
)
