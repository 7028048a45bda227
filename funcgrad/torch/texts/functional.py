"""PyTorch's words about `torch.autograd.functional`."""

INPUT_NEEDS_V = (
    "The vector v can only be None if the input to the user-provided function is a single Tensor with a single element."
)
OUTPUT_NEEDS_V = (
    "The vector v can only be None if the user-provided function returns a single Tensor with a single element."
)
JACOBIAN_STRATEGY = (
    'Expected strategy to be either "forward-mode" or "reverse-mode". Hint: If your function has more outputs than '
    'inputs, "forward-mode" tends to be more performant. Otherwise, prefer to use "reverse-mode".'
)
FORWARD_CREATE_GRAPH = (
    'torch.autograd.functional.jacobian: `create_graph=True` and `strategy="forward-mode"` are not supported together '
    '(yet). Please either set `create_graph=False` or `strategy="reverse-mode"`.'
)
STRICT_VECTORIZED = (
    "torch.autograd.functional.jacobian: `strict=True` and `vectorized=True` are not supported together. Please "
    "either set `strict=False` or `vectorize=False`."
)
OUTPUT_INDEPENDENT = (
    "Output {output} of the user-provided function is independent of input {input}. This is not allowed in strict mode."
)
FORWARD_STRICT = (
    'torch.autograd.functional.jacobian: `strict=True` and `strategy="forward-mode"` are not supported together '
    '(yet). Please either set `strict=False` or `strategy="reverse-mode"`.'
)
FORWARD_NOT_VECTORIZED = (
    "Computing Jacobian using forward-AD or forward-over-reverse Hessian isonly implemented for `vectorize=True`."
)
NOT_SINGLE = "The Tensor returned by the function given to {name} should contain a single element"
NO_TENSOR = (
    "The {what} given to {function} must be either a Tensor or a tuple of Tensors but the {which} has type {kind}."
)
V_LENGTH = "v is a tuple of invalid length: should be {expected} but got {got}."
INPUT_UNREACHED = (
    "The output of the user-provided function is independent of input {i}. This is not allowed in strict mode."
)
HESSIAN_INDEPENDENT = (
    "The hessian of the user-provided function with respect to input {i} is independent of the input. This is not "
    "allowed in strict mode. You should ensure that your function is thrice differentiable and that the hessian "
    "depends on the inputs."
)
JACOBIAN_INDEPENDENT = (
    "While computing the hessian, found that the jacobian of the user-provided function with respect to input {i} is "
    "independent of the input. This is not allowed in strict mode. You should ensure that your function is twice "
    "differentiable and that the jacobian depends on the inputs (this would be violated by a linear function for "
    "example)."
)
GRADIENT_INDEPENDENT = (
    "The gradient with respect to input {i} is independent of the inputs of the user-provided function. This is not "
    "allowed in strict mode."
)
OUTPUT_NOT_RECORDED = (
    "Output {i} of the user-provided function does not require gradients. The outputs must be computed in a "
    "differentiable manner from the input when running in strict mode."
)
INDEPENDENT_IN_GRAPH = (
    "The {what} of the user-provided function is independent of input {i}. This is not allowed in strict mode when "
    "create_graph=True."
)
GRADIENT_UNREACHED = (
    "The gradient with respect to the input is independent of entry {i} in the grad_outputs when using the double "
    "backward trick to compute forward mode gradients. This is not allowed in strict mode."
)
JACOBIAN_UNREACHED = (
    "The jacobian of the user-provided function is independent of input {i}. This is not allowed in strict mode."
)
HESSIAN_UNREACHED = (
    "The hessian of the user-provided function is independent of entry {i} in the grad_jacobian. This is not allowed "
    "in strict mode as it prevents from using the double backward trick to replace forward mode AD."
)
