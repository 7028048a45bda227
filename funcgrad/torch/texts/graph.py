"""PyTorch's words about the graph: hooks, saved tensors, and the gradients that flow in it."""

FREED = (
    "Trying to backward through the graph a second time (or directly access saved tensors after they have already "
    "been freed). Saved intermediate values of the graph are freed when you call .backward() or autograd.grad(). "
    "Specify retain_graph=True if you need to backward through the graph a second time or if you need to access "
    "saved tensors after calling backward."
)
HOOK_RETURNED_NUMBER = "hook '{name}' has returned an incorrect number of values (got {n}, but expected {wanted})"
HOOK_CHANGED_TYPE = "hook '{name}' has changed the type of value (was {was} got {kind})"
HOOK_REPLACED_NONE = "can't replace a None gradient with a non-None value"
HOOKS_TWICE = (
    "Calling register_hooks on a saved tensor whose hooks have already been set. Hint: only one pair of hooks is "
    "allowed at a time."
)
HOOKS_AFTER_FREED = (
    "Calling register_hooks on a saved tensor after it has been freed. Saved intermediate values of the graph are "
    "freed when you call .backward() or autograd.grad(). Specify retain_graph=True if you need to backward through "
    "the graph a second time or if you need to access saved variables after calling backward."
)
HINT_OF_BACKTRACE = (
    " Hint: the backtrace further above shows the operation that failed to compute its gradient. The variable in "
    "question was changed in there or anywhere later. Good luck!"
)
HINT_OF_ANOMALY = (
    " Hint: enable anomaly detection to find the operation that failed to compute its gradient, with "
    "torch.autograd.set_detect_anomaly(True, check_nan=False)."
)
PACK_HOOK_WRITES = (
    "A saved tensor pack hook is modifying its input in place. Tensors provided as input to pack hook cannot be "
    "modified by in-place operations as this can lead to unexpected side-effects. Please open an issue if you need "
    "to perform in-place operations on the input to a pack hook."
)
MODIFIED_IN_PLACE = (
    "one of the variables needed for gradient computation has been modified by an inplace operation: [{kind} "
    "{shape}]{origin} is at version {now}; expected version {then} instead."
)
HOOKS_NOT_CALLABLE = (
    "register_hooks(): incompatible function arguments. The following argument types are supported:\n    1. (self: "
    "torch._C._autograd.SavedTensor, arg0: collections.abc.Callable, arg1: collections.abc.Callable) -> None\n\n"
    "Invoked with: {saved!r}, {pack_hook!r}, {unpack_hook!r}"
)
GRADIENT_KIND = (
    "Expected isFloatingType(grad.scalar_type()) || (input_is_complex == grad_is_complex) to be true, but got "
    "false.  (Could this error message be improved?  If so, please report an enhancement request to PyTorch.)"
)
GRADIENT_SHAPE = "{what} at index {k} - got {shape} but expected shape compatible with {wanted}"
BATCHED_SHAPE = (
    "If `is_grads_batched=True`, we interpret the first dimension of each grad_output as the batch dimension. The "
    "sizes of the remaining dimensions are expected to match the shape of corresponding output, but a mismatch was "
    "detected: grad_output[{k}] has a shape of {got} and output[{k}] has a shape of {shape}. If you only want some "
    "tensors in `grad_output` to be considered batched, consider using vmap."
)
STARTING_SHAPE = "Mismatch in shape: grad_output[{k}] has a shape of {got} and output[{k}] has a shape of {shape}."
STARTING_DTYPE = (
    "For complex Tensors, both grad_output and output are required to have the same dtype. Mismatch in dtype: "
    "grad_output[{k}] has a dtype of {got} and output[{k}] has a dtype of {dtype}."
)
STARTING_KIND = "grad can be implicitly created only for real scalar outputs but got {dtype}"
NOTHING_TO_START_FROM = "element {i} of tensors does not require grad and does not have a grad_fn"
NO_TRACEBACK = "No forward pass information available. Enable detect anomaly during forward pass for more information."
ANOMALY_ENABLED = (
    "Anomaly Detection has been enabled. This mode will increase the runtime and should only be enabled for debugging."
)
TRACEBACK_OF_PARENT = "Traceback of forward call that induced the previous calculation:\n{stack}"
TRACEBACK = "Traceback of forward call that caused the error:\n{stack}"
CAUSED_BY = "\n\nPrevious calculation was induced by {name}. {where}"
INFERENCE_SAVED = (
    "Inference tensors cannot be saved for backward. Please do not use Tensors created in inference mode in "
    "computation tracked by autograd. To work around this, you can make a clone to get a normal tensor and use it "
    "in autograd, or use `torch.no_grad()` instead of `torch.inference_mode()`."
)
CLASS_DECORATED = (
    "Decorating classes is deprecated and will be disabled in future versions. You should only decorate functions "
    "or methods. To preserve the current behavior of class decoration, you can directly decorate the `__init__` "
    "method and nothing else."
)
DATA_NO_TENSOR = "Variable data has to be a tensor, but got {kind}"
NOT_DIFFERENTIABLE = (
    "The function '{function}' is not differentiable with respect to argument '{argument}'. This input cannot have "
    "requires_grad True."
)
