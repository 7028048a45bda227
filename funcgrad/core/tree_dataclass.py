"""Dataclasses as pytrees: which fields are children, and which belong to the structure."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from funcgrad.core.tree_keys import GetAttrKey
from funcgrad.core.tree_registry import Cls, Node, add
from funcgrad.errors import ArgumentError, TreeError

if TYPE_CHECKING:
    static = dataclasses.field  # checkers know the function that declares a field by its identity
else:

    def static(**kwargs: Any) -> Any:
        """Declare a field of a dataclass that belongs to the structure of its pytree.

        Arguments:
            kwargs: those of `dataclasses.field`.

        Returns:
            What `dataclasses.field` returns, with `metadata={"static": True}`.

        Example:
            >>> import dataclasses
            >>> @fg.tree.register_dataclass
            ... @dataclasses.dataclass
            ... class Power:
            ...     base: float
            ...     exponent: int = fg.tree.static(default=2)
            >>> fg.grad(lambda p: p.base ** p.exponent)(Power(3.0))
            Power(base=Array(6., dtype=float64), exponent=2)

        Source: `jax.tree.static` (https://docs.jax.dev/en/latest/jax.tree.html).
        """
        return dataclasses.field(**{**kwargs, "metadata": {"static": True, **(kwargs.get("metadata") or {})}})


def register_dataclass(
    nodetype: Cls,
    data_fields: Iterable[str] | None = None,
    meta_fields: Iterable[str] | None = None,
    drop_fields: Iterable[str] = (),
) -> Cls:
    """Make a dataclass a container of pytrees; usable as a class decorator.

    Arguments:
        nodetype: a dataclass, or, with data_fields and meta_fields, any class that is made by `nodetype(**fields)`.
        data_fields: names of the fields that are children, in their order as children. Given together with meta_fields
            or not at all; then all fields are children but those declared with `tree.static`.
        meta_fields: names of the fields that belong to the structure; they must compare with == and hash.
        drop_fields: names of fields that are neither, and get their defaults.

    Returns:
        The class.

    Raises:
        ArgumentError: no dataclass, or just one of data_fields and meta_fields.
        TreeError: a field that the class does not have, one left out, one of both kinds; a class that is registered
            already.

    Example:
        >>> import dataclasses
        >>> @fg.tree.register_dataclass
        ... @dataclasses.dataclass
        ... class Line:
        ...     slope: float
        ...     offset: float
        >>> fg.grad(lambda line: line.slope * 3.0 + line.offset)(Line(1.0, 2.0))
        Line(slope=Array(3., dtype=float64), offset=Array(1., dtype=float64))

    Source: `jax.tree_util.register_dataclass` (https://docs.jax.dev/en/latest/jax.tree_util.html).
    """
    is_dataclass = isinstance(nodetype, type) and dataclasses.is_dataclass(nodetype)
    fields = [f for f in dataclasses.fields(nodetype) if f.init and f.name not in drop_fields] if is_dataclass else []
    if data_fields is None and meta_fields is None:
        if not is_dataclass:
            raise ArgumentError(
                f"register_dataclass expects a dataclass, got {nodetype!r}; for another class give data_fields and "
                f"meta_fields"
            )
        data = tuple(f.name for f in fields if not f.metadata.get("static"))
        meta = tuple(f.name for f in fields if f.metadata.get("static"))
    elif data_fields is None or meta_fields is None:
        raise ArgumentError(
            f"register_dataclass: data_fields and meta_fields must both be given, or neither; got "
            f"data_fields={data_fields!r} and meta_fields={meta_fields!r}"
        )
    else:
        data, meta = tuple(data_fields), tuple(meta_fields)
    if is_dataclass:
        _check_fields(nodetype.__name__, {f.name for f in fields}, {*data, *meta})
    if both := sorted(set(data) & set(meta)):
        raise TreeError(f"register_dataclass: data_fields and meta_fields of {nodetype.__name__} overlap in {both}")
    add(
        Node(
            nodetype,
            lambda x: ([getattr(x, n) for n in data], tuple([getattr(x, n) for n in meta])),
            lambda aux, c: nodetype(**dict(zip(data, c, strict=True)), **dict(zip(meta, aux, strict=True))),
            lambda x: ([(GetAttrKey(n), getattr(x, n)) for n in data], tuple([getattr(x, n) for n in meta])),
        )
    )
    return nodetype


def _check_fields(name: str, expected: set[str], given: set[str]) -> None:
    """Raise TreeError unless each field that `__init__` takes is given, and no other."""
    if given == expected:
        return
    message = f"data_fields and meta_fields must include all dataclass fields of {name} that its __init__ takes."
    if missing := expected - given:
        message += f" Missing fields: {missing}. A field with a default can be left out with drop_fields."
    if unexpected := given - expected:
        message += f" Unexpected fields: {unexpected}."
    raise TreeError(message)
