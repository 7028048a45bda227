"""Shared settings: public signatures are checked while tests run; property tests are reproducible and not timed."""

import functools
import gc
import os
import sys
from types import ModuleType
from typing import Any

# Before funcgrad is imported: its annotations become real, and every public call is checked against them.
os.environ.setdefault("FUNCGRAD_TYPECHECK", "1")
os.environ.setdefault("FUNCGRAD_BACKEND", "numpy")  # machine code that is made in the background is not reproducible
os.environ.setdefault("FUNCGRAD_CACHE_DIR", "")  # no machine code of earlier runs

import jaxtyping
from beartype import BeartypeConf, beartype
from hypothesis import settings
from jaxtyping import install_import_hook, jaxtyped

settings.register_profile("default", deadline=None, derandomize=True, max_examples=60)
settings.load_profile("default")


def _checked(of: Any = None, *, typechecker: Any) -> Any:
    """`jaxtyped` of all but functions within functions: to prepare these anew in each call took a third of a run."""
    if of is None:
        return functools.partial(_checked, typechecker=typechecker)
    return of if "<locals>" in of.__qualname__ else jaxtyped(of, typechecker=typechecker)


if os.environ["FUNCGRAD_TYPECHECK"] == "1":
    checker = ModuleType("funcgrad_typechecker")  # the hook takes the name of a decorator in a module
    checker.check = beartype(conf=BeartypeConf(is_pep484_tower=True))  # an int will do for a float
    sys.modules[checker.__name__] = checker
    jaxtyping.jaxtyped = _checked  # under which name the hook asks for it
    install_import_hook(["funcgrad.numpy", "funcgrad.testing"], "funcgrad_typechecker.check")


def pytest_collection_finish() -> None:
    """Tests and their parameters live to the end, so that the collector need not look at them in each test."""
    gc.collect()
    gc.freeze()
