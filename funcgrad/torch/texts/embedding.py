"""PyTorch's words about embeddings."""

from __future__ import annotations

SCALAR_TYPES = (
    "Expected tensor for argument #{place} '{name}' to have one of the following scalar types: {types}; but got "
    "torch.{found}Tensor instead (while checking arguments for {function})"
)
RENORM_DIMENSIONS = (
    "Expected 2-dimensional tensor, but got {ndim}-dimensional tensor for argument #1 'self' (while checking arguments "
    "for embedding_renorm_)"
)
OFFSETS_START = (
    "offsets[0] has to be 0, i.e., the first sequence in the mini-batch has to start from position 0. However, got "
    "{start}\n[ torch.{kind}Tensor{{}} ]"
)
OFFSETS_END = "offsets[-1] can not be greater than input's length {length} but got offsets[-1] of {end}"
OUT_OF_TABLE = "embedding_bag: Expected idx >= 0 && idx < num_embeddings but found idx to be {value}"
OUT_OF_TABLE_FAST = "Index {place} of input takes value {value} which is not in the valid range [0, {rows})"
SAMPLE_WEIGHTS_TYPE = (
    "Expected tensor for argument #1 'weight' to have the same type as tensor for argument #1 'per_sample_weights'; "
    "but type torch.{weight}Tensor does not equal torch.{found}Tensor (while checking arguments for embedding_bag)"
)
PADDING = "padding_idx must be within the number of embeddings, -{rows} through {last}, but got {found}"
ARGUMENTS_TURNED = (
    "Argument order of nn.functional.embedding_bag was changed. Usage `embedding_bag(weight, input, ...)` is "
    "deprecated, and should now be `embedding_bag(input, weight, ...)`."
)
SAMPLE_WEIGHTS_SHAPE = (
    "embedding_bag: If per_sample_weights ({weights}) is not None, then it must have the same shape as the input "
    "({input})"
)
OFFSETS_OF_ROWS = (
    "if input is 2D, then offsets has to be None, as input is treated is a mini-batch of fixed length sequences. "
    "However, found offsets of type {type}"
)
SAMPLE_WEIGHTS_MODE = (
    "embedding_bag: per_sample_weights was not None. per_sample_weights is only supported for mode='sum' (got "
    "mode='{mode}'). Please open a feature request on GitHub."
)
