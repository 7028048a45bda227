"""PyTorch's words about activation functions."""

ELU_BACK = (
    "In-place elu backward calculation is triggered with a negative slope which is not supported. This is caused by "
    "calling in-place forward function with a negative slope, please call out-of-place version instead."
)
LEAKY_RELU_BACK = (
    "In-place leakyReLu backward calculation is triggered with a negative slope which is not supported. This is caused "
    "by calling in-place forward function with a negative slope, please call out-of-place version instead. File an "
    "issue at https://github.com/pytorch/pytorch if you do require supporting in-place leakRelu backward calculation "
    "with negative slope"
)
LAMBDA_NEGATIVE = "lambda must be in range [0, {largest:g}] for input dtype {dtype}, but found {lambd:g}"
IMPLICIT_DIM = (
    "Implicit dimension choice for {name} has been deprecated. Change the call to include dim=X as an argument."
)
