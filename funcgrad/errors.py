"""Every exception class of funcgrad: what happened, to which argument, and what to do instead.

Each class also derives from the built-in exceptions that users of NumPy and JAX expect in its place, so
`except TypeError` keeps working. Where an argument does not fit, one library raises TypeError and the other ValueError,
and the class is both. The messages are composed where the error is found; this file holds the kinds, and the few texts
that several places share.
"""

from __future__ import annotations

import dis
from typing import Any

from funcgrad.callers import counterpart, library_call, user_frame, user_line


class FuncgradError(Exception):
    """Base of every error that funcgrad raises on purpose."""


class ArgumentError(FuncgradError, TypeError, ValueError):
    """A transform was given something that it cannot work on: a wrong type, dtype or position."""


class IntegerRangeError(ArgumentError, OverflowError):
    """A Python integer does not fit into 64 bits, the most that an element of an array has."""


class ShapeError(FuncgradError, ValueError, TypeError):
    """A value has the wrong shape: a gradient of a non-scalar, a cotangent that does not fit."""


class TreeError(FuncgradError, ValueError, TypeError):
    """Two pytrees that should have the same structure do not, or a container cannot be a pytree."""


class LostTraceError(FuncgradError, TypeError):
    """A value that is being differentiated was about to be turned into a plain number or ndarray."""


class NoValueError(LostTraceError):
    """A value was asked for while only shapes and dtypes are known (make_tape, eval_shape)."""


class BooleanIndexError(NoValueError, IndexError):
    """A boolean index of which only shape and dtype are known: nobody knows how many elements it picks."""


class LeakedTracerError(FuncgradError, RuntimeError, TypeError):
    """A tracer was used outside the call of the transform that made it."""


class ImmutableArrayError(FuncgradError, TypeError):
    """An attempt to write into an immutable array."""


class UnsupportedError(FuncgradError, TypeError):
    """A NumPy function, or an option of one, that funcgrad does not have."""


class NotDifferentiableError(FuncgradError, TypeError):
    """A derivative was asked for that does not exist, with the reason that the primitive states."""


class AxisNameError(FuncgradError, NameError):
    """A collective operation names an axis that no vmap around it has."""


class CustomRuleError(FuncgradError, TypeError, AttributeError):
    """A function with a derivative rule of its own was used in a way that the rule does not cover."""


class ClosureError(CustomRuleError, LeakedTracerError):
    """A function with a derivative rule of its own is differentiated with respect to what it closes over."""


class CallbackError(FuncgradError, ValueError, NotImplementedError):
    """A callback gave something else than it had announced, or was asked for what the host function cannot give."""


class NonFiniteError(FuncgradError, FloatingPointError):
    """An operation, or its derivative, gave NaN or an infinity while `funcgrad.debug.nans` was looking for them."""

    place: tuple[str, int] | None = None  # file and number of the line, if it is known


class ConvergenceError(FuncgradError, RuntimeError):
    """A search ended without what it was looking for, so there is no result, or one that has no derivative."""


# The names by which JAX's users catch these.
ConcretizationTypeError = TracerBoolConversionError = TracerIntegerConversionError = NoValueError
NonConcreteBooleanIndexError = BooleanIndexError
TracerArrayConversionError = LostTraceError
UnexpectedTracerError = LeakedTracerError

_STORE_SUBSCR = dis.opmap["STORE_SUBSCR"]


def _assigning_to_item() -> bool:
    """Whether the caller's code is at this moment carrying out `buf[i] = x`."""
    frame = user_frame()
    return frame is not None and frame.f_code.co_code[frame.f_lasti] == _STORE_SUBSCR


def as_in_jax(sentence: str) -> str:
    """What JAX says of the same mistake, for the end of a message: programs and tests written for JAX look for it."""
    return f" (JAX: {sentence})"


def type_text(x: Any) -> str:
    """The type of a value in short: `float64[2,3]`; of something that is no array, the name of its class."""
    if hasattr(x, "shape") and hasattr(x, "dtype"):
        return f"{x.dtype}[{','.join(map(str, x.shape))}]"
    return type(x).__name__


def lost_trace(action: str, tracer: Any) -> LostTraceError:
    """The error for `float(x)`, `np.asarray(x)` and the like on a value that is being differentiated.

    Arguments:
        action: what was attempted, as the user would write it: `float(x)`.
        tracer: the value, described by its own `describe()`.

    Returns:
        The exception, ready to be raised.
    """
    if _assigning_to_item():
        return buffer_write("buf[i] = x", tracer)
    library = library_call()
    if library is not None:
        return _lost_in(library, action, tracer)
    if action.startswith("np.asarray(x, "):
        return LostTraceError(
            f"{action} on {tracer.describe()}{user_line()}. Plain numbers no longer depend on x, so its gradient would "
            f"silently be zero. Leave the dtype out, for np.asarray(x) and np.array(x) keep the gradient, or write "
            f"funcgrad.numpy{action[2:]}. If the value is meant to be a constant, write "
            f"{action.replace('x', 'funcgrad.stop_gradient(x)', 1)}."
        )
    constant = "funcgrad.stop_gradient(x)"
    instead = action.replace("x", constant, 1) if action[0] == "x" else action.replace("(x)", f"({constant})")
    return LostTraceError(
        f"{action} on {tracer.describe()}{user_line()}. The result would be a plain number that no longer depends "
        f"on x, so its gradient would silently be zero. Keep computing with x itself (functions of funcgrad.numpy or "
        f"NumPy instead of those of math), or, if the value is "
        f"meant to be a constant, write {instead}."
    )


def too_many(tracer: Any, most: int) -> LostTraceError:
    """The error for `np.asarray(x)` on so many traced numbers that NumPy would be slow with them.

    Arguments:
        tracer: the array.
        most: how many there may be.
    """
    if _assigning_to_item():
        return buffer_write("buf[i] = x", tracer)
    return LostTraceError(
        f"np.asarray(x) on {tracer.describe()}{user_line()}: NumPy would compute with its {tracer.size} numbers one by "
        f"one, as Python objects, some ten microseconds for each in every operation, so up to {most} are allowed. "
        f"NumPy's functions take x as it is: leave np.asarray out, or write funcgrad.numpy.asarray(x)"
    )


def _lost_in(library: str, action: str, tracer: Any) -> LostTraceError:
    """The error for a function of SciPy, say, that computes with plain numbers."""
    return LostTraceError(
        f"{library} cannot differentiate: it takes the numbers out of {tracer.describe()}, by {action}{user_line()}. "
        f"Its result would no longer depend on x, so the gradient would silently be zero. {_instead_of(library)}, or "
        f"pass funcgrad.stop_gradient(x) if the value is meant to be a constant."
    )


def _instead_of(library: str) -> str:
    """What to call in place of a function that computes with plain numbers."""
    ours = counterpart(library)
    if ours is not None:
        return f"Call {ours} instead"
    if library.startswith(("pandas.", "xarray.")):
        return "Compute with the array in it instead: s.to_numpy() of a pandas.Series, d.data of an xarray.DataArray"
    return (
        "funcgrad has no version of it: write it with functions of NumPy or funcgrad.numpy, or call it by "
        "funcgrad.pure_callback in a function with a rule of its own (funcgrad.custom_jvp or custom_vjp)"
    )


_CONVERSIONS = {
    "bool(x)": "Attempted boolean conversion of traced array",
    "x as an index": "The __index__() method was called on traced array",
    "np.asarray(x)": "The numpy.ndarray conversion method __array__() was called on traced array",
}


def no_value(action: str, tracer: Any, reason: str) -> NoValueError:
    """The error for asking a value for a number that there is not.

    Arguments:
        action: what was attempted, as the user would write it: `bool(x)`.
        tracer: the value, described by its own `describe()`.
        reason: why there is no number, and what to do instead.

    Returns:
        The exception, ready to be raised.
    """
    kind = action.removesuffix("(x)")
    if action == "x as an index" and tracer.dtype == bool and tracer.ndim:
        return BooleanIndexError(
            f"{action} on {tracer.describe()}{user_line()}: Array boolean indices must be concrete; got "
            f"{type_text(tracer)}. How many elements it picks, and so the shape of the result, depends on its values. "
            f"Keep the shape: funcgrad.numpy.where(mask, a, 0) instead of a[mask], and a.at[mask].set(v) to change them"
        )
    conversion = _CONVERSIONS.get("np.asarray(x)" if action.startswith("np.asarray(x") else action)
    if conversion is not None:
        problem = f"{conversion} with shape {type_text(tracer)}"
    else:
        cast = f"; try using `x.astype({kind})`" if kind in ("int", "float", "complex") else ""
        problem = f"Abstract tracer value encountered where concrete value is expected{cast}"
    library = library_call()
    if library is not None:
        reason = f"{library} computes with plain numbers. {_instead_of(library)}"
        action = f"{library}: {action}"
    return NoValueError(f"{action} on {tracer.describe()}{user_line()}: {problem}. {reason}")


def buffer_write(action: str, tracer: Any) -> LostTraceError:
    """The error for writing a traced value into a plain ndarray: `buf[i] = x`, `out=`, `buf += x`."""
    library = library_call()
    if library is not None:
        return _lost_in(library, action, tracer)
    return LostTraceError(
        f"{action} with {tracer.describe()}{user_line()}: a plain ndarray cannot hold a value that is being "
        f"differentiated. Write one of these instead:\n"
        f"    y = fnp.zeros_like(y).at[i].set(x)      # an updated copy of an array\n"
        f"    y = fnp.stack([x0, x1, x2])             # collect the parts in a list, then stack them\n"
        f"    y = fnp.where(mask, x, y)               # choose elementwise\n"
        f"    y = y + x                               # instead of y += x or np.add(y, x, out=y)"
    )


def __dir__() -> list[str]:
    return sorted(n for n, value in globals().items() if isinstance(value, type) and issubclass(value, Exception))
