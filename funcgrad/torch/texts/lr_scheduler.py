"""PyTorch's words about schedules of learning rates, and about averages of models."""

EPOCH = (
    "The epoch parameter in `scheduler.step()` was not necessary and is being deprecated where possible. Please use "
    "`scheduler.step()` to step the scheduler. During the deprecation, if epoch is different from None, the closed "
    "form is used instead of the new chainable form, where available. Please open an issue if you are unable to "
    "replicate your use case: https://github.com/pytorch/pytorch/issues/new/choose."
)
LENGTH = (
    "{name} must have the same length as optimizer.param_groups. {name} has {given} values, param_groups has {groups}."
)
NO_INITIAL_LR = (
    "param 'initial_lr' is not specified in param_groups[{i}] when resuming scheduler with last_epoch >= 0.\n"
    "This typically happens when:\n"
    "1. You're trying to resume training from a checkpoint but haven't properly loaded the optimizer state\n"
    "2. You're using last_epoch >= 0 for a fresh training run (not recommended)"
)
_SEE = "See more details at https://pytorch.org/docs/stable/optim.html#how-to-adjust-learning-rate"
STEP_OVERRIDDEN = (
    "Seems like `optimizer.step()` has been overridden after learning rate scheduler initialization. Please, make sure "
    f"to call `optimizer.step()` before `lr_scheduler.step()`. {_SEE}"
)
STEPPED_FIRST = (
    "Detected call of `lr_scheduler.step()` before `optimizer.step()`. In PyTorch 1.1.0 and later, you should call "
    "them in the opposite order: `optimizer.step()` before `lr_scheduler.step()`.  Failure to do this will result in "
    f"PyTorch skipping the first value of the learning rate schedule. {_SEE}"
)
USE_GET_LAST_LR = "To get the last learning rate computed by the scheduler, please use `get_last_lr()`."
CONSTANT_FACTOR = "Constant multiplicative factor expected to be between 0 and 1."
START_FACTOR = "Starting multiplicative factor expected to be greater than 0 and less or equal to 1."
END_FACTOR = "Ending multiplicative factor expected to be between 0 and 1."
NO_SCHEDULER = "{name} expects at least one scheduler{more}, but got no scheduler."
NO_OPTIMIZER = "{name} at index {i} should have `optimizer` as its attribute."
PLATEAU_INSIDE = (
    "{name} does not support `ReduceLROnPlateau` scheduler as it requires additional kwargs to be specified when "
    "calling `step`, but got one at index {i} in the given schedulers sequence."
)
OTHER_OPTIMIZER = (
    "{name} expects all schedulers to belong to the same optimizer, but got scheduler {scheduler} at index {i} has "
    "{optimizer}, which is different from {expected}."
)
MILESTONES = (
    "Sequential Schedulers expects number of schedulers provided to be one more than the number of milestone points, "
    "but got number of schedulers {schedulers} and the number of milestones to be equal to {milestones}"
)
NEW_GROUP_WITHOUT_MIN_LR = (
    "The number of param groups in the `optimizer` ({groups}) differs from when `ReduceLROnPlateau` was initialized "
    "({min_lrs}), usually due to a new param group being added to the optimizer. Please modify the `min_lrs` field to "
    "match the length of the `optimizer` param groups."
)
NO_MOMENTUM = "optimizer must support momentum or beta1 with `cycle_momentum` option enabled"
ANNEAL_STRATEGY = "anneal_strategy must be one of 'cos' or 'linear', instead got {given}"
TOO_MANY_STEPS = "Tried to step {step} times. The specified number of total steps is {total}"
NO_TOTAL = "You must define either total_steps OR (epochs AND steps_per_epoch)"
DECAY = "Invalid decay value {decay} provided. Please provide a value in [0,1] range."
TWO_AVERAGES = "Only one of avg_fn and multi_avg_fn should be provided"
