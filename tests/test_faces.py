"""What `dir()` shows of a public namespace: its public names, and nothing that it is made of."""

import ast
import importlib
import inspect
import pydoc
import re
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest

import funcgrad as fg


def namespaces(module: ModuleType = fg) -> Iterator[ModuleType]:
    """A namespace and those in it."""
    yield module
    for name in dir(module):
        value = getattr(module, name)
        if isinstance(value, ModuleType):
            yield from namespaces(value)


FACES = {module.__name__: module for module in namespaces()}
PUBLIC_MODULES = {
    "funcgrad": "ad_checkpoint checkpoint_policies custom_derivatives debug errors lax nn numpy ops random scipy "
    "testing torch tree tree_util",
    "funcgrad.ad_checkpoint": "checkpoint_policies",
    "funcgrad.lax": "linalg",
    "funcgrad.nn": "initializers",
    "funcgrad.numpy": "fft linalg",
    "funcgrad.scipy": "cluster fft integrate interpolate linalg ndimage optimize signal sparse spatial special stats",
    "funcgrad.scipy.cluster": "vq",
    "funcgrad.scipy.sparse": "linalg",
    "funcgrad.scipy.spatial": "distance",
    "funcgrad.scipy.stats": "dirichlet multinomial multivariate_normal",
    "funcgrad.torch": "amp autograd compiler distributions fft func hub jit linalg multiprocessing nn optim "
    "overrides profiler quasirandom random return_types serialization special storage types utils version",
    "funcgrad.torch.autograd": "forward_ad function functional grad_mode graph profiler variable",
    "funcgrad.torch.amp": "autocast_mode grad_scaler",
    "funcgrad.torch.optim": "lr_scheduler swa_utils",
    "funcgrad.torch.distributions": "constraints kl transforms utils",
    "funcgrad.torch.nn": "attention functional grad init modules parallel parameter utils",
    "funcgrad.torch.nn.attention": "bias",
    "funcgrad.torch.nn.utils": "parametrizations parametrize rnn stateless",
    "funcgrad.torch.utils": "checkpoint data dlpack hooks",
}


ALIASES = {"funcgrad.tree.KeyEntry", "funcgrad.tree_util.KeyEntry"} | {
    f"funcgrad.torch.types.{name}" for name in ("BoolLikeType", "FloatLikeType", "IntLikeType", "Storage")
}
"""Public names for what Python itself has: a KeyEntry is Any."""


@pytest.mark.parametrize("face", FACES)
def test_dir_shows_public_names_only(face):
    module = FACES[face]
    names = dir(module)
    assert names == sorted(set(names)) and not any(name.startswith("_") for name in names)
    values = {name: getattr(module, name) for name in names}  # each of them can be had
    modules = [name for name, value in values.items() if isinstance(value, ModuleType)]
    assert modules == PUBLIC_MODULES.get(face, "").split()
    for name, value in values.items():
        if inspect.isfunction(value) or inspect.isclass(value):
            ours = (
                value.__module__.split(".")[0] in {"funcgrad", "numpy", "torch", "multiprocessing"}
                or f"{face}.{name}" in ALIASES
            )
            assert ours, f"{face}.{name} is not of funcgrad"


def test_dir_shows_all_public_names():
    """Names that others list: NumPy's functions under their names, in a face whose modules list them."""
    assert {n for n in vars(np) if isinstance(getattr(np, n), np.ufunc)} <= set(dir(fg.numpy))
    assert set(np.linalg.__all__) == set(dir(fg.numpy.linalg)) and set(np.fft.__all__) == set(dir(fg.numpy.fft))
    assert {"cond", "scan", "linalg", "add", "custom_root", "stop_gradient"} <= set(dir(fg.lax))
    assert {"add", "Tensor", "float32", "no_grad"} <= set(dir(fg.torch)) and "cholesky" in dir(fg.torch.linalg)
    assert dir(fg.debug) == ["callback", "nans", "print"]
    assert dir(fg.ops) == ["segment_max", "segment_min", "segment_prod", "segment_sum"]
    assert {"FuncgradError", "ShapeError"} <= set(dir(fg.errors))


WITH_SOURCE = [f for f in FACES if re.match(r"funcgrad\.(numpy|lax|nn|random|scipy)", f)]


@pytest.mark.parametrize("face", WITH_SOURCE)
def test_a_function_says_whose_it_is(face):
    """The docstring ends so, whether that is written there or derived from where the function stands."""
    for name in dir(FACES[face]):
        function = getattr(FACES[face], name)
        if inspect.isfunction(function) and function.__module__.startswith("funcgrad"):
            assert "\nSource: " in inspect.getdoc(function), f"{face}.{name}"


def test_what_is_derived_reads_like_what_is_written():
    assert inspect.getdoc(fg.numpy.sin).endswith(
        "\n    Array(0., dtype=float64)\n\n"
        "Source: numpy.sin (https://numpy.org/doc/stable/reference/generated/numpy.sin.html)."
    )
    source = "Source: jax.lax.pmax (https://docs.jax.dev/en/latest/_autosummary/jax.lax.pmax.html)."
    assert inspect.getdoc(fg.lax.pmax).split("\n\n")[1:] == [source]  # under a docstring of one line
    assert "Source: jax.lax.cond " in pydoc.render_doc(fg.lax.cond) and "Source" not in (np.iterable.__doc__ or "")


@pytest.mark.parametrize("face", [face for face, module in FACES.items() if hasattr(module, "__all__")])
def test_a_star_import_gives_what_dir_shows(face):
    namespace = {}
    exec(f"from {face} import *", namespace)
    later = getattr(FACES[face], "_LATER", ())
    left = set(later) - set(getattr(FACES[face], "__all__", ()))
    assert set(namespace) - {"__builtins__"} == set(dir(FACES[face])) - left


def test_what_is_imported_later_is_what_type_checkers_see():
    """The lazy names of funcgrad stand in a block for type checkers and in a table."""
    block = next(n for n in ast.parse(Path(fg.__file__).read_text()).body if isinstance(n, ast.If))
    seen = {a.asname: (n.module, a.name) for n in block.body for a in n.names}
    assert all(name == alias for alias, (_, name) in seen.items())
    found = {}
    for name, (module, attribute) in fg._LATER.items():
        found[name] = (f"funcgrad.{module}" if attribute else f"funcgrad.{module}".rpartition(".")[0], name)
    assert seen == found
    for name in seen:
        assert getattr(fg, name) is not None


def test_modules_that_a_namespace_is_made_of_are_found():
    """Private modules are attributes of a package all the same, which is why `dir()` has to be told."""
    importlib.import_module("funcgrad.numpy.ufuncs")
    assert isinstance(fg.numpy.ufuncs, ModuleType) and "ufuncs" not in dir(fg.numpy)
