"""PyTorch's words about matrices: factorizations, solvers and norms."""

NOT_POSITIVE = (
    "The factorization could not be completed because the input is not positive-definite (the leading minor of "
    "order {} is not positive-definite)."
)
CHOLESKY_DEPRECATED = (
    "torch.cholesky is deprecated in favor of torch.linalg.cholesky and will be removed in a future PyTorch "
    "release.\n"
    "L = torch.cholesky(A)\n"
    "should be replaced with\n"
    "L = torch.linalg.cholesky(A)\n"
    "and\n"
    "U = torch.cholesky(A, upper=True)\n"
    "should be replaced with\n"
    "U = torch.linalg.cholesky(A).mH\n"
    "This transform will produce equivalent results for all valid (symmetric positive definite) inputs."
)
QR_NO_Q = (
    "The derivative of linalg.qr depends on Q, which is not computed when mode='r'. Please use linalg.qr(A, "
    "mode='reduced') if you are going to differentiate through linalg.qr."
)
QR_COMPLETE = "The QR decomposition is not differentiable when mode='complete' and nrows > ncols."
QR_MODE = "qr received unrecognized mode '{mode}' but expected one of 'reduced' (default), 'r', or 'complete'"
QR_DEPRECATED = (
    "torch.qr is deprecated in favor of torch.linalg.qr and will be removed in a future PyTorch release.\n"
    "The boolean parameter 'some' has been replaced with a string parameter 'mode'.\n"
    "Q, R = torch.qr(A, some)\n"
    "should be replaced with\n"
    "Q, R = torch.linalg.qr(A, 'reduced' if some else 'complete')"
)
SVD_PHASE = (
    "svd_backward: The singular vectors in the complex case are specified up to multiplication by e^{i phi}. The "
    "specified loss function depends on this phase term, making it ill-defined."
)
SVD_NOT_FINITE = (
    "linalg.svd: {batch}The algorithm failed to converge because the input matrix contained non-finite values."
)
SVD_DRIVER = "{name}: keyword argument `driver=` is only supported on CUDA inputs with cuSOLVER backend."
SVD_DIMENSIONS = "linalg.svd: input should have at least 2 dimensions, but has {ndim} dimensions instead"
EIG_PHASE = (
    "{}: The eigenvectors in the complex case are specified up to multiplication by e^{{i phi}}. The specified "
    "loss function depends on this quantity, so it is ill-defined."
)
COMPLEX_HALF = "ComplexHalf support is experimental and many operators don't support it yet."
HOUSEHOLDER_WIDE = "{name}: input.shape[-2] must be greater than or equal to input.shape[-1]"
TAU_DIMENSIONS = (
    "{name}: Expected tau to have one dimension less than input, but got tau.ndim equal to {tau} and input.ndim is "
    "equal to {input}"
)
TAU_BATCHES = "{name}: Expected batch dimensions of tau to be equal to input.shape[:-2], but got {batches}"
ORMQR_SHORT = "torch.ormqr: other.shape[{side}] must be greater than or equal to tau.shape[-1]"
ORMQR_TAU = "torch.ormqr: tau.shape[-1] must be equal to min(other.shape[{side}], input.shape[-1])"
GEQRF_COMPLEX = "geqrf does not support automatic differentiation for outputs with complex dtype."
LU_ZERO_PIVOT = (
    "U[{0},{0}] is zero and using it on lu_solve would result in a division by zero. If you still want to perform "
    "the factorization, consider calling linalg.lu(A, pivot) or linalg.lu_factor_ex(A, pivot)"
)
LU_DIMENSIONS = "{name}: Expected tensor with 2 or more dimensions. Got size: {size} instead"
OLD_LU_TENSOR = "_lu_with_info(): argument 'input' (position 1) must be Tensor, not {name}"
LU_DEPRECATED = (
    "torch.lu is deprecated in favor of torch.linalg.lu_factor / torch.linalg.lu_factor_ex and will be removed in "
    "a future PyTorch release.\n"
    "LU, pivots = torch.lu(A, compute_pivots)\n"
    "should be replaced with\n"
    "LU, pivots = torch.linalg.lu_factor(A, compute_pivots)\n"
    "and\n"
    "LU, pivots, info = torch.lu(A, compute_pivots, get_infos=True)\n"
    "should be replaced with\n"
    "LU, pivots, info = torch.linalg.lu_factor_ex(A, compute_pivots)"
)
PIVOTS_DTYPE = (
    "torch.lu_unpack: LU_pivots is expected to be a contiguous tensor of torch.int32 dtype.\n"
    "Note: this function is intended to be used with the output produced by torch.linalg.lu_factor"
)
PIVOTS_RANGE = (
    "pivots passed to lu_unpack must be between 1 and LU.size(-2) inclusive."
    "Did you properly pass the result of lu_factor?"
)
PIVOTS_SMALL = (
    "Pivots given to lu_solve must all be greater or equal to 1. Did you properly pass the result of lu_factor?"
)
PIVOTS_LARGE = (
    "Pivots given to lu_solve must all be smaller or equal to LU.size(-2). "
    "Did you properly pass the result of lu_factor?"
)
PIVOTS_COUNT = "{name}: Number of pivots per batch should be same as the dimension of the matrix"
PIVOTS_SHAPE = (
    "{name}: Expected LU.shape[:-1] and pivots.shape to be the same, but got pivots with shape {shape} instead"
)
LU_SOLVE_DEPRECATED = (
    "torch.lu_solve is deprecated in favor of torch.linalg.lu_solveand will be removed in a future PyTorch "
    "release.\n"
    "Note that torch.linalg.lu_solve has its arguments reversed.\n"
    "X = torch.lu_solve(B, LU, pivots)\n"
    "should be replaced with\n"
    "X = torch.linalg.lu_solve(LU, pivots, B)"
)
PINV_INPUT = (
    "linalg.pinv({title}{{{shape}}}): expected a tensor with 2 or more dimensions of float, double, cfloat or cdouble "
    "types"
)
LSTSQ_DTYPES = (
    "{name}: Expected input and other to have the same dtype, but got input's dtype {first} and other's dtype {second}"
)
LSTSQ_DIMENSIONS = "{name}: input.dim() must be greater or equal to other.dim() and (input.dim() - other.dim()) <= 1"
LSTSQ_DRIVER = "{name}: parameter `driver` should be one of (gels, gelsy, gelsd, gelss)"
NORM_DIM = "linalg.norm: If dim is specified, it must be of length 1 or 2. Got {dims}"
NORM_ORD = "linalg.norm: If dim is not specified but ord is, the input must be 1D or 2D. Got {ndim}D."
SINGULAR = "The diagonal element {} is zero, the inversion could not be completed because the input matrix is singular."
NO_SOLUTION = "The solver failed because the input matrix is singular."
SOLVE_VECTOR_RIGHT = (
    "linalg.solve: Vector broadcasting of the left hand side is not supported for left=False. In this case "
    "linalg.solve is equivalent to B / A.squeeze(-1)"
)
TRIANGULAR_SOLVE_DEPRECATED = (
    "torch.triangular_solve is deprecated in favor of torch.linalg.solve_triangularand will be removed in a future "
    "PyTorch release.\n"
    "torch.linalg.solve_triangular has its arguments reversed and does not return a copy of one of the inputs.\n"
    "X = torch.triangular_solve(B, A).solution\n"
    "should be replaced with\n"
    "X = torch.linalg.solve_triangular(A, B)."
)
TRIANGULAR_SOLVE_DIMENSIONS = (
    "torch.triangular_solve: Expected {name} to have at least 2 dimensions, but it has {ndim} dimensions instead"
)
OLD_SOLVER_SIZES = (
    "Incompatible matrix sizes for {name}: each A matrix is {n} by {n} but each b matrix is {rows} by {columns}"
)
OLD_SOLVER_DIMENSIONS = "{name} should have at least 2 dimensions, but has {ndim} dimensions instead"
TENSORINV_SIZES = (
    "Expected self to satisfy the requirement prod(self.shape[ind:]) == prod(self.shape[:ind]), but got {rows} != "
    "{columns}"
)
TENSORSOLVE_SIZES = (
    "Expected self to satisfy the requirement prod(self.shape[other.ndim:]) == prod(self.shape[:other.ndim]), but "
    "got {rows} != {columns}"
)
VANDER_DTYPE = "linalg.vander supports floating point, complex, and integer tensors, but got {title}"
REMOVED = "This function was deprecated since version 1.9 and is now removed.{text}"
SOLVE_REMOVED = (
    " `torch.solve` is deprecated in favor of `torch.linalg.solve`. `torch.linalg.solve` has its arguments "
    "reversed and does not return the LU factorization.\n"
    "\n"
    "To get the LU factorization see `torch.lu`, which can be used with `torch.lu_solve` or `torch.lu_unpack`.\n"
    "X = torch.solve(B, A).solution should be replaced with:\n"
    "X = torch.linalg.solve(A, B)"
)
SYMEIG_REMOVED = (
    " The default behavior has changed from using the upper triangular portion of the matrix by default to using "
    "the lower triangular portion.\n"
    "\n"
    "L, _ = torch.symeig(A, upper=upper) should be replaced with:\n"
    "L = torch.linalg.eigvalsh(A, UPLO='U' if upper else 'L')\n"
    "\n"
    "and\n"
    "\n"
    "L, V = torch.symeig(A, eigenvectors=True) should be replaced with:\n"
    "L, V = torch.linalg.eigh(A, UPLO='U' if upper else 'L')"
)
EIG_REMOVED = (
    " `torch.linalg.eig` returns complex tensors of dtype `cfloat` or `cdouble` rather than real tensors mimicking "
    "complex tensors.\n"
    "\n"
    "L, _ = torch.eig(A) should be replaced with:\n"
    "L_complex = torch.linalg.eigvals(A)\n"
    "\n"
    "and\n"
    "\n"
    "L, V = torch.eig(A, eigenvectors=True) should be replaced with:\n"
    "L_complex, V_complex = torch.linalg.eig(A)"
)
LSTSQ_REMOVED = (
    " `torch.lstsq` is deprecated in favor of `torch.linalg.lstsq`.\n"
    "`torch.linalg.lstsq` has reversed arguments and does not return the QR decomposition in the returned tuple "
    "(although it returns other information about the problem).\n"
    "\n"
    "To get the QR decomposition consider using `torch.linalg.qr`.\n"
    "\n"
    "The returned solution in `torch.lstsq` stored the residuals of the solution in the last m - n columns of the "
    "returned value whenever m > n. In torch.linalg.lstsq, the residuals are in the field 'residuals' of the "
    "returned named tuple.\n"
    "\n"
    "The unpacking of the solution, as in\n"
    "X, _ = torch.lstsq(B, A).solution[:A.size(1)]\n"
    "should be replaced with:\n"
    "X = torch.linalg.lstsq(A, B).solution"
)
MATRIX_RANK_REMOVED = (
    "\n"
    "Please use the `torch.linalg.matrix_rank` function instead. The parameter 'symmetric' was renamed in "
    "`torch.linalg.matrix_rank()` to 'hermitian'."
)
NOT_SQUARE = "{name}: {argument} must be batches of square matrices, but they are {m} by {n} matrices"
NOT_INEXACT = "{name}: Expected a floating point or complex tensor as input. Got {title}"
DTYPES_DIFFER = (
    "{name}: Expected {first} and {second} to have the same dtype, but found {first} of type {dtype} and {second} "
    "of type {other} instead"
)
SYSTEM_SHAPES = "{name}: Incompatible shapes of A and B for the equation {equation} ({n}x{n} and {rows}x{columns})"
TOO_FEW_DIMENSIONS = "{name}: input must have at least 2 dimensions."
CONDITION_NORM = "linalg.cond got an invalid norm type: {p}"
NOT_FLOAT_OR_DOUBLE = "This function doesn't handle types other than float and double"
MATRIX_NORM_OUT = "linalg.matrix_norm expected out tensor dtype {expected} but got: {found}"
NORM_OUT = "linalg.norm expected out tensor dtype {expected} but got: {found}"
VECDOT_OUT = "linalg.vecdot: Expected out of dtype{expected} but found {found}"
ORMQR_OUT = (
    "torch.ormqr: Expected input and result to have the same dtype, but input has dtype{expected} and result has dtype "
    "{found}"
)
MULTI_DOT_OUT = "multi_dot(): expected out tensor to have dtype {expected_c} but got {found_c}"
NUCLEAR_NORM_DEPRECATED = (
    "at::nuclear_norm is deprecated and it is just left for JIT compatibility. It will be removed in a future PyTorch "
    "release. Please use `linalg.matrix_norm(A, 'nuc', dim, keepdim)` instead"
)
LDL_SINGULAR = (
    "false INTERNAL ASSERT FAILED at "
    '"/__w/pytorch/pytorch/aten/src/ATen/native/BatchLinearAlgebra.cpp":1642, please report a bug to PyTorch. '
    "{name}: Unknown error code: {code}."
)
LDL_PIVOTS_SHAPE = (
    "{name}: Expected LD.shape[:-1] and pivots.shape to be the same, but got pivots with shape {shape} instead"
)
SYSTEM_DTYPES = "Expected b and A to have the same dtype, but found b of type {b} and A of type {a} instead."
