"""PyTorch's words about arguments."""

NOT_UNPACKED = "{name}(): argument '{argument}' failed to unpack the object at pos {k} with error \"{what}\""
NO_INT = "type must be tuple of ints,but got {kind}"
TOO_LARGE = "Overflow when unpacking long long"
NO_TENSOR = "expected Tensor as element {k} in argument {place}, but got {kind}"
OVERFLOW = "value cannot be converted to type {kind} without overflow"
COMPLEX_INDEX = "'complex' object cannot be interpreted as an integer"
DEPRECATED_OVERLOAD = (
    "This overload of {name} is deprecated:\n"
    "\t{overload}\n"
    "Consider using one of the following signatures instead:\n"
    "\t{shown}"
)
NO_OVERRIDE = (
    "Multiple dispatch failed for '{name}'; all __torch_function__ handlers returned NotImplemented:\n\n{classes}\n\n"
    "For more information, try re-running with TORCH_LOGS=not_implemented"
)
CONDITION_IS_TENSOR = (
    "cond must be a bool, but got a Tensor. For tensor conditions, use torch._check_tensor_all() to assert that all "
    "elements are true."
)
CONDITION_FAILED = (
    "Expected cond to be True, but got False. (Could this error message be improved? If so, please report an "
    "enhancement request to PyTorch.)"
)
