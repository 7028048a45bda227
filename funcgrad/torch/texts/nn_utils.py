"""PyTorch's words about what is done to the parameters of modules."""

NON_FINITE = (
    "The total norm of order {order} for gradients from `parameters` is non-finite, so it cannot be clipped. To "
    "disable this error and scale the gradients by the non-finite norm anyway, set `error_if_nonfinite=False`"
)
EMPTY_GENERATOR = "`parameters` is an empty generator, no gradient clipping will occur."
CLIP_GRAD_NORM = "`torch.nn.utils.clip_grad_norm` is now deprecated in favor of `torch.nn.utils.clip_grad_norm_`."
FUSED_FEATURES = (
    "To fuse, linear.out_features == bn.num_features or bn.num_features == 1, got linear.out_features={linear} and "
    "bn.num_features={bn}"
)
STATELESS = (
    "`torch.nn.utils.stateless.functional_call` is deprecated as of PyTorch 2.0 and will be removed in a future "
    "version of PyTorch. Please use `torch.func.functional_call` instead which is a drop-in replacement."
)
WEIGHT_NORM_DEPRECATED = (
    "`torch.nn.utils.weight_norm` is deprecated in favor of `torch.nn.utils.parametrizations.weight_norm`."
)
LAZY_WEIGHT_NORM = (
    "The module passed to `WeightNorm` can't have uninitialized parameters. Make sure to run the dummy forward before "
    "applying weight normalization"
)
LAZY_SPECTRAL_NORM = (
    "The module passed to `SpectralNorm` can't have uninitialized parameters. Make sure to run the dummy forward "
    "before applying spectral normalization"
)
POWER_ITERATIONS = "Expected n_power_iterations to be positive, but got n_power_iterations={n}"
