"""PyTorch's words about products of vectors, matrices and batches of them."""

EINSUM_NOTHING = (
    "einsum(): must specify the equation string and at least one operand, or at least one operand and its "
    "subscripts list"
)
EINSUM_RANGE = "einsum(): subscript in subscript list is not within the valid range [0, 52)"
EINSUM_DOT = "einsum(): found '.' for {whose} for which an ellipsis{dots} was already found"
EINSUM_SUBSCRIPT = (
    "einsum(): invalid subscript given at index {i} in the equation string, subscripts must be in [a-zA-Z]"
)
EINSUM_COUNT = (
    "einsum(): the number of subscripts in the equation ({n}) {how} of dimensions ({ndim}) for operand {k}{and_so}"
)
EINSUM_OUTPUT = "einsum(): output subscript {c} does not appear in the equation for any input operand"
EINSUM_SIZE = (
    "einsum(): subscript {label} has size {n} for operand {k} which does not broadcast with previously seen size {seen}"
)
EINSUM_REPEATED = "einsum(): subscript {c} is repeated for operand {operand} but the sizes don't match, {n} != {m}"
ADDMV_DTYPES = "addmv input tensors must have the same dtype, but got {added}, {matrix}, and {vector}"
DOT_DTYPES = "dot : expected both vectors to have same dtype, but found {first} and {second}"
DOT_SIZES = (
    "inconsistent tensor size, expected tensor [{n}] and src [{m}] to have the same number of elements, but got "
    "{n} and {m} elements respectively"
)
BATCHES_DIFFER = "Expected size for first two dimensions of batch2 tensor to be: [{n}, {m}] but got: {shape}."
MATMUL_SCALAR = "both arguments to matmul need to be at least 1D, but they are {p}D and {q}D"
SIZES_DIFFER = (
    "The size of tensor a ({first}) must match the size of tensor b ({second}) at non-singleton dimension {i}"
)
INTEGRAL_FACTOR = "For integral input tensors, argument {name} must not be a floating point number."
BATCH_COUNTS = "batch1 and batch2 must have same number of batches, got {count} and {other}"
BADDBMM_DTYPES = "Input dtypes must be the same, got: input {input}, batch1: {batch1}, batch2: {batch2}"
BAD_IN_PLACE = "Bad in-place call: input tensor size {have} and output tensor size {shape} should match"
