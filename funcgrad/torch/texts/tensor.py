"""PyTorch's words about one tensor: its numbers, dimensions and gradient."""

NO_STORAGE = "Cannot access data pointer of Tensor that doesn't have storage"
ITEM_IN_VMAP = (
    "vmap: It looks like you're calling .item() on a Tensor. We don't support vmap over calling .item() on a "
    "Tensor, please try to rewrite what you're doing with other operations. If error is occurring somewhere inside "
    "PyTorch internals, please file a bug report."
)
CONTROL_FLOW_IN_VMAP = (
    "vmap: It looks like you're attempting to use a Tensor in some data-dependent control flow. We don't support "
    "that yet, please file an issue at https://github.com/pytorch/pytorch/issues ."
)
ITEM_INSIDE_VMAP = (
    "vmap: It looks like you're either (1) calling .item() on a Tensor or (2) attempting to use a Tensor in some "
    "data-dependent control flow or (3) encountering this error in PyTorch internals. For (1): we don't support "
    "vmap over calling .item() on a Tensor, please try to rewrite what you're doing with other operations. For "
    "(2): we don't support data-dependent control flow in vmap yet, please file an issue at "
    "https://github.com/pytorch/pytorch/issues . For (3): please file an issue."
)
NOT_WRITABLE = "attribute '{name}' of 'torch._C.TensorBase' objects is not writable"
DIM_NO_INT = "{name}(): argument 'dim' (position 1) must be int, not {kind}"
DIM_RANGE = "Dimension out of range (expected to be in range of [{lowest}, {highest}], but got {dim})"
NUMPY_REQUIRES_GRAD = "Can't call numpy() on Tensor that requires grad. Use tensor.detach().numpy() instead."
NUMPY_OF_CONJ = "Can't call numpy() on Tensor that has conjugate bit set. Use tensor.resolve_conj().numpy() instead."
NUMPY_OF_NEG = "Can't call numpy() on Tensor that has negative bit set. Use tensor.resolve_neg().numpy() instead."
SCALAR_REQUIRES_GRAD = (
    "Converting a tensor with requires_grad=True to a scalar may lead to unexpected behavior.\n"
    "Consider using tensor.detach() first."
)
NOT_ONE_ELEMENT = "only one element tensors can be converted to Python scalars"
INFERENCE_WRITTEN = (
    "Inplace update to inference tensor outside InferenceMode is not allowed.You can make a clone to get a normal "
    "tensor before doing inplace update.See https://github.com/pytorch/rfcs/pull/17 for more details."
)
NO_NUMPY_DTYPE = "Got unsupported ScalarType {dtype}"
GRAD_OF_NON_LEAF = (
    "The .grad attribute of a Tensor that is not a leaf Tensor is being accessed. Its .grad attribute won't be "
    "populated during autograd.backward(). If you indeed want the .grad field to be populated for a non-leaf "
    "Tensor, use .retain_grad() on the non-leaf Tensor. If you access the non-leaf Tensor by mistake, make sure "
    "you access the leaf Tensor instead. See github.com/pytorch/pytorch/pull/30531 for more information."
)
INFERENCE_REQUIRES_GRAD = "Setting requires_grad=True on inference tensor outside InferenceMode is not allowed."
NON_LEAF_SWITCHED_OFF = (
    "you can only change requires_grad flags of leaf variables. If you want to use a computed variable in a "
    "subgraph that doesn't require differentiation use var_no_grad = var.detach()."
)
DATA_MUST_FLOAT = "data set to a tensor that requires gradients must be floating point or complex dtype"
REQUIRES_GRAD_NO_BOOL = "requires_grad_(): argument 'requires_grad' (position 1) must be bool, not {kind}"
GRAD_NO_TENSOR = "assigned grad expected to be a Tensor or None but got grad of type {kind}"
GRAD_DTYPE = (
    "attempting to assign a gradient with dtype '{kind}' to a tensor with grad_dtype '{wanted}'. The gradient must "
    "match the tensor's grad_dtype (defaults to the tensor's dtype). You can set the tensor's grad_dtype attribute "
    "with a specific dtype, or None to allow any dtype. Set grad_dtype with caution. Diverging the dtypes of a "
    "tensor and its gradient may break downstream systems that assume they match."
)
GRAD_SIZE = (
    "attempting to assign a gradient of size '{size}' to a tensor of size '{wanted}'. Please ensure that the "
    "gradient and the tensor are the same size"
)
DATA_SET_IN_TRANSFORM = "mutating directly with `.data` inside functorch transform is not allowed."
HOOK_WITHOUT_GRAD = "cannot register a hook on a tensor that doesn't require gradient"
RESULT_SHAPE = "output with shape {shape} doesn't match the broadcast shape {broadcast}"
NO_FORWARD = (
    "Trying to use forward AD with {name} that does not support it because it has not been implemented yet.\n"
    "Please file an issue to PyTorch at https://github.com/pytorch/pytorch/issues/new?template=feature-request.yml "
    "so that we can prioritize its implementation or submit a PR adding the implementation to derivatives.yaml"
)
SWAPPED = (
    "Trying to execute AccumulateGrad node that was poisoned by swap_tensors this can happen when you try to run "
    "backward on a tensor that was swapped. For a module m with `torch.__future__.set_swap_module_params_on_conversion"
    "(True)` you should not change the device or dtype of the module (e.g. `m.cpu()` or `m.half()`) between running "
    "forward and backward. To resolve this, please only change the device/dtype before running forward (or after both "
    "forward and backward)."
)
