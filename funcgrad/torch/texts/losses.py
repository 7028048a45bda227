"""PyTorch's words about losses."""

from __future__ import annotations

WEIGHTS_OF_CLASSES = (
    "weight tensor should be defined either for all {classes} classes or no classes but got weight tensor of shape: "
    "{shape}"
)
CROSS_ENTROPY_WEIGHTS = (
    "cross_entropy: weight tensor should be defined either for all {classes} classes or no classes but got weight "
    "tensor of shape: {shape}"
)
SPATIAL_TARGETS = "only batches of spatial targets supported (3D tensors) but got targets of dimension: {ndim}"
SPATIAL_INPUTS = "only batches of spatial inputs supported (4D tensors), but got input of dimension: {ndim}"
PROBABILITIES = "Expected floating point type for target with class probabilities, got {dtype}"
COSINE_EMBEDDING = (
    "{target}D target tensor expects {expected}D input tensors, but found inputs with sizes {first} and {second}."
)
TRIPLET_DIMENSIONS = (
    "The anchor, positive, and negative tensors are expected to have the same number of dimensions, but got: anchor "
    "{anchor}D, positive {positive}D, and negative {negative}D inputs"
)
COSINE_OF = "expected common dtype to be floating point, yet common dtype is {dtype}"
ONE_HOT_IN_VMAP = "When vmap-ing torch.nn.functional.one_hot, please provide an explicit positive num_classes argument."
NO_MATRIX = "Expected non-empty vector or matrix with optional 0-dim batch size, but got: {shape}"
MULTI_MARGIN_TARGET = (
    "multi_margin_loss: target tensor should be 1-D with size equal to the number of input samples (batch size). "
    "Expected target size [{expected}], but got {found}. Input has shape {shape}."
)
SIZES_DIFFER = (
    "Using a target size ({target}) that is different to the input size ({input}). This will likely lead to incorrect "
    "results due to broadcasting. Please ensure they have the same size."
)
BINARY_SIZES_DIFFER = (
    "Using a target size ({target}) that is different to the input size ({input}) is deprecated. Please ensure they "
    "have the same size."
)
REDUCTION_OF_WEIGHTED = "Invalid reduction mode: {reduction}. Expected one of 'none', 'mean', 'sum'."
KL_DIV_MEAN = (
    "reduction: 'mean' divides the total loss by both the batch size and the support size.'batchmean' divides only by "
    "the batch size, and aligns with the KL div math definition.'mean' will be changed to behave the same as "
    "'batchmean' in the next major release."
)
RANKING_DIMENSIONS = (
    "margin_ranking_loss : All input tensors should have same dimension but got sizes: input1: {first}, input2: "
    "{second}, target: {target} "
)
_CTC = "(while checking arguments for ctc_loss_allocate_outputs)"
CTC_NEGATIVE = f"Expected {{name}}_lengths to have value at least 0, but got value {{value}} {_CTC}"
CTC_TOO_LONG = f"Expected input_lengths to have value at most {{steps}}, but got value {{value}} {_CTC}"
CTC_SIZE = (
    "Expected tensor to have size {size} at dimension {dim}, but got size {found} for argument #2 'targets' "
    f"{_CTC}"
)
CTC_LEAST_SIZE = (
    "Expected tensor to have size at least {size} at dimension {dim}, but got size {found} for argument #2 'targets' "
    f"{_CTC}"
)
CTC_DIMENSIONS = f"Expected 1 to 2 dimensions, but got {{ndim}}-dimensional tensor for argument #2 'targets' {_CTC}"
NLL_LOSS_2D = (
    "`NLLLoss2d` has been deprecated. Please use `NLLLoss` instead as a drop-in replacement and see "
    "https://pytorch.org/docs/main/nn.html#torch.nn.NLLLoss for more details."
)
MULTI_MARGIN_WEIGHT = "MultiMarginLoss: expected weight to be None or 1D tensor, got {ndim}D instead"
TRIPLET_MARGIN = "TripletMarginWithDistanceLoss: expected margin to be greater than 0, got {margin} instead"
CUTOFFS = (
    "cutoffs should be a sequence of unique, positive integers sorted in an increasing order, where each value is "
    "between 1 and n_classes-1"
)
ADAPTIVE_BATCH = "Input and target should have the same size in the batch dimension."
ADAPTIVE_DIMENSIONS = "{target}D target tensor expects {input}D input tensors, but found inputs with size {size}"
ADAPTIVE_TARGETS = "Target values should be in [0, {last}], but values in range [{low}, {high}] were found. "
