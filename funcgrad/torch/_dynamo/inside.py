"""Running a function once for the record: on tensors that stand for its arguments, and for the tensors it reaches."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from numpy import ndarray

from funcgrad.torch._dynamo.awaited import Awaited
from funcgrad.torch._dynamo.exc import Unsupported
from funcgrad.torch._dynamo.guards import Guards
from funcgrad.torch.base.modes import state
from funcgrad.torch.base.treespec import TreeSpec, flatten
from funcgrad.torch.nn.parameter import Parameter
from funcgrad.torch.tensor.tensor import Tensor
from funcgrad.torch.tensor.values import requires
from funcgrad.torch.texts import compilation as texts

PLAIN = (type(None), bool, int, float, complex, str)
_MEMBERS = {*vars(Tensor), *Tensor.__annotations__, "_traced_aliases", "_traced_views"}
"""The attributes of tensors that are not a user's."""


def described(t: Any) -> tuple:
    """What a program depends on of a tensor.

    Raises:
        Unsupported: the tensor is of a kind that programs do not take.
    """
    value = t._value
    if type(t) is not Tensor and type(t) is not Parameter:
        raise Unsupported(texts.ARGUMENT.format(what=f"a {type(t).__name__}"))
    if not t._plain or type(value) is not ndarray or value.dtype.kind not in "biufc" or t._inference:
        raise Unsupported(texts.TENSOR.format(what="of a kind that programs do not take"))
    if not value.flags.c_contiguous:
        raise Unsupported(texts.TENSOR.format(what="not contiguous"))
    return value.shape, value.dtype, requires(t)


def run_inside(
    f: Callable, leaves: list, spec: TreeSpec, guards: Guards, inside: dict[int, Any]
) -> tuple[list, TreeSpec, set[int]]:
    """Call a function with stand-ins for all tensors, by their ids, and make what it reaches as it was.

    Returns:
        The leaves of what the function returned, its structure, and the numbers of those leaves that are numbers: they
        stand there as tensors.

    Raises:
        Unsupported: it changed something else, or a result is no tensor of its own.
    """
    stand_ins = list(inside.values())
    args, kwargs = spec.unflatten([inside.get(id(x), x) for x in leaves])
    before = flatten((args, kwargs))[0]
    guards.swap(inside)
    changed = True
    state.awaited = Awaited
    try:
        out = f(*args, **kwargs)
    finally:
        state.awaited = None
        changed = guards.restore(inside)
    if changed:
        raise Unsupported(texts.EFFECT.format(what="what it reaches"))
    after, after_spec = flatten((args, kwargs))
    if after_spec != spec or any(a is not b for a, b in zip(before, after, strict=True)):
        raise Unsupported(texts.EFFECT.format(what="its arguments"))
    outs, out_spec = flatten(out)
    numbers = {k for k, x in enumerate(outs) if type(x) is Awaited}
    outs = [x.tensor if type(x) is Awaited else x for x in outs]
    _check_results(outs, stand_ins)
    return outs, out_spec, numbers


def memory_of(x: Any) -> Any:
    """The tensor whose memory one looks at."""
    while x._view is not None or x._alias is not None:
        x = x._view.base if x._view is not None else x._alias.of
    return x


def _check_results(outs: list, inside: list) -> None:
    """See that results are tensors and plain values, and that none is a view of what others see."""
    bases = [id(t) for t in inside]
    for x in outs:
        if not isinstance(x, Tensor):
            if type(x) not in PLAIN:
                raise Unsupported(texts.RESULT.format(what=f"a {type(x).__name__}"))
            continue
        base = memory_of(x)
        if id(base) in bases:
            raise Unsupported(texts.RESULT.format(what="a tensor that it was given, or a view of one"))
        bases.append(id(base))
    for x in (*inside, *(x for x in outs if isinstance(x, Tensor))):
        if vars(x).keys() - _MEMBERS:
            raise Unsupported(texts.EFFECT.format(what="attributes of a tensor"))
