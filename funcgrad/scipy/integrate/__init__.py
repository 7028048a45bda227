"""Integrals: of functions, of samples, and of ordinary differential equations, under SciPy's names."""

from funcgrad.scipy.integrate.systems import odeint as odeint

__all__ = ["odeint"]
