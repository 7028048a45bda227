"""PyTorch's words about linear and bilinear maps."""

SCALAR = "both arguments to linear need to be at least 1D, but they are {p}D and {q}D"
BATCHES = "bilinear(): input batch dimensions do not match at dim {dim}: got {n} and {m}"
WEIGHT = "bilinear(): {name} size does not match weight size: got {n} but expected {wanted}"
BIAS = "bilinear(): bias size does not match weight size: got {n} but expected {wanted}"
