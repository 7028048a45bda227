"""The grid of singular points on which docs/conventions.md is compared with JAX.

Functions of one and two real numbers, of vectors, of matrices and of complex numbers; their values, and first and
second derivatives, forward and backward. `python tests/docs/singular_points.py`, with JAX installed, evaluates all of
it with both and writes what differs: the numbers to singular_points.json, and to the page one row for each function and
order.
"""

import itertools
import json
import warnings
from pathlib import Path

import numpy as np

import funcgrad as fg
import funcgrad.numpy as fnp
import funcgrad.scipy.special as special

RECORD = Path(__file__).with_name("singular_points.json")
PAGE = Path(__file__).parents[2] / "docs" / "conventions.md"
NO_NUMBERS = {
    "fnp.nan_to_num",
    "fnp.from_dlpack",
    "fnp.unstack",
    "fnp.frombuffer",
    "fnp.percentile",
    "fnp.nanpercentile",
    "special.expn",  # its first operand is an integer
}  # or among the vectors
START, END = (
    "<!-- differences on the grid: written by tests/docs/singular_points.py -->\n",
    "<!-- end of the grid -->\n",
)

inf, nan = np.inf, np.nan
ONE = (0.0, -0.0, 0.5, 1.0, -1.0, 2.0, -2.0, inf, -inf, nan)
TWO = tuple(itertools.product((0.0, 1.0, -1.0, 2.0, inf, -inf, nan), repeat=2))
COMPLEX = (0j, 1 + 0j, -1 + 0j, 1j, -1j, 2 + 0j, -2 + 0j, 2j, -2j, 1 + 1j)
VECTORS = ([0, 0, 0], [1, 1, 1], [2, 2, 1], [1, 0, 2], [1, -1, 2], [inf, 1, 2], [inf, inf, 1], [-inf, 1, 2])
VECTORS += ([-inf, -inf, -inf], [-inf, inf, 1], [nan, 1, 2])
MATRICES = ([0, 0, 0, 0], [1, 0, 0, 1], [1, 1, 1, 1], [2, 0, 0, 0], [0, 1, 0, 0], [1, 2, 2, 4])

OF_VECTORS = """
fnp.max(x)  fnp.min(x)  fnp.ptp(x)  fnp.prod(x)  fnp.cumprod(x)  fnp.sort(x)  fnp.partition(x, 1)  fnp.median(x)
fnp.quantile(x, 0.25)  fnp.mean(x)  fnp.var(x)  fnp.std(x)  fnp.nanmax(x)  fnp.nanmin(x)  fnp.nansum(x)  fnp.nanprod(x)
fnp.nanmean(x)  fnp.nanvar(x)  fnp.nanstd(x)  fnp.nanmedian(x)  fnp.clip(x, 0.0, 1.0)  fnp.nan_to_num(x)  fnp.diff(x)
fnp.linalg.norm(x)  fnp.linalg.norm(x, 1)  fnp.linalg.norm(x, 3)  fnp.linalg.norm(x, np.inf)
fnp.linalg.norm(x, -np.inf)
fnp.corrcoef(x, fnp.flip(x))  x**x  x**2.0  x**0.0  x**0  x**-1  x**0.5  fnp.where(x>0,fnp.log(x),0.0)
nn.softmax(x)  nn.log_softmax(x)  nn.logsumexp(x)  nn.standardize(x)  special.logsumexp(x)  special.log_softmax(x)
special.logsumexp(x, b=np.array([1.0, -1.0, 1.0]))  special.logsumexp(x, b=np.zeros(3))  special.multigammaln(x, 2)
special.polygamma(1, x)
""".replace("  ", "\n").split("\n")
OF_MATRICES = """
fnp.linalg.det(x)  fnp.linalg.slogdet(x)[1]  fnp.linalg.svd(x)[0]  fnp.linalg.svd(x)[1].sum()  fnp.linalg.cond(x)
fnp.linalg.norm(x)  fnp.linalg.norm(x, 2)  fnp.linalg.norm(x, "nuc")  fnp.linalg.norm(x, 1)  fnp.linalg.pinv(x)
fnp.linalg.matrix_power(x, 3)
""".replace("  ", "\n").split("\n")
OF_COMPLEX = (
    "exp log log2 log10 log1p expm1 sqrt sin cos tan arcsin arccos arctan sinh cosh tanh arcsinh arccosh arctanh"
)
OF_COMPLEX += " square reciprocal sinc abs angle sign real imag conj"
FIXED = np.array([0.3, -0.7, 0.9, 0.4])  # weights and directions


def spaces(jax=None):
    if jax is None:
        return fg, {"fnp": fnp, "nn": fg.nn, "special": special, "np": np}
    return jax, {"fnp": jax.numpy, "nn": jax.nn, "special": jax.scipy.special, "np": np}


def elementwise_functions(jax):
    """(names of functions of one real number, of two) that both libraries have."""
    found = {1: [], 2: []}
    ours, theirs = spaces()[1], spaces(jax)[1]
    for space in ("fnp", "nn", "special"):
        seen = set()
        for name in sorted(dir(theirs[space])):
            f, g = getattr(ours[space], name, None), getattr(theirs[space], name)
            if (
                name[0] == "_"
                or f"{space}.{name}" in NO_NUMBERS
                or not callable(f)
                or not callable(g)
                or isinstance(f, type)
                or id(f) in seen
            ):
                continue
            for n in (1, 2):
                x = [np.array([0.6, 0.7, 0.6])] * n
                y, z, one = (evaluated(lambda h=h, a=a: h(*a)) for h, a in ((f, x), (g, x), (f, [v[:1] for v in x])))
                if y is None or z is None or one is None:  # it takes something else
                    continue
                alike = y.shape == z.shape == (3,) and one.shape == (1,) and np.allclose(y[::2], one)
                if alike and y.dtype.kind == z.dtype.kind == "f":
                    found[n].append(f"{space}.{name}")
                    seen.add(id(f))
    return found


def entries(one, two):
    """(key, names of the arguments, function text, arguments): the whole grid."""
    for name in one:
        yield name, f"{name}(x)", [np.array(ONE)]
    for name in two:
        yield name, f"{name}(x, y)", [np.array(v) for v in zip(*TWO, strict=True)]
    for text in filter(None, OF_VECTORS):
        for v in VECTORS:
            yield f"{text} at {v}", text, [np.array(v, float)]
    for text in filter(None, OF_MATRICES):
        for v in MATRICES:
            yield f"{text} at {v}", text, [np.array(v, float).reshape(2, 2)]
    for name in OF_COMPLEX.split():
        yield f"fnp.{name} of complex", f"fnp.{name}(x)", [np.array(COMPLEX)]


def quantities(text, xs, lib, names):
    """The value, and the derivatives, forward and backward, of first and second order."""
    f = eval(f"lambda {', '.join('xy'[: len(xs)])}: {text}", dict(names))
    flat = len(xs[0]) > 4 and xs[0].ndim == 1  # elementwise: every entry is a point
    total, holomorphic = names["fnp"].sum, xs[0].dtype.kind == "c"

    def weighted(y):
        return total(y) if flat else total(y * np.resize(FIXED, y.shape))

    def scalar(*x):
        y = f(*x)
        return weighted(y.astype(complex) if holomorphic else y)

    def gradient(g, i):
        return lib.grad(g, i, holomorphic=holomorphic)

    def ahead(g, i):
        t = [np.zeros_like(x) for x in xs]
        t[i] = np.ones_like(xs[i]) if flat else np.resize(FIXED, xs[i].shape)
        return lib.jvp(g, tuple(xs), tuple(t))[1]

    yield "value", lambda: f(*xs)
    for i in range(len(xs)):
        yield f"d{i}", lambda i=i: gradient(scalar, i)(*xs)
        yield f"t{i}", lambda i=i: ahead(f, i)
        for j in range(i, len(xs)):
            yield f"d{i}{j}", lambda i=i, j=j: gradient(lambda *x: weighted(gradient(scalar, i)(*x)), j)(*xs)
            yield f"t{i}{j}", lambda i=i, j=j: ahead(gradient(scalar, i), j)


def evaluated(f):
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        try:
            return np.asarray(f())
        except Exception:  # a library that refuses the point, in whatever way, has no value there
            return None


def close(a, b):
    """Where two results agree; nan agrees with nan, and so does one nan part of a complex number."""
    return np.isclose(a, b, rtol=1e-6, atol=1e-8, equal_nan=True)


def number(x):
    """A number in the record."""
    x = complex(x) if np.iscomplexobj(x) else float(x)
    return repr(x) if isinstance(x, complex) else x if x in (0.0, 1.0) else float(f"{x:.9g}")


def value(x):
    return complex(x) if isinstance(x, str) else x


def point(xs, i):
    return [number(x.flat[i]) for x in xs]


def results(one, two, jax=None):
    """(key, quantity) -> result, over the grid."""
    lib, names = spaces(jax)
    for key, text, xs in entries(one, two):
        for quantity, f in quantities(text, xs, lib, names):
            yield key, quantity, xs, evaluated(f)


def differences(one, two, jax):
    """{key: {quantity: [[point, ours, JAX's], ...]}}; "error" where there is no result."""
    found = {}
    for (key, q, xs, a), (_, _, _, b) in zip(results(one, two), results(one, two, jax), strict=True):
        rows = []
        if a is None or b is None:
            if (a is None) != (b is None):
                rows.append([None, "error" if a is None else "a number", "error" if b is None else "a number"])
        elif a.shape != b.shape:
            rows.append([None, f"shape {a.shape}", f"shape {b.shape}"])
        elif a.shape == xs[0].shape and xs[0].size > 4:
            rows = [[point(xs, i), number(a[i]), number(b[i])] for i in np.flatnonzero(~close(a, b))]
        elif not close(a, b).all():
            rows.append([None, [number(v) for v in a.flat], [number(v) for v in b.flat]])
        if rows:
            found.setdefault(key, {})[q] = rows
    return found


# The page.

ORDERS = {"value": ("value",), "first": ("d0", "t0", "d1", "t1"), "second": ("d00", "t00", "d01", "t01", "d11", "t11")}


def show(x):
    if isinstance(x, list):
        return f"({', '.join(show(v) for v in x)})" if len(x) > 1 else show(x[0])
    return x.strip("()") if isinstance(x, str) else f"{x:.4g}"


def page_rows(record):
    """One row for each function and order: how many points differ, and the first of them."""
    whys = record["why"]
    by_function = {}
    for key, found in record["differences"].items():
        function, _, at = key.partition(" at ")
        by_function.setdefault(function, []).append((at, found))
    for function, parts in sorted(by_function.items()):
        for order, names in ORDERS.items():
            rows = [(at, q, r) for at, found in parts for q in names for r in found.get(q, ())]
            if rows:
                places = list(dict.fromkeys(at or (show(r[0]) if r[0] else "all") for at, _, r in rows))
                at, _, (where, ours, theirs) = rows[0]
                where = at or (show(where) if where else "all")
                more = f" and {len(places) - 1} more" if len(places) > 1 else ""
                why = whys.get(function, "")
                yield f"| `{function}` | {order} | {where}{more} | `{show(ours)}` | `{show(theirs)}` | {why} |"


def page(record):
    head = "| Function | What | At | Value | JAX | |\n|---|---|---|---|---|---|\n"
    return head + "".join(row.replace("\\", "") + "\n" for row in page_rows(record))


def written(record):
    text = PAGE.read_text()
    before, rest = text.split(START)
    return before + START + "\n" + page(record) + "\n" + END + rest.split(END)[1]


def main():
    import jax

    jax.config.update("jax_enable_x64", True)
    record = json.loads(RECORD.read_text()) if RECORD.exists() else {"why": {}}
    names = elementwise_functions(jax)
    record |= {"one": names[1], "two": names[2], "differences": differences(names[1], names[2], jax)}
    lines = json.dumps(record, separators=(",", ":")).replace('},"', '},\n"').replace(']],"', ']],\n"')
    RECORD.write_text(lines + "\n")
    PAGE.write_text(written(record))


if __name__ == "__main__":
    main()
