"""Which family of operations declares what: its functions, and after the bar its methods.

Written by tests/torch/families.py.
"""

FAMILIES = {
    "activation": """
celu celu_ hardshrink logit logit_ prelu relu relu_ rrelu rrelu_ selu selu_ sigmoid sigmoid_ threshold
threshold_ | hardshrink logit logit_ prelu relu relu_ sigmoid sigmoid_
""",
    "advanced_indexing": "index_put index_put_ | index_put index_put_",
    "arithmetic": """
abs abs_ absolute add div divide floor_divide fmod mul multiply neg neg_ negative negative_ positive reciprocal
reciprocal_ remainder rsub sub subtract true_divide | __abs__ __add__ __div__ __floordiv__ __iadd__ __idiv__
__ifloordiv__ __imod__ __imul__ __isub__ __itruediv__ __mod__ __mul__ __neg__ __pos__ __radd__ __rdiv__
__rfloordiv__ __rmod__ __rmul__ __rsub__ __rtruediv__ __sub__ __truediv__ abs abs_ absolute absolute_ add add_
div div_ divide divide_ floor_divide floor_divide_ fmod fmod_ mul mul_ multiply multiply_ neg neg_ negative
negative_ positive reciprocal reciprocal_ remainder remainder_ sub sub_ subtract subtract_ true_divide
true_divide_
""",
    "arranging": """
diag diag_embed diagflat flip fliplr flipud repeat_interleave roll rot90 tile tril tril_indices triu
triu_indices unravel_index | diag diag_embed diagflat flip fliplr flipud repeat repeat_interleave roll rot90
tile tril tril_ triu triu_
""",
    "autocasting": """
autocast_decrement_nesting autocast_increment_nesting clear_autocast_cache get_autocast_cpu_dtype
get_autocast_dtype get_autocast_gpu_dtype is_autocast_cache_enabled is_autocast_cpu_enabled is_autocast_enabled
set_autocast_cache_enabled set_autocast_cpu_dtype set_autocast_cpu_enabled set_autocast_dtype
set_autocast_enabled set_autocast_gpu_dtype |
""",
    "axes": """
adjoint moveaxis movedim permute swapaxes swapdims t transpose | H T adjoint mH mT moveaxis movedim permute
swapaxes swapaxes_ swapdims swapdims_ t t_ transpose transpose_
""",
    "batches": " | ",
    "bitwise": """
bitwise_and bitwise_left_shift bitwise_not bitwise_or bitwise_right_shift bitwise_xor gcd gcd_ lcm lcm_ |
__and__ __iand__ __ilshift__ __invert__ __ior__ __irshift__ __ixor__ __lshift__ __or__ __rand__ __rlshift__
__ror__ __rrshift__ __rshift__ __rxor__ __xor__ bitwise_and bitwise_and_ bitwise_left_shift bitwise_left_shift_
bitwise_not bitwise_not_ bitwise_or bitwise_or_ bitwise_right_shift bitwise_right_shift_ bitwise_xor
bitwise_xor_ gcd gcd_ lcm lcm_
""",
    "cholesky": "cholesky linalg.cholesky linalg.cholesky_ex | cholesky",
    "comparison": """
allclose eq equal ge greater greater_equal gt isclose isfinite isin isinf isnan isneginf isposinf isreal le less
less_equal logical_and logical_not logical_or logical_xor lt ne not_equal where | __eq__ __ge__ __gt__ __le__
__lt__ __ne__ allclose eq eq_ equal ge ge_ greater greater_ greater_equal greater_equal_ gt gt_ isclose isfinite
isinf isnan isneginf isposinf isreal le le_ less less_ less_equal less_equal_ logical_and logical_and_
logical_not logical_not_ logical_or logical_or_ logical_xor logical_xor_ lt lt_ ne ne_ not_equal not_equal_
where
""",
    "complex": """
_conj _neg_view angle complex conj conj_physical conj_physical_ imag polar real resolve_conj resolve_neg
view_as_complex view_as_real | _conj _neg_view angle conj conj_physical conj_physical_ imag real resolve_conj
resolve_neg
""",
    "conditions": " | ",
    "constructors": "as_tensor asarray from_dlpack from_numpy frombuffer tensor | __array_wrap__ new_tensor",
    "contract": """
addbmm addmm addmv addmv_ addr baddbmm bmm dot matmul mm mv vdot | __matmul__ __rmatmul__ addbmm addbmm_ addmm
addmm_ addmv addmv_ addr addr_ baddbmm baddbmm_ bmm dot matmul mm mv vdot
""",
    "conversion": """
can_cast get_device is_complex is_conj is_distributed is_floating_point is_inference is_neg is_nonzero is_signed
is_storage is_tensor promote_types result_type set_default_tensor_type typename | bfloat16 bool byte cdouble
cfloat chalf char cpu cuda dense_dim double float half hpu int ipu is_coalesced is_complex is_distributed
is_floating_point is_ipu is_maia is_mtia is_nonzero is_signed is_vulkan is_xla long mtia short sparse_dim to
to_dense type type_as xpu
""",
    "copying": " | __deepcopy__ __reduce_ex__ _make_subclass as_subclass module_load",
    "creation": """
arange empty empty_like empty_permuted empty_strided eye full full_like linspace logspace ones ones_like range
scalar_tensor vander zeros zeros_like | new_empty new_empty_strided new_full new_ones new_zeros
""",
    "cumulative": """
cummax cummin cumprod cumsum cumulative_trapezoid diff logcumsumexp trapezoid trapz | cummax cummin cumprod
cumprod_ cumsum cumsum_ diff logcumsumexp
""",
    "determinants": "det linalg.det linalg.slogdet logdet slogdet | det logdet slogdet",
    "differences": "gradient | ",
    "distances": "cdist dist pdist | dist",
    "einsum": "einsum | ",
    "elementwise": """
acos acos_ acosh acosh_ arccos arccos_ arccosh arccosh_ arcsin arcsin_ arcsinh arcsinh_ arctan arctan_ arctanh
arctanh_ asin asin_ asinh asinh_ atan atan_ atanh atanh_ ceil ceil_ cos cos_ cosh cosh_ deg2rad deg2rad_ exp
exp2 exp2_ exp_ expm1 expm1_ fix fix_ floor floor_ frac frac_ log log10 log10_ log1p log1p_ log2 log2_ log_
nan_to_num nan_to_num_ rad2deg rad2deg_ round round_ rsqrt rsqrt_ sgn sign signbit sin sin_ sinh sinh_ sqrt
sqrt_ tan tan_ tanh tanh_ trunc trunc_ | acos acos_ acosh acosh_ arccos arccos_ arccosh arccosh_ arcsin arcsin_
arcsinh arcsinh_ arctan arctan_ arctanh arctanh_ asin asin_ asinh asinh_ atan atan_ atanh atanh_ ceil ceil_ cos
cos_ cosh cosh_ deg2rad deg2rad_ exp exp2 exp2_ exp_ expm1 expm1_ fix fix_ floor floor_ frac frac_ log log10
log10_ log1p log1p_ log2 log2_ log_ nan_to_num nan_to_num_ rad2deg rad2deg_ round round_ rsqrt rsqrt_ sgn sgn_
sign sign_ signbit sin sin_ sinh sinh_ sqrt sqrt_ tan tan_ tanh tanh_ trunc trunc_
""",
    "extrema": "amax amin aminmax argmax argmin max min | amax amin aminmax argmax argmin max min",
    "factorizations": """
geqrf linalg.eig linalg.eigh linalg.eigvals linalg.eigvalsh linalg.householder_product linalg.qr linalg.svd
linalg.svdvals orgqr ormqr qr svd | geqrf orgqr ormqr qr svd
""",
    "fft": """
fft.fft fft.fft2 fft.fftfreq fft.fftn fft.fftshift fft.hfft fft.hfft2 fft.hfftn fft.ifft fft.ifft2 fft.ifftn
fft.ifftshift fft.ihfft fft.ihfft2 fft.ihfftn fft.irfft fft.irfft2 fft.irfftn fft.rfft fft.rfft2 fft.rfftfreq
fft.rfftn |
""",
    "filling": "fill fill_ zero_ | apply_ copy_ fill_ fill_diagonal_ map2_ map_ zero_",
    "gamma_draws": "_dirichlet_grad _sample_dirichlet _standard_gamma _standard_gamma_grad | ",
    "gathering": "gather index_select take take_along_dim | gather index_select take take_along_dim",
    "geometry": " | ",
    "indexed": " | ",
    "indexing": " | __delitem__ __getitem__ __setitem__",
    "joining": """
block_diag cartesian_prod cat column_stack combinations concat concatenate dstack hstack meshgrid row_stack
stack vstack |
""",
    "ldl": "linalg.ldl_factor linalg.ldl_factor_ex linalg.ldl_solve | ",
    "least_squares": "linalg.lstsq linalg.matrix_rank linalg.pinv pinverse | pinverse",
    "legacy": " | __new__ new",
    "linalg": """
eig linalg.cross linalg.diagonal linalg.matmul linalg.matrix_exp linalg.matrix_power linalg.multi_dot
linalg.vander linalg.vecdot lstsq matrix_exp matrix_rank solve symeig | eig lstsq matrix_exp solve symeig
""",
    "lu": """
linalg.lu linalg.lu_factor linalg.lu_factor_ex linalg.lu_solve lu lu_solve lu_unpack | lu lu_solve
""",
    "masking": """
argwhere masked_fill masked_scatter masked_select nonzero nonzero_static | argwhere masked_fill masked_fill_
masked_scatter masked_scatter_ masked_select nonzero nonzero_static
""",
    "matrices": " | ",
    "matrix_norms": "linalg.cond linalg.matrix_norm linalg.norm linalg.vector_norm | ",
    "memory": """
as_strided as_strided_ clone detach detach_ is_same_size numel | as_strided as_strided_ clone contiguous indices
is_contiguous is_same_size is_set_to values
""",
    "norms": "frobenius_norm norm nuclear_norm renorm | norm renorm renorm_",
    "overwriting": " | ",
    "pairwise": """
addcdiv addcmul arctan2 atan2 clamp clamp_ clamp_max clamp_max_ clamp_min clamp_min_ clip clip_ copysign fmax
fmin frexp heaviside hypot ldexp ldexp_ lerp logaddexp logaddexp2 maximum minimum nextafter | addcdiv addcdiv_
addcmul addcmul_ arctan2 arctan2_ atan2 atan2_ clamp clamp_ clamp_max clamp_max_ clamp_min clamp_min_ clip clip_
copysign copysign_ fmax fmin frexp heaviside heaviside_ hypot hypot_ ldexp ldexp_ lerp lerp_ logaddexp
logaddexp2 maximum minimum nextafter nextafter_
""",
    "parameter": " | ",
    "polynomials": """
special.chebyshev_polynomial_t special.chebyshev_polynomial_u special.chebyshev_polynomial_v
special.chebyshev_polynomial_w special.hermite_polynomial_h special.hermite_polynomial_he
special.laguerre_polynomial_l special.legendre_polynomial_p special.shifted_chebyshev_polynomial_t
special.shifted_chebyshev_polynomial_u special.shifted_chebyshev_polynomial_v
special.shifted_chebyshev_polynomial_w |
""",
    "powers": """
float_power pow square square_ | __ipow__ __pow__ __rpow__ float_power float_power_ pow pow_ square square_
""",
    "products": """
chain_matmul cross ger inner kron matrix_power outer tensordot | cross ger inner kron matrix_power outer
""",
    "quantiles": """
kthvalue median mode nanmedian nanquantile quantile | kthvalue median mode nanmedian nanquantile quantile
""",
    "random": """
alpha_dropout alpha_dropout_ bernoulli binomial dropout dropout_ feature_alpha_dropout feature_alpha_dropout_
feature_dropout feature_dropout_ multinomial native_dropout normal poisson rand rand_like randint randint_like
randn randn_like randperm | bernoulli bernoulli_ cauchy_ exponential_ geometric_ log_normal_ multinomial normal_
random_ uniform_
""",
    "recorded_gradients": " | ",
    "reducing": " | ",
    "reductions": """
_is_all_true _is_any_true all any count_nonzero mean nanmean nansum prod sum trace | _is_all_true _is_any_true
all any count_nonzero mean nanmean nansum prod sum sum_to_size trace
""",
    "scatter_places": " | ",
    "scatter_reducing": "index_reduce scatter_reduce | index_reduce index_reduce_ scatter_reduce scatter_reduce_",
    "scattering": """
index_add index_copy index_fill put scatter scatter_add | index_add index_add_ index_copy index_copy_ index_fill
index_fill_ put put_ scatter scatter_ scatter_add scatter_add_
""",
    "shapes": """
atleast_1d atleast_2d atleast_3d broadcast_shapes broadcast_tensors broadcast_to flatten ravel reshape squeeze
unflatten unsqueeze | broadcast_to expand expand_as flatten ravel reshape reshape_as squeeze squeeze_ unflatten
unsqueeze unsqueeze_ view view_as
""",
    "softmax": "log_softmax logsumexp softmax | log_softmax logsumexp softmax",
    "sorting": """
argsort bucketize msort searchsorted sort topk unique unique_consecutive | argsort msort sort topk unique
unique_consecutive
""",
    "special": """
digamma erf erf_ erfc erfc_ erfinv i0 i0_ igamma igammac lgamma mvlgamma polygamma sinc sinc_ special.airy_ai
special.bessel_j0 special.bessel_j1 special.bessel_y0 special.bessel_y1 special.digamma special.entr special.erf
special.erfc special.erfcx special.erfinv special.exp2 special.expit special.expm1 special.gammainc
special.gammaincc special.gammaln special.i0 special.i0e special.i1 special.i1e special.log1p special.log_ndtr
special.log_softmax special.logit special.logsumexp special.modified_bessel_i0 special.modified_bessel_i1
special.modified_bessel_k0 special.modified_bessel_k1 special.multigammaln special.ndtr special.ndtri
special.polygamma special.psi special.round special.scaled_modified_bessel_k0 special.scaled_modified_bessel_k1
special.sinc special.softmax special.spherical_bessel_j0 special.xlog1py special.xlogy special.zeta xlogy xlogy_
| digamma digamma_ erf erf_ erfc erfc_ erfinv erfinv_ i0 i0_ igamma igamma_ igammac igammac_ lgamma lgamma_
mvlgamma mvlgamma_ polygamma polygamma_ sinc sinc_ xlogy xlogy_
""",
    "spectral": "istft stft | istft stft",
    "splitting": """
chunk diagonal dsplit hsplit narrow select split split_with_sizes tensor_split unbind unsafe_chunk unsafe_split
unsafe_split_with_sizes vsplit | __contains__ __iter__ chunk diagonal dsplit hsplit narrow select split
split_with_sizes tensor_split unbind unfold unsafe_chunk unsafe_split unsafe_split_with_sizes vsplit
""",
    "statistics": """
bincount corrcoef cov histc histogram std std_mean var var_mean | bincount corrcoef cov histc histogram std var
""",
    "storages": """
resize_as_ | dim_order is_pinned is_shared pin_memory resize_ resize_as_ set_ share_memory_ storage_type
""",
    "systems": """
cholesky_inverse cholesky_solve inverse linalg.inv linalg.inv_ex linalg.solve linalg.solve_ex
linalg.solve_triangular linalg.tensorinv linalg.tensorsolve triangular_solve | cholesky_inverse cholesky_solve
inverse triangular_solve
""",
    "tangents": " | ",
    "vector_norms": " | ",
    "view_copies": """
alias_copy as_strided_copy as_strided_scatter diagonal_copy diagonal_scatter expand_copy narrow_copy
permute_copy select_copy select_scatter slice_copy slice_scatter split_copy split_with_sizes_copy squeeze_copy
t_copy transpose_copy unbind_copy unfold_copy unsqueeze_copy view_as_complex_copy view_as_real_copy view_copy |
as_strided_scatter diagonal_scatter narrow_copy select_scatter slice_scatter
""",
    "view_ops": " | ",
    "windows": "bartlett_window blackman_window hamming_window hann_window kaiser_window | ",
    "nn": """
_pack_padded_sequence _pad_packed_sequence _safe_softmax _weight_norm adaptive_avg_pool1d adaptive_max_pool1d
affine_grid_generator avg_pool1d batch_norm batch_norm_update_stats bilinear binary_cross_entropy_with_logits
channel_shuffle constant_pad_nd conv1d conv2d conv3d conv_tbc conv_transpose1d conv_transpose2d conv_transpose3d
convolution cosine_embedding_loss cosine_similarity ctc_loss embedding embedding_bag embedding_renorm_
grid_sampler grid_sampler_2d grid_sampler_3d group_norm gru gru_cell hinge_embedding_loss instance_norm kl_div
layer_norm lstm lstm_cell margin_ranking_loss max_pool1d max_pool1d_with_indices max_pool2d max_pool3d
native_batch_norm native_channel_shuffle native_group_norm native_layer_norm norm_except_dim pairwise_distance
pixel_shuffle pixel_unshuffle poisson_nll_loss rms_norm rnn_relu rnn_relu_cell rnn_tanh rnn_tanh_cell
triplet_margin_loss |
""",
}
