"""Pages and docstrings run as if PyTorch, where it is installed, had not been imported by other tests."""

import sys

import pytest


@pytest.fixture(autouse=True)
def without_torch():
    """Some examples have `import torch` lead to funcgrad."""
    kept = {name: sys.modules.pop(name) for name in list(sys.modules) if name.partition(".")[0] == "torch"}
    yield
    sys.modules.update(kept)
