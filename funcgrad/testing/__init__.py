"""Tools for testing derivatives: of your functions, and of every primitive of funcgrad."""

from funcgrad.core.faces import publish
from funcgrad.testing.check import check_adjoint as check_adjoint
from funcgrad.testing.check import check_grads as check_grads
from funcgrad.testing.check import check_jvp as check_jvp
from funcgrad.testing.check import check_vjp as check_vjp
from funcgrad.testing.check import numerical_jvp as numerical_jvp
from funcgrad.testing.samples import check_derivatives as check_derivatives
from funcgrad.testing.samples import check_precision as check_precision
from funcgrad.testing.samples import check_shape_rule as check_shape_rule
from funcgrad.testing.samples import samples as samples

publish(__name__)
