"""Elementwise arithmetic and functions."""

from __future__ import annotations

from typing import Any

import numpy as np

from funcgrad.ops import elementwise as core
from funcgrad.ops import special as core_special
from funcgrad.torch import dtypes
from funcgrad.torch.declare import binary, exports, function, in_place, operator, unary
from funcgrad.torch.operation import Operation, apply, common_dtype, wrapped
from funcgrad.torch.tensor import Tensor

ADD = Operation(core.add, "AddBackward0", promote="common")
SUB = Operation(core.subtract, "SubBackward0", promote="common")
MUL = Operation(core.multiply, "MulBackward0", promote="common")
DIV = Operation(core.divide, "DivBackward0", promote="float")
EXP = Operation(core.exp, "ExpBackward0", operands=("self",), promote="float")

multiply = binary(MUL, "mul", "input * other, elementwise.", names=("multiply",))
exp = unary(EXP, "exp", "e to the power of input.")
_add = binary(ADD, "add", "input + alpha * other, elementwise.")
operator("mul", multiply)
operator("add", _add)
