"""`torch._dynamo`: what torch.compile records, and what it does not."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

from funcgrad.core.faces import publish
from funcgrad.torch._dynamo import config as config
from funcgrad.torch._dynamo import exc as exc
from funcgrad.torch._dynamo.eval_frame import BACKENDS, Call, compiled_calls
from funcgrad.torch._dynamo.eval_frame import OptimizedModule as OptimizedModule
from funcgrad.torch._dynamo.eval_frame import optimized as optimized
from funcgrad.torch._dynamo.exc import Unsupported
from funcgrad.torch._dynamo.recorded import Recorded

__all__ = ["ExplainOutput", "OptimizedModule", "config", "exc", "explain", "list_backends", "optimized", "reset"]


class ExplainOutput(NamedTuple):
    """What became of a call.

    Attributes:
        graph_count: how many programs it runs: one, or none where it runs eagerly.
        break_reasons: why it runs eagerly.
        graphs: the programs, as tapes.
    """

    graph_count: int
    break_reasons: list[str]
    graphs: list[Any]


def explain(f: Callable) -> Callable[..., ExplainOutput]:
    """Say whether a function or module is recorded for some arguments.

    Arguments:
        f: a function or module, compiled or not.

    Returns:
        A function of the same arguments, which records without running the program, and says what became of it.

    Example:
        >>> from funcgrad import torch
        >>> import funcgrad.torch._dynamo
        >>> print(torch._dynamo.explain(lambda x: x * 2)(torch.ones(3)).graphs[0])
        tape(a: float32[3]):
          b: float32[3] = multiply(a, 2)
          return b
        >>> torch._dynamo.explain(lambda x: print(x))(torch.ones(3)).break_reasons
        ['it can call print(), which has effects or gives what a program does not know']
    """
    original: Any = getattr(f, "_orig_mod", None) or getattr(f, "_torchdynamo_orig_callable", f)

    def told(*args: Any, **kwargs: Any) -> ExplainOutput:
        try:
            program: Recorded = Call(original, fullgraph=True).recorded(args, kwargs)
        except Unsupported as error:
            return ExplainOutput(0, [str(error)], [])
        return ExplainOutput(1, [], [program.call.body.simplified])

    return told


def list_backends(exclude_tags: Any = ("debug", "experimental")) -> list[str]:
    """The names of backends, which are all the same here."""
    debugging = ("aot_eager", "eager") if exclude_tags else ()
    return [name for name in BACKENDS if name not in debugging]


def reset() -> None:
    """Forget all programs."""
    for call in compiled_calls:
        call.reset()


publish(__name__)
