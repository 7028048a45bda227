"""What test_every_operand.py calls the functions of the public namespaces with.

A function is called with the values that REQUIRED has for the names of its parameters, or with its SAMPLES. A parameter
that no sample gives a real number to is named in SETTINGS, for all functions, or in NOT_REAL, for one; a function that
has no operand at all is in WITHOUT_OPERANDS. What is in no table fails the test: a new function, a new option.
"""

from decimal import Decimal

import numpy as np
from scipy.sparse import csr_array

import funcgrad as fg
import funcgrad.experimental.ode
import funcgrad.lax as lax
import funcgrad.lax.linalg
import funcgrad.nn as nn
import funcgrad.numpy as fnp
import funcgrad.ops
import funcgrad.scipy.cluster.vq
import funcgrad.scipy.fft.trigonometric
import funcgrad.scipy.integrate
import funcgrad.scipy.interpolate
import funcgrad.scipy.linalg
import funcgrad.scipy.ndimage
import funcgrad.scipy.optimize
import funcgrad.scipy.signal
import funcgrad.scipy.sparse.linalg
import funcgrad.scipy.spatial.distance
import funcgrad.scipy.special
import funcgrad.scipy.stats

NAMESPACES = {
    "numpy": fnp,
    "linalg": fnp.linalg,
    "fft": fnp.fft,
    "lax": lax,
    "ops": fg.ops,
    "lax.linalg": lax.linalg,
    "nn": nn,
    "initializers": nn.initializers,
    "random": fg.random,
    "special": fg.scipy.special,
    "scipy.linalg": fg.scipy.linalg,
    "optimize": fg.scipy.optimize,
    "integrate": fg.scipy.integrate,
    "interpolate": fg.scipy.interpolate,
    "ndimage": fg.scipy.ndimage,
    "distance": fg.scipy.spatial.distance,
    "cluster.vq": fg.scipy.cluster.vq,
    "experimental.ode": funcgrad.experimental.ode,
    "signal": fg.scipy.signal,
    "scipy.fft": funcgrad.scipy.fft.trigonometric,
    "sparse": fg.scipy.sparse.linalg,
    "multivariate_normal": fg.scipy.stats.multivariate_normal,
    "dirichlet": fg.scipy.stats.dirichlet,
    "multinomial": fg.scipy.stats.multinomial,
    "stats": fg.scipy.stats.ranking,
}

KEY = np.asarray(fg.random.key(0))
A = np.array([0.31, 0.72, 0.54])
B = np.array([0.83, 0.26, 0.47])
ROWS = np.array([[0.31, 0.72, 0.54], [0.66, 0.21, 0.87]])
M = np.array([[2.1, 0.3, 0.4], [0.2, 1.7, 0.6], [0.5, 0.1, 2.9]])
IMAGES, KERNELS = np.linspace(0.2, 1.3, 12).reshape(1, 2, 6), np.linspace(-0.7, 0.9, 12).reshape(2, 2, 3)
SPD = M @ M.T
MASK = np.array([True, False, True])
WHOLE = np.array([2, 0, 1])
CUBE = np.array([[[0.3, 0.7], [0.5, 0.2]], [[0.9, 0.1], [0.4, 0.6]]])
STEPS = np.array([0.1, 0.5, 0.9, 1.4])
SIGNAL = np.array([0.31, 0.72, 0.54, 0.93, 0.18, 0.66, 0.27, 0.85, 0.49, 0.12, 0.77, 0.38])
POLES = np.array([1.2, -0.4, 0.3])
SECTIONS = np.array([[0.3, 0.5, 0.2, 1.0, -0.4, 0.3]])
WINDOW = np.array([0.4, 0.9, 1.1, 0.6])
TIGHT = Decimal("1e-10")  # no float, so that it is not swept: a tolerance


def names(text):
    return text.split()


def call(*args, **kwargs):
    return args, kwargs


REQUIRED = {
    **dict.fromkeys(
        names("a x z p m arr ary array operand val filt element ar ar1 a1 x1 u query logits"),
        A,
    ),
    **dict.fromkeys(names("y b ar2 a2 x2 v update test_elements values data"), B),
    **dict.fromkeys(names("arrays tup operands"), (A, B)),
    **dict.fromkeys(names("M n N k deg"), 3),
    **dict.fromkeys(names("shape size new_shape sizes"), (3,)),
    **dict.fromkeys(names("axis axis1 destination dimension split_axis concat_axis"), 0),
    **dict.fromkeys(["axis2", "source"], 0),
    **dict.fromkeys(["key"], KEY),
    **dict.fromkeys(names("alpha df dfnum dfden scale concentration sigma loc mean lam"), 1.3),
    "dtype": float,
    "new_dtype": np.dtype("float32"),
    "condition": MASK,
    "q": 0.37,
    "fill_value": 0.7,
    "axes": (0,),
    "dimensions": (0,),
    "reps": 2,
    "repeats": 2,
    "shift": 1,
    "indices": WHOLE,
    "index_dtype": np.int32,
    "kth": 1,
    "segment_ids": np.array([0, 1, 0]),
    "indices_or_sections": 3,
}

SETTINGS = set(
    names(
        """
        axis axis1 axis2 axisa axisb axisc axes dimension dimensions dtype order subok device copy out keepdims
        shape kind key casting stable is_stable num_keys retstep endpoint num returned return_index
        return_inverse return_counts return_sign return_indices equal_nan sorted assume_unique invert side sorter
        indexing sparse overwrite_input overwrite_a overwrite_b check_finite lower full_matrices compute_uv
        hermitian UPLO upper method rowvar bias density norm s n k m ndim ndmin precision preferred_element_type
        dimension_numbers optimize einsum_call trim wrap inplace replace where mode independent is_causal
        implementation approximate full cov minlength length total_repeat_length decimals fweights edge_order
        increasing N reverse unroll index_dtype options deg permute_l pivoting lwork debug assume_a trans
        unit_diagonal eigvals_only upper_triangular max_squarings strip_zeros symmetrize_input numpy_resid
        subset_by_index subset_by_value sort_eigenvalues algorithm left_side transpose_a conjugate_a transposed
        compute_left_eigenvectors compute_right_eigenvectors enable_eigvec_derivs use_magma compute_schur_vectors
        sort_eig_vals select_callable perturb_singular symmetrize_output pivots permutation_size transpose overwrite_ab
        lapack_driver driver turbo type eigvals select select_range calc_q output conjugate overwrite_c p_indices
        compute_expm blocksize disp max_iterations l_and_u workers singular caxis baxis outaxis return_rank
        homogeneous_eigvals include_initial offset
        window_shape writeable requirements shift repeats reps num_classes axis_name
        axis_index_groups tiled impl rounding_method symmetric has_aux transpose_solve batch_size func func1d
        indices index kth indices_or_sections obj ind perm permutation sizes size new_sizes new_shape
        start_indices limit_indices strides start_index limit_index stride slice_sizes slice_size
        padding_config pad_width new_dtype broadcast_dimensions start_dimension stop_dimension _split_transpose
        condition condlist pred which mask local_window_size query_seq_lengths key_value_seq_lengths
        destination source from_ to tfirst type1 type2 max_work equal legacy
        window_dimensions window_strides base_dilation window_dilation padding lhs_dilation rhs_dilation filter_shape
        feature_group_count batch_group_count out_sharding transpose_kernel use_consistent_padding computation
        segment_ids num_segments bucket_size unique_indices indices_are_sorted wrap_negative_indices
        allow_singular ddof nan_policy
        precision preferred_element_type descending trim_leading_zeros assume_unique_indices method promote_integers
        """
    )
)
"""Parameters that are no real numbers in any function: axes, shapes, counts, flags, indices, masks, functions."""

SETTINGS |= set(  # of SciPy's modules
    names(
        """
        boundary nperseg noverlap nfft detrend return_onesided padded scaling average input_onesided time_axis freq_axis
        padtype padlen irlen bp overwrite_data fftbins Nx dot_axes type overwrite_x workers orthogonalize
        show full_output weight wvar wopts complex_func dense_output events vectorized bounds_error der
        output origin radius prefilter truncate metric force checks
        """
    )
)

WITHOUT_OPERANDS = {
    "of integers": """numpy.bitwise_and numpy.bitwise_count numpy.bitwise_invert numpy.bitwise_left_shift
        numpy.bitwise_not
        numpy.bitwise_or numpy.bitwise_right_shift numpy.bitwise_xor numpy.invert numpy.left_shift numpy.right_shift
        numpy.gcd numpy.lcm numpy.broadcast_shapes numpy.diag_indices numpy.tril_indices numpy.triu_indices
        numpy.mask_indices numpy.indices numpy.ravel_multi_index numpy.unravel_index numpy.eye numpy.identity
        numpy.tri numpy.bartlett numpy.blackman numpy.hamming numpy.hanning lax.bitwise_and lax.bitwise_not
        lax.bitwise_or lax.bitwise_xor lax.clz lax.population_count lax.shift_left lax.shift_right_arithmetic
        lax.shift_right_logical lax.reduce_xor lax.iota lax.broadcasted_iota lax.broadcast_shapes numpy.ix_
        lax.conv_dimension_numbers lax.padtype_to_pads
        numpy.ones numpy.zeros numpy.empty lax.linalg.lu_pivots_to_permutation scipy.linalg.dft
        scipy.linalg.hadamard scipy.linalg.helmert scipy.linalg.hilbert scipy.linalg.invhilbert
        scipy.linalg.invpascal scipy.linalg.pascal initializers.zeros initializers.ones initializers.he_normal
        initializers.he_uniform initializers.kaiming_normal initializers.kaiming_uniform initializers.lecun_normal
        initializers.lecun_uniform initializers.glorot_normal initializers.glorot_uniform initializers.xavier_normal
        initializers.xavier_uniform""",
    "about shapes, types, memory": """numpy.can_cast numpy.common_type numpy.isdtype numpy.issubdtype numpy.isscalar
        numpy.iterable numpy.iscomplexobj numpy.isrealobj numpy.isfortran numpy.may_share_memory numpy.shares_memory
        numpy.min_scalar_type numpy.promote_types numpy.result_type numpy.ndim numpy.shape numpy.size numpy.isnat
        numpy.einsum_path numpy.diag_indices_from numpy.tril_indices_from numpy.triu_indices_from""",
    "constants": "signal.get_window",
    "gives a function; tests/scipy/test_interpolate.py": "interpolate.make_interp_spline",
    "the matrix is a constant; tests/scipy/test_sparse_products.py": "sparse.splu sparse.factorized",
    "printing and settings": """numpy.array2string numpy.array_repr numpy.array_str numpy.get_printoptions
        numpy.set_printoptions numpy.printoptions numpy.geterr numpy.seterr""",
    "of buffers and texts": "numpy.frombuffer numpy.fromstring numpy.fromiter numpy.from_dlpack",
    "of files": "numpy.fromfile numpy.load numpy.save numpy.savez numpy.savez_compressed",
    "of bits": "numpy.packbits numpy.unpackbits",
    "always raises": "numpy.copyto numpy.ndenumerate multivariate_normal.cdf multivariate_normal.logcdf",
    "of keys": """random.PRNGKey random.bits random.clone random.fold_in random.key random.key_data random.key_impl
        random.split random.wrap_key_data random.cauchy random.exponential random.gumbel random.laplace random.logistic
        random.maxwell random.normal random.rademacher random.orthogonal""",
    "takes a function and counts; tests/numpy/test_ufunc_objects.py": "numpy.frompyfunc",
    "needs a named axis; tests/transforms/test_collectives.py": """lax.all_gather lax.all_to_all lax.axis_index
        lax.axis_size lax.pbroadcast lax.pmax lax.pmean lax.pmin lax.ppermute lax.pshuffle lax.psum lax.psum_scatter
        lax.pswapaxes""",
    "of truth values": "lax.reduce_and lax.reduce_or",
}
WITHOUT_OPERANDS = {name: reason for reason, names in WITHOUT_OPERANDS.items() for name in names.split()}

_BATCHED = np.stack([M, M + 0.1])
_WEIGHTED = [call(ROWS, weights=B, axis=1), call(ROWS)]
_QUANTILE = [
    call(ROWS, 0.37),
    call(ROWS, np.array([0.12, 0.8]), axis=1),
    call(ROWS, 0.37, axis=1, weights=B, method="inverted_cdf"),
]
_PERCENTILE = [
    call(ROWS, 37.0),
    call(ROWS, np.array([12.0, 80.0]), axis=1),
    call(ROWS, 37.0, axis=1, weights=B, method="inverted_cdf"),
]
_MOMENT = [
    call(ROWS, axis=1, ddof=0.3),
    call(ROWS, axis=1, correction=0.3),
    call(ROWS, axis=1, mean=ROWS.mean(1)[:, None] + 0.1),
]
_INITIAL = [call(ROWS, axis=1, initial=1.4), call(ROWS, axis=1, initial=0.25)]
_SUM = [call(ROWS, axis=1, initial=1.4)]
_PAIRS = [call(SPD, B)]

SAMPLES = {
    "numpy.allclose": [call(A, B, rtol=1e-3, atol=1e-3)],
    "numpy.isclose": [call(A, B, rtol=1e-3, atol=1e-3)],
    **dict.fromkeys(names("numpy.amax numpy.amin numpy.max numpy.min numpy.nanmax numpy.nanmin"), _INITIAL),
    **dict.fromkeys(names("numpy.sum numpy.prod numpy.nansum numpy.nanprod"), _SUM),
    **dict.fromkeys(names("numpy.std numpy.var numpy.nanstd numpy.nanvar"), _MOMENT),
    **dict.fromkeys(["numpy.quantile", "numpy.nanquantile"], _QUANTILE),
    **dict.fromkeys(["numpy.percentile", "numpy.nanpercentile"], _PERCENTILE),
    "numpy.append": [call(A, B)],
    "numpy.apply_along_axis": [call(lambda x, s: (x * x * s).sum(), 1, ROWS, 1.3)],
    "numpy.apply_over_axes": [call(fnp.sum, ROWS, [0, 1])],
    "numpy.arange": [call(0.3, 2.1, 0.5)],
    "numpy.arccosh": [call(A + 1)],
    "numpy.acosh": [call(A + 1)],
    "numpy.average": _WEIGHTED,
    "numpy.bincount": [call(WHOLE, weights=B)],
    "numpy.broadcast_arrays": [call(A, ROWS)],
    "numpy.broadcast_to": [call(A, (2, 3))],
    "numpy.choose": [call(WHOLE, [A, B, A * B])],
    "numpy.clip": [call(A, 0.4, 0.6), call(A, min=0.4, max=0.6)],
    "numpy.block": [call([[A, B], [B, A]])],
    "numpy.compress": [call(MASK, A), call(MASK, A, size=3, fill_value=0.4)],
    "numpy.extract": [call(MASK, A), call(MASK, A, size=3, fill_value=0.4)],
    **dict.fromkeys(
        names("numpy.unique numpy.unique_all numpy.unique_counts numpy.unique_inverse numpy.unique_values"),
        (call(A), call(A, size=5, fill_value=0.4)),
    ),
    **dict.fromkeys(
        names("numpy.union1d numpy.intersect1d numpy.setdiff1d numpy.setxor1d"),
        (call(A, B), call(A, B, size=7, fill_value=0.4)),
    ),
    "numpy.corrcoef": [call(ROWS, y=B)],
    "numpy.cov": [call(ROWS, y=B), call(ROWS, aweights=B)],
    "numpy.cross": [call(A, B)],
    "numpy.delete": [call(A, 1)],
    "numpy.diagonal": [call(M)],
    "numpy.diff": [call(A, prepend=0.3, append=B)],
    "numpy.digitize": [call(A, np.array([0.2, 0.4, 0.6]))],
    "numpy.dsplit": [call(CUBE, 2)],
    "numpy.ediff1d": [call(A, to_end=0.3, to_begin=B)],
    "numpy.einsum": [call("i,ij,j", A, M, B)],
    "numpy.expand_dims": [call(A, 0)],
    "numpy.fill_diagonal": [call(M, 0.7, inplace=False)],
    "numpy.fliplr": [call(M)],
    "numpy.floor_divide": [call(A + 2, B)],
    "numpy.fromfunction": [call(lambda i, c: i * c, (3,), c=0.4)],
    "numpy.full_like": [call(A, 0.7)],
    "numpy.geomspace": [call(0.3, 2.1, 4), call(A, B, 3)],
    "numpy.gradient": [call(A), call(A, 0.3), call(A, np.array([0.1, 0.3, 0.8]))],
    "numpy.heaviside": [call(A, B), call(0 * WHOLE, B)],
    "numpy.array": [call([0.3, A[1], 0.5])],
    "numpy.poly": [call(A)],
    "numpy.tile": [call(A, 2)],
    "lax.tile": [call(A, (2,))],
    "lax.real": [call(A + 0.5j)],
    "lax.imag": [call(A + 0.5j)],
    "numpy.histogram": [
        call(A, bins=np.array([0.1, 0.4, 0.9]), weights=B),
        call(A, bins=3, range=(0.1, 0.9)),
        call(A, bins=np.array([0.1, 0.4, 0.9]), density=True),
    ],
    "numpy.histogram_bin_edges": [
        call(A, bins=3),
        call(A, bins=3, range=(0.1, 0.9)),
        call(A, bins=STEPS),
        call(A, bins=3, weights=B),
    ],
    "numpy.histogram2d": [
        call(A, B, bins=[STEPS, STEPS], weights=A),
        call(A, B, bins=2, range=[[0.1, 0.9], [0.1, 0.9]]),
    ],
    "numpy.histogramdd": [
        call(ROWS.T, bins=[STEPS, STEPS], weights=A),
        call(ROWS.T, bins=2, range=[[0.1, 0.9], [0.1, 0.9]]),
    ],
    "numpy.hsplit": [call(A, 3)],
    "numpy.insert": [call(A, 1, 0.4)],
    "numpy.interp": [
        call(A, np.array([0.4, 0.5, 0.6]), B, left=0.3, right=-0.2),
        call(A + 2, STEPS, np.array([0.2, 0.7, 0.4, 0.9]), period=1.7),
    ],
    "numpy.ldexp": [call(A, WHOLE)],
    "numpy.kaiser": [call(5, 1.3)],
    "numpy.lexsort": [call((A, B))],
    "numpy.linspace": [call(0.3, 2.1, 4), call(A, B, 3)],
    "numpy.logspace": [call(0.3, 2.1, 4, base=2.7), call(A, B, 3)],
    "numpy.logsumexp": [call(A, b=B)],
    "linalg.norm": [call(A, ord=2.5), call(M)],
    "special.logsumexp": [call(A, b=B)],
    "nn.logsumexp": [call(A, b=B)],
    "numpy.matvec": [call(M, A)],
    "numpy.vecmat": [call(A, M)],
    "numpy.matrix_transpose": [call(M)],
    "numpy.meshgrid": [call(A, B)],
    "numpy.nan_to_num": [call(np.array([0.3, np.nan, np.inf, -np.inf]), nan=0.4, posinf=1.4, neginf=-1.4)],
    "numpy.pad": [
        call(A, 2, constant_values=0.7),
        call(A, 2, mode="linear_ramp", end_values=(0.3, 0.4)),
        call(A, 2, mode="mean"),
    ],
    "numpy.partition": [call(A, 1)],
    "numpy.piecewise": [call(A, [A < 0.5, A >= 0.5], [lambda x, c: x * c, lambda x, c: x + c], 0.7)],
    "numpy.place": [call(A, MASK, B, inplace=False)],
    "numpy.put": [call(A, WHOLE, B, inplace=False)],
    "numpy.put_along_axis": [call(A, WHOLE, B, 0, inplace=False)],
    "numpy.putmask": [call(A, MASK, B)],
    "numpy.polyfit": [call(STEPS, STEPS**2 + 0.1, 1, w=STEPS + 1), call(STEPS, STEPS**2, 1, rcond=1e-9)],
    "numpy.polyint": [call(A, k=0.3)],
    "numpy.polydiv": [call(STEPS, A)],
    "numpy.ptp": [call(A)],
    "numpy.real_if_close": [call(A, tol=100.0)],
    "numpy.reshape": [call(A, (3, 1))],
    "numpy.rot90": [call(M)],
    "numpy.round": [call(A, 1)],
    "numpy.searchsorted": [call(np.sort(A), B)],
    "numpy.select": [call([A < 0.4, A > 0.6], [A, B], default=0.3)],
    "numpy.sliding_window_view": [call(A, 2)],
    "numpy.swapaxes": [call(M, 0, 1)],
    "numpy.take": [call(A, WHOLE), call(A, WHOLE + 1, fill_value=0.4)],
    "numpy.take_along_axis": [call(A, WHOLE, 0), call(A, WHOLE + 1, 0, fill_value=0.4)],
    "numpy.tensordot": [call(M, SPD), call(M, SPD, 1)],
    "numpy.trace": [call(M)],
    "numpy.trapezoid": [call(A, dx=0.3), call(A, x=np.array([0.1, 0.4, 0.9]))],
    "numpy.tril": [call(M)],
    "numpy.triu": [call(M)],
    "numpy.unwrap": [call(3 * A, period=0.7), call(3 * A, discont=0.6, period=0.7)],
    "numpy.vsplit": [call(M, 3)],
    "numpy.moveaxis": [call(M, 0, 1)],
    "numpy.roots": [call(np.array([1.0, 0.3, -2.0]))],
    "numpy.where": [call(MASK, A, B)],
    "numpy.empty_like": [call(A)],
    **dict.fromkeys(
        names(
            """
        linalg.cholesky linalg.det linalg.eig linalg.eigh linalg.eigvals linalg.eigvalsh linalg.inv linalg.qr
        linalg.slogdet linalg.svd linalg.svdvals linalg.trace linalg.matrix_transpose linalg.diagonal
            """
        ),
        (call(SPD),),
    ),
    "linalg.cond": [call(M)],
    "linalg.lstsq": [call(M, B, rcond=1e-9)],
    "linalg.matrix_norm": [call(M)],
    "linalg.matrix_power": [call(M, 3)],
    "linalg.matrix_rank": [call(M, tol=0.1), call(M, rtol=0.1)],
    "linalg.multi_dot": [call([A, M, B])],
    "linalg.pinv": [call(M, rcond=1e-6), call(M, rtol=1e-6)],
    "linalg.solve": _PAIRS,
    "linalg.tensordot": [call(M, SPD)],
    "linalg.tensorinv": [call(M, ind=1)],
    "linalg.tensorsolve": _PAIRS,
    "linalg.vector_norm": [call(A, ord=2.5)],
    "fft.fftfreq": [call(5, d=0.3)],
    "fft.rfftfreq": [call(5, d=0.3)],
    "fft.fftshift": [call(A)],
    "fft.ifftshift": [call(A)],
    **dict.fromkeys(names("fft.fft2 fft.ifft2 fft.irfft2 fft.rfft2"), (call(M),)),
    "fft.irfft": [call(A)],
    "fft.hfft": [call(A)],
    "lax.acosh": [call(A + 1)],
    "lax.associative_scan": [call(lambda a, b: a * b, A)],
    "lax.batch_matmul": [call(_BATCHED, _BATCHED)],
    "lax.bitcast_convert_type": [
        call(A, np.dtype("int64")),
        call(A, np.dtype("float32")),
    ],
    "lax.broadcast": [call(A, (2,))],
    "lax.broadcast_in_dim": [call(A, (2, 3), (1,))],
    "lax.clamp": [call(0.4, A, 0.6)],
    "lax.collapse": [call(M, 0, 2)],
    "lax.concatenate": [call([A, B], 0)],
    "lax.cond": [
        call(True, lambda x, y: x * y, lambda x, y: x, A, B),
        call(False, lambda x: x * x, lambda x: 2 * x, operand=A),
    ],
    "lax.conv": [call(IMAGES, KERNELS, (1,), "SAME")],
    "lax.conv_general_dilated": [call(IMAGES, KERNELS, (2,), [(1, 1)])],
    "lax.conv_general_dilated_patches": [call(IMAGES, (2,), (1,), "VALID")],
    "lax.conv_transpose": [call(IMAGES, KERNELS, (2,), "SAME", dimension_numbers=("NCH", "OIH", "NCH"))],
    "lax.conv_with_general_padding": [call(IMAGES, KERNELS, (1,), [(1, 0)], (1,), (2,))],
    "lax.convert_element_type": [call(A, np.dtype("complex128"))],
    "lax.custom_linear_solve": [call(lambda x: SPD @ x, B, lambda mv, b: fnp.linalg.solve(SPD, b), symmetric=True)],
    "lax.custom_root": [
        call(lambda x: x**3 - 2, 1.1, lambda f, x: x * 0 + 2 ** (1 / 3), lambda g, y: y / g(1.0)),
    ],
    "lax.dot": [call(A, B)],
    "lax.dot_general": [call(M, SPD, (((1,), (0,)), ((), ())))],
    "lax.dynamic_index_in_dim": [call(A, 1)],
    "lax.dynamic_slice": [call(A, (1,), (2,))],
    "lax.dynamic_slice_in_dim": [call(A, 1, 2)],
    "lax.dynamic_update_index_in_dim": [call(A, 0.4, 1, 0)],
    "lax.dynamic_update_slice": [call(A, B[:2], (1,))],
    "lax.dynamic_update_slice_in_dim": [call(A, B[:2], 1, 0)],
    "lax.expand_dims": [call(A, (0,))],
    "lax.fori_loop": [call(0, 3, lambda i, x: x * 1.1 + i, A)],
    "lax.full": [call((3,), 0.7)],
    "lax.full_like": [call(A, 0.7)],
    "lax.index_in_dim": [call(A, 1)],
    "lax.integer_pow": [call(A, 3)],
    "lax.map": [call(lambda x: x * x, A)],
    "lax.pad": [call(A, 0.7, [(1, 2, 1)])],
    "lax.platform_dependent": [call(A, default=lambda x: x * x)],
    "lax.reduce": [
        call(A, 0.3, lax.add, (0,)),
        call(A, 0.4, lax.max, (0,)),
        call(A, 0.4, lambda x, y: x * y + x + y, (0,)),
    ],
    "lax.reduce_window": [call(A, 0.0, lax.add, (2,)), call(A, 0.3, lambda x, y: x + y, (2,), (1,), "SAME")],
    "lax.reduce_and": [call(A > 0.4, (0,))],
    "lax.reduce_or": [call(A > 0.4, (0,))],
    "lax.reshape": [call(A, (3, 1))],
    "lax.scan": [call(lambda c, x: (c * x, c + x), 0.7, A)],
    "lax.select": [call(MASK, A, B)],
    "lax.select_n": [call(MASK, A, B)],
    "lax.slice": [call(A, (0,), (2,))],
    "lax.slice_in_dim": [call(A, 0, 2)],
    "lax.sort_key_val": [call(A, B)],
    "lax.split": [call(A, (1, 2))],
    "lax.squeeze": [call(A[None], (0,))],
    "lax.switch": [call(1, [lambda x: x, lambda x: x * x], A), call(1, [lambda x: x, lambda x: x * x], operand=A)],
    "lax.top_k": [call(A, 2)],
    "lax.transpose": [call(M, (1, 0))],
    "lax.while_loop": [call(lambda x: x[0] < 3, lambda x: x * 1.7, A)],
    "lax.zeta": [call(A + 1.5, B)],
    "special.zeta": [call(A + 1.5, B)],
    "special.multigammaln": [call(A + 1, 2)],
    "special.polygamma": [call(2, A)],
    "special.bernoulli": [call(3)],
    "special.bessel_jn": [call(A, v=3)],
    "special.bdtr": [call(2, 5, A)],
    "special.bdtrc": [call(2, 5, A)],
    "special.nbdtr": [call(2, 5, A)],
    "special.nbdtrc": [call(2, 5, A)],
    "special.comb": [call(A + 2, B)],
    "special.eval_sh_jacobi": [call(3, 2.3, 1.4, A)],
    "special.fdtr": [call(A, B, A + 1)],
    "special.gdtria": [call(A, B, A + 1)],
    "special.gdtrix": [call(A, B, A)],
    "special.hyp1f1": [call(A, B, A)],
    "special.hyp2f1": [call(A, B, A + 1, B)],
    "special.lpmv": [call(1.0, 2.3, A)],
    "special.ndtri_exp": [call(-A)],
    "special.perm": [call(A + 2, B)],
    "special.sph_harm_y": [call(2, 1, A, B)],
    "special.voigt_profile": [call(A, B, A)],
    "special.zetac": [call(A + 1.5)],
    **{f"special.{f}": [call(1.3, A)] for f in names("jv yv iv kv jve yve ive kve jn hyp0f1")},
    **{f"special.{f}": [call(1.3, A + 0.2j)] for f in names("hankel1 hankel2 hankel1e hankel2e")},
    **{f"special.{f}": [call(A + 1, B)] for f in names("boxcox boxcox1p inv_boxcox inv_boxcox1p huber pseudo_huber")},
    **{f"special.{f}": [call(A, B)] for f in names("ellipkinc ellipeinc owens_t stdtr")},
    **{f"special.{f}": [call(A + 1, B + 1, A)] for f in names("fdtrc fdtri radian")},
    "special.factorial": [call(A)],
    "special.lambertw": [call(A)],
    **{
        f"special.{f}": [call(2, A)]
        for f in names(
            """
            yn kn expn pdtr pdtrc pdtri eval_legendre eval_chebyt eval_chebyu eval_chebyc
            eval_chebys eval_laguerre eval_hermite eval_hermitenorm
            eval_sh_legendre eval_sh_chebyt eval_sh_chebyu
            """
        )
    },
    **{f"special.{f}": [call(2, 1.3, A)] for f in names("eval_gegenbauer eval_genlaguerre")},
    "special.hyperu": [call(0.7, 1.3, A)],
    "special.eval_jacobi": [call(2, 1.3, 2.1, A)],
    "nn.celu": [call(A - 0.5, alpha=1.3)],
    "nn.elu": [call(A - 0.5, alpha=1.3)],
    "nn.dot_product_attention": [
        call(
            *[np.sin(np.arange(12.0) + k).reshape(3, 2, 2) for k in range(3)],
            bias=np.cos(np.arange(18.0)).reshape(2, 3, 3),
            scale=0.4,
        )
    ],
    "nn.glu": [call(STEPS)],
    "nn.leaky_relu": [call(A - 0.5, negative_slope=0.3)],
    "nn.one_hot": [call(WHOLE, 3)],
    "nn.sparse_plus": [call(A - 0.5)],
    "nn.sparse_sigmoid": [call(A - 0.5)],
    "nn.squareplus": [call(A, b=3.1)],
    "nn.standardize": [call(A), call(A, mean=0.3, variance=1.7, epsilon=0.2)],
    "initializers.constant": [call(0.7)],
    "initializers.normal": [call(stddev=0.7)],
    "initializers.orthogonal": [call(scale=0.7)],
    "initializers.truncated_normal": [call(stddev=0.7, lower=-1.3, upper=1.1)],
    "initializers.uniform": [call(scale=0.7)],
    "initializers.variance_scaling": [call(0.7, "fan_in", "normal")],
    "random.ball": [call(KEY, 3, p=1.7)],
    "random.bernoulli": [call(KEY, 0.4, (3,))],
    "random.beta": [call(KEY, 1.3, 2.1)],
    "random.binomial": [call(KEY, 7.3, 0.4)],
    "random.categorical": [call(KEY, A)],
    "random.choice": [call(KEY, A, (2,)), call(KEY, A, (2,), p=A / A.sum())],
    "random.dirichlet": [call(KEY, A + 1)],
    "random.f": [call(KEY, 3.0, 5.0)],
    "random.generalized_normal": [call(KEY, 1.7)],
    "random.geometric": [call(KEY, 0.4)],
    "random.lognormal": [call(KEY, sigma=0.7)],
    "random.multinomial": [call(KEY, 7.3, A / A.sum())],
    "random.multivariate_normal": [call(KEY, A, SPD)],
    "random.pareto": [call(KEY, 1.3)],
    "random.permutation": [call(KEY, A)],
    "random.poisson": [call(KEY, 3.3)],
    "random.randint": [call(KEY, (3,), 0, 7)],
    "random.triangular": [call(KEY, 0.2, 0.5, 1.1)],
    "random.truncated_normal": [call(KEY, -0.7, 1.1)],
    "random.uniform": [call(KEY, minval=0.2, maxval=1.3)],
    **dict.fromkeys(
        names(
            """
        scipy.linalg.cholesky scipy.linalg.cho_factor scipy.linalg.det scipy.linalg.expm scipy.linalg.inv
        scipy.linalg.lu scipy.linalg.lu_factor scipy.linalg.svd scipy.linalg.eigvalsh
        scipy.linalg.svdvals scipy.linalg.sqrtm scipy.linalg.logm scipy.linalg.pinvh scipy.linalg.hessenberg
        scipy.linalg.cosm scipy.linalg.sinm scipy.linalg.tanm scipy.linalg.coshm scipy.linalg.sinhm
        scipy.linalg.tanhm scipy.linalg.signm scipy.linalg.polar scipy.linalg.eigvals scipy.linalg.orth
        scipy.linalg.rq lax.linalg.cholesky lax.linalg.lu lax.linalg.svd lax.linalg.eigh lax.linalg.eig
        lax.linalg.schur lax.linalg.hessenberg lax.linalg.tridiagonal lax.linalg.geqrf
            """
        ),
        (call(SPD),),
    ),
    "scipy.linalg.block_diag": [call(M, A)],
    "scipy.linalg.cho_solve": [call((np.linalg.cholesky(SPD), True), B)],
    "scipy.linalg.circulant": [call(A)],
    "scipy.linalg.eig": [call(M), call(M, b=SPD)],
    "scipy.linalg.eigh": [call(SPD), call(M + M.T, b=SPD)],
    "scipy.linalg.eigvals": [call(M, b=SPD)],
    "scipy.linalg.eigvalsh": [call(M + M.T, b=SPD)],
    **{key: [call(A, B[:2])] for key in names("scipy.linalg.eigh_tridiagonal scipy.linalg.eigvalsh_tridiagonal")},
    "scipy.linalg.expm_frechet": [call(M, SPD)],
    "scipy.linalg.fiedler": [call(A)],
    "scipy.linalg.fractional_matrix_power": [call(M, 0.37)],
    "scipy.linalg.funm": [call(M, fnp.exp)],
    "scipy.linalg.hankel": [call(A, r=B)],
    "scipy.linalg.khatri_rao": [call(M, ROWS)],
    "scipy.linalg.leslie": [call(A, B[:2])],
    "scipy.linalg.lstsq": [call(M, B)],
    "scipy.linalg.matmul_toeplitz": [call(A, B), call((A, B), M)],
    "scipy.linalg.norm": [call(A, ord=2.5), call(M)],
    "scipy.linalg.null_space": [call(ROWS)],
    "scipy.linalg.orthogonal_procrustes": [call(M, SPD)],
    "scipy.linalg.qr": [call(SPD), call(M, pivoting=True)],
    "scipy.linalg.qr_multiply": [call(M, ROWS)],
    "scipy.linalg.rsf2csf": [call(np.triu(M), SPD)],
    "scipy.linalg.schur": [call(M, output="complex")],
    "scipy.linalg.solve_banded": [call((1, 1), M, B)],
    "scipy.linalg.solveh_banded": [call(M[:2] + np.array([[0.0], [3.0]]), B)],
    "scipy.linalg.solve_circulant": [call(A, B)],
    "scipy.linalg.solve_continuous_lyapunov": [call(M, SPD)],
    "scipy.linalg.solve_lyapunov": [call(M, SPD)],
    "scipy.linalg.solve_discrete_lyapunov": [call(M, SPD), call(M, SPD, method="bilinear")],
    "scipy.linalg.solve_sylvester": [call(M, SPD, M)],
    "scipy.linalg.solve_toeplitz": [call(A + np.array([2.0, 0.0, 0.0]), B)],
    "scipy.linalg.subspace_angles": [call(M[:, :1], SPD[:, :1]), call(M[:, :1], SPD[:, :2])],
    "lax.linalg.cholesky_update": [call(np.linalg.cholesky(SPD).T, B)],
    "lax.linalg.householder_product": [call(M, A)],
    "lax.linalg.ormqr": [call(M, A, SPD)],
    "lax.linalg.qr": [call(M), call(M, pivoting=True)],
    "lax.linalg.symmetric_product": [call(M, SPD, alpha=0.7, beta=0.3)],
    "lax.linalg.triangular_solve": [call(M, ROWS)],
    "lax.linalg.tridiagonal_solve": [call(A, B + 2, A, M)],
    "scipy.linalg.lu_solve": [call(tuple(np.asarray(x) for x in fg.scipy.linalg.lu_factor(SPD)), B)],
    "scipy.linalg.pinv": [call(M, rcond=1e-6), call(M, rtol=1e-6)],
    "scipy.linalg.solve": _PAIRS,
    "scipy.linalg.solve_triangular": _PAIRS,
    "scipy.linalg.toeplitz": [call(A, r=B)],
    "optimize.fixed_point": [call(lambda x, c: fnp.cos(c * x), 0.7, args=(0.8,))],
    "optimize.root": [call(lambda x, c: x**3 - c, 1.1, args=(2.0,))],
    "optimize.minimize": [call(lambda x, c: fnp.sum((x - c) ** 2), A, args=(B,), method="BFGS")],
    **{f"signal.{f}": [call(SIGNAL, A)] for f in names("convolve correlate fftconvolve oaconvolve")},
    "signal.choose_conv_method": [call(SIGNAL, A)],
    **{
        f"signal.{f}": [call(M, ROWS, fillvalue=0.6), call(M, ROWS[:, :2], "same", "symm")]
        for f in names("convolve2d correlate2d")
    },
    "signal.lfilter": [call(A, POLES, SIGNAL), call(A, POLES, SIGNAL, zi=np.array([0.4, 0.3]))],
    "signal.lfilter_zi": [call(A, POLES)],
    "signal.lfiltic": [call(A, POLES, B, A)],
    "signal.filtfilt": [call(A, POLES, SIGNAL)],
    "signal.sosfilt": [call(SECTIONS, SIGNAL), call(SECTIONS, SIGNAL, zi=np.array([[0.4, 0.3]]))],
    "signal.sosfilt_zi": [call(SECTIONS)],
    "signal.sosfiltfilt": [call(SECTIONS, SIGNAL)],
    "signal.detrend": [call(SIGNAL)],
    "signal.stft": [call(SIGNAL, 2.0, WINDOW)],
    "signal.istft": [call(np.array([[0.3, 0.7, 0.2], [0.5, 0.1, 0.9], [0.4, 0.8, 0.6]]), 2.0, WINDOW)],
    "signal.welch": [call(SIGNAL, 2.0, WINDOW)],
    "signal.periodogram": [call(SIGNAL[:4], 2.0, WINDOW)],
    **{f"signal.{f}": [call(SIGNAL, SIGNAL[::-1] ** 2, 2.0, WINDOW)] for f in names("csd coherence")},
    "integrate.odeint": [
        call(lambda y, t, c: -c * y, A, STEPS, 0.7),
        call(lambda y, t, c, d: -c * d * y, A, STEPS, 0.7, 0.9),
    ],
    "distance.cdist": [call(M, ROWS)],
    "distance.pdist": [call(M)],
    "distance.squareform": [call(A), call(M)],
    "cluster.vq.vq": [call(M, ROWS)],
    "ndimage.map_coordinates": [call(M, ROWS[:, :2] * 2, 1, cval=0.4), call(M, ROWS[:, :2] * 3 - 0.9, 3, "reflect")],
    **{f"ndimage.{f}": [call(M, B, mode="constant", cval=0.4)] for f in names("correlate1d convolve1d")},
    **{f"ndimage.{f}": [call(M, ROWS, mode="constant", cval=0.4)] for f in names("correlate convolve")},
    **{f"ndimage.{f}": [call(M, 3, mode="constant", cval=0.4)] for f in names("uniform_filter1d uniform_filter")},
    **{f"ndimage.{f}": [call(M, 0.9, mode="constant", cval=0.4)] for f in names("gaussian_filter1d gaussian_filter")},
    **{f"ndimage.{f}": [call(M)] for f in names("spline_filter spline_filter1d")},
    "sparse.spsolve": [call(csr_array(M), A)],
    "interpolate.pchip_interpolate": [call(STEPS, np.array([0.3, 0.9, 0.8, 1.4]), A)],
    "interpolate.interpn": [
        call((STEPS,), np.array([0.3, 0.9, 0.8, 1.4]), A[:, None], bounds_error=False, fill_value=0.4)
    ],
    "integrate.simpson": [call(ROWS, np.array([0.1, 0.4, 0.9])), call(ROWS, dx=0.4)],
    "integrate.cumulative_simpson": [call(ROWS, x=np.array([0.1, 0.4, 0.9]), initial=0.3), call(ROWS, dx=0.4)],
    "integrate.cumulative_trapezoid": [call(ROWS, np.array([0.1, 0.4, 0.9])), call(ROWS, dx=0.4)],
    "integrate.trapezoid": [call(ROWS, np.array([0.1, 0.4, 0.9])), call(ROWS, dx=0.4)],
    "integrate.romb": [call(ROWS, 0.4)],
    "integrate.quad": [call(lambda x, c: np.sin(c * x), 0.2, 1.4, (0.7,))],
    "integrate.fixed_quad": [call(lambda x, c: np.sin(c * x), 0.2, 1.4, (0.7,))],
    "integrate.solve_ivp": [
        call(lambda t, y, c: -c * y * t, (0.05, 1.7), A, t_eval=STEPS, args=(0.7,), rtol=TIGHT, atol=TIGHT)
    ],
    "experimental.ode.odeint": [call(lambda y, t, c: -c * y, A, STEPS, 0.7)],
    **dict.fromkeys(names("sparse.cg sparse.bicgstab sparse.gmres"), (call(SPD, B, x0=A, tol=1e-13),)),
    "multivariate_normal.logpdf": [call(A, B, SPD), call(A, B, SPD, allow_singular=True)],
    "multivariate_normal.pdf": [call(A, B, SPD), call(A, B, SPD, allow_singular=True)],
    "multivariate_normal.entropy": [call(B, SPD)],
    "dirichlet.logpdf": [call(A[:2] / 2, 1 + B)],
    "dirichlet.pdf": [call(A[:2] / 2, 1 + B)],
    "multinomial.logpmf": [call(WHOLE, 3, B / B.sum())],
    "multinomial.pmf": [call(WHOLE, 3, B / B.sum())],
    "stats.mode": [call(A)],
    "stats.rankdata": [call(A)],
    "stats.sem": [call(A)],
}

NOT_REAL = {
    **dict.fromkeys(
        names(
            """
        numpy.bincount.x numpy.choose.a numpy.ldexp.y numpy.kaiser.M numpy.cov.ddof numpy.rollaxis.start
        lax.integer_pow.y lax.real.x lax.imag.x nn.one_hot.x random.randint.minval random.randint.maxval
        random.ball.d special.multigammaln.d numpy.moveaxis.source multinomial.logpmf.x multinomial.pmf.x
        numpy.nonzero.fill_value numpy.flatnonzero.fill_value numpy.argwhere.fill_value numpy.where.fill_value
            """
        ),
        "an integer, or complex",
    ),
    **dict.fromkeys(
        names(
            """
        initializers.orthogonal.column_axis initializers.variance_scaling.in_axis
        initializers.variance_scaling.out_axis initializers.variance_scaling.batch_axis
            """
        ),
        "an axis",
    ),
    "initializers.variance_scaling.distribution": "a name",
    "special.lambertw.tol": "taken as SciPy does, and not used",
    "special.bessel_jn.n_iter": "taken as JAX does, and not used",
    "special.bessel_jn.v": "an integer",
    **{f"special.{f}.z": "complex" for f in ("hankel1", "hankel2", "hankel1e", "hankel2e")},
    **{f"special.{f}.{p}": "an integer" for f in ("sph_harm_y",) for p in ("diff_n", "n_max")},
    **{f"special.{f}.exact": "a flag" for f in ("comb", "perm", "factorial")},
    "special.comb.repetition": "a flag",
    "linalg.matrix_norm.ord": "one of seven norms",
    "linalg.cond.p": "one of seven norms",
    **dict.fromkeys(
        names("scipy.linalg.pinvh.rtol scipy.linalg.orth.rcond scipy.linalg.null_space.rcond scipy.linalg.lstsq.cond"),
        "a limit that is compared with",
    ),
    **dict.fromkeys(names("scipy.linalg.eig.left scipy.linalg.eig.right lax.linalg.ormqr.left"), "a flag"),
    "scipy.linalg.pinvh.atol": "raises",
    "scipy.linalg.schur.sort": "raises",
    "scipy.linalg.polar.eps": "accepted as in JAX",
    "scipy.linalg.solve_circulant.tol": "raises",
    "scipy.linalg.solve_sylvester.tol": "a limit that is compared with",
    "scipy.linalg.eigh_tridiagonal.tol": "accepted as in JAX",
    "scipy.linalg.eigvalsh_tridiagonal.tol": "accepted as in SciPy",
    "numpy.digitize.right": "a flag",
    "numpy.piecewise.funclist": "functions",
    "lax.switch.branches": "functions",
    **dict.fromkeys(
        [
            f"{f}.{p}"
            for f in ("optimize.fixed_point", "optimize.minimize", "optimize.root", "integrate.odeint")
            + ("experimental.ode.odeint", "integrate.solve_ivp")
            + ("sparse.cg", "sparse.bicgstab", "sparse.gmres")
            for p in ("tol", "xtol", "rtol", "atol", "maxiter", "mxstep", "hmax", "restart", "solve_method", "M")
        ],
        "how far a search goes; at its end nothing depends on it",
    ),
}

NOT_REAL |= {
    "sparse.spsolve.A": "a constant matrix of SciPy",
    "sparse.spsolve.permc_spec": "a name",
    "sparse.spsolve.use_umfpack": "a flag",
    "integrate.cumulative_trapezoid.initial": "0 or None",
    **{f"integrate.quad.{p}": "how far a search goes" for p in names("epsabs epsrel limit points limlst maxp1")},
    "integrate.solve_ivp.max_step": "the longest step of a search",
}

REFUSED = {
    **{f"special.{f}.v": "an order" for f in names("jv yv iv kv jve yve ive kve jn hankel1 hankel2 hankel1e hankel2e")},
    **{
        f"special.{p}": "a parameter without a formula"
        for p in names(
            """
            hyp0f1.v hyperu.a hyperu.b lpmv.m lpmv.v eval_gegenbauer.alpha eval_genlaguerre.alpha eval_jacobi.alpha
            eval_jacobi.beta eval_sh_jacobi.p eval_sh_jacobi.q
            """
        )
    },
    "lax.bitcast_convert_type.operand": "bits",
    **dict.fromkeys(names("scipy.linalg.rsf2csf.T scipy.linalg.rsf2csf.Z lax.linalg.schur.x"), "the real Schur form"),
    **dict.fromkeys(
        names("lax.linalg.geqrf.a lax.linalg.hessenberg.a lax.linalg.tridiagonal.a"), "reflectors as LAPACK packs them"
    ),
    **dict.fromkeys(
        ("linalg.lstsq.rcond", "numpy.polyfit.rcond", "sparse.cg.tol", "sparse.bicgstab.tol", "sparse.gmres.tol"),
        "a limit that is compared with: it must be a number",
    ),
}
"""What raises, and why."""

QUANTILES = names(
    """
        gamma.a loggamma.a beta.a beta.b dirichlet.alpha chisquare.df f.dfnum f.dfden t.df generalized_normal.p
        ball.p
"""
)
"""Samples that are found by rejection: their derivative is that of the quantile that they are, not that of the sampler.
tests/random compares it with the quantile function."""

ZERO: dict[str, str] = {
    "lax.stop_gradient.x": "zero by request",
}
"""What does move, and has derivative zero all the same: the reason."""
