"""Passes over a tape: each takes a program and gives a program with the same values, a little simpler.

One file each. The order matters little, for each leaves what the others know; they run twice, since what one of them
leaves another can simplify.
"""

from __future__ import annotations

from collections.abc import Callable

from funcgrad.compile.passes.accumulations import accumulations
from funcgrad.compile.passes.algebra import algebra
from funcgrad.compile.passes.broadcasts import broadcasts
from funcgrad.compile.passes.common_subexpressions import common_subexpressions
from funcgrad.compile.passes.constants import constants
from funcgrad.compile.passes.contractions import contractions
from funcgrad.compile.passes.extrema import extrema
from funcgrad.compile.passes.factors import factors
from funcgrad.compile.passes.means import means
from funcgrad.compile.passes.movement import movement
from funcgrad.compile.passes.outer_products import outer_products
from funcgrad.compile.passes.parts import parts
from funcgrad.compile.passes.products import products
from funcgrad.compile.passes.quotients import quotients
from funcgrad.compile.passes.rearrangements import rearrangements
from funcgrad.compile.passes.residuals import residuals
from funcgrad.compile.passes.scatters import scatters
from funcgrad.compile.passes.softmaxes import softmaxes
from funcgrad.compile.passes.solutions import solutions
from funcgrad.compile.passes.spectra import spectra
from funcgrad.compile.passes.sums import sums
from funcgrad.compile.passes.terms import terms
from funcgrad.core.tape import Tape

PASSES: tuple[Callable[[Tape], Tape], ...] = (
    constants,
    means,
    contractions,
    products,
    movement,
    rearrangements,
    parts,
    spectra,
    residuals,
    broadcasts,
    softmaxes,
    algebra,
    extrema,
    terms,
    outer_products,
    factors,
    sums,
    quotients,
    common_subexpressions,
)


def simplified(tape: Tape) -> Tape:
    """The tape after all passes."""
    left: dict[Callable[[Tape], Tape], Tape] = {}  # the tape in which a pass found nothing to do
    for _ in range(2):
        for run in PASSES:
            if left.get(run) is tape:
                continue
            before, tape = tape, run(tape)
            if tape is before:
                left[run] = tape
    return common_subexpressions(solutions(scatters(accumulations(tape))))
