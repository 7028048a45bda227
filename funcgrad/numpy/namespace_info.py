"""What the Python array API standard lets a program ask about a namespace of arrays."""

from __future__ import annotations

import numpy as np

__all__ = ["NamespaceInfo"]

_DTYPES = ["bool", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64"]
_DTYPES += ["float32", "float64", "complex64", "complex128"]


class NamespaceInfo:
    """Devices, dtypes and capabilities of funcgrad.numpy, under the name `__array_namespace_info__`.

    Example:
        >>> fnp.__array_namespace_info__().devices()
        ['cpu']

    Source: https://data-apis.org/array-api/2023.12/API_specification/inspection.html
    """

    def capabilities(self) -> dict[str, bool]:
        """Which optional parts of the standard there are."""
        return {"boolean indexing": True, "data-dependent shapes": True}

    def default_device(self) -> str:
        """The device of new arrays."""
        return "cpu"

    def devices(self) -> list[str]:
        """All devices."""
        return ["cpu"]

    def default_dtypes(self, *, device: str | None = None) -> dict[str, np.dtype]:
        """The dtypes that Python numbers get, by their kind."""
        return {
            "real floating": np.dtype(np.float64),
            "complex floating": np.dtype(np.complex128),
            "integral": np.dtype(np.intp),
            "indexing": np.dtype(np.intp),
        }

    def dtypes(self, *, device: str | None = None, kind: str | tuple[str, ...] | None = None) -> dict[str, np.dtype]:
        """The dtypes of the standard, all or those of a kind such as "integral"."""
        dtypes = {name: np.dtype(name) for name in _DTYPES}
        return dtypes if kind is None else {n: d for n, d in dtypes.items() if np.isdtype(d, kind)}
