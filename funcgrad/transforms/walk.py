"""The backward walk: equations from the newest to the oldest, each rule called once, cotangents added up.

This is all of reverse mode that happens after the function has run. Broadcasting and promotion are undone here, once,
by `fit`; what a rule returns is added to what the other uses of the same value gave.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy import float64, ndarray

from funcgrad.core.cotangent import Deferred, fit
from funcgrad.core.tape import Equation


def walk(equations: Sequence[Equation], cotangents: dict[Equation, Any], release: bool = False) -> None:
    """The backward walk: from the cotangents of outputs to those of the inputs, in place.

    Arguments:
        equations: the reachable equations, the newest first.
        cotangents: by equation; on return it holds those of the inputs of the tape that got one.
        release: whether this is the only walk, so that each equation may let go of its residuals once it is done.
    """
    owned: set[Equation] = set()  # their cotangent is a sum made here, so further terms may be added in place
    following: Any = None  # mostly the next equation: its first cotangent, `ct`, need not go through the dict
    ct: Any = None
    for e in equations:
        if e is following:
            g, following = ct, None
        else:
            if following is not None:
                cotangents[following], following = ct, None
            g = cotangents.pop(e, None)
            if g is None:
                continue
        kind = type(g)
        if kind is not ndarray and kind is not float64 and isinstance(g, Deferred):
            g = g.for_rule_of(e.primitive)
        plan = e.plan
        if plan is None:
            cotangents[e] = g
        elif plan.single:  # the loop below for one input, written out because it is the commonest case
            i = e.inputs[0]
            kept = e.residuals
            ct = plan.pull(g, kept)
            if plan.checked and (ct.shape != i.shape or ct.dtype is not i.dtype):
                ct = fit(ct, i.shape, i.dtype)
            if i not in cotangents:
                following = i
            elif (i in owned and type(ct) is ndarray) or type(ct) is float64 is type(cotangents[i]):
                cotangents[i] += ct
            else:
                accumulate(cotangents, owned, i, ct, g, (), kept)
            if release:
                e.residuals = kept = ()
        else:
            kept = e.residuals
            cts = plan.pull(g, kept)
            for i, ct in zip(e.inputs, cts):  # noqa: B905  (a plan gives one for each input)
                if plan.checked and (ct.shape != i.shape or ct.dtype is not i.dtype):
                    ct = fit(ct, i.shape, i.dtype)
                if i not in cotangents:
                    cotangents[i] = ct
                elif (i in owned and type(ct) is ndarray) or type(ct) is float64 is type(cotangents[i]):
                    cotangents[i] += ct
                else:
                    accumulate(cotangents, owned, i, ct, g, cts, kept)
            if release:
                e.residuals = kept = cts = ()
    if following is not None:
        cotangents[following] = ct


def accumulate(cotangents: dict[Any, Any], owned: set, i: Any, ct: Any, g: Any, cts: tuple, kept: tuple) -> None:
    """Add a further cotangent to one that is not the walk's own sum yet: in place if this term is the walk's alone.

    Arguments:
        cotangents, owned: the state of the walk.
        i: the equation (or another key that the walk uses for it).
        ct: its further cotangent, which a rule has just given.
        g, kept: what the rule was given.
        cts: all that it gave, if it gave several.
    """
    total = cotangents[i]
    if type(ct) is not ndarray:
        cotangents[i] = total + ct
        owned.discard(i)  # a tracer or a Deferred, or a sum with one, has no += that writes in place
    elif ct.nbytes >= _LARGE and type(total) is ndarray and _fresh(ct, g, cts, kept):
        cotangents[i] = np.add(total, ct, out=ct)
        owned.add(i)
    else:
        total = cotangents[i] = total + ct
        if type(total) is ndarray:
            owned.add(i)


_LARGE = 1 << 16  # bytes from which a new array costs more than finding out that there is no need for one


def _fresh(ct: ndarray, g: Any, cts: tuple, kept: tuple) -> bool:
    """Whether nobody but the walk can see this result of a rule: it is no view and none of what the rule was given."""
    if ct.base is not None or sum(x is ct for x in cts) > 1:
        return False
    # among what it was given are tuples: the cotangents of several results, the operands `xs`
    return all(x is not ct if type(x) is not tuple else all(y is not ct for y in x) for x in (g, *kept))
