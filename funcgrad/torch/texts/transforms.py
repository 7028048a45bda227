"""PyTorch's words about tensors inside the transforms of torch.func."""

CAPTURED_WRITTEN = (
    "During a grad (vjp, jvp, grad, etc) transform, the function provided attempted to call in-place operation "
    "(aten::{overload}) that would mutate a captured Tensor. This is not supported; please rewrite the function "
    "being transformed to explicitly accept the mutated Tensor(s) as inputs."
)
ESCAPED = (
    "Either your tensor may have escaped from inside a function being vmapped and this is a user error (see "
    "https://pytorch.org/functorch/stable/ux_limitations.html), or there is an internal functorch error in "
    "`gen_vmap_plumbing` Please file an issue if it looks like the latter"
)
NO_HOOKS = (
    "torch.func.{grad, vjp, jacrev, hessian} don't yet support saved tensor hooks. Please open an issue with your "
    "use case."
)
UNSUPPORTED = (
    "You are attempting to call Tensor.{name}() {also}inside of a function being transformed by a functorch "
    "transform. This is unsupported, please attempt to use the functorch transforms (e.g. grad, vjp, jacrev, "
    "jacfwd, hessian) or call {name}() outside of a function being transformed instead."
)
DYNAMIC_SHAPE = (
    "vmap: We do not support batching operators that can output dynamic shape. Attempted to vmap over "
    "aten::{name}. Please file an issue at https://github.com/pytorch/pytorch/issues if you need this feature."
)
MASK_IN_VMAP = (
    "vmap: We do not support batching operators that can support dynamic shape. Attempting to batch over indexing "
    "with a boolean mask."
)
MASKED_SELECT_IN_VMAP = (
    "vmap: Attempted to vmap over `mask` in torch.masked_select(self, mask) We cannot support this because for "
    "each batch this would return a differently shaped Tensor. Please file an issue at "
    "https://github.com/pytorch/pytorch/issues if you need this feature."
)
ALLCLOSE_IN_VMAP = (
    "vmap over torch.allclose isn't supported yet. Please file an issue at "
    "https://github.com/pytorch/pytorch/issues if you need this feature."
)
FIRST_OF_NOTHING = "select(): index 0 out of range for tensor of size {sizes} at dimension {dim}"
NO_BATCHING_RULE = "Batching rule not implemented for aten::{name}{end} {more}"
VIEW_IS_DETACHED = (
    "Can't detach views in-place. Use detach() instead. If you are using DistributedDataParallel (DDP) for "
    "training, and gradient_as_bucket_view is set as True, gradients are views of DDP buckets, and hence detach_() "
    "cannot be called on these gradients. To fix this error, please refer to the Optimizer.zero_grad() function in "
    "torch/optim/optimizer.py as the solution."
)
CREATE_GRAPH_INSIDE = (
    "autograd.grad(..., create_graph=True) inside a function that torch.func transforms: the transform can't "
    "differentiate once more what it has recorded itself. Take the inner gradient with torch.func.grad or vjp"
)
NO_OUTPUT = "{name}: Expected f to be a function that has non-empty output (got output = {leaves})"
OUTPUT_NO_TENSOR = "{name}: expected f(*primals) to return only tensors, got unsupported type {kind}"
NO_AUX = "{name}: output of function f should be a tuple: (output, aux) if has_aux is True"
TOO_SMALL = (
    "vmap: {name}(self, *extra_args) is not possible because there exists a Tensor `other` in extra_args that has more "
    "elements than `self`. This happened due to `other` being vmapped over but `self` not being vmapped over in a "
    "vmap. Please try to use out-of-place operators instead of {name}. If said operator is being called inside the "
    "PyTorch framework, please file a bug report instead."
)
