"""Whatever a caller's ndarray is passed to: what comes out nobody can write to, and its bytes are in native order.

Every function of every namespace is called in many ways with ndarrays, and so is every transform, custom rule and
operation of control flow. Results that are views of the caller's memory, that can be written to, or that keep the byte
order of another machine are what the checks find.
"""

import inspect
import pickle
import warnings

import numpy as np
import pytest

import funcgrad as fg
import funcgrad.numpy as fnp
import funcgrad.scipy.linalg
import funcgrad.scipy.special
import funcgrad.scipy.stats
from funcgrad.core import tree
from funcgrad.transforms.callback import io_callback

pytestmark = pytest.mark.no_cover

NAMESPACES = {
    "numpy": fnp,
    "numpy.linalg": fnp.linalg,
    "numpy.fft": fnp.fft,
    "lax": fg.lax,
    "nn": fg.nn,
    "random": fg.random,
    "scipy.special": funcgrad.scipy.special,
    "scipy.linalg": funcgrad.scipy.linalg,
    "funcgrad": fg,
}
INTERNAL = ("funcgrad.core.array", "funcgrad.numpy.convert")  # modules that namespaces import helpers from
HANDED_THROUGH = {"block_until_ready", "device_get"}  # as in JAX: the first gives its argument, the second leaves fg

KEY = fg.random.key(0)
WAYS = {  # of calling a function with a matrix
    "a": lambda a: (a,),
    "row": lambda a: (a[0],),
    "a, a": lambda a: (a, a),
    "rows": lambda a: (a[0], a[1]),
    "a, 0": lambda a: (a, 0),
    "a, 1": lambda a: (a, 1),
    "a, -1": lambda a: (a, -1),
    "a, 0, 1": lambda a: (a, 0, 1),
    "a, a, a": lambda a: (a, a, a),
    "[a]": lambda a: ([a],),
    "[a, a]": lambda a: ([a, a],),
    "a, shape": lambda a: (a, (3, 3)),
    "shape, a": lambda a: ((3, 3), a),
    "a, axes": lambda a: (a, (0, 1)),
    "a, starts, sizes": lambda a: (a, [1, 1], [2, 2]),
    "a, indices": lambda a: (a, np.array([0, 1])),
    "indices, a": lambda a: (np.array([0, 1]), a),
    "mask, a, a": lambda a: (a < 0.5, a, a),
    "[masks], [a]": lambda a: ([a < 0.5], [a]),
    "a, dtype": lambda a: (a, a.dtype),
    "a, a, dtype": lambda a: (a, a, a.dtype),
    "subscripts, a": lambda a: ("ij->ij", a),
    "True, a, a": lambda a: (True, a, a),
    "key, a": lambda a: (KEY, a),
    "f, a": lambda a: (lambda x: x, a),
    "f, a, a": lambda a: (lambda x, y: (x, y), a, a),
    "f, axis, a": lambda a: (lambda x: x, 0, a),
    "{a}": lambda a: ({"p": a},),
    "bytes, dtype": lambda a: (a.tobytes(), a.dtype),
    "3, dtype": lambda a: (3, a.dtype),
    "3, 3, dtype": lambda a: (3, 3, a.dtype),
    "0, 3, dtype": lambda a: (0.0, 3.0, a.dtype),
    "shape, 1, dtype": lambda a: ((2,), 1.0, a.dtype),
}


def matrix(dtype: str) -> np.ndarray:
    return (np.arange(9).reshape(3, 3) / 9 + 0.1 if "f" in dtype else np.arange(9).reshape(3, 3)).astype(dtype)


def faults(out, given: np.ndarray) -> list[str]:
    """What is wrong with a result: (kind of fault)s."""
    found = []
    for leaf in tree.leaves(out):
        if not isinstance(leaf, np.ndarray | fg.Array) or leaf.dtype.kind not in "biufc":
            continue
        value = leaf
        while isinstance(value, fg.Array):
            value = value._value
        if isinstance(leaf, np.ndarray) and leaf.flags.writeable:
            found.append("writable")
        if isinstance(value, np.ndarray) and np.shares_memory(value, given):
            found.append("shares memory")
        if not leaf.dtype.isnative:
            found.append(f"dtype {leaf.dtype.str}")
    return found


def functions(module) -> dict:
    """The functions that a namespace is there for."""
    found = {name: getattr(module, name) for name in dir(module) if not name.startswith("_")}
    return {
        name: f
        for name, f in found.items()
        if callable(f)
        and (not inspect.isclass(f) or f is fg.Array)
        and getattr(f, "__module__", "").startswith("funcgrad")
        and f.__module__ not in INTERNAL
        and name not in HANDED_THROUGH
    }


@pytest.mark.parametrize("dtype", ["<f8", *(pytest.param(d, marks=pytest.mark.slow) for d in (">f8", ">i8"))])
@pytest.mark.parametrize("namespace", NAMESPACES)
def test_every_function_of_a_namespace(namespace, dtype, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)  # save and its relatives write there
    wrong, called, known = {}, set(), functions(NAMESPACES[namespace])
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        for name, f in known.items():
            parameters = inspect.signature(f).parameters
            f = inspect.unwrap(f)  # the check of annotations takes its time where a way does not fit
            for more in [{}, *[{p: dtype} for p in ("dtype", "new_dtype") if p in parameters]]:
                for way, arguments in WAYS.items():
                    a = matrix(dtype)
                    try:
                        out = f(*arguments(a), **more)
                    except Exception:  # it is not called in this way
                        continue
                    called.add(name)
                    if found := faults(out, a):
                        wrong[f"{name}({way}, {more})"] = found
    assert not wrong
    assert len(called) >= 0.28 * len(known)  # the ways reach what there is


def _custom_jvp(a):
    f = fg.custom_jvp(lambda x: x)
    f.defjvp(lambda primals, tangents: (primals[0], tangents[0]))
    return f(a), fg.jvp(f, (a,), (a,))


def _custom_vjp(a):
    f = fg.custom_vjp(lambda x: x)
    f.defvjp(lambda x: (x, x), lambda r, g: (r,))
    value, pullback = fg.vjp(f, a)
    return f(a), value, pullback(a)


KIND = fg.ShapeDtypeStruct((3, 3), "float64")
TRANSFORMS = {
    "jit": lambda a: fg.jit(lambda x: x)(a),
    "jit, twice": lambda a: (f := fg.jit(lambda x: (x, x.T)), f(a), f(a)),
    "jit, closed over": lambda a: (f := fg.jit(lambda x: (x, a)), f(1.0), f(2.0)),
    "jit, disabled": lambda a: _with_jit_disabled(lambda: fg.jit(lambda x: x)(a)),
    "jit of jit": lambda a: fg.jit(fg.jit(lambda x: x))(a),
    "vmap": lambda a: fg.vmap(lambda x: x)(a),
    "vmap, closed over": lambda a: fg.vmap(lambda x: a)(a),
    "vmap, out_axes=None": lambda a: fg.vmap(lambda x: a, out_axes=None)(a),
    "grad": lambda a: fg.grad(lambda x: fnp.sum(x * a))(a),
    "value_and_grad, aux": lambda a: fg.value_and_grad(lambda x: (fnp.sum(x), x), has_aux=True)(a),
    "vjp": lambda a: fg.vjp(lambda x: x, a)[0],
    "pullback": lambda a: fg.vjp(lambda x: x, a)[1](a),
    "pullback of a product": lambda a: fg.vjp(lambda x: x * a, a)[1](np.ones((3, 3))),
    "vjp, aux": lambda a: fg.vjp(lambda x: (x, x), a, has_aux=True)[2],
    "jvp": lambda a: fg.jvp(lambda x: x, (a,), (a,)),
    "jvp, closed over": lambda a: fg.jvp(lambda x: a, (a,), (a,)),
    "linearize": lambda a: (fg.linearize(lambda x: x, a)[0], fg.linearize(lambda x: x, a)[1](a)),
    "linear_transpose": lambda a: fg.linear_transpose(lambda x: x, a)(a),
    "jacfwd": lambda a: fg.jacfwd(lambda x: x)(a),
    "jacrev": lambda a: fg.jacrev(lambda x: x)(a),
    "hessian": lambda a: fg.hessian(lambda x: fnp.sum(x * x))(a),
    "checkpoint": lambda a: fg.checkpoint(lambda x: x)(a),
    "checkpoint, closed over": lambda a: fg.checkpoint(lambda x: a)(1.0),
    "grad of checkpoint": lambda a: fg.grad(fg.checkpoint(lambda x: fnp.sum(x * a)))(a),
    "checkpoint_name": lambda a: fg.checkpoint_name(a, "a"),
    "named_call": lambda a: fg.named_call(lambda x: x)(a),
    "named_call, closed over": lambda a: fg.named_call(lambda x: a)(1.0),
    "make_tape": lambda a: fg.make_tape(lambda x: (x, a))(a)(a),
    "stop_gradient": lambda a: fg.stop_gradient({"a": a}),
    "custom_jvp": _custom_jvp,
    "custom_vjp": _custom_vjp,
    "custom_gradient": lambda a: fg.custom_gradient(lambda x: (x, lambda g: g))(a),
    "custom_root": lambda a: fg.lax.custom_root(lambda x: x - a, a, lambda f, x: a, lambda g, y: y),
    "custom_linear_solve": lambda a: fg.lax.custom_linear_solve(lambda x: x, a, lambda f, b: b, symmetric=True),
    "closure_convert": lambda a: fg.closure_convert(lambda x: (x, a), a)[0](a, *fg.closure_convert(lambda x: a, a)[1]),
    "pure_callback": lambda a: fg.pure_callback(lambda x: x, KIND, a),
    "pure_callback, kept": lambda a: fg.pure_callback(lambda: a, KIND),
    "pure_callback in jit": lambda a: fg.jit(lambda x: fg.pure_callback(lambda x: a, KIND, x))(a),
    "io_callback": lambda a: io_callback(lambda: a, KIND),
    "cond": lambda a: fg.lax.cond(True, lambda x: x, lambda x: x, a),
    "cond, closed over": lambda a: fg.lax.cond(True, lambda: a, lambda: a),
    "switch": lambda a: fg.lax.switch(0, [lambda x: x, lambda x: a], a),
    "while_loop": lambda a: fg.lax.while_loop(lambda x: False, lambda x: x, a),
    "fori_loop": lambda a: fg.lax.fori_loop(0, 2, lambda i, x: x, a),
    "scan": lambda a: fg.lax.scan(lambda c, x: (c, x), a, a),
    "scan in jit": lambda a: fg.jit(lambda x: fg.lax.scan(lambda c, x: (c, x), x, a))(a),
    "map": lambda a: fg.lax.map(lambda x: x, a),
    "associative_scan": lambda a: fg.lax.associative_scan(lambda x, y: x, a),
    "x.at.set": lambda a: fnp.zeros((3, 3)).at[:].set(a),
    "x.at[index]": lambda a: fnp.zeros(9, a.dtype).at[a.astype(a.dtype.str[0] + "i8")].get(),
    "x[index]": lambda a: fnp.ones(9)[a.astype(a.dtype.str[0] + "i8")],
    "operators": lambda a: (fnp.ones(3) + a, a * fnp.ones(3), -fg.Array(a), fg.Array(a).T, fg.Array(a).astype(a.dtype)),
    "NumPy's functions": lambda a: (np.sort(fg.Array(a)), np.concatenate([fg.Array(a), a]), np.add(fg.Array(a), a)),
    "scalars": lambda a: (fg.Array(a[0, 0]), fnp.asarray(a[0, 0]), fnp.asarray(a[0, 0].astype(a.dtype))),
    "ravel_pytree": lambda a: (fg.ravel_pytree({"a": a})[0], fg.ravel_pytree({"a": a})[1](np.ones(9, a.dtype))),
    "pickle": lambda a: pickle.loads(pickle.dumps(fg.Array(a))),
    "unpickled as another machine wrote it": lambda a: fg.Array(a).__reduce__()[0](a.copy()),
    "eval_shape": lambda a: fnp.zeros(3, fg.eval_shape(lambda x: x, a).dtype),
    "device_put": lambda a: fg.device_put({"a": a}),
    "odeint": lambda a: fg.scipy.integrate.odeint(lambda y, t: y, a[0], np.arange(2.0)),
}


def _with_jit_disabled(f):
    with fg.disable_jit():
        return f()


@pytest.mark.parametrize("dtype", ["<f8", ">f8"])
@pytest.mark.parametrize("name", TRANSFORMS)
def test_every_transform(name, dtype):
    a = matrix(dtype)
    out = TRANSFORMS[name](a)
    assert not faults(out, a)
    before = [np.array(x) for x in tree.leaves(out) if isinstance(x, fg.Array)]
    a[...] = -7.0
    after = [np.asarray(x) for x in tree.leaves(out) if isinstance(x, fg.Array)]
    assert before
    for x, y in zip(before, after, strict=True):
        np.testing.assert_array_equal(x, y)


def test_a_pullback_and_a_program_keep_what_they_were_given():
    a = matrix(">f8")
    _, pullback = fg.vjp(lambda x: x * x, a)
    _, pushforward = fg.linearize(lambda x: x * x, a)
    tape = fg.make_tape(lambda x: x * a)(1.0)
    compiled = fg.jit(lambda x: x * a)
    compiled(1.0)
    expected = matrix("<f8")
    a[...] = 100.0
    np.testing.assert_array_equal(pullback(np.ones((3, 3)))[0], 2 * expected)
    np.testing.assert_array_equal(pushforward(np.ones((3, 3))), 2 * expected)
    np.testing.assert_array_equal(tape(1.0), expected)
    np.testing.assert_array_equal(compiled(1.0), expected)


def test_trees_hand_leaves_through():
    """Functions of pytrees know nothing of arrays: a leaf is a leaf, as in JAX."""
    a = matrix("<f8")
    assert fg.tree.leaves([a])[0] is a and fg.tree.map(lambda x: x, a) is a
