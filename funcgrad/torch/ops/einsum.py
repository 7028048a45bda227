"""Einstein summation: its equations, and the products of pairs of tensors that they become."""

from __future__ import annotations

import math
from typing import Any

from funcgrad.torch.declare.op import op
from funcgrad.torch.ops.contract import bmm
from funcgrad.torch.tensor.tensor import Tensor
from funcgrad.torch.texts import products as texts

ELLIPSIS = "..."


@op("einsum", method=False)
def einsum(*args: Any) -> Tensor:
    """The sums of products that an equation of subscripts describes, such as 'bij,bjk->bik'.

    Arguments:
        args: the equation and the tensors; or tensors and lists of subscripts in turn, as in
            einsum(x, [0, 1], y, [1, 2], [0, 2]), where the last list is that of the result.

    Example:
        >>> from funcgrad import torch
        >>> torch.einsum("ij,j->i", torch.eye(2), torch.tensor([3.0, 4.0]))
        tensor([3., 4.])

    Source: torch.einsum (https://docs.pytorch.org/docs/stable/generated/torch.einsum.html).
    """
    if len(args) < 2:
        raise ValueError(texts.EINSUM_NOTHING)
    equation, operands = _equation(args) if isinstance(args[0], Tensor) else (args[0], args[1:])
    if len(operands) == 1 and isinstance(operands[0], (list, tuple)):
        return einsum(equation, *operands[0])
    for i, t in enumerate(operands):
        if not isinstance(t, Tensor):
            raise TypeError(f"expected Tensor as element {i} in argument 1, but got {type(t).__name__}")
    return _contracted(*_aligned(equation, operands))


def _equation(args: tuple) -> tuple[str, tuple]:
    """The form with lists of subscripts as an equation."""

    def letter(n: Any) -> str:
        if n is Ellipsis:
            return ELLIPSIS
        if 0 <= n < 26:
            return chr(ord("A") + n)
        if 26 <= n < 52:
            return chr(ord("a") + n - 26)
        raise ValueError(texts.EINSUM_RANGE)

    equation = ",".join("".join(letter(n) for n in subscripts) for subscripts in args[1::2])
    if len(args) % 2:
        return equation + "->" + "".join(letter(n) for n in args[-1]), args[:-1:2]
    return equation, args[::2]


# Equations.


def _subscripts(text: str, whose: str, dots: str) -> list[str]:
    """The subscripts of one term; an ellipsis counts as one."""
    found: list[str] = []
    i = 0
    while i < len(text):
        if text[i] == " ":
            i += 1
        elif text[i] == ".":
            if ELLIPSIS in found:
                already = "but an" if dots else "for which an"
                raise RuntimeError(texts.EINSUM_DOT.format(whose=whose, already=already, dots=dots))
            if not text.startswith(ELLIPSIS, i):
                raise RuntimeError(f"einsum(): found '.' for {whose} that is not part of any ellipsis{dots}")
            found.append(ELLIPSIS)
            i += 3
        else:
            found.append(text[i])
            i += 1
    return found


def _check_letters(equation: str, start: int, stop: int, others: str) -> None:
    for i in range(start, stop):
        c = equation[i]
        if not (c.isascii() and c.isalpha()) and c not in others:
            raise RuntimeError(texts.EINSUM_SUBSCRIPT.format(i=i))


def _operand_subscripts(equation: str, end: int, operands: tuple) -> list[list[str]]:
    """The subscripts of each operand, which stand before `end`."""
    _check_letters(equation, 0, end, " .,")
    terms = equation[:end].split(",")
    if len(terms) > len(operands):
        raise RuntimeError("einsum(): fewer operands were provided than specified in the equation")
    labels = [_subscripts(term, f"operand {k}", "") for k, term in enumerate(terms)]
    if len(terms) < len(operands):
        raise RuntimeError("einsum(): more operands were provided than specified in the equation")
    return labels


def _result_subscripts(equation: str, start: int) -> list[str]:
    """The subscripts of the result, which stand from `start` on."""
    _check_letters(equation, start, len(equation), " .")
    return _subscripts(equation[start:], "output", " (...)")


def _check_number(k: int, labels: list[str], ndim: int) -> int:
    """How many dimensions the ellipsis of operand k stands for."""
    n = len(labels) - (ELLIPSIS in labels)
    if n > ndim if ELLIPSIS in labels else n != ndim:
        if ELLIPSIS in labels:
            how, and_so = "is more than the number", ""
        else:
            how, and_so = "does not match the number", " and no ellipsis was given"
        raise RuntimeError(texts.EINSUM_COUNT.format(n=n, how=how, ndim=ndim, k=k, and_so=and_so))
    return ndim - n


def _order(labels: list[list[str]], out: list[str] | None) -> list[str]:
    """The subscripts of the result, of which those that are summed over are no part."""
    seen = [c for ls in labels for c in ls]
    if out is None:
        once = sorted(c for c in set(seen) if c != ELLIPSIS and seen.count(c) == 1)
        return ([ELLIPSIS] if ELLIPSIS in seen else []) + once
    for i, c in enumerate(out):
        if c == ELLIPSIS:
            continue
        if c in out[:i]:
            raise RuntimeError(f"einsum(): output subscript {c} appears more than once in the output")
        if c not in seen:
            raise RuntimeError(texts.EINSUM_OUTPUT.format(c=c))
    return out


def _aligned(equation: str, operands: tuple) -> tuple[list[Tensor], int]:
    """The operands with the same dimensions in the same order: those of the result, then those that are summed over.

    Returns:
        The tensors, which have size 1 where a subscript is not theirs, and the number of dimensions of the result.
    """
    arrow = equation.find("->")
    labels = _operand_subscripts(equation, len(equation) if arrow < 0 else arrow, operands)
    dots = max(_check_number(k, ls, t.ndim) for k, (ls, t) in enumerate(zip(labels, operands, strict=True)))
    out = _order(labels, None if arrow < 0 else _result_subscripts(equation, arrow + 2))
    place: dict[str, int] = {}
    count = 0
    for c in out:
        place[c] = count
        count += dots if c == ELLIPSIS else 1
    n_out = count
    if ELLIPSIS not in place:  # it is summed over
        place[ELLIPSIS] = count
        count += dots
    for c in sorted({c for ls in labels for c in ls}):
        if c not in place:
            place[c] = count
            count += 1
    sizes = [1] * count
    found = []
    for k, (ls, t) in enumerate(zip(labels, operands, strict=True)):
        t = _arranged(t, ls, place, dots, count, k)
        for i, n in enumerate(t._value.shape):
            if n != 1 and sizes[i] not in (1, n):
                label = next((c for c, p in place.items() if p == i and c != ELLIPSIS), None)
                if label is None:
                    dim = ls.index(ELLIPSIS) + i - place[ELLIPSIS]
                    raise RuntimeError(texts.EINSUM_ELLIPSIS_SIZE.format(dim=dim, n=n, k=k, seen=sizes[i]))
                raise RuntimeError(texts.EINSUM_SIZE.format(label=label, n=n, k=k, seen=sizes[i]))
            sizes[i] = n if n != 1 else sizes[i]
        found.append(t)
    return found, n_out


def _arranged(t: Tensor, labels: list[str], place: dict[str, int], dots: int, count: int, operand: int) -> Tensor:
    """One operand with all dimensions, in their order; of a repeated subscript the diagonal is taken."""
    where = [-1] * count
    j = 0
    missing = dots - (t.ndim - len(labels) + 1)
    for c in labels:
        if c == ELLIPSIS:
            for _ in range(missing):
                t = t.unsqueeze(j)
            for k in range(dots):
                where[place[c] + k] = j
                j += 1
        elif where[place[c]] != -1:
            i = where[place[c]]
            n, m = t._value.shape[j], t._value.shape[i]
            if n != m:
                raise RuntimeError(texts.EINSUM_REPEATED.format(c=c, operand=operand, n=n, m=m))
            t = t.diagonal(0, i, j).movedim(-1, i)
        else:
            where[place[c]] = j
            j += 1
    for k in range(count):
        if where[k] == -1:
            t = t.unsqueeze(-1)
            where[k] = j
            j += 1
    return t.permute(where)


# Products.


def _contracted(operands: list[Tensor], n_out: int) -> Tensor:
    """The product of aligned operands, from left to right, summed over all dimensions from n_out on."""
    count = operands[0].ndim
    left = [sum(t._value.shape[d] != 1 for t in operands) for d in range(count)]  # how many still have the dimension
    result = operands[0]
    for other in operands[1:]:
        over: list[int] = []
        over_a: list[int] = []
        over_b: list[int] = []
        for d in range(n_out, count):
            n, m = result._value.shape[d], other._value.shape[d]
            if n != 1 and m != 1:
                left[d] -= 1
                if left[d] == 1:
                    over.append(d)
                    left[d] = 0
            elif left[d] == 1 and (n != 1 or m != 1):
                (over_a if n != 1 else over_b).append(d)
                left[d] = 0
        if over_a:
            result = result.sum(over_a, keepdim=True)
        if over_b:
            other = other.sum(over_b, keepdim=True)
        result = _pair(result, other, over)
    if count == n_out:
        return result
    if len(operands) > 1:
        return result.view(result._value.shape[:n_out])
    return result.sum(list(range(n_out, count)))


def _pair(a: Tensor, b: Tensor, over: list[int]) -> Tensor:
    """The product of two aligned tensors, summed over some dimensions, which stay with size 1."""
    if not over:
        return a * b
    sa, sb = a._value.shape, b._value.shape
    rest = [d for d in range(a.ndim) if d not in over]
    both = [d for d in rest if sa[d] != 1 and sb[d] != 1]
    first = [d for d in rest if sa[d] != 1 and sb[d] == 1]
    second = [d for d in rest if sa[d] == 1]
    if first and second and second[-1] < first[0]:  # so that the product lies in memory as it is asked for
        a, b, sa, sb, first, second = b, a, sb, sa, second, first
    size = math.prod(sa[d] for d in both)
    inner = math.prod(sa[d] for d in over)
    rows, columns = math.prod(sa[d] for d in first), math.prod(sb[d] for d in second)
    x = a.permute(both + first + over + second).reshape(size, rows, inner)
    y = b.permute(both + over + second + first).reshape(size, inner, columns)
    shape = [sa[d] for d in both + first] + [1] * len(over) + [sb[d] for d in second]
    order = both + first + over + second
    return bmm(x, y).view(shape).permute([order.index(d) for d in range(a.ndim)])
