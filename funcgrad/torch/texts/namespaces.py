"""Words about settings, devices and other names of torch that stand for little or nothing here."""

NO_PROFILER = "funcgrad.torch has no profiler of operations; Python's cProfile shows where the time goes"
NO_CUDA_TYPE = "type torch.cuda.{name} not available. Torch not compiled with CUDA enabled."
DETERMINISTIC_TYPE = "_set_deterministic_algorithms(): argument 'mode' (position 1) must be bool, not {kind}"
WARN_ONLY_TYPE = "_set_deterministic_algorithms(): argument 'warn_only' must be bool, not {kind}"
DEBUG_MODE_WORD = "invalid value of debug_mode, expected one of `default`, `warn`, `error`, but got {debug_mode}"
DEBUG_MODE_NUMBER = "invalid value of debug_mode, expected 0, 1, or 2, but got {debug_mode}"
MATMUL_PRECISION = (
    "{precision} is not one of 'highest', 'high', or 'medium'; the currentsetFloat32MatmulPrecision call has no effect."
)
MODE_AND_OPTIONS = "Either mode or options can be specified, but both can't be specified at the same time."
UNKNOWN_MODE = "Unrecognized mode={mode}, should be one of: {known}"
NO_ACCELERATOR = "Cannot access accelerator device when none is available."
