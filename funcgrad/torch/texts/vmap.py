"""PyTorch's words about vmap: what is a batch, and where its examples lie."""

RANDOMNESS = "Only allowed values for randomness are 'error', 'different', or 'same'. Got {randomness}"
CHUNK_SIZE = "vmap: chunk_size should be None or greater than 0. (got {chunk_size})"
OUT_DIMS_TYPE = (
    "vmap({func}, ..., out_dims={out_dims}): `out_dims` must be an int, None or a python collection of ints "
    "representing where in the outputs the vmapped dimension should appear."
)
IN_DIMS_TYPE = (
    "vmap({func}, in_dims={in_dims}, ...)(<inputs>): expected `in_dims` to be int or a (potentially nested) tuple "
    "matching the structure of inputs, got: {kind}."
)
NO_INPUTS = (
    "vmap({func})(<inputs>): got no inputs. Maybe you forgot to add inputs, or you are trying to vmap over a function "
    "with no inputs. The latter is unsupported."
)
IN_DIMS_STRUCTURE = (
    "vmap({func}, in_dims={in_dims}, ...)(<inputs>): in_dims is not compatible with the structure of `inputs`. "
    "in_dims has structure {given} but inputs has structure {structure}."
)
GOT_IN_DIM = "vmap({func}, in_dims={in_dims}, ...)(<inputs>): Got in_dim={in_dim} for"
SIZES_DIFFER = (
    "vmap: Expected all tensors to have the same size in the mapped dimension, got sizes {sizes} for the mapped "
    "dimension"
)
IN_DIM_TYPE = "{where} an input but in_dim must be either an integer dimension or None."
NO_TENSOR = (
    "{where} an input but the input is of type {kind}. We cannot vmap over non-Tensor arguments, please use None as "
    "the respective in_dim"
)
IN_DIM_RANGE = (
    "{where} some input, but that input is a Tensor of dimensionality {ndim} so expected in_dim to satisfy -{ndim} <= "
    "in_dim < {ndim}."
)
RETURNED_NO_TENSOR = (
    "vmap({func}, ...): `{func}` must only return Tensors, got type {kind}. Did you mean to set out_dims= to None for "
    "output?"
)
RETURNED_BATCH = "vmap({func}, ...): `{func}` can not return a BatchedTensor when out_dim is None"
OUT_DIMS_STRUCTURE = (
    "vmap({func}, ..., out_dims={out_dims})(<inputs>): out_dims is not compatible with the structure of `outputs`. "
    "out_dims has structure {given} but outputs has structure {structure}."
)
GRADIENT_WITHOUT_BATCH = (
    "vmap(vjp, in_dims=0, ...)(<inputs>): Got in_dim=0 for some input, but that input is a Tensor of dimensionality 0 "
    "so expected in_dim to satisfy 0 <= in_dim < 0."
)
