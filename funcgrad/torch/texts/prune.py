"""PyTorch's words about pruning."""

SCORES_OF_PARAMETER = (
    "importance_scores should have the same shape as parameter {name} of {module}, got {found} vs {wanted}"
)
SCORES = "importance_scores should have the same shape as tensor t, got {found} vs {wanted}"
NOT_PRUNED_BEFORE = "Module {module} has to be pruned before pruning can be removed"
SEVERAL_HOOKS = (
    "Avoid adding multiple pruning hooks to the same tensor {name} of module {module}. Use a PruningContainer."
)
OTHER_PARAMETER = (
    "Can only add pruning methods acting on the parameter named '{name}' to PruningContainer {container}. Found "
    "'{other}'"
)
NO_DIM = 'Pruning methods of PRUNING_TYPE "structured" need to have the attribute `dim` defined.'
STRUCTURED_VECTOR = (
    "Structured pruning can only be applied to multidimensional tensors. Found tensor of shape {shape} with {n} dims"
)
MASK_SHAPE = "default_mask shape {found} must match self.mask shape {own}"
ONLY_UNSTRUCTURED = (
    'Only "unstructured" PRUNING_TYPE supported for the `pruning_method`. Found method {method} of type {type}'
)
NOT_PRUNED = "Parameter '{name}' of module {module} has to be pruned before pruning can be removed"
AMOUNT = "amount={amount} should either be a float in the range [0, 1] or a non-negative integer"
AMOUNT_TOO_LARGE = "amount={amount} should be smaller than the number of parameters to prune={size}"
