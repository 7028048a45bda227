"""`torch.return_types`: the named tuples that functions with several results give."""

from __future__ import annotations

from operator import itemgetter
from typing import Any

from funcgrad.core.faces import publish


class _Titled(type):
    """Classes that Python's own errors call by their module, too, as it does with those written in C."""

    @property
    def __name__(cls) -> str:  # type: ignore[override]  # the type checker knows it as an attribute
        return cls.__qualname__


class _NamedTuple(tuple, metaclass=_Titled):
    """A tuple whose elements have names, too, printed as torch prints it."""

    __slots__ = ()
    _fields: tuple[str, ...] = ()

    def __new__(cls, *values: Any) -> Any:
        if len(values) == 1:
            values = tuple(values[0])
        n = len(cls._fields)
        if len(values) != n:
            raise TypeError(f"{cls.__module__}.{cls.__name__}() takes a {n}-sequence ({len(values)}-sequence given)")
        return tuple.__new__(cls, values)

    def __repr__(self) -> str:
        fields = ",\n".join(f"{n}={v!r}" for n, v in zip(self._fields, self, strict=True))
        return f"{type(self).__module__}.{type(self).__name__}(\n{fields})"

    def __reduce__(self) -> Any:
        return type(self), (tuple(self),)


def _declare(name: str, fields: str) -> type:
    names = tuple(fields.split())
    members: dict[str, Any] = {n: property(itemgetter(i)) for i, n in enumerate(names)}
    members |= {"__slots__": (), "__module__": "torch.return_types", "_fields": names, "__match_args__": names}
    members |= {"n_fields": len(names), "n_sequence_fields": len(names), "n_unnamed_fields": 0}
    made = _Titled(f"torch.return_types.{name}", (_NamedTuple,), members | {"__qualname__": name})
    made.__doc__ = f"What `{name}` gives: ({', '.join(names)})."
    return made


_FIELDS = {
    "aminmax": "min max",
    "cummax": "values indices",
    "cummin": "values indices",
    "eig": "eigenvalues eigenvectors",
    "frexp": "mantissa exponent",
    "geqrf": "a tau",
    "histogram": "hist bin_edges",
    "histogramdd": "hist bin_edges",
    "kthvalue": "values indices",
    "linalg_cholesky_ex": "L info",
    "linalg_eig": "eigenvalues eigenvectors",
    "linalg_eigh": "eigenvalues eigenvectors",
    "linalg_inv_ex": "inverse info",
    "linalg_ldl_factor": "LD pivots",
    "linalg_ldl_factor_ex": "LD pivots info",
    "linalg_lstsq": "solution residuals rank singular_values",
    "linalg_lu": "P L U",
    "linalg_lu_factor": "LU pivots",
    "linalg_lu_factor_ex": "LU pivots info",
    "linalg_qr": "Q R",
    "linalg_slogdet": "sign logabsdet",
    "linalg_solve_ex": "result info",
    "linalg_svd": "U S Vh",
    "lu_unpack": "P L U",
    "max": "values indices",
    "median": "values indices",
    "min": "values indices",
    "mode": "values indices",
    "nanmedian": "values indices",
    "qr": "Q R",
    "slogdet": "sign logabsdet",
    "sort": "values indices",
    "svd": "U S V",
    "topk": "values indices",
    "triangular_solve": "solution cloned_coefficient",
}

__getattr__: Any  # tells type checkers that there are more names than they can see
globals().update({name: _declare(name, fields) for name, fields in _FIELDS.items()})
__all__ = list(_FIELDS)

publish(__name__)
