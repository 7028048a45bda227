"""What went wrong in NumPy because of a traced value, in funcgrad's words, when the exception leaves a transform."""

from __future__ import annotations

import re
from typing import Any

import numpy as np

from funcgrad.callers import counterpart, failed_call
from funcgrad.core.array import Array
from funcgrad.errors import ArgumentError, ImmutableArrayError, LostTraceError, UnsupportedError

# Patterns, which are compiled when an exception is looked at, and not with the import.
_OF_OBJECTS = (
    r"dtype\('O'\)|dtype object|object array|have an identity|no callable (\w+) method|object has no attribute '(\w+)'$"
    r"|ufunc '(\w+)' not supported"
)
_NAMED = r"(?s)(conver|required|[Oo]bject of type).*\b[A-Z][A-Za-z]*Tracer\b|non-precise type pyobject"


def uncover(error: Exception, traceback: Any) -> None:
    """Raise what went wrong, if NumPy's exception does not say it.

    In `buf[i] = x` NumPy hides the LostTraceError behind "setting an array element with a sequence". And a function
    that has no loop for arrays of objects speaks of their dtype, not of the traced values for which they are made.
    """
    cause = error.__cause__
    if isinstance(cause, LostTraceError):
        error.__cause__ = None
        try:
            raise cause.with_traceback(traceback) from None
        finally:
            del cause, error, traceback  # this frame is in the traceback, so they would hold each other
    if not isinstance(error, (LostTraceError, UnsupportedError)):
        refused = _refused(error, traceback) or _no_number(error, traceback)
        if refused is not None:
            try:
                raise refused from error
            finally:
                del refused, error, traceback


def _refused(error: Exception, traceback: Any) -> UnsupportedError | None:
    """The error for a function that does not take the array of objects that NumPy made of traced values."""
    told = re.search(_OF_OBJECTS, str(error))
    ours = isinstance(error, (ImmutableArrayError, ArgumentError))  # NumPy wants to write into a result, for instance
    call = failed_call(traceback) if told or ours else None
    if call is None:
        return None
    name, line, frames, within = call
    if within != ours or (ours and not frames):
        return None
    if frames and not any(_holds_traced(x) for frame in frames for x in frame.f_locals.values()):
        return None
    ufunc = next(filter(None, told.groups()), "") if told else ""
    if not frames and isinstance(error, AttributeError) and not isinstance(getattr(np, ufunc, None), np.ufunc):
        return None  # of the user's own
    name = name or (f"numpy.{ufunc}" if hasattr(np, ufunc) else f"the ufunc {ufunc}" if ufunc else "this function")
    instead = counterpart(name)
    certain = frames or (told and told.group(1))
    return UnsupportedError(
        f"{name} {'does not' if certain else 'may not'} take an array of objects, which is what np.array([x, y]) and "
        f"np.asarray(x) make of traced values{line}: {error}. Make a traced array with funcgrad.numpy.array([x, y]), "
        f"or of an array A with funcgrad.numpy.asarray(A)" + (f"; {instead} takes A as it is" if instead else "")
    )


def _no_number(error: Exception, traceback: Any) -> LostTraceError | None:
    """The error for what takes Python's own numbers and has never heard of tracers: json, Decimal, numba, ..."""
    told = re.search(_NAMED, str(error))
    call = None if told is None or isinstance(error, AttributeError) else failed_call(traceback)
    if call is None or call[3]:
        return None
    name, line = call[:2]
    return LostTraceError(
        f"{name or 'This call'} takes plain numbers, and no value that is being differentiated{line}: {error}. Compute "
        f"with functions of NumPy or funcgrad.numpy instead, or, if a constant is meant, give it "
        f"float(funcgrad.stop_gradient(x))"
    )


def _holds_traced(x: Any) -> bool:
    if isinstance(x, (list, tuple)):
        return any(isinstance(e, Array) or _holds_traced(e) for e in x)
    return isinstance(x, np.ndarray) and x.dtype == object and any(isinstance(e, Array) for e in x.flat)
