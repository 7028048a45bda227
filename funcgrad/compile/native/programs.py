"""Programs of arrays in machine code: one function that does all that a tape says without a return to Python.

An entry takes NumPy's arrays apart and makes those of the results; the plan's steps are a function of pointers.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Collection
from functools import partial
from typing import Any

import numpy as np

from funcgrad.compile.native.accumulators import reduction
from funcgrad.compile.native.calls import DONE, LEFT, Entry, builtin
from funcgrad.compile.native.ir import TYPES, Function, Module, Unwritable, Value
from funcgrad.compile.native.llvm import Library
from funcgrad.compile.native.places import Place, array
from funcgrad.compile.native.plans import Constants, Plan
from funcgrad.compile.native.regions import Region
from funcgrad.compile.native.sweeps import compute
from funcgrad.compile.numpy_backend.numbers import kind_of
from funcgrad.core.tape import Symbol, Tape, equation
from funcgrad.core.types import shape_of
from funcgrad.lax.control_flow import ControlFlow
from funcgrad.lax.scan_body import Scan
from funcgrad.lax.while_body import While
from funcgrad.ops.reduce import reduce_sum
from funcgrad.transforms.results import Projection

MOST_ARRAYS = 256  # arguments and results, for each of which there are a dozen lines
_PARAMETERS = (("inputs", "ptr"), ("outputs", "ptr"), ("constants", "ptr"), ("work", "ptr"))


class ProgramPart:
    """A program of arrays in machine code.

    Arguments:
        module: to which the function is added.
        tape, title: the program, and the name of the function.
        with_numpy: does the same with NumPy, and warns where a result is not finite.
        watched: the numbers of the results that this is asked of.

    Raises:
        Unwritable: it holds an equation that cannot be written.
    """

    def __init__(
        self, module: Module, tape: Tape, title: str, with_numpy: Callable[..., tuple], watched: Collection[int]
    ) -> None:
        self._inputs = [(tuple(i.shape), i.dtype) for i in tape.inputs]
        kinds = [(tuple(shape_of(o)), np.dtype(kind_of(o))) for o in tape.outputs]
        for shape, dtype in (*self._inputs, *kinds):
            if dtype not in TYPES or not math.prod(shape):
                raise Unwritable
        inputs, outputs = [[array(Region(), *kind) for kind in ks] for ks in (self._inputs, kinds)]
        constants = Constants()
        plan = Plan(tape, inputs, outputs, constants)
        body = f"{title}.steps"
        f = Function(module, body, _PARAMETERS, 1, "i32", private=True)
        self._steps(f, plan, inputs, outputs, constants, [outputs[k] for k in watched])
        entry = Entry(module, title, self._inputs, len(kinds))
        entry.begin_results()
        entry.steps(body, kinds, len(constants.arrays), plan.work.size)
        entry.finish()
        self.text = f"{module.functions[body]}\n{module.functions[title]}"
        self._title, self._with_numpy, self._constants = title, with_numpy, constants.arrays

    def function(self, library: Library) -> Callable[..., Any]:
        """The builtin function, which keeps the code and the constants alive."""
        return builtin(library, self._title, self._inputs, self._with_numpy, self._constants)

    @staticmethod
    def _steps(
        f: Function,
        plan: Plan,
        inputs: list[Place],
        outputs: list[Place],
        constants: Constants,
        watched: list[Place],
    ) -> None:
        """Write the function of pointers, which says what is to be done next."""
        space = f.let("alloca [2 x i64]", "ptr")
        tables = (("inputs", [p.region for p in inputs]), ("outputs", [p.region for p in outputs]))
        for name, memory in (*tables, ("constants", constants.regions)):
            for k, m in enumerate(memory):
                m.base = f.load(f.address(f.parameter(name), f.constant(k, "i64"), "ptr"), "ptr", 1)
        plan.work.base = f.parameter("work")
        plan.write(f)
        known = _known(f, [p for p in watched if p.dtype.kind in "fc"], space)
        done = f.constant(DONE, "i32")
        f.finish(done if known is None else f.select(known, done, f.constant(LEFT, "i32")))


def _known(f: Function, floats: list[Place], space: Value) -> Value | None:
    """Whether all numbers in arrays of floats are finite: so is their sum, or NumPy shall see to it."""
    total: Value | None = None
    for p in floats:
        r = reduction(reduce_sum, p.shape, p.dtype)
        sum_ = array(Region(), (), p.dtype)
        sum_.region.base = space
        compute(f, p.shape, [], [r], partial(_only, p), {r: sum_})
        one = f.load(space, p.kind, 1)
        for part in f.parts(one) if p.dtype.kind == "c" else (one,):
            wide = part if part.kind == "double" else f.cast("fpext", part, "double")
            total = wide if total is None else f.binary("fadd", total, wide)
    if total is None:
        return None
    return f.compare("oeq", f.binary("fsub", total, total), f.constant(0.0, "double", 1))


def _only(p: Place, _: Any) -> Place:
    """The one place that there is."""
    return p


def program_part(
    module: Module, tape: Tape, title: str, with_numpy: Callable[..., tuple], watched: Collection[int]
) -> ProgramPart | None:
    """A program of arrays as a function of the module; None if NumPy shall carry it out.

    Arguments:
        module, tape, title, with_numpy, watched: as for `ProgramPart`.
    """
    if tape.effects or len(tape.inputs) + len(tape.outputs) > MOST_ARRAYS or not tape.equations:
        return None
    try:
        return ProgramPart(module, tape, title, with_numpy, watched)
    except Unwritable:
        return None


def loop_part(module: Module, body: Scan | While, title: str, with_numpy: Callable[..., tuple]) -> ProgramPart | None:
    """A loop as a function of the module; None if NumPy shall carry it out.

    Arguments:
        module, title, with_numpy: as for `ProgramPart`.
        body: the loop, whose bodies are tapes.
    """
    step = body.step.tape
    m, carry = (
        (body.constants + body.carry, body.carry) if type(body) is Scan else (len(step.inputs), len(step.outputs))
    )
    heads = (body.length,) if type(body) is Scan else ()
    given = [equation(-1, None, (), {}, (), x.shape, x.dtype) for x in step.inputs[:m]]
    given += [equation(-1, None, (), {}, (), (*heads, *x.shape), x.dtype) for x in step.inputs[m:]]
    kinds = [(tuple(shape_of(o)), kind_of(o)) for o in step.outputs]
    kinds[carry:] = [((*heads, *shape), dtype) for shape, dtype in kinds[carry:]]
    plan = Symbol(ControlFlow(body, "loop"), len(given))
    loop = equation(0, plan, tuple(given), {}, (), tuple([k[0] for k in kinds]), tuple([k[1] for k in kinds]))
    results = [equation(1 + k, Projection(loop, k), (loop,), {"index": k}, (), *kind) for k, kind in enumerate(kinds)]
    tape = Tape(given, results, None, None, symbolic=True)
    return program_part(module, tape, title, with_numpy, range(len(results)))
