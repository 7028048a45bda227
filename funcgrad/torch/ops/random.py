"""Random numbers: tensors of them, and tensors filled with them in place.

The numbers are those that torch draws from a generator in the same state; see `funcgrad.torch.base.sampling`.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
from numpy import ndarray

from funcgrad.core.array import Array
from funcgrad.torch import random as torch_random
from funcgrad.torch.base import dtypes, meta, overloads, random_integers, rejection, sampling
from funcgrad.torch.base.modes import state
from funcgrad.torch.base.storage import allocate, preserved_strides
from funcgrad.torch.declare.arguments import OPTIONS, read_options
from funcgrad.torch.declare.checks import Undifferentiable, not_implemented
from funcgrad.torch.declare.kernels import check_not_recorded
from funcgrad.torch.declare.op import op
from funcgrad.torch.ops.creation import LIKE_OPTIONS, into, like_strides, made
from funcgrad.torch.ops.filling import written
from funcgrad.torch.random import used
from funcgrad.torch.random.batched_randomness import (
    check_chances,
    check_in_place,
    check_no_out,
    drawn,
    drawn_from,
    filled,
    laid_out,
)
from funcgrad.torch.tensor.composite import Composite
from funcgrad.torch.tensor.inplace import check_inplace, check_overlap, write
from funcgrad.torch.tensor.journal import followed
from funcgrad.torch.tensor.operation import Operation, record
from funcgrad.torch.tensor.tensor import Tensor
from funcgrad.torch.tensor.traced import would_lie
from funcgrad.torch.tensor.values import raw, wrapped

Draw = Callable[[tuple[int, ...], bool], ndarray]
"""Draws an array of a shape, for memory that is contiguous or not."""


def _fill(memory: ndarray, draw: Draw) -> None:
    """Fill memory in the order in which torch does."""
    if memory.flags.c_contiguous:
        memory[...] = draw(memory.shape, True)
    else:
        sampling.fill(memory, lambda shape: draw(shape, False))


def _fresh(shape: tuple[int, ...], kind: np.dtype, strides: Any, draw: Draw, like: Any = None) -> Any:
    """New memory with these strides, filled; inside vmap it lies as that of the raw value `like`."""

    def make(strides: Any) -> ndarray:
        value = allocate(shape, kind, strides)
        _fill(value, draw)
        return value

    if state.deferred is not None:
        return state.deferred.draw(make, strides)
    if state.batches:
        like = np.broadcast_to(np.empty((), kind), shape) if like is None else like
        return filled(like, kind, lambda memory: _fill(memory, draw))
    return make(strides)


def _strides_of(x: Tensor, memory_format: Any) -> Any:
    """The strides of memory that lies as that of x, in which it is filled; None for C order."""
    if isinstance(x._value, Array) and (memory_format is None or memory_format is meta.preserve_format):
        memory = would_lie(x)
        if memory is None:
            return None
        return preserved_strides(memory.shape, tuple([s // memory.itemsize for s in memory.strides]))
    return like_strides(x, memory_format)


# New tensors.

GENERATOR = "torch.Generator generator = None"
_GIVEN, _OUT = "torch.Generator? generator", f"Tensor out = None, {OPTIONS}"
"""Torch has these functions twice: with a generator, which may be None, and without."""


def _new(name: str, size: Any, sample: Callable, generator: Any, out: Any, options: dict[str, Any]) -> Tensor:
    """What `torch.rand` and `torch.randn` give."""
    shape = tuple(size)
    dtype, requires_grad = read_options(**options)
    if shape and min(shape) < 0:
        allocate(shape, np.dtype("u1"))  # raises
    source = used(generator)
    check_no_out(out)
    if out is None:
        kind = (dtype or dtypes.get_default_dtype()).numpy
        return made(drawn(shape, lambda s: sample(source, s, kind)), requires_grad)
    return into(name, out, sample(source, shape, (dtype or out.dtype).numpy), dtype)


_SIZE = (f"(tuple of ints! size, *, {_GIVEN}, {_OUT})", f"(tuple of ints! size, *, {_OUT})")


@op("rand", *_SIZE, method=False)
def rand(size: Any, *, generator: Any = None, out: Any = None, **options: Any) -> Tensor:
    """Numbers from the uniform distribution on [0, 1).

    Arguments:
        size: ints, or a tuple of them.
        generator: where the numbers come from; by default the default generator.
        out: a tensor to fill instead.
        dtype: by default the default dtype.
        requires_grad: whether gradients with respect to the tensor are recorded.
    """
    return _new("rand", size, sampling.uniform, generator, out, options)


@op("randn", *_SIZE, method=False)
def randn(size: Any, *, generator: Any = None, out: Any = None, **options: Any) -> Tensor:
    """Numbers from the standard normal distribution; arguments as for `rand`."""
    return _new("randn", size, sampling.normal, generator, out, options)


@op(
    "randint",
    f"(int high, tuple of ints! size, *, {_GIVEN}, {_OUT})",
    f"(int high, tuple of ints! size, *, {_OUT})",
    f"(int low, int high, tuple of ints! size, *, {_GIVEN}, {_OUT})",
    f"(int low, int high, tuple of ints! size, *, {_OUT})",
    method=False,
)
def randint(
    low: Any = None, high: Any = None, size: Any = None, *, generator: Any = None, out: Any = None, **options: Any
) -> Tensor:
    """Integers from low to high - 1: randint(high, size) or randint(low, high, size).

    Arguments:
        low: the smallest, 0 by default.
        high: one more than the largest.
        size: a tuple of ints.
        dtype: int64 by default.
    """
    first, last = (0, low) if high is None else (0 if low is None else low, high)
    shape = tuple(size)
    dtype, requires_grad = read_options(**options)
    kind = (dtype or (dtypes.int64 if out is None else out.dtype)).numpy
    if shape and min(shape) < 0:
        allocate(shape, kind)  # raises
    g = used(generator)
    check_no_out(out)
    value = drawn(shape, lambda s: random_integers.random(g, s, kind, int(first), int(last)))
    return into("randint", out, value, dtype) if out is not None else made(value, requires_grad)


@op("randperm", f"(int n, *, {_GIVEN}, {_OUT})", f"(int n, *, {_OUT})", method=False)
def randperm(n: Any, *, generator: Any = None, out: Any = None, **options: Any) -> Tensor:
    """The integers from 0 to n - 1 in random order."""
    dtype, requires_grad = read_options(**options)
    kind = (dtype or (dtypes.int64 if out is None else out.dtype)).numpy
    g = used(generator)
    check_no_out(out)

    def draw(shape: tuple[int, ...]) -> ndarray:
        *batch, _ = shape
        rows = [random_integers.randperm(g, int(n), kind) for _ in range(math.prod(batch))]
        found = np.array(rows, kind).reshape(*reversed(batch), int(n))  # the examples of the outermost vmap come first
        return found.transpose(*reversed(range(len(batch))), len(batch))

    value = drawn((int(n),), draw) if n > 0 else random_integers.randperm(g, int(n), kind)
    return into("randperm", out, value, dtype) if out is not None else made(value, requires_grad)


# As another tensor.


def _like(x: Tensor, draw: Callable[[np.dtype], Draw], memory_format: Any = None, **options: Any) -> Tensor:
    dtype, requires_grad = read_options(**options)
    kind = x._value.dtype if dtype is None else dtype.numpy
    strides = _strides_of(x, memory_format)
    return made(_fresh(x._value.shape, kind, strides, draw(kind), x._value), requires_grad)


_LIKE = tuple([f"(Tensor input, *, {start}{LIKE_OPTIONS})" for start in (f"{_GIVEN}, ", "")])


@op("rand_like", *_LIKE, method=False)
def rand_like(input: Tensor, *, generator: Any = None, **options: Any) -> Tensor:
    """Numbers from the uniform distribution on [0, 1), in the size, dtype and memory order of input."""
    g = used(generator)
    return _like(input, lambda kind: lambda shape, _: sampling.uniform(g, shape, kind), **options)


@op("randn_like", *_LIKE, method=False)
def randn_like(input: Tensor, *, generator: Any = None, **options: Any) -> Tensor:
    """Numbers from the standard normal distribution, in the size, dtype and memory order of input."""
    g = used(generator)

    def draw(kind: np.dtype) -> Draw:
        return lambda shape, contiguous: sampling.normal(g, shape, kind, 0.0, 1.0, contiguous)

    return _like(input, draw, **options)


@op(
    "randint_like",
    *[
        f"(Tensor input, {bounds}, *, {start}{LIKE_OPTIONS})"
        for bounds in ("int low, int high", "Tensor high", "int high")
        for start in (f"{_GIVEN}, ", "")
    ],
    method=False,
)
def randint_like(input: Tensor, low: Any = None, high: Any = None, *, generator: Any = None, **options: Any) -> Tensor:
    """Integers from low (0 if only one bound is given) to high - 1, in the size, dtype and memory order of input."""
    first, last = (0, low) if high is None else (0 if low is None else low, high)
    if isinstance(last, Tensor) and last._value.ndim:
        raise RuntimeError("high must be a scalar tensor and on CPU")
    g = used(generator)

    def draw(kind: np.dtype) -> Draw:
        return lambda shape, _: random_integers.random(g, shape, kind, int(first), int(last))

    return _like(input, draw, **options)


# Distributions whose parameters are tensors. Their derivative is zero, which torch records.


def _given(*parameters: Any, draw: Callable) -> Any:
    return drawn_from(parameters, draw)


def _recorded(node: str, operands: tuple[str, ...]) -> Operation:
    return Operation(Composite(_given, whole=False), node, operands=operands, zero=True)


NORMAL_OF_MEAN = _recorded("NormalBackward1", ("mean",))
NORMAL_OF_STD = _recorded("NormalBackward2", ("std",))
NORMAL_OF_BOTH = _recorded("NormalBackward3", ("mean", "std"))
BERNOULLI = _recorded("BernoulliBackward0", ("self",))
BERNOULLI_OF_NUMBER = _recorded("BernoulliBackward0", ("self",))
POISSON = _recorded("PoissonBackward0", ("self",))
BINOMIAL = Operation(Undifferentiable(_given, "aten::binomial"), "NotImplemented", operands=("count", "prob"))


def _normal_of(g: Any, mean: Any, std: Any) -> Tensor:
    """Normal numbers where the mean, the standard deviation, or both are tensors."""
    args: tuple = (mean, std)
    op = NORMAL_OF_BOTH
    if not isinstance(std, Tensor):
        op, args = NORMAL_OF_MEAN, (mean,)
    elif not isinstance(mean, Tensor):
        op, args = NORMAL_OF_STD, (std,)

    def draw(*given: ndarray) -> ndarray:
        values = iter(given)
        m, s = (next(values) if isinstance(x, Tensor) else float(x) for x in (mean, std))
        return sampling.normal_of(g, m, s)

    return record(op, args, [raw(a) for a in args], {"draw": draw})


@op(
    "normal",
    f"(Tensor mean, Tensor std, *, {GENERATOR}, Tensor out = None)",
    f"(Tensor mean, float std = 1, *, {GENERATOR}, Tensor out = None)",
    f"(float mean, Tensor std, *, {GENERATOR}, Tensor out = None)",
    f"(float mean, float std, tuple of ints! size, *, {GENERATOR}, {_OUT})",
    method=False,
    records=(NORMAL_OF_BOTH, NORMAL_OF_MEAN, NORMAL_OF_STD),
)
def normal(
    mean: Any, std: Any = 1.0, size: Any = None, *, generator: Any = None, out: Any = None, **options: Any
) -> Tensor:
    """Normal numbers with a mean and a standard deviation for each: normal(mean, std) or normal(mean, std, size).

    Arguments:
        mean: a tensor, or a number.
        std: a tensor, or a number.
        size: a tuple of ints, if neither mean nor std is a tensor.
    """
    check_no_out(out)
    g = used(generator)
    if isinstance(mean, Tensor) or isinstance(std, Tensor):
        found = _normal_of(g, mean, std)
        return into("normal", out, raw(found), None) if out is not None else found
    shape = tuple(size)
    dtype, requires_grad = read_options(**options)
    kind = (dtype or (dtypes.get_default_dtype() if out is None else out.dtype)).numpy
    value = drawn(shape, lambda s: sampling.normal(g, s, kind, float(mean), float(std)))
    return into("normal", out, value, dtype) if out is not None else made(value, requires_grad)


@op(
    "bernoulli",
    f"(Tensor input, *, {GENERATOR}, Tensor out = None)",
    f"(Tensor input, float p, *, {GENERATOR})",
    records=(BERNOULLI, BERNOULLI_OF_NUMBER),
)
def bernoulli(input: Tensor, p: Any = None, *, generator: Any = None, out: Any = None) -> Tensor:
    """Ones and zeros: ones with the probabilities in input, or with probability p in input's shape."""
    if out is not None:  # in its own dtype
        check_no_out(out)
        check_not_recorded("bernoulli", out, input)
        return bernoulli_(out.resize_(input.shape), input, generator=generator)
    g = used(generator)
    operation = BERNOULLI if p is None else BERNOULLI_OF_NUMBER
    params = {"draw": lambda x: sampling.bernoulli(g, x.shape, x.dtype, x if p is None else p)}
    return record(operation, (input,), [raw(input)], params)


@op(
    "multinomial",
    f"(Tensor input, int num_samples, bool replacement = False, *, {GENERATOR}, Tensor out = None)",
)
def multinomial(input: Tensor, num_samples: int, replacement: bool = False, *, generator: Any = None) -> Tensor:
    """Indices drawn from each row of input with probabilities in proportion to its elements.

    Arguments:
        input: one row of weights, or several.
        num_samples: how many to draw from each.
        replacement: whether an index may come more than once.

    Returns:
        An int64 tensor of shape (num_samples,) or (rows, num_samples).
    """
    g = used(generator)

    def draw(p: ndarray) -> ndarray:
        rows = p if p.ndim < 3 else p.reshape(-1, p.shape[-1])
        found = sampling.multinomial(g, rows, int(num_samples), replacement)
        return np.ascontiguousarray(found).reshape(*p.shape[:-1], -1) if p.ndim > 2 else np.ascontiguousarray(found)

    return followed("multinomial", made(drawn_from((raw(input),), draw), False), input)


@op("poisson", f"(Tensor input, {GENERATOR})", method=False, records=(POISSON,))
def poisson(input: Tensor, generator: Any = None) -> Tensor:
    """Numbers of events, where input has the expected numbers."""
    g = used(generator)
    return record(POISSON, (input,), [raw(input)], {"draw": lambda rate: rejection.poisson(g, rate)})


@op("binomial", f"(Tensor count, Tensor prob, {GENERATOR})", method=False, records=(BINOMIAL,))
def binomial(count: Tensor, prob: Tensor, generator: Any = None) -> Tensor:
    """Numbers of successes in `count` trials, each of probability `prob`."""
    g = used(generator)
    args = (count, prob)
    return record(BINOMIAL, args, [raw(a) for a in args], {"draw": lambda n, p: rejection.binomial(g, n, p)})


# In place.


def _drawn(x: Any, *, draw: Draw) -> Any:
    return _fresh(x.shape, x.dtype, None, draw, x)


def _in_place(node: str) -> Operation:
    return Operation(Composite(_drawn, whole=False), node, operands=("self",), zero=True)


NORMAL_, UNIFORM_, EXPONENTIAL_ = (_in_place(f"{n}Backward0") for n in ("Normal", "Uniform", "Exponential"))
CAUCHY_, GEOMETRIC_, LOG_NORMAL_ = (_in_place(f"{n}Backward0") for n in ("Cauchy", "Geometric", "LogNormal"))
RANDOM_FROM_TO_, RANDOM_TO_, RANDOM_ = (_in_place(f"RandomBackward{i}") for i in range(3))
BERNOULLI_OF_TENSOR_, BERNOULLI_ = _in_place("BernoulliBackward1"), _in_place("BernoulliBackward2")


def _write(name: str, operation: Operation, x: Tensor, draw: Draw) -> Tensor:
    """Fill x in place with what is drawn, for the method of this name."""
    check_inplace(x, name=name)
    check_overlap(x)
    check_in_place(x._value)
    return written(operation, x, (x,), [raw(x)], {"draw": draw}, lambda memory: _fill(memory, draw))


def _distribution(name: str, doc: str, operation: Operation, sample: Callable, **defaults: float) -> None:
    """Declare a method that fills a tensor with numbers of a distribution, which has these parameters."""
    parameters = ", ".join(f"float {n} = {d:g}" for n, d in defaults.items())

    @op(f"Tensor.{name}", f"(Tensor self, {parameters}, *, {GENERATOR})", doc=doc)
    def method(self: Tensor, *given: Any, generator: Any = None, **named: Any) -> Tensor:
        g, kind = used(generator), self._value.dtype
        values = {**defaults, **dict(zip(defaults, given, strict=False)), **named}.values()
        numbers = [float(x) for x in values]
        return _write(name, operation, self, lambda shape, _: sample(g, shape, kind, *numbers))


_distribution(
    "uniform_",
    "Fill with numbers from the uniform distribution on [from, to).",
    UNIFORM_,
    sampling.uniform,
    **{"from": 0.0, "to": 1.0},
)
_distribution(
    "exponential_", "Fill with exponential numbers of mean 1 / lambd.", EXPONENTIAL_, sampling.exponential, lambd=1.0
)
_distribution(
    "cauchy_", "Fill with numbers of the Cauchy distribution.", CAUCHY_, sampling.cauchy, median=0.0, sigma=1.0
)
_distribution(
    "log_normal_", "Fill with numbers whose logarithms are normal.", LOG_NORMAL_, sampling.log_normal, mean=1.0, std=2.0
)


@op(
    "Tensor.normal_",
    f"(Tensor self, float mean = 0, float std = 1, *, {GENERATOR})",
    records=(NORMAL_,),
)
def normal_(self: Tensor, mean: float = 0.0, std: float = 1.0, *, generator: Any = None) -> Tensor:
    """Fill with normal numbers of this mean and standard deviation."""
    g, kind = used(generator), self._value.dtype
    center, width = float(mean), float(std)
    return _write(
        "normal_", NORMAL_, self, lambda shape, contiguous: sampling.normal(g, shape, kind, center, width, contiguous)
    )


@op("Tensor.geometric_", f"(Tensor self, float p, *, {GENERATOR})", records=(GEOMETRIC_,))
def geometric_(self: Tensor, p: float, *, generator: Any = None) -> Tensor:
    """Fill with how many trials it takes until the first success, of probability p."""
    g, kind, chance = used(generator), self._value.dtype, float(p)
    return _write("geometric_", GEOMETRIC_, self, lambda shape, _: sampling.geometric(g, shape, kind, chance))


@op(
    "Tensor.random_",
    f"(Tensor self, *, {GENERATOR})",
    f"(Tensor self, int from, int? to, *, {GENERATOR})",
    f"(Tensor self, int to, *, {GENERATOR})",
    records=(RANDOM_FROM_TO_, RANDOM_TO_, RANDOM_),
)
def random_(self: Tensor, *bounds: Any, generator: Any = None, **named: Any) -> Tensor:
    """Fill with integers: random_() all that the dtype can tell apart, random_(to), or random_(from, to)."""
    g, kind = used(generator), self._value.dtype
    names = ("to",) if len(bounds) == 1 and "to" not in named else ("from", "to")
    given = {**dict(zip(names, bounds, strict=False)), **named}
    operation = RANDOM_FROM_TO_ if "from" in given else RANDOM_TO_ if given else RANDOM_
    low, high = (None if x is None else int(x) for x in (given.get("from"), given.get("to")))
    form = ".from" if "from" in given else ".to" if given else ""
    draw = partial(random_integers.random, g)
    return _write(f"random_{form}", operation, self, lambda shape, _: draw(shape, kind, low, high))


@op(
    "Tensor.bernoulli_",
    f"(Tensor self, Tensor p, *, {GENERATOR})",
    f"(Tensor self, float p = 0.5, *, {GENERATOR})",
    records=(BERNOULLI, BERNOULLI_OF_NUMBER, BERNOULLI_, BERNOULLI_OF_TENSOR_),
    form=".Tensor|.float",
    refusal=overloads.BERNOULLI,
)
def bernoulli_(self: Tensor, p: Any = 0.5, *, generator: Any = None) -> Tensor:
    """Fill with ones and zeros; p, a number or a tensor, is the probability of a one."""
    g, kind = used(generator), self._value.dtype
    if not isinstance(p, Tensor):
        chance = float(p)
        draw_one = partial(sampling.bernoulli, g)
        return _write("bernoulli_.float", BERNOULLI_, self, lambda shape, _: draw_one(shape, kind, chance))
    check_inplace(self, name="bernoulli_.Tensor")
    check_overlap(self)
    if state.batches:
        check_chances(self, p)
        chances = laid_out(raw(p), self._value.ndim)
        return write(self, wrapped(filled(self._value, kind, lambda memory: _toss(memory, chances, g))))
    chances = raw(p)

    def draw(shape: tuple[int, ...], _: bool) -> ndarray:
        return sampling.bernoulli(g, shape, kind, np.broadcast_to(chances, shape))

    def put(memory: ndarray) -> None:
        _toss(memory, chances, g)

    return written(BERNOULLI_OF_TENSOR_, self, (self,), [raw(self)], {"draw": draw}, put)


def _toss(memory: ndarray, chances: ndarray, g: Any) -> None:
    """Fill memory with ones and zeros in the order in which it lies."""
    order = sorted(range(memory.ndim), key=lambda axis: -memory.strides[axis])
    places = memory.transpose(order)
    each = np.broadcast_to(chances, memory.shape).transpose(order)
    places[...] = sampling.bernoulli(g, places.shape, memory.dtype, each)


# Dropout.


def _check_floating(input: Tensor, drawn: Any = None) -> None:
    """Raise torch's error where there is no dropout for a dtype; it notices after the draw.

    Arguments:
        input: the tensor.
        drawn: the dtype of the draw, if not its own.
    """
    if input.dtype.is_complex:
        raise not_implemented("bernoulli_scalar_cpu_", input.dtype)
    if input.dtype.category < dtypes.FLOATING:
        raise _no_float(drawn or input.dtype)


def _no_float(d: dtypes.dtype) -> RuntimeError:
    return RuntimeError(f"result type Float can't be cast to the desired output type {d.title}")


def _noise(input: Tensor, p: float, shape: tuple[int, ...] | None = None) -> Tensor:
    """What dropout multiplies by: 0 with probability p, else 1 / (1 - p)."""
    kind, g = input._value.dtype, torch_random.default_generator
    if kind.kind in "biu":
        sampling.bernoulli(g, input._value.shape, kind, 1 - p)
    _check_floating(input)
    strides = _strides_of(input, None) if shape is None else None
    shape = input._value.shape if shape is None else shape
    return made(_fresh(shape, kind, strides, lambda s, _: sampling.dropout_noise(g, s, kind, p)), False)


def _kept_with(chance: float, kind: np.dtype) -> Draw:
    """Draws ones with this probability, which dropout keeps."""
    return lambda shape, _: sampling.bernoulli(torch_random.default_generator, shape, kind, chance)


def _check_chance(p: float) -> None:
    if not 0 <= p <= 1:
        raise RuntimeError(f"dropout probability has to be between 0 and 1, but got {p:g}")


def _of_features(input: Tensor) -> tuple[int, ...]:
    """The shape of noise that is the same for all of a channel."""
    shape = input._value.shape
    if len(shape) < 2:
        raise RuntimeError("Feature dropout requires at least 2 dimensions in the input")
    return shape[:2] + (1,) * (len(shape) - 2)


def _dropped(input: Tensor, p: float, train: bool, features: bool) -> Any:
    """By what to multiply in dropout; None: nothing is dropped."""
    _check_chance(p)
    if p == 0 or not train or not input._value.size:
        return None
    if p == 1:
        return made(np.zeros((), input._value.dtype), False)
    return _noise(input, p, _of_features(input) if features else None)


_ALPHA = 1.7580993408473766  # minus the limit of SELU at minus infinity


def _alpha_dropped(input: Tensor, p: float, train: bool, features: bool) -> Any:
    """The factor and the summand of alpha dropout, which keeps mean and variance; None: nothing is dropped."""
    _check_chance(p)
    if p == 0 or not train or not input._value.size:
        return None
    if p == 1:
        return made(np.zeros((), input._value.dtype), False), None
    _check_floating(input, dtypes.int64)
    kind = input._value.dtype
    a = 1.0 / math.sqrt((_ALPHA * _ALPHA * p + 1) * (1 - p))
    shape = _of_features(input) if features else input._value.shape
    strides = None if features else _strides_of(input, None)
    noise = _fresh(shape, kind, strides, _kept_with(1 - p, kind))
    b = (noise + kind.type(-1)) * kind.type(_ALPHA * a) + kind.type(_ALPHA * a * p)
    return made(noise * kind.type(a), False), made(b, False)


_DROPOUT = """

    Arguments:
        input: the tensor.
        p: the probability of dropping.
        train: whether to drop anything at all.
    """


def _dropout(name: str, doc: str, *, features: bool, alpha: bool) -> Callable:
    """Declare one of the kinds of dropout, and its in-place form; the function is returned."""

    def f(input: Tensor, p: float, train: bool) -> Tensor:
        if alpha:
            found = _alpha_dropped(input, p, train, features)
            if found is None:
                return input
            return input * found[0] if found[1] is None else input * found[0] + found[1]
        noise = _dropped(input, p, train, features)
        return input if noise is None else input * noise

    def g(input: Tensor, p: float, train: bool) -> Tensor:
        if alpha:
            found = _alpha_dropped(input, p, train, features)
            if found is None:
                return input
            input.mul_(found[0])
            return input if found[1] is None else input.add_(found[1])
        noise = _dropped(input, p, train, features)
        return input if noise is None else input.mul_(noise)

    for call, n, where in ((f, name, ""), (g, name + "_", " In place.")):
        op(n, "(Tensor input, float p, bool train)", method=False, doc=f"{doc}{where}{_DROPOUT}")(call)
    return f


dropout = _dropout(
    "dropout",
    "Zero each element with probability p, and scale the others up by 1 / (1 - p).",
    features=False,
    alpha=False,
)
_dropout("feature_dropout", "As `dropout`, for whole channels.", features=True, alpha=False)
_dropout("alpha_dropout", "Dropout that keeps mean and variance of what SELU gives.", features=False, alpha=True)
_dropout("feature_alpha_dropout", "As `alpha_dropout`, for whole channels.", features=True, alpha=True)


def _masked(x: Any, *, mask: Any, scale: float) -> Any:
    return x * (mask * x.dtype.type(scale)), mask


NATIVE_DROPOUT = Operation(
    Composite(_masked, multiple=True, whole=False), "NativeDropoutBackward0", operands=("input",), saves=()
)


@op(
    "native_dropout",
    "(Tensor input, float p, bool? train)",
    method=False,
    records=(NATIVE_DROPOUT,),
)
def native_dropout(input: Tensor, p: float, train: bool | None) -> tuple[Tensor, Tensor]:
    """Dropout that also gives the mask of what was kept."""
    shape = input._value.shape
    if train is False or not input._value.size:
        return input.clone(), made(np.ones(shape, bool), False)
    if input.dtype.category < dtypes.FLOATING:
        raise _no_float(input.dtype)
    mask = _fresh(shape, np.dtype(bool), None, _kept_with(1 - p, np.dtype(bool)))
    return NATIVE_DROPOUT(input, mask=mask, scale=0.0 if p == 1 else 1 / (1 - p))
