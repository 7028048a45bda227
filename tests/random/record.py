"""Record the numbers of JAX for test_numbers.py: `python tests/random/record.py` evaluates the expressions anew.

recorded.json has them with their values: all values of a small result, a digest of the bytes of a larger one. In an
expression r is the module of random functions, k a key and P the same key as two words, vmap the transform.
"""

import hashlib
import json
from pathlib import Path

import numpy as np

FILE = Path(__file__).parent / "recorded.json"
SEED = 11
FEW = 64


def summary(x):
    """What is kept of a result. Complex numbers are kept as pairs."""
    x = np.asarray(x)
    kept = {"dtype": str(x.dtype), "shape": list(x.shape)}
    if x.size > FEW:
        return kept | {"digest": hashlib.sha256(np.ascontiguousarray(x).tobytes()).hexdigest()[:16]}
    flat = np.stack([x.real, x.imag], -1) if x.dtype.kind == "c" else x
    return kept | {"values": flat.ravel().tolist()}


def evaluate(expression, module, vmap):
    names = {"r": module, "k": module.key(SEED), "P": module.PRNGKey(SEED), "vmap": vmap, "np": np}
    return eval(expression, names)


def main():
    import jax

    jax.config.update("jax_enable_x64", True)
    expressions = list(json.loads(FILE.read_text())["cases"])
    cases = {e: summary(evaluate(e, jax.random, jax.vmap)) for e in expressions}
    lines = ",\n".join(f"{json.dumps(e)}: {json.dumps(v)}" for e, v in cases.items())
    FILE.write_text(f'{{"jax": "{jax.__version__}", "cases": {{\n{lines}\n}}}}\n')


if __name__ == "__main__":
    main()
