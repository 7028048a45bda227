"""Sparse linear algebra: systems of linear equations whose matrices are not written out."""

from funcgrad.scipy.sparse import linalg as linalg
