"""PyTorch's words about backward walks, hooks on saved tensors and dual tensors."""

BACKWARD_IN_TRANSFORM = (
    "backward() called inside a functorch transform. This is not supported, please use functorch.grad or "
    "functorch.vjp instead or call backward() outside of functorch transforms."
)
GRADIENTS_TWICE = (
    "`grad_tensors` and `grad_variables` (deprecated) arguments both passed to `backward()`. Please only use "
    "`grad_tensors`."
)
REFERENCE_CYCLE = (
    "Using backward() with create_graph=True will create a reference cycle between the parameter and its gradient "
    "which can cause a memory leak. We recommend using autograd.grad when creating the graph to avoid this. If you "
    "have to use this function, make sure to reset the .grad fields of your parameters to None after use to break the "
    "cycle and avoid the leak."
)
MATERIALIZE_FOR_EDGE = "materialize_grads cannot be used when the given input is a GradientEdge"
MATERIALIZE_UNUSED = (
    "Expected allow_unused to be True or not passed when materialize_grads=True, but got: allow_unused=False."
)
INPUTS_NO_DICT = "`inputs` argument to `grad()` must be a dict, not {kind}. Other Mapping types are not supported."
INPUTS_TYPE = "all inputs have to be Tensors or GradientEdges, but got {kind}"
ONLY_INPUTS_DEPRECATED = (
    "only_inputs argument is deprecated and is ignored now (defaults to True). To accumulate gradient for other parts "
    "of the graph, please use torch.autograd.backward."
)
UNUSED = (
    "The differentiated Tensor at index {k} appears to not have been used in the graph. Set allow_unused=True if this "
    "is the desired behavior."
)
EDGE_WITHOUT_GRAD = "It is not possible to get the gradient edge for a Tensor that does not require gradients"
OUTSIDE_OF_MUTATION = (
    "Trying to backward outside of the 'allow_mutation_on_saved_tensors' contextin which the graph was originally "
    "recorded."
)
HOOKS_NOT_CALLABLE = (
    "_push_saved_tensors_default_hooks(): incompatible function arguments. The following argument types are "
    "supported:\n"
    "    1. (arg0: collections.abc.Callable, arg1: collections.abc.Callable) -> None\n"
    "\n"
    "Invoked with: {pack_hook!r}, {unpack_hook!r}"
)
UNPACKED_NO_TENSOR = "Output of saved tensor unpack_hook expected to be a Tensor but got result of type {kind}"
DUAL_LEVEL_ORDER = (
    "Trying to exit a forward AD level that was not the last one that was created. This is not supported."
)
NO_DUAL_LEVEL = (
    "Trying to create a dual Tensor for forward AD but no level exists, make sure to enter_dual_level() first."
)
PRIMAL_HAS_TANGENT = (
    "Making a dual Tensor based on a Tensor that already has a forward gradient at the same level {level} is not "
    "supported."
)
TANGENT_HAS_TANGENT = (
    "Setting a forward grad that itself has a forward gradient at the same level{level} is not supported."
)
TANGENT_SHAPE = (
    "Trying to set a forward gradient that has a different size than that of the original Tensor, this is not "
    "supported. Tensor is of size {shape} while the given forward gradient is of size {tangent}."
)
