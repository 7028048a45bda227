"""Integers as rows of bits, and their divisors."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from funcgrad.ops import elementwise as core
from funcgrad.torch.declare.checks import check_kinds, refusing
from funcgrad.torch.declare.declare import exports, operator
from funcgrad.torch.declare.pointwise import EITHER_NUMBER_SHORT, binary, unary
from funcgrad.torch.tensor.operation import Operation
from funcgrad.torch.tensor.promotion import common_dtype
from funcgrad.torch.tensor.tensor import Tensor
from funcgrad.torch.texts import elementwise as texts


def _on_integers(primitive: Any, name: str, kernel: str, kinds: str, doc: str, **options: Any) -> Callable:
    op = Operation(primitive, f"{name.title().replace('_', '')}Backward0", promote="common", blind=True)

    def call(x: Any, y: Any) -> Any:
        check_kinds(kernel, common_dtype((x, y)), kinds, x, y)
        return op(x, y)

    binary(op, name, doc, call=call, **options)
    return call


def _bitwise(primitive: Any, name: str, symbol: str, kernel: str, kinds: str, doc: str) -> None:
    call = _on_integers(primitive, name, kernel, kinds, doc, texts=EITHER_NUMBER_SHORT)
    operator(symbol, call, reflected=lambda x, y: call(y, x), inplace=getattr(Tensor, name + "_"))


_bitwise(core.bitwise_and, "bitwise_and", "and", "bitwise_and_cpu", "fcV", "The bits that both have.")
_bitwise(core.bitwise_or, "bitwise_or", "or", "bitwise_or_cpu", "fcV", "The bits that one of them has, or both.")
_bitwise(core.bitwise_xor, "bitwise_xor", "xor", "bitwise_xor_cpu", "fcV", "The bits that just one of them has.")
_bitwise(core.left_shift, "bitwise_left_shift", "lshift", "lshift_cpu", "fcVb", "The bits moved up by other places.")
_bitwise(
    core.right_shift, "bitwise_right_shift", "rshift", "rshift_cpu", "fcVb", "The bits moved down by other places."
)

BITWISE_NOT = Operation(core.invert, "BitwiseNotBackward0", operands=("self",), result="own", blind=True)
unary(
    BITWISE_NOT,
    "bitwise_not",
    "All bits turned round; of booleans their negation.",
    call=refusing(BITWISE_NOT, "bitwise_not_cpu", "fcV"),
)
del exports["bitwise_not_"]


def _invert(self: Any) -> Any:
    if self._value.dtype.kind not in "iub":
        raise TypeError(texts.INVERT_NEEDS_INTEGERS)
    return self.bitwise_not()


_invert.__name__ = "__invert__"
Tensor.__invert__ = _invert

_on_integers(core.gcd, "gcd", "gcd_cpu", "fcVb", "The greatest common divisor, elementwise.", number=(False, False))
_on_integers(core.lcm, "lcm", "lcm_cpu", "fcVb", "The least common multiple, elementwise.", number=(False, False))
exports["gcd_"], exports["lcm_"] = Tensor.gcd_, Tensor.lcm_
