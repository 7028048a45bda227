"""Integers as rows of bits, and their divisors."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from funcgrad.ops import elementwise as core
from funcgrad.torch.base.overloads import COMPUTED_FIRST, say
from funcgrad.torch.declare.checks import check_kinds, refusing
from funcgrad.torch.declare.op import EITHER_NUMBER_SHORT, ROWS, TWO_TENSORS, UNARY, op
from funcgrad.torch.declare.operators import operator
from funcgrad.torch.declare.writing import in_place
from funcgrad.torch.tensor.members import member_of
from funcgrad.torch.tensor.operation import Operation
from funcgrad.torch.tensor.promotion import common_dtype
from funcgrad.torch.tensor.tensor import Tensor
from funcgrad.torch.texts import elementwise as texts


def _on_integers(
    primitive: Any,
    name: str,
    kernel: str,
    kinds: str,
    doc: str,
    *signatures: str,
    form: str | Callable = "",
    inplace_function: bool = False,
) -> Callable:
    operation = Operation(primitive, f"{name.title().replace('_', '')}Backward0", promote="common", blind=True)

    def call(x: Any, y: Any) -> Any:
        check_kinds(kernel, common_dtype((x, y)), kinds, x, y)
        return operation(x, y)

    return op(
        name,
        *signatures,
        kernel=operation,
        inplace=True,
        inplace_function=inplace_function,
        form=form,
        refusal=COMPUTED_FIRST,
        doc=doc,
    )(call)


def _bitwise(
    primitive: Any, name: str, symbol: str, kernel: str, kinds: str, doc: str, form: str = ".Tensor|.Scalar"
) -> None:
    call = _on_integers(primitive, name, kernel, kinds, doc, *EITHER_NUMBER_SHORT, form=form)
    say(f"__i{symbol}__", ".Tensor|.Scalar", COMPUTED_FIRST)
    written = in_place(call, f"__i{symbol}_", ROWS[name].kernel)
    operator(symbol, call, reflected=lambda x, y: call(y, x), inplace=written)


_bitwise(core.bitwise_and, "bitwise_and", "and", "bitwise_and_cpu", "fcV", "The bits that both have.")
_bitwise(core.bitwise_or, "bitwise_or", "or", "bitwise_or_cpu", "fcV", "The bits that one of them has, or both.")
_bitwise(core.bitwise_xor, "bitwise_xor", "xor", "bitwise_xor_cpu", "fcV", "The bits that just one of them has.")
_bitwise(
    core.left_shift,
    "bitwise_left_shift",
    "lshift",
    "lshift_cpu",
    "fcVb",
    "The bits moved up by other places.",
    ".Tensor|.Tensor_Scalar",
)
_bitwise(
    core.right_shift,
    "bitwise_right_shift",
    "rshift",
    "rshift_cpu",
    "fcVb",
    "The bits moved down by other places.",
    ".Tensor|.Tensor_Scalar",
)

BITWISE_NOT = Operation(core.invert, "BitwiseNotBackward0", operands=("self",), result="own", blind=True)
bitwise_not = op(
    "bitwise_not", UNARY, kernel=BITWISE_NOT, inplace=True, doc="All bits turned round; of booleans their negation."
)(refusing(BITWISE_NOT, "bitwise_not_cpu", "fcV"))


@member_of(Tensor, "__invert__")
def _invert(self: Any) -> Any:
    if self._value.dtype.kind not in "iub":
        raise TypeError(texts.INVERT_NEEDS_INTEGERS)
    return bitwise_not(self)


for _name, _primitive, _doc in (
    ("gcd", core.gcd, "The greatest common divisor, elementwise."),
    ("lcm", core.lcm, "The least common multiple, elementwise."),
):
    _on_integers(_primitive, _name, f"{_name}_cpu", "fcVb", _doc, TWO_TENSORS, inplace_function=True)
