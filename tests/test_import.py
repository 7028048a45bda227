"""What `import funcgrad` brings along."""

import os
import subprocess
import sys


def test_import_loads_nothing_heavy():
    code = (
        "import sys, funcgrad, funcgrad.numpy; "
        "print(sorted(m for m in ('scipy', 'matplotlib', 'jaxtyping', 'beartype', 'jax', 'torch') if m in sys.modules))"
    )
    env = {k: v for k, v in os.environ.items() if k != "FUNCGRAD_TYPECHECK"}  # as a user has it
    out = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, env=env)
    assert out.stdout.strip() == "[]", out.stdout


def test_public_names():
    import funcgrad as fg

    for name in [
        "Array",
        "Equation",
        "Pullback",
        "ShapeDtypeStruct",
        "Tape",
        "errors",
        "eval_shape",
        "float0",
        "grad",
        "jvp",
        "make_tape",
        "numpy",
        "ravel_pytree",
        "stop_gradient",
        "tree",
        "value_and_grad",
        "vjp",
    ]:
        assert hasattr(fg, name), name
    assert "sin" not in dir(fg)  # functions of arrays are in funcgrad.numpy
