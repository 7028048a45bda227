"""funcgrad: exact derivatives of NumPy programs.

    import funcgrad as fg
    import funcgrad.numpy as fnp

    fg.grad(lambda x: fnp.sum(fnp.sin(x) ** 2))(fnp.ones(3))

The transforms are here, the arrays and functions in `funcgrad.numpy`, control flow in `funcgrad.lax`, random keys in
`funcgrad.random`, pytrees in `funcgrad.tree`, solvers in `funcgrad.scipy`, tools for finding errors in
`funcgrad.debug`, for testing derivatives in `funcgrad.testing`, and the face that is like PyTorch in `funcgrad.torch`.

Examples in docstrings take these two imports and `import numpy as np` for granted.
"""

from importlib import import_module as _import_module
from typing import TYPE_CHECKING as _TYPE_CHECKING
from typing import Any as _Any

from funcgrad import errors as errors
from funcgrad import numpy as numpy
from funcgrad import ops as ops
from funcgrad import tree as tree
from funcgrad.core.array import Array as Array
from funcgrad.core.faces import publish
from funcgrad.core.memory import keep_freed_memory as _keep_freed_memory
from funcgrad.core.partial import Partial as Partial
from funcgrad.core.tape import Equation as Equation
from funcgrad.core.tape import Tape as Tape
from funcgrad.core.types import ShapeDtypeStruct as ShapeDtypeStruct
from funcgrad.draw import draw as draw
from funcgrad.numpy.protocols import differentiate_ufuncs_of as _differentiate_ufuncs_of
from funcgrad.transforms.arguments import float0 as float0
from funcgrad.transforms.grad import grad as grad
from funcgrad.transforms.grad import value_and_grad as value_and_grad
from funcgrad.transforms.jvp import jvp as jvp
from funcgrad.transforms.make_tape import eval_shape as eval_shape
from funcgrad.transforms.make_tape import make_tape as make_tape
from funcgrad.transforms.ravel_pytree import ravel_pytree as ravel_pytree
from funcgrad.transforms.stop_gradient import stop_gradient as stop_gradient
from funcgrad.transforms.vjp import Pullback as Pullback
from funcgrad.transforms.vjp import vjp as vjp
from funcgrad.transforms.vmap import vmap as vmap

if _TYPE_CHECKING:  # what is imported when somebody first asks
    from funcgrad import ad_checkpoint as ad_checkpoint
    from funcgrad import custom_derivatives as custom_derivatives
    from funcgrad import debug as debug
    from funcgrad import lax as lax
    from funcgrad import nn as nn
    from funcgrad import random as random
    from funcgrad import scipy as scipy
    from funcgrad import testing as testing
    from funcgrad import torch as torch
    from funcgrad import tree_util as tree_util
    from funcgrad.comparing.compare import compare as compare
    from funcgrad.compile import clear_caches as clear_caches
    from funcgrad.compile import disable_jit as disable_jit
    from funcgrad.compile import jit as jit
    from funcgrad.debug.explain.explain import explain as explain
    from funcgrad.devices import block_until_ready as block_until_ready
    from funcgrad.devices import device_get as device_get
    from funcgrad.devices import device_put as device_put
    from funcgrad.transforms import checkpoint_policies as checkpoint_policies
    from funcgrad.transforms.callback import io_callback as io_callback
    from funcgrad.transforms.callback import pure_callback as pure_callback
    from funcgrad.transforms.checkpoint import checkpoint as checkpoint
    from funcgrad.transforms.checkpoint import checkpoint_name as checkpoint_name
    from funcgrad.transforms.checkpoint import remat as remat
    from funcgrad.transforms.closure_convert import closure_convert as closure_convert
    from funcgrad.transforms.custom_gradient import custom_gradient as custom_gradient
    from funcgrad.transforms.custom_jvp import custom_jvp as custom_jvp
    from funcgrad.transforms.custom_rules import SymbolicZero as SymbolicZero
    from funcgrad.transforms.custom_vjp import custom_vjp as custom_vjp
    from funcgrad.transforms.fwd_and_bwd import fwd_and_bwd as fwd_and_bwd
    from funcgrad.transforms.hvp import hvp as hvp
    from funcgrad.transforms.jacobian import hessian as hessian
    from funcgrad.transforms.jacobian import jacfwd as jacfwd
    from funcgrad.transforms.jacobian import jacobian as jacobian
    from funcgrad.transforms.jacobian import jacrev as jacrev
    from funcgrad.transforms.linear_call import linear_call as linear_call
    from funcgrad.transforms.linear_transpose import Transpose as Transpose
    from funcgrad.transforms.linear_transpose import linear_transpose as linear_transpose
    from funcgrad.transforms.linearize import Pushforward as Pushforward
    from funcgrad.transforms.linearize import linearize as linearize
    from funcgrad.transforms.named_call import named_call as named_call
    from funcgrad.transforms.named_scope import named_scope as named_scope

__version__ = "0.1.0"

# Transforms that not every program uses, namespaces, the compiler: they are imported when somebody first asks, so that
# `import funcgrad` costs little more than `import numpy`.
_NAMESPACES = (
    "ad_checkpoint", "custom_derivatives", "debug", "lax", "nn", "random", "scipy", "testing", "torch", "tree_util",
)  # fmt: skip  # in rows
_NAMES = {
    "comparing.compare": ("compare",),
    "compile": ("clear_caches", "disable_jit", "jit"),
    "devices": ("block_until_ready", "device_get", "device_put"),
    "debug.explain.explain": ("explain",),
    "transforms.callback": ("io_callback", "pure_callback"),
    "transforms.checkpoint": ("checkpoint", "checkpoint_name", "remat"),
    "transforms.closure_convert": ("closure_convert",),
    "transforms.custom_gradient": ("custom_gradient",),
    "transforms.custom_jvp": ("custom_jvp",),
    "transforms.custom_rules": ("SymbolicZero",),
    "transforms.custom_vjp": ("custom_vjp",),
    "transforms.fwd_and_bwd": ("fwd_and_bwd",),
    "transforms.hvp": ("hvp",),
    "transforms.jacobian": ("hessian", "jacfwd", "jacobian", "jacrev"),
    "transforms.linear_call": ("linear_call",),
    "transforms.linear_transpose": ("Transpose", "linear_transpose"),
    "transforms.linearize": ("Pushforward", "linearize"),
    "transforms.named_call": ("named_call",),
    "transforms.named_scope": ("named_scope",),
}
_LATER = (
    {name: (name, None) for name in _NAMESPACES}
    | {"checkpoint_policies": ("transforms.checkpoint_policies", None)}
    | {n: (m, n) for m, names in _NAMES.items() for n in names}
)


def __getattr__(name: str) -> _Any:
    if name not in _LATER:
        raise AttributeError(f"module 'funcgrad' has no attribute {name!r}")
    module, attribute = _LATER[name]
    found = _import_module(f"funcgrad.{module}")
    if attribute is not None:
        found = getattr(found, attribute)
    globals()[name] = found
    return found


_differentiate_ufuncs_of("scipy.special", lambda: _import_module("funcgrad.scipy.special"))
_differentiate_ufuncs_of(
    "scipy.special._ufuncs", lambda: _import_module("funcgrad.scipy.special.inner_ufuncs")
)  # what its Python functions call
_keep_freed_memory()
publish(__name__, errors, numpy, ops, tree, later=_LATER)
