"""PyTorch's words about mixed precision."""

OLD_SWITCH = "torch.{name}({argument}) is deprecated. Please use torch.{new}({arguments}) instead."
OLD_NAME = "`torch.{kind}.amp.{name}(args...)` is deprecated. Please use `torch.amp.{name}({arguments})` instead."
NO_DEVICE_TYPE = "Expected `device_type` of type `str`, got: `{kind}`"
NO_AUTOCAST = "User specified an unsupported autocast device_type '{kind}'"
NO_BACKEND = (
    "Tried to use AMP with the `{kind}` backend, but the backend has not registered a module or  the module miss some "
    "necessary funcs. The backend should register a module by `torch._register_device_module`, and the module must "
    "have these funcs: \n`get_amp_supported_dtype() -> List[torch.dtype]`. \n"
)
NO_CUDA = "CUDA is not available or torch_xla is imported. Disabling autocast."
BAD_DTYPE = (
    "In {kind} autocast, but the target dtype is not supported. Disabling autocast.\n"
    "{kind} Autocast only supports dtypes of torch.bfloat16, torch.float16 currently."
)
NO_CALLABLE = (
    "autocast()(func) requires a callable, but got {kind}. Did you mean to use autocast as a context manager? "
    "For example:\n    with torch.autocast(device_type=...):\n        output = model(input)"
)
NO_CUDA_SCALER = "torch.cuda.amp.GradScaler is enabled, but CUDA is not available.  Disabling."
NOT_SCALED = (
    "Attempted {name} but {what} is None.  This may indicate your script did not use scaler.scale(loss or outputs) "
    "earlier in the iteration."
)
UNSCALED_TWICE = "unscale_() has already been called on this optimizer since the last update()."
STEPPED_TWICE = "step() has already been called since the last update()."
CLOSURE = "Closure use is not currently supported if GradScaler is enabled."
PASSES_ITSELF = (
    "GradScaler is going to stop passing itself as a keyword argument to the passed optimizer. In the near future "
    "GradScaler registers `grad_scale: Tensor` and `found_inf: Tensor` to the passed optimizer and let the optimizer "
    "use them directly."
)
NEW_SCALE = (
    "new_scale should be a float or a 1-element torch.cuda.FloatTensor or torch.FloatTensor with requires_grad=False."
)
EMPTY_STATE = "The source state dict is empty, possibly because it was saved from a disabled instance of GradScaler."
PICKLED_WITHIN = (
    "A GradScaler instance may only be pickled at the beginning of an iteration, or at the end after scaler.update()."
)
