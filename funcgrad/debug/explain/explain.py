"""`explain`: run a function, pull a cotangent back, and say what became of it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from time import perf_counter
from typing import Any

import numpy as np

from funcgrad.core import tree
from funcgrad.core.array import is_inexact, wrap
from funcgrad.core.trace import running
from funcgrad.core.types import PYTHON_NUMBERS, PyTree
from funcgrad.debug.explain.backward import pull_back
from funcgrad.debug.explain.causes import Cause, Causes
from funcgrad.debug.explain.explanation import Explanation, Finding, Input
from funcgrad.debug.explain.kinds import rank
from funcgrad.debug.explain.memory import residuals
from funcgrad.debug.explain.picture import graph_of
from funcgrad.debug.explain.places import Place
from funcgrad.debug.explain.record import Followed, Recording, Value, following
from funcgrad.debug.explain.seconds import times
from funcgrad.debug.explain.words import CUTS, USUAL, remedy_of, text_of
from funcgrad.debug.nans import nans
from funcgrad.draw.graph import Graph
from funcgrad.errors import ArgumentError, LostTraceError, NonFiniteError
from funcgrad.transforms.argnums import argument_numbers, chosen_arguments
from funcgrad.transforms.arguments import float0, input_value, output_values
from funcgrad.transforms.saved_residuals import argument_names
from funcgrad.transforms.vjp import vjp
from funcgrad.transforms.wraps import name_of

_FAST = 0.5  # seconds of timing after which there is no further run
_RUNS = 3


def explain(
    f: Callable,
    *args: PyTree,
    argnums: int | Sequence[int] | None = None,
    has_aux: bool = False,
    **kwargs: Any,
) -> Explanation:
    """Say why the gradient of a function is lost, zero or not finite, what it keeps, and which line takes the time.

    The function is run a few times, uncompiled, so that every line can be seen; it must have no side effects. Nothing
    that runs elsewhere gets slower.

    Arguments:
        f: a function of pytrees of arrays.
        args: its arguments.
        argnums: which of them to differentiate with respect to, as for `grad`; by default all that hold floating-point
            or complex numbers, and if none does, all integers, which is what is told then.
        has_aux: whether f returns a pair (result, aux), of which aux is not differentiated.
        kwargs: keyword arguments for f, passed as they are.

    Returns:
        An `Explanation`. Printed it is a text; its fields are `findings`, `inputs`, `residuals`, `times`, `value` and
        `gradient`.

    Raises:
        ArgumentError: f is no function, argnums names no argument, or a transform is running.

    Example:
        >>> def loss(w, b):
        ...     return fnp.sum(fg.stop_gradient(w) * 2.0 + b)
        >>> print(fg.explain(loss, fnp.ones(3), 1.0))
        loss: 1 of 2 inputs gets no proper gradient.
        <BLANKLINE>
        No gradient arrives at w:
          ...: return fnp.sum(fg.stop_gradient(w) * 2.0 + b)
          `stop_gradient` makes a constant of it
          -> if a gradient is wanted on this path, take stop_gradient out
        ...
    """
    if not callable(f):
        raise ArgumentError(f"explain takes a function, got {f!r} of type {type(f).__name__}")
    if running():
        raise ArgumentError("explain looks at numbers, so it cannot run inside of a transform: call it outside")
    function = _Function(f, args, argnums, has_aux, kwargs)
    return _Explaining(function).explanation()


class _Function:
    """A function of those leaves of its arguments that are looked at.

    Attributes:
        values: these leaves, raw.
        names: what they are called.
        integers: the names of leaves that were asked for, and that have no derivative.
    """

    def __init__(self, f: Callable, args: tuple, argnums: Any, has_aux: bool, kwargs: dict[str, Any]) -> None:
        self.f, self.has_aux, self.kwargs = f, has_aux, kwargs
        self.leaves, self.in_tree = tree.flatten(args)
        owners = [path[0].idx for path, _ in tree.leaves_with_path(args)]
        kinds = [_kind(x) for x in self.leaves]
        if argnums is None:
            wanted = "fc" if any(kind in "fc" for kind in kinds) else "fciu"
            self.chosen = sorted({n for n, kind in zip(owners, kinds, strict=True) if kind in wanted})
        else:
            _, _, chosen = chosen_arguments(f, argument_numbers(argnums, "explain"), args, {}, "explain")
            self.chosen = list(chosen)
        named = argument_names(f, args, {})
        asked = [k for k, n in enumerate(owners) if n in self.chosen]
        self.places = [k for k in asked if kinds[k] in "fc"]
        self.names = [named[k] for k in self.places]
        self.values = [input_value(self.leaves[k], lambda: "explain") for k in self.places]
        meant = argnums is not None or not self.places
        self.integers = [named[k] for k in asked if kinds[k] in "biu" and meant]

    def __call__(self, *values: Any) -> Any:
        """The result that is differentiated, for these leaves."""
        leaves = list(self.leaves)
        for k, x in zip(self.places, values, strict=True):
            leaves[k] = x
        out = self.f(*self.in_tree.unflatten(leaves), **self.kwargs)
        if not self.has_aux:
            return out
        if not isinstance(out, tuple) or len(out) != 2:
            raise ArgumentError("explain: with has_aux=True the function must return a pair (result, aux)")
        return out[0]

    def arguments(self, found: Sequence[Any]) -> tuple:
        """The chosen arguments with something else in the places of these leaves, and zeros in those of integers."""
        leaves = [np.zeros(np.shape(x), float0) if _kind(x) in "biu" else x for x in self.leaves]
        for k, x in zip(self.places, found, strict=True):
            leaves[k] = wrap(x)
        whole = self.in_tree.unflatten(leaves)
        return tuple([whole[n] for n in self.chosen])


def _kind(x: Any) -> str:
    """The kind of the dtype of a leaf; "O" of what is no array of numbers."""
    dtype = getattr(x, "dtype", None) or (np.asarray(x).dtype if type(x) in (bool, *PYTHON_NUMBERS) else None)
    return getattr(dtype, "kind", "O")


class _Run:
    """One run of a function on values that are followed.

    Attributes:
        recording: of it.
        outputs: its results; `nodes` are those that depend on the inputs, by their number among the results.
    """

    def __init__(self, function: _Function) -> None:
        self.recording = Recording()
        with following(self.recording) as as_input:
            result = function(*[as_input(v) for v in function.values])
            leaves, self.out_tree = output_values(result, "explain")
        self.nodes = {k: o._node for k, o in enumerate(leaves) if isinstance(o, Followed)}
        self.outputs = [o._value if isinstance(o, Followed) else np.asarray(o) for o in leaves]

    def seeds(self) -> dict[Value, Any]:
        """A cotangent for each result: 1 for a scalar, random numbers if there are more."""
        random = np.random.default_rng(0)
        scalar = len(self.outputs) == 1 and self.outputs[0].shape == ()
        found: dict[Value, Any] = {}
        for node in self.nodes.values():
            if node.linked:
                g = np.ones((), node.dtype) if scalar else np.asarray(random.uniform(1, 2, node.shape), node.dtype)
                found[node] = found[node] + g if node in found else g
        return found


class _Explaining:
    """One question, from the run to the text."""

    def __init__(self, function: _Function) -> None:
        self.function = function
        self.marks: dict[tuple, str] = {}  # the kinds of causes, by place and name of the operation
        try:
            with np.errstate(all="ignore"):
                begun, runs = perf_counter(), [_Run(function)]
                self.run = runs[0]
                self.seeds = self.run.seeds()
                self.cotangents = pull_back(self.run.recording, self.seeds)
                while len(runs) < _RUNS and perf_counter() - begun < _FAST:
                    runs.append(_Run(function))
                    pull_back(runs[-1].recording, runs[-1].seeds())
                self.times = times([r.recording for r in runs])
                exact = pull_back(self.run.recording, self.seeds, exact=True)
                self.causes = Causes(self.run.recording, exact, self.run.nodes.values())
        except LostTraceError as error:
            if len(function.chosen) > 1:
                error.add_note("explain looks at all arguments with floating-point numbers, unless argnums says which")
            raise
        self.exact = exact

    def explanation(self) -> Explanation:
        function, run = self.function, self.run
        gradients = [self.cotangents.get(x, np.zeros(x.shape, x.dtype)) for x in run.recording.inputs]
        with np.errstate(all="ignore"):
            inputs, findings = self._inputs(gradients)
            findings += self._not_finite(inputs)
            kept = residuals(function, function.values)
        findings += self._integers()
        findings += self._left_out(findings)
        order = ("loss", "zero", "nonfinite", "note")
        findings.sort(key=lambda f: order.index(f.severity))
        value = run.out_tree.unflatten([wrap(o) for o in run.outputs])
        gradient, name = function.arguments(gradients), name_of(function.f)
        told = value, gradient, inputs, findings, kept, self.times, self._remarks()
        return Explanation(name, *told, lambda: self._graph(name))

    def _graph(self, name: str) -> Graph:
        recording, function, outputs = self.run.recording, self.function, self.run.nodes.values()
        return graph_of(recording, function.names, function.values, self.cotangents, outputs, self.marks, name)

    def _remarks(self) -> list[str]:
        outputs = self.run.outputs
        if len(outputs) == 1 and outputs[0].shape == ():
            return []
        if not outputs:
            return ["The function returned no array: is its `return` missing?"]
        return ["The result is no scalar: this is about the gradient of a sum of its elements with random weights."]

    def _inputs(self, gradients: list[Any]) -> tuple[list[Input], list[Finding]]:
        """What arrives at each input, and the findings about those at which a gradient is zero."""
        inputs: list[Input] = []
        by_cause: dict[tuple, tuple[Cause, list[str]]] = {}
        for name, x, g in zip(self.function.names, self.run.recording.inputs, gradients, strict=True):
            zero = np.asarray(self.exact.get(x, 0) == 0) & np.ones(x.shape, bool)
            causes = self.causes.of(x, zero) if zero.any() else []
            whole = zero.all() and zero.size > 0
            lost = whole and (x not in self.exact or all(c.kind in CUTS for c in causes))
            bad = not np.isfinite(g).all()
            state = (
                "not finite" if bad else "none" if lost else "zero" if whole else "partly zero" if causes else "full"
            )
            first = tuple(int(i) for i in np.unravel_index(np.argmax(zero), zero.shape)) if causes else None
            inputs.append(Input(name, x.shape, x.dtype, x in self.causes.reached, state, int(zero.sum()), first))
            severity = "note" if not whole or bad else "loss" if lost else "zero"
            for c in causes:
                by_cause.setdefault((c.key, severity), (c, []))[1].append(name)
        findings = [self._finding(c, severity, names) for (_, severity), (c, names) in by_cause.items()]
        return inputs, findings

    def _finding(self, c: Cause, severity: str, names: list[str]) -> Finding:
        if c.step is not None:
            self.marks[c.place, c.step.operation.name] = c.kind
        others = tuple(p for p in c.others if p is not None)
        remedy = "" if severity == "note" and c.kind in USUAL else remedy_of(c)
        return Finding(c.kind, severity, tuple(names), c.place, text_of(c), remedy, others)

    def _not_finite(self, inputs: list[Input]) -> list[Finding]:
        """The first NaN or infinity, in the words of `debug.nans`, if there is one in the value or the gradient."""
        bad = [i.name for i in inputs if i.gradient == "not finite"]
        outputs = [o for o in self.run.outputs if is_inexact(o.dtype)]
        if not all(np.isfinite(o).all() for o in outputs):
            bad.append("the result")
        if not bad:
            return []
        numbers = [*outputs, *self.cotangents.values()]
        nan = any(np.isnan(x).any() for x in numbers)
        error = _first_not_finite(self.function, nan=nan, inf=not nan)
        if error is None:
            return []
        text, place = str(error), None if error.place is None else Place(*error.place)
        earlier = _first_not_finite(self.function, nan=nan, inf=True)
        if nan and str(earlier).startswith("Inf"):  # of which the NaN may come
            text = f"{text}\nThe first infinity, before it: {earlier}"
        return [Finding("nonfinite", "nonfinite", tuple(bad), place, text, "")]

    def _integers(self) -> list[Finding]:
        found = []
        if self.function.integers:
            text = "integers have no derivative: grad refuses them"
            remedy = "pass floats, as x.astype(float), or leave the argument out of argnums"
            found.append(Finding("integers", "loss", tuple(self.function.integers), None, text, remedy))
        return found

    def _left_out(self, findings: list[Finding]) -> list[Finding]:
        """Notes on cuts by which a part of a gradient is left out, where other paths give one."""
        told = {(f.kind, f.place) for f in findings}
        found: dict[tuple, Finding] = {}
        for step in self.run.recording.steps:
            for k, x in enumerate(step.operands):
                if x is None or not x.linked or k in step.linked:
                    continue
                if not any(r in self.causes.reached for r in step.results):
                    continue
                c = self.causes.cut(step, k, np.ones(x.shape, bool))
                if rank(c) < 2 or (c.kind, c.place) in told or c.key in found:
                    continue
                names = self._leading_to(x)
                found[c.key] = Finding(
                    c.kind, "note", names, c.place, f"{text_of(c)}; the gradient comes by other paths", ""
                )
        return list(found.values())

    def _leading_to(self, x: Value) -> tuple[str, ...]:
        """The names of the inputs that a value depends on."""
        before, pending = {x}, [x]
        for v in pending:  # the list grows while it is read
            for operand in () if v.step is None else v.step.operands:
                if operand is not None and operand not in before:
                    before.add(operand)
                    pending.append(operand)
        pairs = zip(self.function.names, self.run.recording.inputs, strict=True)
        return tuple(name for name, v in pairs if v in before)


def _first_not_finite(function: _Function, nan: bool, inf: bool) -> NonFiniteError | None:
    """What debug.nans says of the value and its backward pass."""
    try:
        with nans(nan=nan, inf=inf):
            out, pullback = vjp(function, *[wrap(v) for v in function.values])
            pullback(tree.map(lambda o: np.ones(o.shape, o.dtype if is_inexact(o.dtype) else float0), out))
    except NonFiniteError as error:
        return error
    return None
