"""PyTorch's words about products of vectors, matrices and batches of them."""

EINSUM_NOTHING = (
    "einsum(): must specify the equation string and at least one operand, or at least one operand and its "
    "subscripts list"
)
EINSUM_RANGE = "einsum(): subscript in subscript list is not within the valid range [0, 52)"
EINSUM_DOT = "einsum(): found '.' for {whose} {already} ellipsis{dots} was already found"
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
EINSUM_ELLIPSIS_SIZE = (
    "einsum(): dimension {dim} covered by ellipsis in operand {k}has size {n} which does not broadcast with previously "
    "seen ellipsis with size {seen} for the respective dimension"
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
INTEGRAL_FACTOR = "For integral input tensors, argument {name} must not be a floating point number."
BATCH_COUNTS = "batch1 and batch2 must have same number of batches, got {count} and {other}"
BADDBMM_DTYPES = "Input dtypes must be the same, got: input {input}, batch1: {batch1}, batch2: {batch2}"
BAD_IN_PLACE = "Bad in-place call: input tensor size {have} and output tensor size {shape} should match"
CHAIN_MATMUL_DEPRECATED = (
    "torch.chain_matmul is deprecated and will be removed in a future PyTorch release. Use torch.linalg.multi_dot "
    "instead, which accepts a list of two or more tensors rather than multiple parameters."
)
INNER_SHAPES = "inner() the last dimension must match on both input tensors but got shapes {input} and {other}"
TENSORDOT_DIMS = (
    "tensordot expects dims to be int or tuple[list[int], list[int]] or list[list[int]] containing two lists, but got "
    "dims={dims}"
)
CROSS_SIZE = "linalg.cross: inputs dimension {dim} must have length 3. Got {n} and {m}"
CROSS_WITHOUT_DIM = (
    "Using torch.cross without specifying the dim arg is deprecated.\n"
    "Please either pass the dim explicitly or simply use torch.linalg.cross.\n"
    "The default value of dim will change to agree with that of linalg.cross in a future release."
)
CONTRACTED_SIZES = (
    "contracted dimensions need to match, but first has size {first} in dim {first_dim} and second has size {second} "
    "in dim {second_dim}"
)
NOT_A_TENSOR = "expected Tensor as element {i} in argument 0, but got {type}"
CHAIN_DTYPES = "multi_dot(): all tensors must have be the same dtype but tensor 0 is {first} and tensor {i} {dtype}"
CHAIN_SHAPES = "multi_dot(): tensors {i} and {j} with shapes {first} and {second} cannot be multiplied"
MATRIX_SHAPES = "mat1 and mat2 shapes cannot be multiplied ({n}x{m} and {p}x{k})"
VECTOR_SHAPES = "size mismatch, got input ({size}), mat ({n}x{m}), vec ({length})"
SCALAR_TYPES = "expected scalar type {expected} but found {found}"
