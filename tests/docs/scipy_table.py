"""Which functions of SciPy differentiate, for the table of docs/scipy.md.

Every public function of SciPy's modules is called with operands that are computed from a vector x, with the first of
CANDIDATES that it takes, or as CALLS says: first plainly, where differences show whether the result moves with x at
all, then while x is being differentiated, then funcgrad's own function of that name in its place. `python
tests/docs/scipy_table.py` runs all of them, in less than a minute, and writes scipy_table.json and the table.
"""

import importlib.util
import inspect
import json
import re
import sys
import textwrap
import warnings
from pathlib import Path

import numpy as np
import scipy

import funcgrad as fg
from funcgrad.callers import counterpart
from funcgrad.errors import FuncgradError

RECORD = Path(__file__).with_name("scipy_table.json")
PAGE = Path(__file__).parents[2] / "docs" / "scipy.md"
START, END = "<!-- what works: written by tests/docs/scipy_table.py -->\n", "<!-- end of what works -->\n"
MODULES = [
    "special", "linalg", "stats", "fft", "signal", "ndimage", "interpolate", "integrate", "optimize", "sparse.linalg",
    "spatial.distance",
]  # fmt: skip

AS_IT_STANDS, OURS, BY_NAME, UNNAMED, NAN, SILENT, CONSTANT, NOT_CALLED = STATUSES = (
    "as it stands",  # the derivative is that of differences
    "with funcgrad's own",  # an error; funcgrad's function of the same name differentiates in its place
    "error",  # an error of funcgrad's, which says what happened
    "another error",  # an error of Python, NumPy or SciPy
    "nan",  # no error, and nan where there is a derivative
    "wrong",  # no error and another derivative
    "constant",  # the result does not move with x
    "not called",
)

# Operands: x is the vector that everything is computed from, in plain NumPy; capitals are constants.

X = np.array([0.31, 0.72, 0.54])
NAMES = {
    "np": np,
    "B": np.array([0.83, 0.26, 0.47]),
    "C": np.array([1.3, 1.7, 1.2]),
    "D": np.array([0.62, 0.35, 0.15]),
    "M": np.array([[2.1, 0.3, 0.4], [0.2, 1.7, 0.6], [0.5, 0.1, 2.9]]),
    "T": np.arange(12.0),
    "N": np.array([2, 3, 1]),
    "POINTS": np.array([[0.1, 0.2], [0.9, 0.3], [0.4, 0.8], [0.7, 0.7]]),
}
DERIVED = {
    "square": "np.diag(x + 2.0) + 0.1",
    "series": "np.concatenate([x, x**2, x + 0.5, 1.0 - x])",
    "grid": "np.outer(x, x) + np.diag(x)",
    "samples": "np.stack([x, x**2, x + 0.5, 1.0 - x, np.sin(3 * x)])",
    "number": "x[0]",
}
CANDIDATES = """
x  x, B  x, B, C  x, B, C, D  x + 1  x + 1, B  x + 1, C, B  number, 0.7  2, x  2, number  1, 2, x  x, 2  1, x, 2
2, 3, x  x, 2, 3  2, number, 0.7  square  square, B  square, M  square, M, M  series  series, 3  grid  grid, 1
grid, 1.0  series, T  samples  samples, 2  samples[:, 0], samples[:, 1]  series, B  series, 0.5, 2  0.5, x
1, 1, x  2, 1, 0.3, number
2, 1, number, 0.3  1, 0.3, x  x, square  samples, M  number, 0.5, 0.3  number, 0.5, 2.0, 0.4  2, number, 0.2, 0.1
1.5, 0.5, number, 0.2  2, 3, number, 0.2  1, 1, 0.5, number
""".replace("  ", "\n").split("\n")
MATRICES = ["square", "square, B", "square, M", "square, M, M", "x", "x, B", "x, B, C", "x, square"]
IMAGES = ["grid", "grid, 1", "grid, 1.0", "grid, 3", "grid, 0.8", "grid, np.eye(2)", "series", "series, 3", "series, B"]
OF_MODULES = {"linalg": MATRICES, "sparse.linalg": MATRICES, "ndimage": IMAGES, "interpolate": []}  # FITPACK may crash

CALLS = {
    "stats.gaussian_kde": "m.gaussian_kde(series)(B)",
    "stats.multivariate_normal": "m.multivariate_normal.logpdf(x, B, square)",
    "stats.dirichlet": "m.dirichlet.logpdf(B / B.sum(), x + 1.0)",
    "stats.multinomial": "m.multinomial.logpmf([2, 3, 1], 6, x / np.sum(x))",
    "interpolate.CubicSpline": "m.CubicSpline(T, series)(B)",
    "interpolate.PchipInterpolator": "m.PchipInterpolator(T, series)(B)",
    "interpolate.Akima1DInterpolator": "m.Akima1DInterpolator(T, series)(B)",
    "interpolate.make_interp_spline": "m.make_interp_spline(T, series)(B)",
    "interpolate.make_lsq_spline": "m.make_lsq_spline(T, series, [0.0] * 4 + [5.0] + [11.0] * 4)(B)",
    "interpolate.make_smoothing_spline": "m.make_smoothing_spline(T, series)(B)",
    "interpolate.interp1d": "m.interp1d(T, series)(B)",
    "interpolate.RegularGridInterpolator": "m.RegularGridInterpolator((T[:3], T[:3]), grid)(POINTS)",
    "interpolate.RBFInterpolator": "m.RBFInterpolator(POINTS, series[:4])(POINTS + 0.1)",
    "interpolate.BSpline": "m.BSpline(T, series[:8], 3)(B + 4.0)",
    "interpolate.PPoly": "m.PPoly(grid, T[:4])(B)",
    "interpolate.BarycentricInterpolator": "m.BarycentricInterpolator(T[:3], x)(B)",
    "interpolate.KroghInterpolator": "m.KroghInterpolator(T[:3], x)(B)",
    "interpolate.UnivariateSpline": "m.UnivariateSpline(T, series)(B)",
    "interpolate.griddata": "m.griddata(POINTS, series[:4], POINTS * 0.5 + 0.25)",
    "interpolate.interpn": "m.interpn((T[:3], T[:3]), grid, POINTS)",
    "interpolate.splrep": "m.splrep(T, series)[1]",
    "interpolate.splev": "m.splev(B + 4.0, (T, series, 3))",
    "interpolate.splint": "m.splint(3.0, 5.0, (T, series, 3))",
    "interpolate.splder": "m.splder((T, series, 3))[1]",
    "interpolate.splantider": "m.splantider((T, series, 3))[1]",
    "interpolate.spalde": "m.spalde(4.5, (T, series, 3))",
    "interpolate.krogh_interpolate": "m.krogh_interpolate(T[:3], x, B)",
    "interpolate.barycentric_interpolate": "m.barycentric_interpolate(T[:3], x, B)",
    "interpolate.pchip_interpolate": "m.pchip_interpolate(T, series, B)",
    "integrate.quad": "m.quad(lambda t: np.exp(-x[0] * t), 0, 1)[0]",
    "integrate.quad_vec": "m.quad_vec(lambda t: np.exp(-x * t), 0, 1)[0]",
    "integrate.dblquad": "m.dblquad(lambda s, t: np.exp(-x[0] * t * s), 0, 1, 0, 1)[0]",
    "integrate.tplquad": "m.tplquad(lambda r, s, t: np.exp(-x[0] * t * s * r), 0, 1, 0, 1, 0, 1)[0]",
    "integrate.nquad": "m.nquad(lambda s, t: np.exp(-x[0] * t * s), [(0, 1), (0, 1)])[0]",
    "integrate.fixed_quad": "m.fixed_quad(lambda t: np.exp(-x[0] * t), 0, 1)[0]",
    "integrate.tanhsinh": "m.tanhsinh(lambda t: np.exp(-x[0] * t), 0.0, 1.0).integral",
    "integrate.cubature": "m.cubature(lambda t: np.exp(-x[0] * t), [0.0], [1.0]).estimate",
    "integrate.odeint": "m.odeint(lambda y, t: -y, x, T[:3] / 3)",
    "integrate.solve_ivp": "m.solve_ivp(lambda t, y: -y, (0.0, 1.0), x).y",
    "integrate.solve_bvp": "m.solve_bvp(lambda t, y: np.stack([y[1], -x[0] * y[0]]), "
    "lambda a, b: np.stack([a[0], b[0] - 1.0]), T[:4] / 3, np.zeros((2, 4))).y",
    "optimize.minimize": "m.minimize(lambda v: np.sum((v - x) ** 2), np.zeros(3), method='BFGS').x",
    "optimize.minimize_scalar": "m.minimize_scalar(lambda v: (v - x[0]) ** 2).x",
    "optimize.least_squares": "m.least_squares(lambda v: v - x, np.zeros(3)).x",
    "optimize.curve_fit": "m.curve_fit(lambda t, a, b: a + b * t, T, series)[0]",
    "optimize.root": "m.root(lambda v: v**3 - x, np.ones(3), method='hybr').x",
    "optimize.root_scalar": "m.root_scalar(lambda v: v**3 - x[0], bracket=(0.0, 2.0)).root",
    "optimize.fsolve": "m.fsolve(lambda v: v**3 - x, np.ones(3))",
    "optimize.newton": "m.newton(lambda v: v**3 - x[0], 1.0)",
    "optimize.leastsq": "m.leastsq(lambda v: v - x, np.zeros(3))[0]",
    "optimize.fmin": "m.fmin(lambda v: np.sum((v - x) ** 2), np.zeros(3), disp=0)",
    "optimize.fmin_bfgs": "m.fmin_bfgs(lambda v: np.sum((v - x) ** 2), np.zeros(3), disp=0)",
    "optimize.fmin_l_bfgs_b": "m.fmin_l_bfgs_b(lambda v: np.sum((v - x) ** 2), np.zeros(3), approx_grad=True)[0]",
    "optimize.basinhopping": "m.basinhopping(lambda v: np.sum((v - x) ** 2), np.zeros(3), niter=1, rng=1).x",
    "optimize.ridder": "m.ridder(lambda v: v**3 - x[0], 0.0, 2.0)",
    "optimize.toms748": "m.toms748(lambda v: v**3 - x[0], 0.0, 2.0)",
    "optimize.brenth": "m.brenth(lambda v: v**3 - x[0], 0.0, 2.0)",
    "optimize.brentq": "m.brentq(lambda v: v**3 - x[0], 0.0, 2.0)",
    "optimize.bisect": "m.bisect(lambda v: v**3 - x[0], 0.0, 2.0)",
    "optimize.fixed_point": "m.fixed_point(lambda v: np.cos(v) * x, np.ones(3))",
    "optimize.nnls": "m.nnls(square, B)[0]",
    "optimize.lsq_linear": "m.lsq_linear(square, B).x",
    "optimize.linprog": "m.linprog(-C, A_ub=np.eye(3), b_ub=x).x",
    "optimize.approx_fprime": "m.approx_fprime(C, lambda v: np.sum(v**3 * x))",
    "optimize.rosen": "m.rosen(x)",
    "optimize.rosen_der": "m.rosen_der(x)",
    "linalg.cho_solve": "m.cho_solve((np.linalg.cholesky(square), True), B)",
    "linalg.lu_solve": "m.lu_solve(m.lu_factor(square), B)",
    "linalg.solve_triangular": "m.solve_triangular(square, B, lower=True)",
    "linalg.solve_banded": "m.solve_banded((1, 1), square, B)",
    "linalg.solveh_banded": "m.solveh_banded(square[:2] + np.array([[0.0], [3.0]]), B)",
    "linalg.funm": "m.funm(square, np.exp)",
    "linalg.block_diag": "m.block_diag(square, B)",
    "linalg.toeplitz": "m.toeplitz(x, B)",
    "linalg.hankel": "m.hankel(x, B)",
    "linalg.leslie": "m.leslie(x, B[:2])",
    "linalg.eigh_tridiagonal": "m.eigh_tridiagonal(x, B[:2])[0]",
    "linalg.eigvalsh_tridiagonal": "m.eigvalsh_tridiagonal(x, B[:2])",
    "linalg.cholesky_banded": "m.cholesky_banded(square[:2] + np.array([[0.0], [3.0]]))",
    "signal.lfilter": "m.lfilter(x, C, T)",
    "signal.filtfilt": "m.filtfilt(x, C, T)",
    "signal.sosfilt": "m.sosfilt([[0.3, 0.5, 0.2, 1.0, -0.4, 0.3]], series)",
    "signal.savgol_filter": "m.savgol_filter(series, 5, 2)",
    "signal.stft": "m.stft(series, nperseg=4)[2].real",
    "signal.istft": "m.istft(grid, nperseg=4)[1]",
    "signal.welch": "m.welch(series, nperseg=4)[1]",
    "signal.csd": "m.csd(series, T, nperseg=4)[1].real",
    "signal.periodogram": "m.periodogram(series)[1]",
    "signal.resample": "m.resample(series, 8)",
    "signal.convolve2d": "m.convolve2d(grid, np.eye(2))",
    "signal.correlate2d": "m.correlate2d(grid, np.eye(2))",
    "ndimage.map_coordinates": "m.map_coordinates(grid, POINTS.T + 0.3, order=1)",
    "ndimage.gaussian_filter": "m.gaussian_filter(grid, 1.0)",
    "ndimage.convolve": "m.convolve(grid, np.eye(2))",
    "ndimage.correlate": "m.correlate(grid, np.eye(2))",
    "ndimage.affine_transform": "m.affine_transform(grid, np.eye(2) * 0.9)",
    "spatial.distance.cdist": "m.cdist(samples, samples + 1.0)",
    "spatial.distance.pdist": "m.pdist(samples)",
    "spatial.distance.mahalanobis": "m.mahalanobis(x, B, np.eye(3))",
    "sparse.linalg.spsolve": "m.spsolve(SPARSE, x)",
    "sparse.linalg.expm_multiply": "m.expm_multiply(M, x)",
    "sparse.linalg.cg": "m.cg(np.eye(3) * 2.0, x)[0]",
    "sparse.linalg.gmres": "m.gmres(M, x)[0]",
    "sparse.linalg.bicgstab": "m.bicgstab(M, x)[0]",
    "sparse.linalg.eigsh": "m.eigsh(square, k=1, v0=B)[0]",
    "sparse.linalg.svds": "m.svds(square, k=1, v0=B)[1]",
}
LEFT_OUT = {
    "optimize.show_options", "special.seterr", "special.errstate", "special.geterr", "stats.test", "special.test",
    "integrate.lebedev_rule", "linalg.test", "fft.set_workers", "fft.get_workers", "fft.register_backend",
    "fft.set_backend", "fft.skip_backend", "fft.set_global_backend", "linalg.find_best_blas_type",
    "linalg.get_blas_funcs", "linalg.get_lapack_funcs", "stats.make_distribution", "ndimage.distance_transform_cdt",
}  # fmt: skip
"""What computes no numbers; and the last, which gives integers, and crashes for operands that it does not expect."""


def functions(module):
    """(name, expressions to call it with) of each public function of a module of SciPy, and of each distribution."""
    m = importlib.import_module(f"scipy.{module}")
    names = [n for n in getattr(m, "__all__", dir(m)) if n[0] != "_"]
    if module == "stats":
        yield from distributions(m)
    for name in sorted(names):
        f, full = getattr(m, name), f"{module}.{name}"
        if full in LEFT_OUT or inspect.ismodule(f):
            continue
        if full in CALLS:
            yield name, [CALLS[full]]
        elif isinstance(f, np.ufunc) or (callable(f) and not isinstance(f, type) and inspect.isroutine(f)):
            yield name, [f"m.{name}({c})" for c in OF_MODULES.get(module, CANDIDATES) if c]


def distributions(m):
    from scipy.stats._distr_params import distcont, distdiscrete

    seen = set()
    for name, shapes in [*distcont, *distdiscrete]:
        if isinstance(name, str) and name not in seen:
            seen.add(name)
            d = getattr(m, name)
            if hasattr(d, "logpdf"):
                inside = float(d.ppf(0.4, *shapes))
                yield f"{name}.logpdf", [f"m.{name}.logpdf({inside!r} + 0.01 * (x - 0.5), *{tuple(shapes)})"]
            else:
                inside = int(d.ppf(0.4, *shapes))
                for i, value in enumerate(shapes):
                    if isinstance(value, float):
                        moved = [f"{v!r} * (1.0 + 0.01 * x)" if i == k else repr(v) for k, v in enumerate(shapes)]
                        yield f"{name}.logpmf", [f"m.{name}.logpmf({inside}, {', '.join(moved)})"]
                        break


def evaluated(expression, m, x):
    names = {k: v.copy() if isinstance(v, np.ndarray) else v for k, v in NAMES.items()}  # SciPy may write into them
    names |= {"m": m, "x": x, "SPARSE": scipy.sparse.csc_array(names["M"])}
    for name, formula in DERIVED.items():
        if re.search(rf"\b{name}\b", expression):
            names[name] = eval(formula, dict(names))
    return first_floats(eval(expression, names))


def first_floats(out):
    """The first array of real numbers in a result."""
    if isinstance(out, tuple | list) or (hasattr(out, "_fields") and hasattr(out, "__iter__")):
        found = [first_floats(o) for o in out]
        return next((f for f in found if f is not None), None)
    if isinstance(out, float):
        return np.asarray(out)
    dtype = getattr(out, "dtype", None)
    if dtype is None or not hasattr(out, "shape"):
        return None
    return out if dtype.kind == "f" else out.real if dtype.kind == "c" else None


def differences(expression, m, t):
    """The derivative along t, and whether the result moves."""
    out = np.asarray(evaluated(expression, m, X.copy()))
    if not np.isfinite(out).all() or not out.size:
        raise ValueError("no finite numbers")
    h = 1e-5
    above, below = [np.asarray(evaluated(expression, m, X + s * h * t)) for s in (1, -1)]
    return (above - below) / (2 * h)


def derivative(expression, m, t):
    return fg.jvp(lambda x: evaluated(expression, m, x), (X.copy(),), (t,))[1]


def same(a, b):
    a, b = np.asarray(a), np.asarray(b)
    return a.shape == b.shape and bool(np.all(np.abs(a - b) <= 1e-4 * (np.abs(b).max(initial=0.0) + 1e-3)))


def status(module, name, expressions):
    """What becomes of a function: one of STATUSES, with what is to be used instead or what the error was.

    Of the calls it is the best, but a wrong derivative in any of them counts.
    """
    m = importlib.import_module(f"scipy.{module}")
    t = np.array([0.6, -0.3, 0.8])
    found = []
    for expression in expressions:
        try:
            expected = differences(expression, m, t)
        except Exception:  # it does not take these operands
            continue
        if np.abs(expected).max() <= 1e-9:
            found.append((CONSTANT, ""))
            continue
        found.append(called(module, name, expression, expected, t))
        if found[-1][0] == AS_IT_STANDS or len(found) > 5:
            break
    wrong = [f for f in found if f[0] == SILENT]
    return (wrong or sorted(found, key=lambda f: STATUSES.index(f[0])) or [(NOT_CALLED, "")])[0]


def called(module, name, expression, expected, t):
    """What becomes of one call."""
    m = importlib.import_module(f"scipy.{module}")
    try:
        found = derivative(expression, m, t)
        if same(found, expected):
            return AS_IT_STANDS, ""
        return (NAN if np.isnan(np.asarray(found)).any() else SILENT), expression
    except FuncgradError as e:
        error, kind = e, BY_NAME
    except Exception as e:  # of any kind: the table says which
        error, kind = e, UNNAMED
    path = counterpart(f"scipy.{module}.{name.partition('.')[0]}")
    if path is not None:
        try:
            ours = importlib.import_module(path.rpartition(".")[0])
            if same(derivative(expression, ours, t), expected):
                return OURS, path
        except Exception as e:  # likewise
            error = e
    return kind, f"{expression} {type(error).__name__}: {str(error)[:150]}"


def run(module):
    found = {}
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        for name, expressions in functions(module):
            found[name] = status(module, name, expressions)
    return found


# The page.


def listed(names):
    return ", ".join(f"`{n}`" for n in sorted(names)) + "."


def paragraph(head, names):
    text = f"- {head}: {listed(names)}"
    return textwrap.fill(text, 120, subsequent_indent="  ", break_long_words=False, break_on_hyphens=False)


def page(record):
    columns = ((AS_IT_STANDS,), (OURS,), (BY_NAME, UNNAMED, NAN), (CONSTANT, NOT_CALLED))
    heads = ("As it stands", "With funcgrad's own", "An error", "Not tried")
    rows = [f"| module | {' | '.join(heads).lower()} |", "|---|---|---|---|---|"]
    texts = []
    for module, found in record["functions"].items():
        groups = [[n for n, status in found.items() if status in column] for column in columns]
        rows.append(f"| `scipy.{module}` | " + " | ".join(str(len(g)) for g in groups) + " |")
        lists = [paragraph(h, g) for h, g in zip(heads[:3], groups, strict=False) if g]
        texts.append(f"**`scipy.{module}`**\n\n" + "\n".join(lists))
    return f"With SciPy {record['scipy']}:\n\n" + "\n".join(rows) + "\n\n" + "\n\n".join(texts) + "\n"


def written(record):
    text = PAGE.read_text()
    before, rest = text.split(START)
    return before + START + "\n" + page(record) + "\n" + END + rest.split(END)[1]


def main():
    for module in MODULES:
        if importlib.util.find_spec("funcgrad.scipy." + module.partition(".")[0]):
            importlib.import_module("funcgrad.scipy." + module)
    found = {module: run(module) for module in (sys.argv[1:] or MODULES)}
    for module, functions_of in found.items():
        for name, (kind, note) in functions_of.items():
            if kind not in (AS_IT_STANDS, OURS, CONSTANT):
                print(f"{module}.{name}: {kind} {note}")
    if len(sys.argv) > 1:
        return
    record = {"scipy": scipy.__version__}
    record["functions"] = {m: {n: kind for n, (kind, _) in sorted(f.items())} for m, f in found.items()}
    RECORD.write_text(json.dumps(record, indent=0) + "\n")
    PAGE.write_text(written(record))


if __name__ == "__main__":
    main()
