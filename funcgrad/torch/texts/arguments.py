"""PyTorch's words about arguments."""

NOT_UNPACKED = (
    "{name}(): argument '{argument}' failed to unpack the object at pos {k} with error \"type must be tuple of "
    'ints,but got {kind}"'
)
