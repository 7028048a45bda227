"""The computations that are compared: one file for each, with the versions of all libraries side by side."""

from cases import chain, elementwise, mlp, rnn

CASES = [*chain.CASES, *mlp.SMALL, *rnn.CASES, *mlp.LARGE, *elementwise.CASES]

__all__ = ["CASES"]
