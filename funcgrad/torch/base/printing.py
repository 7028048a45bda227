"""Tensors as text, as PyTorch 2.13 prints them.

Numbers of one tensor share one format and one width, both found from its nonzero finite numbers alone. What is left out
of a long tensor has no say in them. Nothing here knows the tensor class: it reads an ndarray and a few facts beside it.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from funcgrad.core.scope import scoped

__all__ = [
    "PrintOptions",
    "format_scalar",
    "get_printoptions",
    "has_default_dtype",
    "printoptions",
    "set_printoptions",
    "summarized",
    "tensor_text",
    "with_suffixes",
]


@dataclass
class PrintOptions:
    """How tensors are printed; `set_printoptions` says what each option means."""

    precision: int = 4
    threshold: float = 1000
    edgeitems: int = 3
    linewidth: int = 80
    sci_mode: bool | None = None


_options = PrintOptions()

_PROFILES = {
    "default": PrintOptions(),
    "short": PrintOptions(precision=2, edgeitems=2),
    "full": PrintOptions(threshold=math.inf),
}


def set_printoptions(
    precision: int | None = None,
    threshold: float | None = None,
    edgeitems: int | None = None,
    linewidth: int | None = None,
    profile: str | None = None,
    sci_mode: bool | None = None,
) -> None:
    """Sets how tensors are printed from here on. Options left out keep their value; `sci_mode` is reset.

    Arguments:
        precision: digits after the point, 4 at first.
        threshold: tensors with more elements than this are shortened, 1000 at first.
        edgeitems: how many elements a shortened axis shows at either end, 3 at first.
        linewidth: characters in a line, 80 at first.
        profile: "default", "short" or "full": a value for each option above, which these then override. Another name
            changes nothing.
        sci_mode: scientific notation always (True), never (False), or where the numbers call for it (None).
            Each call sets it, to None where it is not given.

    Example:
        >>> from funcgrad.torch.base.printing import set_printoptions, tensor_text
        >>> set_printoptions(precision=2)
        >>> tensor_text(np.float32([0.125, 1]), dtype_name="float32", is_default_dtype=True)
        'tensor([0.12, 1.00])'
        >>> set_printoptions(profile="default")

    Source: torch.set_printoptions (https://docs.pytorch.org/docs/stable/generated/torch.set_printoptions.html)
    """
    chosen = _PROFILES.get(profile) if profile is not None else None
    given = {"precision": precision, "threshold": threshold, "edgeitems": edgeitems, "linewidth": linewidth}
    for name, value in given.items():
        if value is not None:
            setattr(_options, name, value)
        elif chosen is not None:
            setattr(_options, name, getattr(chosen, name))
    _options.sci_mode = sci_mode


def get_printoptions() -> dict[str, Any]:
    """The options in force, as keyword arguments of `set_printoptions`.

    Example:
        >>> from funcgrad.torch.base.printing import get_printoptions
        >>> get_printoptions()["precision"]
        4

    Source: torch.get_printoptions (torch/_tensor_str.py)
    """
    return asdict(_options)


@scoped
def printoptions(**options: Any) -> Iterator[None]:
    """`set_printoptions` for the length of a `with` block.

    Example:
        >>> from funcgrad.torch.base.printing import printoptions, tensor_text
        >>> with printoptions(sci_mode=True):
        ...     print(tensor_text(np.float32(1500), dtype_name="float32", is_default_dtype=True))
        tensor(1.5000e+03)

    Source: torch._tensor_str.printoptions (torch/_tensor_str.py)
    """
    before = get_printoptions()
    try:
        set_printoptions(**options)
        yield
    finally:
        _options.__dict__.update(before)  # one call, after which there is nothing left to do


def has_default_dtype(dtype_name: str, default: str = "float32") -> bool:
    """Whether a dtype goes without saying: those of Python's numbers, under the default floating dtype `default`.

    Example:
        >>> from funcgrad.torch.base.printing import has_default_dtype
        >>> has_default_dtype("complex64"), has_default_dtype("complex64", default="float64")
        (True, False)
    """
    return dtype_name in (default, "complex128" if default == "float64" else "complex64", "int64", "bool")


def tensor_text(
    value: np.ndarray | np.generic,
    *,
    dtype_name: str,
    is_default_dtype: bool,
    requires_grad: bool = False,
    grad_fn_name: str | None = None,
    tangent_text: str | None = None,
    class_name: str = "tensor",
) -> str:
    """The repr of a tensor.

    Arguments:
        value: its values, with lazy conjugation and negation carried out.
        dtype_name: the name after "torch.", such as "float32".
        is_default_dtype: what `has_default_dtype` says of it. Without elements to tell what is meant, integers,
            booleans and complex numbers name their dtype all the same.
        requires_grad: whether it is a leaf that collects a gradient; not said beside a `grad_fn_name`.
        grad_fn_name: the name of the node that computed it, such as "MulBackward0".
        tangent_text: its forward-mode tangent, as `f"{tangent}"` gives it.
        class_name: the name of a subclass of Tensor.

    Returns:
        Such as `tensor([1., 2.], requires_grad=True)`. Long texts go on in further lines.

    Example:
        >>> from funcgrad.torch.base.printing import tensor_text
        >>> print(tensor_text(np.array([[1.5, -0.0], [np.inf, 100.0]]), dtype_name="float64", is_default_dtype=False))
        tensor([[  1.5000,  -0.0000],
                [     inf, 100.0000]], dtype=torch.float64)

    Source: torch.Tensor.__repr__ (torch/_tensor_str.py)
    """
    value = np.asarray(value)
    prefix = class_name + "("
    suffixes = []
    if value.size:
        if not _options.edgeitems:
            suffixes.append(f"size={value.shape}")
        text = _elements_text(value, len(prefix))
    else:
        if value.ndim != 1:
            suffixes.append(f"size={value.shape}")
        is_default_dtype = is_default_dtype and _is_floating(value)
        text = "[]"
    if not is_default_dtype:
        suffixes.append(f"dtype=torch.{dtype_name}")
    if grad_fn_name is not None:
        suffixes.append(f"grad_fn=<{grad_fn_name}>")
    elif requires_grad:
        suffixes.append("requires_grad=True")
    if tangent_text is not None:
        suffixes.append(f"tangent={tangent_text}")
    return with_suffixes(prefix + text, suffixes, len(prefix)) + ")"


def format_scalar(value: np.ndarray | np.generic, spec: str = "") -> str:
    """`f"{t:spec}"` of a tensor without axes: that of its Python number.

    Example:
        >>> from funcgrad.torch.base.printing import format_scalar
        >>> format_scalar(np.float32(0.1)), format_scalar(np.float32(0.1), ".2f")
        ('0.10000000149011612', '0.10')

    Source: torch.Tensor.__format__ (torch/_tensor.py)
    """
    return format(_with_python_numbers(np.asarray(value)).item(), spec)


def with_suffixes(text: str, suffixes: list[str], indent: int) -> str:
    """The text followed by the suffixes, each in a new line where the last one is full.

    Example:
        >>> from funcgrad.torch.base.printing import with_suffixes
        >>> with_suffixes("tensor([1.", ["size=(1,)", "requires_grad=True"], 7)
        'tensor([1., size=(1,), requires_grad=True'
    """
    # PyTorch counts one character more than there is in the last line, and two more where it is the only one. A tangent
    # of several lines counts as one long line.
    used = len(text) - text.rfind("\n") + 1
    for suffix in suffixes:
        if used + 2 + len(suffix) > _options.linewidth:
            text += ",\n" + " " * indent + suffix
            used = indent + len(suffix)
        else:
            text += ", " + suffix
            used += 2 + len(suffix)
    return text


def summarized(value: np.ndarray) -> np.ndarray:
    """The elements that a shortened tensor shows: `edgeitems` from either end of each axis that is longer than both.

    Example:
        >>> from funcgrad.torch.base.printing import summarized
        >>> summarized(np.arange(100))
        array([ 0,  1,  2, 97, 98, 99])

    Source: torch._tensor_str.get_summarized_data (torch/_tensor_str.py)
    """
    edge = _options.edgeitems
    if not value.ndim:
        return value
    kept = [[*range(edge), *range(size - edge, size)] if size > 2 * edge else range(size) for size in value.shape]
    return value[np.ix_(*(np.array(places, np.intp) for places in kept))]


def _is_floating(value: np.ndarray) -> bool:
    """Whether these are real floating-point numbers; NumPy has no kind of its own for bfloat16."""
    return value.dtype.kind not in "biuc"


def _with_python_numbers(value: np.ndarray) -> np.ndarray:
    """The same values in a dtype whose elements `tolist` gives as Python numbers: what ml_dtypes has is widened."""
    if not _is_floating(value) or (value.dtype.kind == "f" and value.dtype.itemsize > 1):
        return value
    with np.errstate(all="ignore"):  # a signalling nan is worth no warning
        return value.astype(np.float64)


def _elements_text(value: np.ndarray, indent: int) -> str:
    """All elements in their brackets, of a text that begins in column `indent`."""
    edge = _options.edgeitems
    shortened = value.size > _options.threshold and value.ndim > 0
    if shortened and edge <= 0:
        return "[...]"
    cut = [shortened and size > 2 * edge for size in value.shape]
    if shortened:
        value = summarized(value)
    value = _with_python_numbers(value)
    write, width = _complex_writer(value) if value.dtype.kind == "c" else _writer(value)
    return _nested(value.tolist(), cut, write, width, indent)


def _nested(items: Any, cut: list[bool], write: Callable[[Any], str], width: int, indent: int) -> str:
    """Nested lists of numbers as text, with an ellipsis in the middle of each axis that is `cut`."""
    if not cut:
        return write(items)
    if len(cut) == 1:
        parts, ellipsis = [write(item) for item in items], " ..."
    else:
        parts, ellipsis = [_nested(item, cut[1:], write, width, indent + 1) for item in items], "..."
    if cut[0]:
        parts.insert(_options.edgeitems, ellipsis)
    if len(cut) == 1:
        per_line = max(1, math.floor((_options.linewidth - indent) / (width + 2)))
        parts = [", ".join(parts[i : i + per_line]) for i in range(0, len(parts), per_line)]
    # Rows of a matrix stand in lines, matrices have an empty line between them, and so on.
    separator = "," + "\n" * max(1, len(cut) - 1) + " " * (indent + 1)
    return "[" + separator.join(parts) + "]"


def _writer(numbers: np.ndarray) -> tuple[Callable[[Any], str], int]:
    """A function that writes any of these real numbers, and the width that it fills."""
    if numbers.dtype.kind != "f":
        width = max(len(str(number)) for number in numbers.ravel().tolist())
        return (lambda number: str(number).rjust(width)), width

    measured = numbers[np.isfinite(numbers) & (numbers != 0)]
    whole, scientific = True, False
    if measured.size:
        whole = bool((measured == np.ceil(measured)).all())
        scientific = _calls_for_exponents(np.abs(measured)) if _options.sci_mode is None else _options.sci_mode
    if scientific:
        spec, point = f".{_options.precision}e", ""
    elif whole:
        spec, point = ".0f", "."
    else:
        spec, point = f".{_options.precision}f", ""
    width = max((len(format(number, spec) + point) for number in measured.tolist()), default=1)

    def write(number: float) -> str:
        return (format(number, spec) + (point if math.isfinite(number) else "")).rjust(width)

    return write, width


def _calls_for_exponents(sizes: np.ndarray) -> bool:
    """Whether these positive numbers are too different, too large or too small to be written side by side."""
    least, most = float(sizes.min()), float(sizes.max())
    return most / least > 1000.0 or most > 1e8 or least < 1e-4


def _complex_writer(numbers: np.ndarray) -> tuple[Callable[[Any], str], int]:
    """The same for complex numbers; the two parts have formats of their own, and imaginary parts are not padded."""
    write_real, real_width = _writer(numbers.real)
    write_imag, imag_width = _writer(numbers.imag)

    def write(number: complex) -> str:
        imag = write_imag(number.imag).lstrip()
        return write_real(number.real) + ("" if imag[0] == "-" else "+") + imag + "j"

    return write, real_width + imag_width + 1
