"""PyTorch's words about the values that parameters start with."""

FAR_MEAN = "mean is more than 2 std from [a, b] in nn.init.trunc_normal_. The distribution of values may be incorrect."
NO_FANS = "Fan in and fan out can not be computed for tensor with fewer than 2 dimensions"
NOTHING_TO_FILL = "Initializing zero-element tensors is a no-op"
DEPRECATED = "`nn.init.{old}` is now deprecated in favor of `nn.init.{new}`."
