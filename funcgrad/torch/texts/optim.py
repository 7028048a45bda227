"""PyTorch's words about optimisers and schedules of learning rates."""

PARAMS_NO_ITERABLE = "params argument given to the optimizer should be an iterable of Tensors or dicts, but got {kind}"
PARAMS_IN_SET = (
    "optimizer parameters need to be organized in ordered collections, but the ordering of tensors in sets will change "
    "between runs. Please use a list instead."
)
NAMES_MISSING = "all optimizer params should be with/without names. Some param names are missing"
NAMES_DIFFER = "all optimizer param groups should be with/without names. cannot add param group {how} to the optimizer"
NO_TENSOR = "optimizer can only optimize Tensors, but one of the params is {kind}"
REQUIRED = "parameter group didn't specify a value of required optimization parameter {name}"
DUPLICATES = (
    "optimizer contains a parameter group with duplicate parameters; in future, this will cause an error; see "
    "github.com/pytorch/pytorch/issues/40967 for more information"
)
IN_TWO_GROUPS = "some parameters appear in more than one parameter group"
OTHER_GROUPS = "loaded state dict has a different number of parameter groups"
OTHER_GROUP_SIZES = "loaded state dict contains a parameter group that doesn't match the size of optimizer's group"
PRE_HOOK_RESULT = "{step} must return None or a tuple of (new_args, new_kwargs), but got {result}."

FUSED_NEEDS_FLOATS = (
    "`fused=True` requires all the params to be floating point Tensors of supported devices: ['mps', 'cuda', 'xpu', "
    "'hpu', 'cpu', 'mtia', 'privateuseone'] but {dtype} and {device}"
)
FUSED_AND_FOREACH = "`fused` and `foreach` cannot be `True` together."
CAPTURABLE = "If capturable=True, {what} must be on supported devices: {devices}."
STEPS_NO_TENSORS = "API has changed, `{name}` argument must contain a list of singleton tensors"
TENSOR_LR_FOREACH = "lr as a Tensor is not supported for capturable=False and foreach=True"
TENSOR_BETA_FOREACH = "betas[{i}] as a Tensor is not supported for capturable=False and foreach=True"
STEP_REQUIRES_GRAD = "`requires_grad` is not supported for `step` in differentiable mode"
DENSE_GRADIENTS = "SparseAdam does not support dense gradients, please consider Adam instead"
COMPLEX_SPARSE_ADAM = "Complex params at indices {indices}: SparseAdam does not support complex parameters"
NESTEROV = "Nesterov momentum requires a momentum and zero dampening"
LBFGS_GROUPS = "LBFGS doesn't support per-parameter options (parameter groups)"
MUON_STEPS = "Number of steps must be less than 100 for computational efficiency"
MUON_SIZE = "Muon only supports 2D parameters whereas we found a parameter with size: {size}"
ADAFACTOR_STEPS = "`state_steps` argument must contain a list of singleton tensors"

SWAP_BEFORE_STEP = "swap_in_optimizer_params_and_state requires initialized optimizer state."
SWAP_NO_STATE_DICT = "swap_in_optimizer_params_and_state requires a DCP-style optimizer state_dict."
SWAP_STATE = (
    "swap_in_optimizer_params_and_state requires swapin_optim_state['state'] to be a dict mapping packed parameter ids "
    "to per-param state dicts, got {kind}."
)
SWAP_STATE_KEYS = (
    "swap_in_optimizer_params_and_state requires optimizer.state_dict()-style state keyed by packed parameter ids."
)
SWAP_STATE_ENTRIES = (
    "swap_in_optimizer_params_and_state requires per-parameter optimizer state entries to be dictionaries."
)
SWAP_GROUPS = (
    "swap_in_optimizer_params_and_state requires swapin_optim_state['param_groups'] to be a list of param-group dicts, "
    "got {kind}."
)
SWAP_GROUP_COUNT = "swapin_optim_state has a different number of parameter groups than the live optimizer."
SWAP_GROUP = "swap_in_optimizer_params_and_state requires each optimizer param group to be a dictionary."
SWAP_PARAMS = (
    "swap_in_optimizer_params_and_state requires optimizer.state_dict()-style param_groups[*]['params'] entries keyed "
    "by packed parameter ids."
)
SWAP_PARAM_COUNT = (
    "swapin_optim_state param group {i} has a different number of params than the live optimizer param group."
)
SWAP_OPTIONS = (
    "swap_in_optimizer_params_and_state requires optimizer.state_dict()-style param group keys to exactly match the "
    "live optimizer group keys for group {i}. Keys only in swap-in: {more}. Keys only in live: {less}."
)
SWAP_ORDER = (
    "swap_in_optimizer_params_and_state requires the explicit parameter state to match optimizer.param_groups ordering."
)
SWAP_EXTRA_STATE = (
    "swap_in_optimizer_params_and_state requires swapin_optim_state['state'] to be keyed only by packed parameter ids "
    "from param_groups[*]['params']; got extra keys {keys!r}."
)

RECORDED = "programs take steps of parameters, gradients and states of one shape, in float32 or float64"
"""Of funcgrad, why torch.compile runs a training step eagerly."""
