"""PyTorch's words about elementwise functions."""

ALPHA_NOT_INTEGRAL = "For integral input tensors, argument alpha must not be a floating point number."
ALPHA_NOT_REAL = "For non-complex input tensors, argument alpha must not be a complex number."
SUBTRACTION_OF_BOOLS = (
    "Subtraction, the `-` operator, with two bool tensors is not supported. Use the `^` or `logical_xor()` operator "
    "instead."
)
SUBTRACTION_WITH_BOOL = (
    "Subtraction, the `-` operator, with a bool tensor is not supported. If you are trying to invert a mask, use the "
    "`~` or `logical_not()` operator instead."
)
UNKNOWN_ROUNDING_MODE = "div expected rounding_mode to be one of None, 'trunc', or 'floor' but found '{mode}'"
NEGATION_OF_BOOL = (
    "Negation, the `-` operator, on a bool tensor is not supported. If you are trying to invert a mask, use the `~` or "
    "`logical_not()` operator instead."
)
SIGN_OF_COMPLEX = "Unlike NumPy, torch.sign is not intended to support complex numbers. Please use torch.sgn instead."
WHERE_OF_UINT8 = (
    "where received a uint8 condition tensor. This behavior is deprecated and will be removed in a future version of "
    "PyTorch. Use a boolean condition instead."
)
WHERE_OF_NO_BOOL = "where expected condition to be a boolean tensor, but got a tensor with dtype {dtype}"
INVERT_NEEDS_INTEGERS = "~ (operator.invert) is only implemented on integer and Boolean-type tensors"
FLOAT_POWER_OUT = "the output given to float_power has dtype {have} but the operation's result requires dtype {wanted}"
FLOAT_POWER_BASE = "the base given to float_power_ has dtype {have} but the operation's result requires dtype {wanted}"
PRELU_DTYPES = "prelu: Type promoting not supported. Got {input} and {weight}"
PRELU_CHANNELS = (
    "Mismatch of parameter numbers and input channel size. Found parameter numbers = {parameters} and channel size = "
    "{channels}."
)
VIEW_AS_REAL_OF_CONJUGATE = (
    "view_as_real doesn't work on unresolved conjugated tensors.  To resolve the conjugate tensor so you can view it "
    "as real, use self.resolve_conj(); however, be warned that the resulting tensor will NOT alias the original."
)
VIEW_AS_COMPLEX_DTYPE = (
    "view_as_complex is only supported for half, float and double tensors, but got a tensor of scalar type: {dtype}"
)
COMPLEX_PARTS_NOT_FLOAT = "Expected both inputs to be Half, Float or Double tensors but got {real} and {imag}"
COMPLEX_PARTS_DIFFER = "Expected object of scalar type {real} but got scalar type {imag} for second argument"
NO_CAST = "result type {have} can't be cast to the desired output type {wanted}"
ADDCDIV_OF_INTEGERS = (
    "Integer division with addcdiv is no longer supported, and in a future  release addcdiv will perform a true "
    "division of tensor1 and tensor2. The historic addcdiv behavior can be implemented as (input + value * "
    "torch.trunc(tensor1 / tensor2)).to(input.dtype) for integer inputs and as (input + value * tensor1 / tensor2) for "
    "float inputs. The future addcdiv behavior is just the latter implementation: (input + value * tensor1 / tensor2), "
    "for all dtypes."
)
NO_GRADIENT_OF_COMPLEX = "{name} does not support automatic differentiation for outputs with complex dtype."
NEVER_FORWARD = "Trying to use forward AD with {} that does not support it."
NO_FORWARD_IN_PLACE = (
    "Trying to use forward AD with {} that does not support it because it has not been implemented yet.\n"
    "Please file an issue to PyTorch at https://github.com/pytorch/pytorch/issues/new?template=feature-request.yml so "
    "that we can prioritize its implementation."
)
UNKNOWN_DERIVATIVE = "the derivative for '{}' is not implemented."
CELU_BY_ZERO = "ZeroDivisionError: alpha cannot be 0 for CELU"
CLAMP_OF_COMPLEX = "clamp is not supported for complex types"
CLAMP_WITHOUT_BOUNDS = "torch.clamp: At least one of 'min' or 'max' must not be None"
