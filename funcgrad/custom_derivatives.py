"""Derivative rules of your own, under the names of `jax.custom_derivatives`."""

from funcgrad.core.faces import publish
from funcgrad.transforms.closure_convert import closure_convert as closure_convert
from funcgrad.transforms.custom_gradient import custom_gradient as custom_gradient
from funcgrad.transforms.custom_jvp import custom_jvp as custom_jvp
from funcgrad.transforms.custom_rules import SymbolicZero as SymbolicZero
from funcgrad.transforms.custom_rules import zero_from_primal as zero_from_primal
from funcgrad.transforms.custom_vjp import CustomVJPPrimal as CustomVJPPrimal
from funcgrad.transforms.custom_vjp import custom_vjp as custom_vjp
from funcgrad.transforms.custom_vjp import custom_vjp_primal_tree_values as custom_vjp_primal_tree_values
from funcgrad.transforms.linear_call import linear_call as linear_call

publish(__name__)
