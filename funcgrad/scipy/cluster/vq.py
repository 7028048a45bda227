"""`vq`: which of some points is the nearest to each of others, and how far away it is."""

from __future__ import annotations

from funcgrad.core.array import Array
from funcgrad.core.faces import publish
from funcgrad.core.types import ArrayLike, Float, Shaped
from funcgrad.errors import ShapeError
from funcgrad.numpy import take_along_axis
from funcgrad.numpy.convert import asarray
from funcgrad.scipy.spatial.distance import cdist
from funcgrad.transforms.stop_gradient import stop_gradient

__all__ = ["vq"]


def vq(
    obs: ArrayLike, code_book: ArrayLike, check_finite: bool = True
) -> tuple[Shaped[Array, " n"], Float[Array, " n"]]:
    """For each observation the nearest code, and its distance.

    Arguments:
        obs: the observations, a matrix with one in each row, or a vector of numbers.
        code_book: the codes, likewise.
        check_finite: accepted as in SciPy.

    Returns:
        The numbers of the codes, and the distances.

    Raises:
        ShapeError: the shapes do not fit together.

    Example:
        >>> from funcgrad.scipy.cluster.vq import vq
        >>> vq(np.array([[0.0, 1.0], [4.0, 4.0]]), np.array([[0.0, 0.0], [4.0, 3.0]]))
        (Array([0, 1], dtype=int64), Array([1., 1.], dtype=float64))
    """
    x, codes = asarray(obs), asarray(code_book)
    if x.ndim != codes.ndim or x.ndim not in (1, 2):
        raise ShapeError(f"vq takes two matrices or two vectors, got shapes {x.shape} and {codes.shape}")
    if x.ndim == 1:
        x, codes = x[:, None], codes[:, None]
    distances = cdist(x, codes)
    nearest = stop_gradient(distances).argmin(axis=1)
    return nearest, take_along_axis(distances, nearest[:, None], axis=1)[:, 0]


publish(__name__, source="scipy.cluster.vq")
