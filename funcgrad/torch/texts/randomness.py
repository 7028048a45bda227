"""PyTorch's words about generators, and about random numbers inside vmap."""

NO_CUDA_GENERATOR = (
    "Cannot get CUDA generator without ATen_cuda library. PyTorch splits its backend into two shared libraries: a CPU "
    "library and a CUDA library; this error has occurred because you are trying to use some CUDA functionality, but "
    "the CUDA library has not been loaded by the dynamic linker for some reason.  The CUDA library MUST be loaded, "
    "EVEN IF you don't directly use any symbols from the CUDA library! One common culprit is a lack of "
    "-Wl,--no-as-needed in your link arguments; many dynamic linkers will delete dynamic library dependencies if you "
    "don't depend on any of their symbols.  You can check if this has occurred by using ldd on your binary to see if "
    "there is a dependency on *_cuda.so library."
)
NO_STATE = "expected a torch.ByteTensor, but got {kind}"
REFUSED = (
    "vmap: called random operation while in randomness error mode. Please either use the 'same' or 'different' "
    "randomness flags on vmap or perform the randomness operation out of vmap"
)
SAME_OF_BATCH = (
    "Vmap does not currently support same randomness with a batched tensor input. Please file an issue with functorch"
)
DIFFERENT_IN_PLACE = (
    "vmap: Cannot ask for different inplace randomness on an unbatched tensor. This will appear like same randomness. "
    "If this is necessary for your usage, please file an issue with functorch."
)
UNSUPPORTED = (
    "vmap: We do not yet support calling random operations inside of vmap. Please perform random operations outside "
    "of vmap as a workaround"
)
NO_OUT = (
    "vmap: We do not support calling out variants of random operations inside of vmap. Please use non-out variants as "
    "a workaround"
)
STATE_SIZE = "Expected a CPUGeneratorImplState of size {wanted} but found the input RNG state size to be {size}"
FULL_RANGE_KINDS = "random_full_64_bits_range_kernel_cpu handles only int64, double, float and bfloat16"
BOUNDS_KINDS = "check_random_bounds handles only integral, floating-point and boolean types"
FROM_NOT_BELOW_TO = "random_ expects 'from' to be less than 'to', but got from={low} >= to={high}"
CAST_FROM_NOT_BELOW_TO = (
    "random_ expects 'from' casted to dtype to be less than 'to' casted to dtype, but got from={low} >= to={high}"
)
CAST_FROM_ABOVE_TO = (
    "random_ expects 'from' casted to dtype to be less than or equal to 'to_inc' casted to dtype, but got "
    "from={low} > to_inc={last}"
)
FROM_TO_KINDS = "random_from_to_impl handles only integral, floating-point and boolean types"
BEYOND_PRECISION = (
    "{which} is out of bounds [-(2^{digits}), 2^{digits}]. Due to precision limitations {kind} can support "
    "discrete uniform distribution only within this range. This warning will become an error in version 1.7 "
    "release, please fix the code in advance"
)
BINOMIAL_DTYPE = "binomial only supports floating-point dtypes for {name}, got: {dtype}"
UNIFORM_RANGE = "uniform_ expects to return a [from, to) range, but found from={low:g} > to={high:g}"
UNIFORM_LIMIT = (
    "uniform_ expects to-from <= std::numeric_limits<{dtype}>::max(), but found to={high:g} and from={low:g} which "
    "result in to-from to exceed the limit"
)
EXPONENTIAL_DTYPE = (
    "Exponential distribution is a continuous probability distribution. dtype must be a floating point but you "
    "specified {dtype}"
)
CAUCHY_DTYPE = (
    "Cauchy distribution is a continuous probability distribution. dtype must be a floating point but you "
    "specified {dtype}"
)
PROBABILITY = (
    "Expected p_in >= 0 && p_in <= 1 to be true, but got false.  (Could this error message be improved?  If so, "
    "please report an enhancement request to PyTorch.)"
)
MULTINOMIAL_DTYPE = "multinomial only supports floating-point dtypes for input, got: {dtype}"
TOO_MANY_SAMPLES = "cannot sample n_sample > prob_dist.size(-1) samples without replacement"
NO_OFFSET = "CPU Generator does not use offset"
SOBOL_DIMENSION = "Supported range of dimensionality for SobolEngine is [1, {most}]"
SOBOL_BALANCE = (
    "The balance properties of Sobol' points require n to be a power of 2. {before} points have been previously "
    "generated, then: n={before}+2**{m}={total}. If you still want to do this, please use 'SobolEngine.draw()' "
    "instead."
)
SOBOL_NEEDS_SCIPY = (
    "the numbers that Sobol sequences start from are read from SciPy, which is not installed: "
    "pip install 'funcgrad[scipy]'"
)
DRAWN_IN_PROGRAM = (
    "Random numbers drawn here would be the same whenever the compiled function runs. Make the function with "
    "torch.func.as_function(model, state=True), which takes and gives the generator's state; or call model.eval() "
    "before"
)
DRAWN_IN_BATCH = (
    "Random numbers are drawn in a function of the functional face that is batched. Draw them outside, or call "
    "model.eval() before"
)
OTHER_GENERATOR = "Only random numbers of the default generator can be drawn in a function that is compiled"
DRAWN_AT_ONCE = (
    "A function that is compiled draws random numbers whose distribution depends on values of tensors. Draw them "
    "outside, and give them to the function"
)
