"""Sparse linear algebra: systems of linear equations whose matrices are not written out."""

from funcgrad.core.faces import publish
from funcgrad.scipy.sparse import linalg as linalg

publish(__name__, linalg)
