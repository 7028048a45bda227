"""How many threads each library takes. They read the environment when they are imported: this comes first."""


def environment(threads: int) -> dict[str, str]:
    """The variables of the environment for this number of threads; jax on the CPU, with doubles.

    Arguments:
        threads: for BLAS, OpenMP, XLA and funcgrad.
    """
    names = ("OMP", "OPENBLAS", "MKL", "FUNCGRAD")
    found = {f"{name}_NUM_THREADS": str(threads) for name in names}
    found |= {"VECLIB_MAXIMUM_THREADS": str(threads), "JAX_PLATFORMS": "cpu", "JAX_ENABLE_X64": "1"}
    if threads == 1:
        found["XLA_FLAGS"] = "--xla_cpu_multi_thread_eigen=false intra_op_parallelism_threads=1"
    return found
