"""PyTorch's words about probability distributions."""

NO_ARG_CONSTRAINTS = (
    "{cls} does not define `arg_constraints`. Please set `arg_constraints = {{}}` or initialize the distribution with "
    "`validate_args=False` to turn off validation."
)
NO_SUPPORT = (
    "{cls} does not define `support` to enable sample validation. Please initialize the distribution with "
    "`validate_args=False` to turn off validation."
)
INVALID_PARAMETER = (
    "Expected parameter {name} ({kind} of shape {shape}) of distribution {distribution} to satisfy the constraint "
    "{constraint}, but found invalid values:\n{value}"
)
NOT_POSITIVE = (
    "Expected parameter probs ({kind} of shape {shape}) of distribution {distribution} to be positive but found "
    "invalid values:\n{value}"
)
OUTSIDE_SUPPORT = (
    "Expected value argument ({kind} of shape {shape}) to be within the support ({support}) of the distribution "
    "{distribution}, but found invalid values:\n{value}"
)
OTHER_EVENT_SHAPE = "The right-most size of value must match event_shape: {given} vs {wanted}."
OTHER_BATCH_SHAPE = "Value is not broadcastable with batch_shape+event_shape: {given} vs {wanted}."
NO_EXPAND = (
    "Subclass {name} of {family} that defines a custom __init__ method must also define a custom .expand() method."
)
NEITHER_NUMBER_NOR_TENSOR = (
    "Input arguments must all be instances of Number, torch.Tensor or objects implementing __torch_function__."
)
NO_TRIANGLE = (
    "The size of last dimension is {size} which cannot be expressed as the lower triangular part of a square D x D "
    "matrix."
)
TWO_DIMENSIONAL = "{name} must be at least two-dimensional, with optional leading batch dimensions"
ONE_MATRIX = "Exactly one of covariance_matrix or precision_matrix or scale_tril may be specified."
OTHER_COV_FACTOR = "cov_factor must be a batch of matrices with shape {size} x m"
LOW_RANK_SHAPES = "Incompatible batch shapes: loc {loc}, cov_factor {factor}, cov_diag {diagonal}"
LOW_DF = "Low df values detected. Singular samples are highly likely to occur for ndim - 1 < df < ndim."
SMALL_LKJ = "Expected dim to be an integer greater than or equal to 2. Found dim={dim}."
TOO_MANY_DIMENSIONS = (
    "Expected reinterpreted_batch_ndims <= len(base_distribution.batch_shape), actual {given} vs {room}"
)
NO_PRODUCT = "Enumeration over cartesian product is not implemented"
INHOMOGENEOUS = "Inhomogeneous total count not supported by `{method}`."
NOT_CATEGORICAL = " The Mixture distribution needs to be an  instance of torch.distributions.Categorical"
NO_COMPONENT = "The Component distribution needs to be an instance of torch.distributions.Distribution"
OTHER_COMPONENTS = (
    "`mixture_distribution.batch_shape` ({mixture}) is not compatible with "
    "`component_distribution.batch_shape`({components})"
)
OTHER_NUMBER = (
    "`mixture_distribution component` ({mixture}) does not equal `component_distribution.batch_shape[-1]` "
    "({components})"
)
SMALL_BASE = "base_distribution needs to have shape with size at least {wanted}, but got {given}."
NOT_BELOW = "forward_shape length {given} must be >= event_dim {wanted}"
NO_KL = "No KL(p || q) is implemented for p type {p} and q type {q}"
AMBIGUOUS_KL = "Ambiguous kl_divergence({p}, {q}). Please register_kl({p_match}, {q_match})"
NO_CROSS_KL = (
    "The cross KL-divergence between different exponential families cannot                             be computed "
    "using Bregman divergences"
)
OTHER_EVENTS_KL = (
    "KL-divergence between two {families} with                          different event shapes cannot be computed"
)
BINOMIAL_KL = "KL between Binomials where q.total_count > p.total_count is not implemented"
NO_CONSTRAINT = "Expected constraint to be either a Constraint subclass or instance, but got {given}"
NOT_ITS_TENSOR = "dim {dim} out of range for {what} with {ndim} dimensions"
OTHER_LENGTH = "{what}.size({dim}) = {size} must equal {wanted}"
EVENT_DIM_OF_BASE = "reinterpreted_batch_ndims must be an int, got {kind}"
EVENT_DIM_NEGATIVE = "reinterpreted_batch_ndims must be >= 0, got {given}"
