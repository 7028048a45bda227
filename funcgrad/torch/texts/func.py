"""PyTorch's words about transforms of functions, as `torch.func` has them."""

FUNCTIONALIZE_REMOVES = (
    "functionalize(f, remove='mutations'): received invalid argument for remove={remove}. Valid options are:\n"
    "     remove='mutations': all inplace and out= operators will be removed from the program, and replaced with "
    "their out-of-place equivalents.\n"
    "     remove='mutations_and_views': In addition to the above, all aliasing operators {{view}} will be replaced "
    "with their non-aliasing counterparts, {{view}}_copy.\n"
)
VALUE_NO_TENSOR = "grad_and_value(f)(*args): Expected f(*args) to return a Tensor, got {kind}"
NOT_SCALAR = (
    "grad_and_value(f)(*args): Expected f(*args) to return a scalar Tensor, got tensor with {ndim} dims. Maybe you "
    "wanted to use the vjp or jacrev APIs instead?"
)
OUTPUTS_NOT_DIFFERENTIABLE = (
    "vjp(f, ...): All outputs of f must be floating-point or complex Tensors, got Tensor with dtype {dtype}"
)
COTANGENT_STRUCTURE = (
    "Expected pytree structure of cotangents to be the same as pytree structure of outputs to the function. "
    "cotangents: {given}, primal output: {expected}"
)
NAN_RETURNED = "Function '{node}' returned nan values in its {k}th output."
NOT_REAL = "{name}: Expected all {which} to be real but received complex tensor at flattened input idx: {k}"
NO_NAMED_PARAMETERS = (
    "functional_call(): argument 'module' (position 1) must have a method named_parameters(), but {kind} has none. "
    "Write the model as a function of its parameters, f(params, x): grad, vmap and the others take such functions, "
    "and params may be a dict of tensors"
)
NOT_DICTS = "Expected parameter_and_buffer_dicts to be a dict, or a list/tuple of dicts, but got {kind}"
REPEATED_NAMES = "{repeated} appeared in multiple dictionaries; behavior of functional call is ambiguous"
TIED_NAMES = "functional_call got multiple values for keys {names}, which are tied. Consider using tie_weights=False"
MODELS_WITHOUT_PARAMETERS = (
    "stack_module_state: Expected models with a method named_parameters(), which gives pairs of a name and a tensor, "
    "but {name} has none"
)
MODES_DIFFER = "stack_module_state: Expected all models to have the same training/eval mode."
PRIMALS_NO_TUPLE = "{name}: Expected primals to be a tuple. E.g. it should be valid to call f(*primals)."
STRICT_INDEPENDENT = (
    "jvp(f, primals, tangents, strict=True): The output of f is independent of the inputs. This is not allowed with "
    "strict=True."
)
TANGENT_STRUCTURE = (
    "{name}: Expected primals and tangents to have the same python structure. For example, if primals is a tuple of 3 "
    "tensors, tangents also must be. Got primals with structure {primals} and tangents with structure {tangents}"
)
LINEARIZED_STRUCTURE = "Expected the tangents {tangents} to have the same argspec as the primals {primals}"
LINEARIZED_TYPE = (
    "tangent:{k} with {what} {given} in flattened pytree doesn't match the {what} {expected} of the corresponding "
    "primal."
)
BUFFERS_CHANGED = (
    "as_function: calling {kind} changes its buffers {names}. Make the function with as_function(model, state=True), "
    "which takes and gives them; or call model.eval() before"
)
OTHER_NAMES = "load: the model has not the same names as what was given: {names}"
OTHER_SHAPE = "load: {name} has the shape {own} in the model, and {given} was given"
