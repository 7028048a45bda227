"""What `torch.explain()` says of the last error about gradients: what happened, in which lines, and what to change."""

from __future__ import annotations

import ast
import re
import sys
from collections.abc import Callable, Iterator
from types import TracebackType
from typing import Any

from funcgrad.torch.explanations.explanation import Explanation
from funcgrad.torch.explanations.names import name_of
from funcgrad.torch.explanations.relation import nodes_of
from funcgrad.torch.explanations.saved import changed_values
from funcgrad.torch.explanations.statements import called_on, carried_on, statement
from funcgrad.torch.explanations.tensors import explain_pair, explain_tensor
from funcgrad.torch.tensor import journal
from funcgrad.torch.tensor.journal import Entry
from funcgrad.torch.tensor.place import Place
from funcgrad.torch.tensor.tensor import Tensor


class Failure:
    """An error, and what its traceback shows of where it came from; of one that is gone what the journal knows.

    Attributes:
        text, kind: of the error.
        place: the user's line.
        sources: the entries of the tensors that could not be differentiated, or be written into.
        tensors: what the call in that line was given, by the names of funcgrad's parameters.
        frame: of that line.
    """

    def __init__(self, error: BaseException | None) -> None:
        self.text = journal.journal.failure if error is None else str(error)
        self.kind = "RuntimeError" if error is None else type(error).__name__
        self.tensors: dict[str, Any] = {}
        self.place: Place | None = None
        self.frame: Any = None
        known = journal.find(journal.journal.failed) if self.text == journal.journal.failure else None
        self.sources = [] if known is None else [e for n in known.sources if (e := journal.find(n)) is not None]
        if error is None:
            self.place = None if known is None else known.place
            return
        for frame, lasti in _frames(error.__traceback__):
            if journal.is_users(frame.f_code.co_filename):
                self.place, self.frame, self.tensors = Place.of(frame.f_code, lasti), frame, {}
            else:
                for name, value in frame.f_locals.items():
                    self.tensors.setdefault(name, value)

    def find(self, *names: str) -> Any:
        """The first tensor among parameters of these names; in tuples the first one."""
        for name in names:
            value = self.tensors.get(name)
            for t in value if isinstance(value, tuple | list) else (value,):
                if isinstance(t, Tensor):
                    return t
        return None

    def made(self, t: Any) -> Entry | None:
        """The entry of a tensor that was found; if none was, of the first of those that the journal knows."""
        return journal.of(t) if t is not None else self.sources[0] if self.sources else None

    def name(self, t: Any, otherwise: str) -> str:
        return otherwise if self.frame is None else name_of(t, self.frame, otherwise)


def _frames(trace: TracebackType | None) -> Iterator[tuple[Any, int]]:
    while trace is not None:
        yield trace.tb_frame, trace.tb_lasti
        trace = trace.tb_next


def last_error() -> BaseException | None:
    """The error that is being handled, or that ended the last command of an interactive session."""
    return sys.exc_info()[1] or getattr(sys, "last_exc", None) or getattr(sys, "last_value", None)


def explain_error() -> Explanation:
    """The last error about gradients."""
    error = last_error()
    failure = Failure(error)
    text = failure.text
    if error is None and not text:
        found = Explanation("no error")
        found.say("There was no error about gradients. For any other call explain() in the except block.")
        return found
    found = Explanation(text)
    found.say(f"{failure.kind}: {_shortened(text)}" + ("" if failure.place is None else f"\n    {failure.place}"))
    for beginning, tell in _TELLERS.items():
        if beginning in text:
            tell(found, failure)
            return found
    found.say("It is no error about gradients that is known here.")
    return found


def _shortened(text: str) -> str:
    """The first sentence of an error, without what is in brackets."""
    for end in (". ", " (or directly", ": [", "\n"):
        text = text.partition(end)[0]
    return text.rstrip(".")


def _no_history(found: Explanation, failure: Failure) -> None:
    found.say("backward() starts from a result that was computed of tensors that require grad. This one was not.")
    loss = failure.find("self", "tensors", "outputs", "t")
    if loss is None:
        found.say("It was made in", *failure.sources)
        return
    name = failure.name(loss, "the result")
    found.take(explain_tensor(loss, name))
    found.remedies = [r for r in found.remedies if "is what you want to train" not in r.text]  # nobody trains a loss
    if not found.cuts and not found.remedies:
        found.advise("make one of the tensors that it is computed of with requires_grad=True")


def _second_time(found: Explanation, failure: Failure) -> None:
    found.say("The first backward() freed what the graph had kept for it, and this one needs it again.")
    events = journal.since(0)
    now = next((e for e in reversed(events) if e.what in ("backward() failed", "grad() failed")), None)
    walks = [e for e in events if e.what in ("backward()", "grad()")]
    needed = {} if now is None else _passed(now)
    walk = next((w for w in reversed(walks) if not needed.keys().isdisjoint(_passed(w))), None)
    both = [] if walk is None else sorted(needed.keys() & _passed(walk).keys())
    if walk is not None:
        found.say("The first time was", walk)
    if both:
        found.say("Both go through what was computed here:", *[needed[n] for n in both[-4:]])
    if walk is None or now is None:
        found.advise("add the losses and call backward() once: (loss1 + loss2).backward()", now)
    elif walk.sources == now.sources:
        found.advise("call backward() once for each result", now)
    else:
        later = [e for e in needed.values() if e.number > walk.number]
        before = [needed[n] for n in both]
        _needed_again(found, failure, before, later, walk.place == now.place)
    found.advise("keep the graph the first time: backward(retain_graph=True)", walk)


def _passed(walk: Entry) -> dict[int, Entry]:
    """The entries of the operations that a walk goes through, by number."""
    found: dict[int, Entry] = {}
    pending = list(walk.sources)
    while pending:
        number = pending.pop()
        e = None if number in found or journal.is_leaf(number) else journal.find(number)
        if e is not None and e.requires and not e.cut:
            found[number] = e
            pending += e.sources
    return found


def _needed_again(
    found: Explanation, failure: Failure, before: list[Entry], later: list[Entry], in_a_loop: bool
) -> None:
    """Results from before the first walk, of which others were computed after it."""
    ran = {(e.place, id(e.running)) for e in later}
    modules = {id(e.running) for e in later if e.running is not None}
    turned = [e for e in before if (e.place, id(e.running)) in ran]
    again = turned or [e for e in before if id(e.running) in modules]
    if turned and isinstance(statement(_line(turned[-1])), ast.AugAssign):
        found.say(
            "It is the same line, in another turn of a loop: the sum goes on, and with it the graphs of all turns."
        )
        total = carried_on(_line(turned[-1]))[0]
        found.advise(
            f"call backward() on what is added in this turn alone, and add only its value: {total} += loss.item()",
            turned[-1],
        )
    elif again:
        found.say(
            "It is the same line, in another turn of a loop: what an earlier turn computed is used again."
            if turned
            else "The same module ran again after the first backward(), on what it had computed before."
        )
        calls = [*reversed(again), *[e for e in later if e.running is again[-1].running]]
        used = next((e for e in calls if carried_on(_line(e))), again[-1])
        found.advise(f"cut the history of what is carried on, after backward(): {_detached(failure, used)}", used)
    elif in_a_loop:
        found.say("It is the same line, in another turn of a loop: what was computed before the loop is used again.")
        found.advise("move this line into the loop, so that every turn computes it", before[-1])
    else:
        found.advise("add the losses and call backward() once: (loss1 + loss2).backward()")


def _line(entry: Entry) -> str:
    return "" if entry.place is None else entry.place.text


def _detached(failure: Failure, entry: Entry) -> str:
    """The line that cuts the history of what a line carries on."""
    names = carried_on(_line(entry)) or ["state"]
    held = None if failure.frame is None else _looked_up(failure.frame, names[0])
    if len(names) == 1 and (isinstance(held, tuple) or [cls for cls, _ in entry.module[-1:]] == ["LSTM"]):
        return f"{names[0]} = tuple(part.detach() for part in {names[0]})"
    return f"{', '.join(names)} = {', '.join(f'{name}.detach()' for name in names)}"


def _written_over(found: Explanation, failure: Failure) -> None:
    found.say("An operation kept a value, because its gradient needs it; something wrote over that value afterwards.")
    loss = failure.find("self", "tensors", "outputs", "t")
    changed = [] if loss is None else changed_values(nodes_of(loss))
    found.changed = changed
    for c in changed:
        found.say(f"{c.operation} kept it:", c.entry)
        if c.writer is not None:
            found.say("It was written over in", c.writer)
    writer = next((c.writer for c in changed if c.writer is not None), None)
    instead = next((c.instead for c in changed if c.instead), "")
    if any(c.writer is not None and c.writer.what in ("step()",) for c in changed):
        found.advise("call backward() before step()", writer)
    found.advise("write the result into a new tensor instead of in place", writer, instead)
    found.advise("give the operation a copy to keep: x.clone()", changed[0].entry if changed else None)


def _leaf_written(found: Explanation, failure: Failure) -> None:
    x = failure.find("x", "self", "input")
    name = "the tensor" if x is None else failure.name(x, "the tensor")
    found.say(
        f"{name} is a leaf that requires grad. Written over, it would no longer be what gradients are taken for.",
        failure.made(x),
    )
    found.advise("if it is an update, as an optimiser does it, write it inside `with torch.no_grad():`")
    found.advise(f"if it is part of the computation, make a new tensor: new = {'x' if x is None else name} + ...")


def _numpy(found: Explanation, failure: Failure) -> None:
    x = failure.find("self")
    name = "the tensor" if x is None else failure.name(x, "the tensor")
    found.say(
        f"An ndarray has no history, so what NumPy computes of it gets no gradient; {name} has one:",
        failure.made(x),
    )
    found.advise(f"to look at the values: {_expression(failure, x, 'numpy')}.detach().numpy()")
    found.advise("if the result is part of the loss, compute it with torch's functions instead of NumPy's")


def _expression(failure: Failure, t: Any, method: str) -> str:
    """How the user's line writes the tensor whose method is called."""
    text = "" if failure.place is None else failure.place.text
    return failure.name(t, called_on(text, method) or "result")


def _no_scalar(found: Explanation, failure: Failure) -> None:
    loss = failure.find("self", "tensors", "outputs", "t")
    name = _expression(failure, loss, "backward")
    shape = "" if loss is None else f" It has the shape {tuple(loss.shape)}."
    found.say(
        f"backward() without arguments computes the gradient of one number.{shape}",
        failure.made(loss),
    )
    found.advise(f"make it one number: {name}.mean().backward() or {name}.sum().backward()")
    found.advise(
        f"say by what each element is multiplied: {name}.backward(torch.ones_like({name})), the same as for the sum"
    )


def _unused(found: Explanation, failure: Failure) -> None:
    loss, inputs, grads = failure.find("outputs"), failure.tensors.get("inputs"), failure.tensors.get("found")
    inputs = inputs if isinstance(inputs, tuple | list) else (inputs,)
    for k, x in enumerate(inputs):
        unused = isinstance(grads, tuple | list) and k < len(grads) and grads[k] is None
        if (
            isinstance(x, Tensor)
            and loss is not None
            and (unused or not explain_pair(x, loss, "", "", kept=False).path_count)
        ):
            name = failure.name(x, f"input {k}")
            pair = explain_pair(x, loss, name, failure.name(loss, "the result"), kept=False)
            found.take(pair)
    found.advise("if it need not be used, grad(..., allow_unused=True) gives None for it")


def _input_without(found: Explanation, failure: Failure) -> None:
    inputs = failure.tensors.get("inputs")
    for k, x in enumerate(inputs if isinstance(inputs, tuple | list) else (inputs,)):
        if isinstance(x, Tensor) and not x.requires_grad:
            found.take(explain_tensor(x, failure.name(x, f"input {k}")))


def _flag_of_result(found: Explanation, failure: Failure) -> None:
    x = failure.find("self", "x")
    name = "the tensor" if x is None else failure.name(x, "the tensor")
    found.say(
        f"{name} is the result of an operation; whether it requires grad follows from what it is made of.",
        failure.made(x),
    )
    name = "x" if x is None else name
    found.advise(f"to go on without its history: {name} = {name}.detach()")


def _no_leaf(found: Explanation, failure: Failure) -> None:
    found.say("Only leaves can be: tensors that you made, not those that an operation made.")
    x = failure.find("p", "self")
    if x is None:
        return
    name = failure.name(x, "the tensor")
    found.take(explain_tensor(x, name))
    if "deepcopy" in failure.text:
        found.remedies.clear()
        found.advise("if an object keeps this result, let it keep the values only: .detach()", journal.of(x))
        return
    found.remedies = [r for r in found.remedies if "make it a leaf" in r.text]
    if found.remedies:
        return
    found.advise("use the leaf that it was computed of")
    found.advise(f"make a leaf of its values: {'x' if name == 'the tensor' else name}.detach().requires_grad_()")


def _nothing_there(found: Explanation, failure: Failure) -> None:
    """A .grad that is None, and was used."""
    text = "" if failure.place is None else failure.place.text
    for name in dict.fromkeys(re.findall(r"([\w.\[\]]+)\.grad\b", text)):
        x = _looked_up(failure.frame, name)
        if isinstance(x, Tensor) and x._grad is None:
            found.say(f"{name}.grad is None.")
            found.take(explain_tensor(x, name))
            return
    found.say("It is no error about gradients that is known here.")


def _looked_up(frame: Any, name: str) -> Any:
    """What a name with dots stands for, without calling anything."""
    first, *rest = name.split(".")
    value = frame.f_locals.get(first, frame.f_globals.get(first))
    for part in rest:
        value = getattr(value, part, None)
    return value


def _inference(found: Explanation, failure: Failure) -> None:
    found.say("What is made in inference_mode can never take part in a computation whose gradient is wanted.")
    used = [t for t in failure.tensors.values() if isinstance(t, Tensor) and t._inference]
    for t in used[:1]:
        found.say("It was made in", journal.of(t))
    found.advise("make it inside of torch.no_grad() instead of inference_mode", journal.of(used[0]) if used else None)
    found.advise("compute with a copy, made outside of inference_mode: x.clone()")


def _integers(found: Explanation, failure: Failure) -> None:
    found.say("A gradient says how the result changes with a small step; integers and booleans have no small steps.")
    found.advise("make it of floats: write 1.0 instead of 1, or give dtype=torch.float32")


_TELLERS: dict[str, Callable[[Explanation, Failure], None]] = {
    "does not require grad and does not have a grad_fn": _no_history,
    "backward through the graph a second time": _second_time,
    "has been modified by an inplace operation": _written_over,
    "leaf Variable that requires grad is being used in an in-place": _leaf_written,
    "leaf Variable that requires grad has been used in an in-place": _leaf_written,
    "Can't call numpy() on Tensor that requires grad": _numpy,
    "grad can be implicitly created only for": _no_scalar,
    "appears to not have been used in the graph": _unused,
    "One of the differentiated Tensors does not require grad": _input_without,
    "you can only change requires_grad flags of leaf variables": _flag_of_result,
    "can't optimize a non-leaf Tensor": _no_leaf,
    "support the deepcopy protocol": _no_leaf,
    "dtype can require gradients": _integers,
    "Inference tensors cannot be saved for backward": _inference,
    "NoneType": _nothing_there,
}
"""By a part of the text of an error, what explains it."""
