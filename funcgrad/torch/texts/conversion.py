"""PyTorch's words about other dtypes."""

SET_DEFAULT_TENSOR_TYPE_DEPRECATED = (
    "torch.set_default_tensor_type() is deprecated as of PyTorch 2.1, please use torch.set_default_dtype() and "
    "torch.set_default_device() as alternatives."
)
DEFAULT_TYPE_NOT_FLOATING = "invalid type object: only floating-point types are supported as the default type"
