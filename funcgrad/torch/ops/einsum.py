"""Einstein summation."""

from __future__ import annotations

import math
from typing import Any

from funcgrad.torch.declare import function
from funcgrad.torch.ops.contract import bmm
from funcgrad.torch.tensor import Tensor


@function(method=False)
def einsum(equation: Any, *operands: Any) -> Tensor:
    """The sums of products that an equation of subscripts describes, such as 'bij,bjk->bik'.

    Arguments:
        equation: the subscripts; or the first operand, in the form einsum(op1, [0, 1], op2, [1, 2], [0, 2]).
        operands: the tensors.

    Source: torch.einsum (https://docs.pytorch.org/docs/stable/generated/torch.einsum.html).
    """
    if isinstance(equation, Tensor):
        equation, operands = _from_sublists((equation, *operands))
    if len(operands) == 1 and isinstance(operands[0], (list, tuple)):
        operands = tuple(operands[0])
    if not operands:
        raise ValueError("einsum(): must provide at least one operand")
    labels, out = _parse(equation, operands)
    order = out + [c for c in dict.fromkeys(c for ls in labels for c in ls) if c not in out]
    sizes: dict[str, int] = {}
    aligned = []
    for k, (ls, t) in enumerate(zip(labels, operands, strict=True)):
        ls, t = _diagonals(ls, t, k)
        for c, n in zip(ls, t._value.shape, strict=True):
            if sizes.setdefault(c, n) != n:
                if sizes[c] != 1 and n != 1:
                    raise RuntimeError(
                        f"einsum(): subscript {c} has size {n} for operand {k} which does not broadcast with "
                        f"previously seen size {sizes[c]}"
                    )
                sizes[c] = max(n, sizes[c])
        present = [c for c in order if c in ls]
        t = t.permute([ls.index(c) for c in present])
        for i, c in enumerate(order):
            if c not in ls:
                t = t.unsqueeze(i)
        aligned.append(t)
    result, remaining = aligned[0], aligned[1:]
    n_out = len(out)
    if not remaining:
        over = list(range(n_out, len(order)))
        return result.sum(over) if over else result
    last_use = {c: max(k for k, ls in enumerate(labels) if c in ls) for c in order[n_out:]}
    for k, t in enumerate(remaining, 1):
        over = [i for i, c in enumerate(order) if i >= n_out and last_use[c] <= k and (result._value.shape[i] != 1 or t._value.shape[i] != 1 or last_use[c] == k)]  # fmt: skip  # noqa: E501
        over = [i for i in over if last_use[order[i]] == k or (k == 1 and last_use[order[i]] < k)]
        result = _pair(result, t, over)
    if len(order) > n_out:
        result = result.view(result._value.shape[:n_out]) if result.is_contiguous() or n_out == 0 else result.reshape(result._value.shape[:n_out])  # fmt: skip  # noqa: E501
    return result


def _pair(a: Tensor, b: Tensor, over: list[int]) -> Tensor:
    """The product of two aligned tensors, summed over some dimensions, which stay with length one."""
    n = a.ndim
    sa, sb = a._value.shape, b._value.shape
    for i in over:
        if sa[i] != 1 and sb[i] == 1:
            a = a.sum(i, keepdim=True)
        elif sa[i] == 1 and sb[i] != 1:
            b = b.sum(i, keepdim=True)
    sa, sb = a._value.shape, b._value.shape
    over = [i for i in over if sa[i] != 1 and sb[i] != 1]
    if not over:
        return a * b
    batch = [i for i in range(n) if i not in over and sa[i] != 1 and sb[i] != 1]
    left = [i for i in range(n) if i not in over and i not in batch and sa[i] != 1]
    right = [i for i in range(n) if i not in over and i not in batch and sa[i] == 1]
    size = lambda dims, s: math.prod(s[i] for i in dims)  # noqa: E731
    x = a.permute(batch + left + over + right).reshape(size(batch, sa), size(left, sa), size(over, sa))
    y = b.permute(batch + over + right + left).reshape(size(batch, sa), size(over, sa), size(right, sb))
    shape = [sa[i] for i in batch] + [sa[i] for i in left] + [1] * len(over) + [sb[i] for i in right]
    placed = batch + left + over + right
    return bmm(x, y).view(shape).permute([placed.index(i) for i in range(n)])


def _diagonals(labels: list[str], t: Tensor, operand: int) -> tuple[list[str], Tensor]:
    """Repeated subscripts of one operand mean its diagonal."""
    labels = list(labels)
    for c in dict.fromkeys(labels):
        while labels.count(c) > 1:
            i = labels.index(c)
            j = labels.index(c, i + 1)
            if t._value.shape[i] != t._value.shape[j]:
                raise RuntimeError(
                    f"einsum(): subscript {c} is repeated for operand {operand} but the sizes don't match, "
                    f"{t._value.shape[j]} != {t._value.shape[i]}"
                )
            t = t.diagonal(0, i, j)
            labels = [d for k, d in enumerate(labels) if k not in (i, j)] + [c]
    return labels, t


def _parse(equation: str, operands: tuple) -> tuple[list[list[str]], list[str]]:
    """The subscripts of each operand, the dots written out as upper-case-free private labels, and of the result."""
    text = equation.replace(" ", "")
    left, arrow, right = text.partition("->")
    terms = left.split(",")
    for place, c in enumerate(left):
        if not (c.isalpha() and c.isascii()) and c not in ",.":
            raise RuntimeError(
                f"einsum(): invalid subscript given at index {place} in the equation string, subscripts must be in "
                "[a-zA-Z]"
            )
    if len(terms) > len(operands):
        raise RuntimeError("einsum(): fewer operands were provided than specified in the equation")
    if len(terms) < len(operands):
        raise RuntimeError("einsum(): more operands were provided than specified in the equation")
    longest, labels = 0, []
    for k, (term, t) in enumerate(zip(terms, operands, strict=True)):
        named = term.replace("...", "")
        if "..." in term:
            extra = t.ndim - len(named)
            if extra < 0:
                raise RuntimeError(
                    f"einsum(): the number of subscripts in the equation ({len(named)}) is more than the number of "
                    f"dimensions ({t.ndim}) for operand {k}"
                )
            longest = max(longest, extra)
            dots = [f".{i}" for i in range(extra, 0, -1)]
            at = term.index("...")
            labels.append(list(term[:at]) + dots + list(term[at + 3 :]))
        else:
            if len(named) != t.ndim:
                if len(named) > t.ndim:
                    raise RuntimeError(
                        f"einsum(): the number of subscripts in the equation ({len(named)}) does not match the number "
                        f"of dimensions ({t.ndim}) for operand {k} and no ellipsis was given"
                    )
                raise RuntimeError(
                    f"einsum(): the number of subscripts in the equation ({len(named)}) does not match the number of "
                    f"dimensions ({t.ndim}) for operand {k} and no ellipsis was given"
                )
            labels.append(list(term))
    dots = [f".{i}" for i in range(longest, 0, -1)]
    if not arrow:
        counts: dict[str, int] = {}
        for ls in labels:
            for c in ls:
                counts[c] = counts.get(c, 0) + 1
        return labels, dots + sorted(c for c, n in counts.items() if n == 1 and not c.startswith("."))
    out: list[str] = []
    if "..." in right:
        at = right.index("...")
        out = list(right[:at]) + dots + list(right[at + 3 :])
    else:
        out = list(right)
    known = {c for ls in labels for c in ls}
    for i, c in enumerate(out):
        if c in out[:i]:
            raise RuntimeError(f"einsum(): output subscript {c} appears more than once in the output")
        if c not in known and not c.startswith("."):
            raise RuntimeError(f"einsum(): output subscript {c} does not appear in the equation for any input operand")
    return labels, out


def _from_sublists(args: tuple) -> tuple[str, tuple]:
    """The form einsum(op1, [0, 1], op2, [1, 2], [0, 2]) as an equation."""

    def letters(numbers: Any) -> str:
        return "".join(
            "..." if i is Ellipsis else chr(ord("A") + i) if i < 26 else chr(ord("a") + i - 26) for i in numbers
        )

    operands, lists = args[0::2], args[1::2]
    if len(args) % 2:
        out = operands[-1]
        operands = operands[:-1]
        return ",".join(letters(i) for i in lists) + "->" + letters(out), operands
    return ",".join(letters(i) for i in lists), operands
