"""Padding: with a constant, by reflection, with the element at the edge, around a circle.

PyTorch lists widths from the last dimension on: (left, right, top, bottom, front, back).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from funcgrad.torch.declare.checks import check_kinds
from funcgrad.torch.declare.op import op
from funcgrad.torch.ops.nn.layout import with_channels_of
from funcgrad.torch.ops.reducing import applied
from funcgrad.torch.primitives import padding as primitives
from funcgrad.torch.tensor.formulas import FORMULAS
from funcgrad.torch.tensor.operation import Operation
from funcgrad.torch.texts import memory as memory_texts
from funcgrad.torch.texts import padding as texts

CONSTANT_PAD = Operation(primitives.pad_constant, "ConstantPadNdBackward0", operands=("self",))


def _pairs(pad: Sequence[int]) -> tuple[tuple[int, int], ...]:
    """The widths in the order of the dimensions."""
    return tuple([(pad[i], pad[i + 1]) for i in range(len(pad) - 2, -1, -2)])


@op("constant_pad_nd", "(Tensor input, tuple of ints! pad, Number value = 0)", method=False, records=CONSTANT_PAD)
def constant_pad_nd(input: Any, pad: Any, value: Any = 0) -> Any:
    """The last dimensions, longer by elements that are all the same; negative widths make them shorter.

    Arguments:
        input: the tensor.
        pad: how many elements come before and after the last dimension, then the last but one, and so on.
        value: of the new elements.
    """
    shape = input._value.shape
    if len(pad) % 2:
        raise RuntimeError(f"Length of pad must be even but instead it equals {len(pad)}")
    if len(pad) > 2 * len(shape):
        raise RuntimeError(texts.LONGER_THAN_INPUT.format(length=len(pad), ndim=len(shape)))
    widths = _pairs(pad)
    for (before, after), n in zip(widths, shape[len(shape) - len(widths) :], strict=True):
        if max(-before, 0) + max(-after, 0) > n:
            raise RuntimeError("narrow(): length must be non-negative.")
    kind = input._value.dtype.kind
    number = bool(value) if kind == "b" else int(value) if kind in "iu" else value
    out = applied(CONSTANT_PAD, (input,), {"widths": widths, "value": number}, {"pad": tuple(pad)})
    return with_channels_of(out, input)


# By the elements at the edge, one function for each number of dimensions.

_MODES = {"reflect": "reflection", "replicate": "replication"}
_HOW = {"reflect": "by reflection at the edges", "replicate": "with the elements at the edges"}
_LETTERS = "DHW"


def _declare(mode: str, k: int) -> Any:
    name = f"{_MODES[mode]}_pad{k}d"
    node = f"{_MODES[mode].capitalize()}Pad{k}DBackward"
    operation = Operation(primitives.pad_edges, node + "0", operands=("self",), again=False)
    back = Operation(primitives.fold_edges, node + "Backward0", operands=("grad_output",), again=False)
    FORMULAS[node + "0"] = lambda _, g, s: back(g, widths=s["widths"], mode=mode)

    def pad(input: Any, padding: Any) -> Any:
        _check(input, padding, mode, k)
        params = {"widths": _pairs(padding), "mode": mode}
        out = applied(operation, (input,), params, {"padding": tuple(padding)})
        return with_channels_of(out, input) if input._value.ndim == k + 2 else out

    doc = f"The last {'dimension' if k == 1 else f'{k} dimensions'} padded {_HOW[mode]}."
    signature = "(Tensor input, tuple of ints! padding, *, Tensor out = None)"
    return op(f"_nn.{name}", signature, records=operation, doc=doc)(pad)


def _check(input: Any, padding: Any, mode: str, k: int) -> None:
    shape = input._value.shape
    if len(padding) != 2 * k:
        got = f", but got: {len(padding)}" if mode == "reflect" else ""
        raise RuntimeError(f"padding size is expected to be {2 * k}{got}")
    ndim = len(shape)
    if ndim not in (k + 1, k + 2) or 0 in shape[ndim - k - 1 :]:
        raise RuntimeError(texts.WRONG_DIMENSIONS.format(k=k + 1, more=k + 2, shape=list(shape)))
    widths = _pairs(padding)
    sizes = shape[ndim - k :]
    if mode == "reflect":
        for d in range(k - 1, -1, -1):
            before, after = widths[d]
            if before >= sizes[d] or after >= sizes[d]:
                text = texts.TOO_WIDE.format(
                    argument=2 * (k - d) + 2, before=before, after=after, dim=ndim - k + d, shape=list(shape)
                )
                raise RuntimeError(text)
    wanted = [n + a + b for n, (a, b) in zip(sizes, widths, strict=True)]
    if all(n < 1 for n in wanted):
        raise RuntimeError(_too_small(sizes, wanted, mode))
    if min(wanted) < 0:
        whole = [*shape[: ndim - k], *wanted]
        raise RuntimeError(memory_texts.NEGATIVE_DIMENSION.format(n=min(wanted), sizes=whole))
    check_kinds(f"{_MODES[mode]}_pad{k}d", input.dtype, "b")


def _too_small(sizes: tuple[int, ...], wanted: list[int], mode: str) -> str:
    letters = _LETTERS[3 - len(sizes) :]
    given = [f"{c}: {n}" for c, n in zip(letters, sizes, strict=True)]
    shown = ", ".join(given) if len(given) < 3 else f"{given[0]} {given[1]}, {given[2]}"
    space = " " if mode == "replicate" and len(given) == 2 else ""
    found = " ".join(f"{c}: {n}" for c, n in zip(letters, wanted, strict=True))
    return f"input ({shown}{space}) is too small. Calculated output {found}"


_BY_EDGES = {(mode, k): _declare(mode, k) for mode in _MODES for k in (1, 2, 3)}


# Around a circle, which PyTorch puts together piece by piece.


def _circular(input: Any, pad: Any) -> Any:
    shape = input._value.shape
    widths = _pairs(pad)
    first = len(shape) - len(widths)
    sizes = list(shape)
    for i, (before, after) in enumerate(widths):
        n = shape[first + i]
        if before > n or after > n:
            raise RuntimeError("Padding value causes wrapping around more than once.")
        sizes[first + i] = n + before + after
        if sizes[first + i] < 0:
            raise RuntimeError("Negative padding value is resulting in an empty dimension")
    out = input.new_empty(sizes)
    inner, kept = out, input
    for i, (before, after) in enumerate(widths):
        d, n = first + i, shape[first + i]
        inner = inner.narrow(d, max(before, 0), sizes[d] - max(before, 0) - max(after, 0))
        kept = kept.narrow(d, max(-before, 0), n - max(-before, 0) - max(-after, 0))
    inner.copy_(kept)
    # each dimension goes around by itself, over what the later ones have filled
    for i in range(len(widths) - 1, -1, -1):
        d, (before, after) = first + i, widths[i]
        rows = out
        for e in range(first, d):
            b, a = (max(w, 0) for w in widths[e - first])
            rows = rows.narrow(e, b, sizes[e] - b - a)
        if before > 0:
            rows.narrow(d, 0, before).copy_(rows.narrow(d, sizes[d] - before - max(after, 0), before))
        if after > 0:
            rows.narrow(d, sizes[d] - after, after).copy_(rows.narrow(d, max(before, 0), after))
    return out


@op("_nn.pad", "(Tensor input, tuple of ints! pad, str mode = 'constant', float? value = None)")
def pad(input: Any, pad: Any, mode: str = "constant", value: float | None = None) -> Any:
    """The last dimensions, longer or shorter at their ends.

    Arguments:
        input: the tensor.
        pad: how many elements come before and after the last dimension, then the last but one, and so on.
        mode: what the new elements are: "constant", "reflect", "replicate" or "circular".
        value: of constant ones, by default 0.
    """
    ndim, length = input._value.ndim, len(pad)
    if mode not in ("constant", "circular", *_MODES):
        raise NotImplementedError(f"Unrecognised padding mode {mode}")
    if length % 2:
        raise RuntimeError("Padding length must be divisible by 2")
    if length > 2 * ndim:
        raise RuntimeError(texts.TOO_LONG.format(length=length, ndim=ndim))
    if mode == "constant":
        return constant_pad_nd(input, pad, 0 if value is None else value)
    if value:
        raise RuntimeError(f'Padding mode "{mode}" doesn\'t take in value argument')
    k = length // 2
    if k in (1, 2, 3) and ndim in (k + 1, k + 2):
        return _circular(input, pad) if mode == "circular" else _BY_EDGES[mode, k](input, pad)
    raise NotImplementedError(texts.NOT_SUPPORTED.format(size=length, ndim=ndim))
