"""PyTorch's words about parametrizations."""

NOT_TENSORS = "'right_inverse' must return a Tensor or a Sequence of tensors (list, tuple...). Got {kind}"
NOT_A_TENSOR_AMONG = (
    "'right_inverse' must return a Tensor or a Sequence of tensors (list, tuple...). Got element {i} of the sequence "
    "with type {kind}."
)
INVERSE_DTYPE = (
    "When `right_inverse` outputs one tensor, it may not change the dtype.\noriginal.dtype: {own}\n"
    "right_inverse(original).dtype: {found}"
)
CHANGED_DTYPE = (
    "Registering a parametrization may not change the dtype of the tensor, unless `unsafe` flag is enabled.\n"
    "unparametrized dtype: {own}\nparametrized dtype: {found}"
)
CHANGED_SHAPE = (
    "Registering a parametrization may not change the shape of the tensor, unless `unsafe` flag is enabled.\n"
    "unparametrized shape: {own}\nparametrized shape: {found}"
)
ASSIGNED_DTYPE = "The tensor returned by `right_inverse` has dtype {found} while `original` has dtype {own}"
ASSIGNED_DTYPE_OF = "Tensor {i} returned by `right_inverse` has dtype {found} while `original{i}` has dtype {own}"
NOT_SEQUENCE = "'right_inverse' must return a sequence of tensors. Got {kind}."
SEQUENCE_LENGTH = "'right_inverse' must return a sequence of tensors of length {wanted}. Got a sequence of length {n}."
NOT_TENSOR_IN_SEQUENCE = (
    "'right_inverse' must return a sequence of tensors or reference-type opaques. Got element {i} of type {kind}."
)
NO_PICKLE = (
    "Serialization of parametrized modules is only supported through state_dict(). See:\n"
    "https://pytorch.org/tutorials/beginner/saving_loading_models.html#saving-loading-a-general-checkpoint-for-"
    "inference-and-or-resuming-training"
)
ANOTHER_CHANGED = (
    "Registering a parametrization may not change the {what} of the tensor, unless the `unsafe` flag is enabled.\n"
    "module.{name}.{what}: {own}\nparametrization(module.{name}).{what}: {found}"
)
ANOTHER_INVERSE_CHANGED = (
    "The tensor returned by parametrization.right_inverse must have the same {what} as module.{name}, unless the "
    "`unsafe` flag is enabled.\nmodule.{name}.{what}: {own}\nreturned {what}: {found}"
)
NOTHING_TO_PARAMETRIZE = (
    "Module '{module}' does not have a parameter, a buffer, or a parametrized element with name '{name}'"
)
LEAVE_SEQUENCE = (
    "Cannot leave unparametrized (`leave_parametrized=False`) a tensor that is parametrized in terms of a sequence of "
    "tensors."
)
SET_OF_SUBCLASS = (
    "Calling remove_parametrizations() with leave_parametrized=True for a parameter that is an instance of a tensor "
    "subclass requires set_() to be implemented correctly for the tensor subclass.Alternatively, one can opt into the "
    "swap_tensors pathEither set leave_parametrized=False or provide a working implementationfor set_() in the tensor "
    "subclass or set torch.__future__.set_swap_module_params_on_conversion(True)."
)
COMPLEX_HOUSEHOLDER = "The householder parametrization does not support complex tensors."
ORTHOGONAL_SHAPE = "Expected a matrix or batch of matrices of shape {own}. Got a tensor of shape {found}."
NO_TRIVIALIZATION = (
    "It is not possible to assign to the matrix exponential or the Cayley parametrizations when "
    "use_trivialization=False."
)
ORTHOGONAL_MAPS = 'orthogonal_map has to be one of "matrix_exp", "cayley", "householder". Got: {given}'
DIM_RANGE = "Dimension out of range (expected to be in range of [-{n}, {last}] but got {dim})"
