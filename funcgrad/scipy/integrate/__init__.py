"""Integrals: of functions, of samples, and of ordinary differential equations, under SciPy's names."""

from funcgrad.numpy import trapezoid as trapezoid
from funcgrad.scipy.integrate.initial_values import OdeResult as OdeResult
from funcgrad.scipy.integrate.initial_values import solve_ivp as solve_ivp
from funcgrad.scipy.integrate.quadrature import fixed_quad as fixed_quad
from funcgrad.scipy.integrate.quadrature import quad as quad
from funcgrad.scipy.integrate.samples import cumulative_simpson as cumulative_simpson
from funcgrad.scipy.integrate.samples import cumulative_trapezoid as cumulative_trapezoid
from funcgrad.scipy.integrate.samples import romb as romb
from funcgrad.scipy.integrate.samples import simpson as simpson
from funcgrad.scipy.integrate.systems import odeint as odeint

__all__ = [
    "OdeResult",
    "cumulative_simpson",
    "cumulative_trapezoid",
    "fixed_quad",
    "odeint",
    "quad",
    "romb",
    "simpson",
    "solve_ivp",
    "trapezoid",
]
