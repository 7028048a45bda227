"""PyTorch's words about dropout."""

NOT_1D = (
    "dropout1d: Expected 2D or 3D input, but received a {ndim}D input. Note that dropout1d exists to provide "
    "channel-wise dropout on inputs with 1 spatial dimension, a channel dimension, and an optional batch dimension "
    "(i.e. 2D or 3D inputs)."
)
NOT_2D = (
    "dropout2d: Received a {ndim}-D input to dropout2d, which is deprecated and will result in an error in a future "
    "release. To retain the behavior and silence this warning, please use dropout instead. Note that dropout2d exists "
    "to provide channel-wise dropout on inputs with 2 spatial dimensions, a channel dimension, and an optional batch "
    "dimension (i.e. 3D or 4D inputs)."
)
AS_1D = (
    "dropout2d: Received a 3D input to dropout2d and assuming that channel-wise 1D dropout behavior is desired - input "
    "is interpreted as shape (N, C, L), where C is the channel dim. This behavior will change in a future release to "
    "interpret the input as one without a batch dimension, i.e. shape (C, H, W). To maintain the 1D channel-wise "
    "dropout behavior, please switch to using dropout1d instead."
)
NOT_3D = (
    "dropout3d: Received a {ndim}-D input to dropout3d, which is deprecated and will result in an error in a future "
    "release. To retain the behavior and silence this warning, please use dropout instead. Note that dropout3d exists "
    "to provide channel-wise dropout on inputs with 3 spatial dimensions, a channel dimension, and an optional batch "
    "dimension (i.e. 4D or 5D inputs)."
)
