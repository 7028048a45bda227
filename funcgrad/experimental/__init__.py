"""What JAX has under `jax.experimental`, with its names and calls."""
