"""PyTorch's words about normalization."""

NO_FORWARD_OF_STATISTICS = (
    "batch_norm is not differentiable wrt running_mean and running_var, they cannot have forward grad defined"
)
BATCHED = (
    "Batch norm got a batched tensor as input while the running_mean or running_var, which will be updated in place, "
    "were not batched.\n"
    "If you are using a module and do not need eval mode, please set `track_running_stats` to be False.If you are "
    "using a prebuilt module and do not need eval mode, please see the functorch website for resources on how to patch "
    "your module to work with vmap"
)
ONE_OF_STATISTICS = "running_mean and running_var must either both be None or neither be None"
NO_STATISTICS = "Expected running_mean and running_var to be defined when use_input_stats is false"
NO_SHAPE = (
    "Expected normalized_shape to be at least 1-dimensional, i.e., containing at least one element, but got "
    "normalized_shape = {shape}"
)
OTHER_SHAPE = (
    "Expected {name} to be of same shape as normalized_shape, but got {name} of shape {shape} and normalized_shape = "
    "{normalized}"
)
NOT_LAST = "Given normalized_shape={normalized}, expected input with shape [*{sep}{sizes}], but got input of size{size}"
NOT_DIVISIBLE = (
    "Expected number of channels in input to be divisible by num_groups, but got input of shape {shape} and "
    "num_groups={groups}"
)
NO_VECTOR = (
    "Expected {name} to be a vector of size equal to the number of channels in input, but got {name} of shape {shape} "
    "and input of shape {input}"
)
FEW_VALUES = "Expected more than 1 value per channel when training, got input size {size}"
FEW_PLACES = "Expected more than 1 spatial element when training, got input size {size}"
EXPECT_FLOAT = "mixed dtype (CPU): expect parameter to have scalar type of Float"
SHARE_DTYPE = "mixed dtype (CPU): all inputs must share same datatype."
LRN_DIMENSIONS = "Expected 3D or higher dimensionality                          input (got {ndim} dimensions)"
OLD_STATISTICS = (
    "Unexpected running stats buffer(s) {names} for {kind} with track_running_stats=False. If state_dict is a "
    "checkpoint saved before 0.4.0, this may be expected because {kind} does not track running stats by default since "
    "0.4.0. Please remove these keys from state_dict. If the running stats are actually needed, instead set "
    "track_running_stats=True in {kind} to enable them. See the documentation of {kind} for details."
)
FEATURES_DIFFER = "expected input's size at dim={dim} to match num_features ({features}), but got: {size}."
FEATURES_UNUSED = (
    "input's size at dim={dim} does not match num_features. You can silence this warning by not passing in "
    "num_features, which is not used because affine=False"
)
