"""torch's distributions: fresh arrays of the numbers that torch draws from a generator in the same state.

Every function takes the generator first, leaves it where torch would leave it, and raises torch's errors. The arrays
are in C order; `fill` writes into an array of any strides in the order in which torch does.

On Intel's processors torch may ask another library for `bernoulli` with a number for p, and so for dropout; the numbers
here are those of all other processors.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from funcgrad.torch.base import box_muller, dtypes
from funcgrad.torch.base.dtypes import CXX_NAMES
from funcgrad.torch.base.generator import Generator
from funcgrad.torch.base.storage import allocate, preserved_strides
from funcgrad.torch.texts import randomness as texts
from funcgrad.torch.texts import reductions as reductions_texts

Shape = tuple[int, ...]

DIGITS = {"float16": 11, "bfloat16": 8, "float32": 24, "float64": 53}  # of the significand


def title(dtype: np.dtype) -> str:
    """torch's name of a dtype in messages."""
    return dtypes.of_numpy(dtype).title


def refuse(kernel: str, dtype: np.dtype) -> NotImplementedError:
    """torch's error for a dtype that one of its kernels does not know."""
    return NotImplementedError(f"\"{kernel}\" not implemented for '{title(dtype)}'")


def is_floating(dtype: np.dtype) -> bool:
    """Whether torch calls the dtype floating; NumPy does not know bfloat16 for one."""
    return dtype.name in DIGITS


def largest(dtype: np.dtype) -> float:
    """The largest number of a floating dtype."""
    return dtypes.finfo(dtypes.of_numpy(dtype)).max


def _is_small(dtype: np.dtype) -> bool:
    return dtype.name in ("float16", "bfloat16")


def cast(x: np.ndarray, dtype: np.dtype) -> np.ndarray:
    """Convert as C++ does: through float32 to the floating dtypes of 16 bits, through int32 to smaller integers."""
    if x.dtype == dtype:
        return x
    with np.errstate(over="ignore", invalid="ignore"):
        if _is_small(dtype):
            x = x.astype(np.float32)
        elif dtype.kind in "iu" and x.dtype.kind == "f":
            x = x.astype(np.int64 if dtype.itemsize == 8 else np.int32)
        return x.astype(dtype)


def fill(out: np.ndarray, draw: Callable[[Shape], np.ndarray]) -> None:
    """Fill an array of any strides in the order of its memory, as torch's in-place methods do.

    Arguments:
        out: where to write.
        draw: gives the C-ordered array of a shape.
    """
    if out.flags.c_contiguous:
        out[...] = draw(out.shape)
        return
    order = sorted(range(out.ndim), key=lambda axis: -out.strides[axis])
    memory = out.transpose(order)
    memory[...] = draw(memory.shape)


# Uniform


def uniform(generator: Generator, shape: Shape, dtype: Any, low: float = 0.0, high: float = 1.0) -> np.ndarray:
    """Numbers in [low, high); for a complex dtype, both parts are."""
    dtype = np.dtype(dtype)
    if dtype.kind == "c":
        if 0 in shape:
            return np.empty(shape, dtype)
        return _as_complex(uniform(generator, (*shape, 2), _real(dtype), low, high), dtype)
    if not is_floating(dtype):
        raise refuse("check_uniform_bounds", dtype)
    most = largest(dtype)
    for value, name in ((low, "from"), (high, "to")):
        if not -most <= value <= most:
            raise RuntimeError(f"{name} is out of bounds for {CXX_NAMES[dtype.name]}")
    if not low <= high:
        raise RuntimeError(texts.UNIFORM_RANGE.format(low=low, high=high))
    if high - low > most:
        raise RuntimeError(texts.UNIFORM_LIMIT.format(dtype=title(dtype), high=high, low=low))
    n = math.prod(shape)
    if dtype == np.float64:
        x = generator.doubles(n)
        if (low, high) != (0.0, 1.0):
            x = box_muller.fma(x, high - low, low)
    else:
        x = generator.singles(n)
        if (low, high) != (0.0, 1.0):
            start, span = np.float32(low), np.float32(high) - np.float32(low)
            x = (x.astype(np.float64) * float(span) + float(start)).astype(np.float32)
        x = cast(x, dtype)
    # Rounding may reach the end, which is not in the range.
    x[x == dtype.type(high)] = dtype.type(low)
    return x.reshape(shape)


def _real(dtype: np.dtype) -> np.dtype:
    return np.dtype(f"f{dtype.itemsize // 2}")


def _as_complex(x: np.ndarray, dtype: np.dtype) -> np.ndarray:
    return x.view(dtype)[..., 0]


# Normal


def normal(
    generator: Generator, shape: Shape, dtype: Any, mean: float = 0.0, std: float = 1.0, contiguous: bool = True
) -> np.ndarray:
    """Normal numbers; for a complex dtype, the real and the imaginary part have half the variance each.

    Arguments:
        contiguous: whether the numbers are meant for a tensor that is contiguous, for which torch takes another way if
            it has sixteen elements or more.
    """
    dtype = np.dtype(dtype)
    _check_std(std)
    if 0 in shape:
        return np.empty(shape, dtype)
    if dtype.kind == "c":
        parts = normal(generator, (*shape, 2), _real(dtype), mean, std / math.sqrt(2.0), contiguous)
        return _as_complex(parts, dtype)
    if not is_floating(dtype):
        raise refuse("normal_kernel_cpu", dtype)
    n = math.prod(shape)
    if contiguous and n >= box_muller.BLOCK:
        x = _normal_blocks(generator, n, dtype, mean, std)
    else:
        x = box_muller.fma(standard_normals(generator, n), std, mean)
    return cast(x, dtype).reshape(shape)


def _check_std(std: float) -> None:
    if not std >= 0.0:
        raise RuntimeError(f"normal expects std >= 0.0, but found std {std:g}")


def _normal_blocks(generator: Generator, n: int, dtype: np.dtype, mean: float, std: float) -> np.ndarray:
    whole = n - n % box_muller.BLOCK
    draw = generator.doubles if dtype == np.float64 else generator.singles
    # torch draws for every element before it transforms, but dtypes of 16 bits go block by block.
    drawn = draw(whole if _is_small(dtype) else n)
    head = box_muller.blocks(drawn[:whole], mean, std)
    if whole == n:
        return head
    out = np.empty(n, head.dtype)
    out[:whole] = head
    out[n - box_muller.BLOCK :] = box_muller.blocks(draw(box_muller.BLOCK), mean, std)
    return out


def standard_normals(generator: Generator, n: int) -> np.ndarray:
    """Standard normal numbers in double precision, made in pairs; the one left over waits in the generator."""
    out = np.empty(n)
    start = 0
    if n and generator.spare is not None:
        out[0], generator.spare, start = generator.spare, None, 1
    if start < n:
        u = generator.doubles(n - start + (n - start) % 2)
        made = box_muller.pairs(u[0::2], u[1::2])
        out[start:] = made[: n - start]
        if len(made) > n - start:
            generator.spare = float(made[-1])
    return out


def normal_of(generator: Generator, mean: np.ndarray | float, std: np.ndarray | float) -> np.ndarray:
    """Normal numbers with a mean and a standard deviation for every element, one of which may be a number."""
    if isinstance(std, np.ndarray):
        if std.dtype.kind == "c":
            raise RuntimeError("normal expects standard deviation to be non-complex")
        if not (std >= 0).all():
            raise RuntimeError("normal expects all elements of std >= 0.0")
    else:
        _check_std(std)
    if not isinstance(std, np.ndarray):
        assert isinstance(mean, np.ndarray)
        return _in_place(np.add, normal(generator, mean.shape, mean.dtype, 0.0, std), mean)
    if not isinstance(mean, np.ndarray):
        mean = np.array(mean, std.dtype)
    x = normal(generator, np.broadcast_shapes(mean.shape, std.shape), mean.dtype)
    return _in_place(np.add, _in_place(np.multiply, x, std), mean)


def _in_place(operation: np.ufunc, x: np.ndarray, y: np.ndarray) -> np.ndarray:
    """An operation whose result keeps the dtype of x, and which computes in it if y has no dimensions."""
    if y.ndim == 0 < x.ndim:
        y = y.astype(x.dtype)
    return cast(np.asarray(operation(x, y)), x.dtype)


# Other continuous distributions


def exponential(generator: Generator, shape: Shape, dtype: Any, rate: float = 1.0) -> np.ndarray:
    """Exponential numbers of mean 1 / rate."""
    dtype = np.dtype(dtype)
    if not rate > 0.0:
        raise RuntimeError(f"exponential_ expects lambda > 0.0, but found lambda={rate:g}")
    if 0 in shape:
        return np.empty(shape, dtype)
    if not is_floating(dtype):
        raise RuntimeError(texts.EXPONENTIAL_DTYPE.format(dtype=title(dtype)))
    u = generator.doubles(math.prod(shape))
    return cast(-1.0 / rate * box_muller.libm(math.log1p, -u), dtype).reshape(shape)


def cauchy(generator: Generator, shape: Shape, dtype: Any, median: float = 0.0, sigma: float = 1.0) -> np.ndarray:
    """Numbers of the Cauchy distribution with this median and scale."""
    dtype = np.dtype(dtype)
    if not sigma > 0.0:
        raise RuntimeError(f"cauchy_ expects sigma > 0.0, but found sigma={sigma:g}")
    if not is_floating(dtype):
        raise RuntimeError(texts.CAUCHY_DTYPE.format(dtype=CXX_NAMES[dtype.name]))
    u = generator.doubles(math.prod(shape))
    x = box_muller.libm(math.tan, math.pi * (u - 0.5))
    return cast(box_muller.fma(x, sigma, median), dtype).reshape(shape)


def log_normal(generator: Generator, shape: Shape, dtype: Any, mean: float = 1.0, std: float = 2.0) -> np.ndarray:
    """Numbers whose logarithms are normal with this mean and standard deviation."""
    dtype = np.dtype(dtype)
    if not std > 0.0:
        raise RuntimeError(f"log_normal_ expects std > 0.0, but found std={std:g}")
    if 0 in shape:
        return np.empty(shape, dtype)
    if not is_floating(dtype):
        raise refuse("log_normal_cpu", dtype)
    x = box_muller.fma(standard_normals(generator, math.prod(shape)), std, mean)
    return cast(box_muller.exp(x), dtype).reshape(shape)


# Discrete distributions


def geometric(generator: Generator, shape: Shape, dtype: Any, p: float) -> np.ndarray:
    """How many trials it takes until the first success, of probability p."""
    dtype = np.dtype(dtype)
    if not 0.0 < p < 1.0:
        raise RuntimeError(f"geometric_ expects p to be in (0, 1), but got p={p:g}")
    if 0 in shape:
        return np.empty(shape, dtype)
    if dtype.kind in "bc" or dtype.name in ("uint16", "uint32", "uint64"):
        raise refuse("geometric_cpu", dtype)
    u = generator.doubles(math.prod(shape))
    return cast(np.ceil(box_muller.log(u) / math.log1p(-p)), dtype).reshape(shape)


def bernoulli(generator: Generator, shape: Shape, dtype: Any, p: float | np.ndarray = 0.5) -> np.ndarray:
    """Ones with probability p and zeros; p is a number, or an array that broadcasts to the shape."""
    dtype = np.dtype(dtype)
    if isinstance(p, np.ndarray):
        return _bernoulli_each(generator, shape, dtype, p)
    if not 0.0 <= p <= 1.0:
        raise RuntimeError(f"bernoulli_ expects p to be in [0, 1], but got p={p:g}")
    if 0 in shape:
        return np.empty(shape, dtype)
    if dtype.kind == "c" or dtype.name in ("uint16", "uint32", "uint64"):
        raise refuse("bernoulli_scalar_cpu_", dtype)
    return (generator.doubles(math.prod(shape)) < p).reshape(shape).astype(dtype)


def _bernoulli_each(generator: Generator, shape: Shape, dtype: np.dtype, p: np.ndarray) -> np.ndarray:
    if 0 in shape:
        return np.empty(shape, dtype)
    if dtype.kind == "c" or dtype.name in ("uint16", "uint32", "uint64"):
        raise refuse("bernoulli_tensor_cpu_self_", dtype)
    if not is_floating(p.dtype):
        raise refuse("bernoulli_tensor_cpu_p_", p.dtype)
    draw = generator.doubles if p.dtype == np.float64 else generator.singles
    p = np.broadcast_to(p, shape)
    valid = (p >= 0) & (p <= 1)
    if not valid.all():
        draw(int(valid.argmin()))  # the elements before it
        raise RuntimeError(texts.PROBABILITY)
    return (draw(math.prod(shape)).reshape(shape) < p).astype(dtype)


def dropout_noise(generator: Generator, shape: Shape, dtype: Any, p: float) -> np.ndarray:
    """What dropout multiplies by: 0 with probability p, else 1 / (1 - p)."""
    dtype = np.dtype(dtype)
    kept = bernoulli(generator, shape, dtype, 1.0 - p)
    scale = np.float32 if _is_small(dtype) else dtype.type
    return cast(kept / scale(1.0 - p), dtype)


def multinomial(generator: Generator, p: np.ndarray, n: int, replacement: bool = False) -> np.ndarray:
    """n indices from each row of p, drawn with probabilities in proportion to it.

    Arguments:
        p: one row, or several, of weights.
        replacement: whether an index may come more than once.

    Returns:
        An int64 array of shape (n,), or (rows, n).
    """
    if not 1 <= p.ndim <= 2:
        raise RuntimeError("prob_dist must be 1 or 2 dim")
    if not is_floating(p.dtype):
        raise RuntimeError(texts.MULTINOMIAL_DTYPE.format(dtype=title(p.dtype)))
    if n <= 0:
        raise RuntimeError("cannot sample n_sample <= 0 samples")
    categories = p.shape[-1]
    if not replacement and n > categories:
        raise RuntimeError(texts.TOO_MANY_SAMPLES)
    if categories > 2**24:
        raise RuntimeError("number of categories cannot exceed 2^24")
    shape = (*p.shape[:-1], n)
    if 0 in shape:
        return np.empty(shape, np.int64)
    if categories == 0:
        raise RuntimeError(reductions_texts.AMINMAX_OF_NOTHING)
    if not ((p >= 0) & (p < np.inf)).all():
        raise RuntimeError("probability tensor contains either `inf`, `nan` or element < 0")
    if not (p > 0).any(axis=-1).all():
        raise RuntimeError("invalid multinomial distribution (sum of probabilities <= 0)")
    if replacement and n > 1:
        return _with_replacement(generator, p.reshape(-1, categories), n).reshape(shape)
    # The largest of p / q with q exponential is at i with probability p[i], and the others follow in like manner.
    strides = tuple([stride // p.itemsize for stride in p.strides])
    q = allocate(p.shape, p.dtype, preserved_strides(p.shape, strides))
    fill(q, lambda s: exponential(generator, s, p.dtype))
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        q = cast(p / q, p.dtype)
    if n == 1:
        return q.argmax(axis=-1, keepdims=True)
    return np.argsort(-q.astype(np.float64), axis=-1, kind="stable")[..., :n]


def _with_replacement(generator: Generator, p: np.ndarray, n: int) -> np.ndarray:
    rows = p.astype(np.float32) if _is_small(p.dtype) else p
    cumulative = np.add.accumulate(rows, axis=-1)
    cumulative /= cumulative[:, -1:].copy()
    cumulative[:, -1] = 1
    u = generator.doubles(len(p) * n).reshape(len(p), n)
    out = np.empty(u.shape, np.int64)
    for i, row in enumerate(cumulative.astype(np.float64)):
        out[i] = row.searchsorted(u[i])
    return out
