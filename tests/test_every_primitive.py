"""Every primitive in the registry, on every sample of its record, in every dtype: all that must hold of any primitive.

Nothing is listed here by hand: a new primitive is tested because it is in the registry.
"""

import numpy as np
import pytest

import funcgrad as fg
import funcgrad.lax.linalg
import funcgrad.random
import funcgrad.scipy.linalg
import funcgrad.torch.nn  # and with it the primitives of networks
from funcgrad.core.primitive import NotDifferentiable, Zero, registry
from funcgrad.core.samples import Draw
from funcgrad.errors import NotDifferentiableError
from funcgrad.testing import check_derivatives, check_precision, check_shape_rule, samples
from funcgrad.testing.samples import as_function

CASES = [pytest.param(p, c, id=f"{p.name}-{c}") for p in registry.values() for c in p.dtypes]
PRECISE = [pytest.param(p, c, id=f"{p.name}-{c}") for p in registry.values() for c in p.dtypes if c in "dD"]
SECOND_ORDER = [  # of complex operands behind the marker: a minute of the plain run
    pytest.param(*p.values, id=p.id, marks=pytest.mark.slow) if p.values[1] == "D" else p for p in PRECISE
]
REAL = [pytest.param(p, id=p.name) for p in registry.values() if "d" in p.dtypes]
COARSE = [pytest.param(p, c, id=f"{p.name}-{c}") for p in registry.values() for c in p.dtypes if c in "fF"]

# Primitives that vmap runs example by example; the reason stands beside each declaration.
WITHOUT_BATCHING_RULE = ("roots",)


def differentiates(primitive):
    """Whether the operands that can carry a derivative have one: a few state that asking for it is a mistake."""
    return not any(
        isinstance(r, NotDifferentiable) and kinds(primitive, i) & set("fc") for i, r in enumerate(primitive.rules)
    )


def kinds(primitive, operand):
    """The kinds of dtype that the samples have in the place of one operand, and "number" for a Python float."""
    operands = [s.args[operand] for c in primitive.dtypes for s in samples(primitive, c) if operand < len(s.args)]
    return {"number" if isinstance(a, float | complex) else np.asarray(a).dtype.kind for a in operands}


def same(a, b):
    a, b = (a if isinstance(a, tuple) else (a,)), (b if isinstance(b, tuple) else (b,))
    for x, y in zip(a, b, strict=True):
        x, y = np.asarray(x), np.asarray(y)
        assert x.dtype == y.dtype and x.shape == y.shape
        if x.dtype.kind in "fc":  # a strided operand is copied, and BLAS rounds by the layout
            np.testing.assert_allclose(x, y, rtol=50 * np.finfo(x.dtype).eps, atol=50 * np.finfo(x.dtype).eps)
        else:
            np.testing.assert_array_equal(x, y)


@pytest.mark.parametrize("primitive", registry.values(), ids=lambda p: p.name)
def test_has_samples(primitive):
    assert primitive.dtypes, "a primitive needs at least one dtype to be tested in"
    for code in primitive.dtypes:
        assert samples(primitive, code)


@pytest.mark.parametrize("primitive, code", CASES)
def test_shape_rule_is_what_the_implementation_does(primitive, code):
    for sample in samples(primitive, code):
        check_shape_rule(primitive, sample)


@pytest.mark.parametrize("primitive, code", CASES)
def test_value_is_the_same_under_every_transform(primitive, code):
    for sample in samples(primitive, code):
        expected = primitive.impl(*sample.args, **sample.params)
        before = [np.array(a) for a in sample.args]
        f, args = as_function(primitive, sample)
        same(f(*args), expected)
        if args and differentiates(primitive):
            same(fg.vjp(f, *args)[0], expected)
            zeros = tuple(np.zeros_like(a) for a in args)
            same(fg.jvp(f, args, zeros)[0], expected)
        if args:
            tape = fg.make_tape(f)(*args)
            same(tape(*args), expected)
            namespace = {}
            exec(tape.source(), namespace)
            out = namespace["program"](*args)
            same(out if primitive.multiple else out[0], expected)
        for a, b in zip(sample.args, before, strict=True):
            np.testing.assert_array_equal(a, b, err_msg="the arguments were changed")


@pytest.mark.no_cover
@pytest.mark.parametrize("primitive, code", SECOND_ORDER)
def test_derivatives_to_second_order(primitive, code):
    if primitive.name == "stop":
        pytest.skip("its derivative is zero by request, whatever differences say")
    if not differentiates(primitive):
        for sample in samples(primitive, code):
            f, args = as_function(primitive, sample)
            with pytest.raises(NotDifferentiableError, match=primitive.name):
                fg.vjp(f, *args)
        return
    for sample in samples(primitive, code):
        check_derivatives(primitive, sample)


@pytest.mark.parametrize("primitive, code", COARSE)
def test_single_precision_stays(primitive, code):
    if not primitive.differentiable:
        pytest.skip("no derivative, by statement")
    for sample in samples(primitive, code):
        check_precision(primitive, sample)


ZEROS = [
    pytest.param(p, i, id=f"{p.name}-{(p.operands or ['xs'])[i]}")
    for p in registry.values()
    for i in range(len(p.operands or ["xs"]))
    if isinstance(p.rules[i if len(p.rules) > 1 else 0], Zero) and p.name != "stop"  # zero by request
]


@pytest.mark.parametrize("primitive, i", ZEROS)
def test_a_stated_zero_is_one(primitive, i):
    """A result does not move with an operand of which the record says so, unless one of them is of integers."""
    tested = "number" not in kinds(primitive, i) or kinds(primitive, i) & set("fc")
    for code in primitive.dtypes:
        for sample in samples(primitive, code):
            x, outs = sample.args[i], parts(primitive(*sample.args, **sample.params))
            assert tested or all(o.dtype.kind in "biu" for o in outs), "no sample has an array in this place"
            if code not in "dD" or getattr(x, "dtype", np.dtype(int)).kind not in "fc":
                continue
            moved = [*sample.args[:i], x + np.asarray(1e-9 * Draw(x.dtype, seed=7)(*x.shape)), *sample.args[i + 1 :]]
            for a, b in zip(outs, parts(primitive(*moved, **sample.params)), strict=True):
                if a.dtype.kind in "fc":
                    np.testing.assert_array_equal(a, b, err_msg="it moves: it has a derivative")


@pytest.mark.parametrize("primitive", registry.values(), ids=lambda p: p.name)
def test_every_formula_is_tested(primitive):
    """An operand with a formula is an array of floating or complex numbers in some sample."""
    for i, rule in enumerate(primitive.vjp if isinstance(primitive.vjp, tuple) else ()):
        if not isinstance(rule, Zero | NotDifferentiable):
            assert kinds(primitive, i) & set("fc"), f"no sample differentiates operand {primitive.operands[i]}"


# Batches. Every law compares with a loop over examples, which are the same sample from different seeds.


def in_batches(primitive, code, size=3):
    """For each sample: a function of its array operands, those operands example by example, and which are inexact."""
    seeds = [list(primitive.samples(Draw(code, seed=k))) for k in range(size)]
    for same_sample in zip(*seeds, strict=True):
        first = same_sample[0]
        places = [i for i, a in enumerate(first.args) if isinstance(a, np.ndarray)]

        def f(*xs, first=first, places=places):
            full = list(first.args)
            for i, x in zip(places, xs, strict=True):
                full[i] = x
            return primitive(*full, **first.params)

        columns = [[s.args[i] for s in same_sample] for i in places]
        for column in columns:
            if column[0].dtype.kind in "biu" and column[0].ndim:  # these do not depend on the seed
                column[:] = [np.roll(a, k, -1) for k, a in enumerate(column)]
        if places:
            yield f, columns, tuple(c[0].dtype.kind in "fc" for c in columns)


def subsets(n):
    """All operands batched together, and each alone."""
    yield (True,) * n
    if n > 1:
        for i in range(n):
            yield tuple(i == j for j in range(n))


def mixed(columns, mask, axis=0):
    """Arguments of the batched function, and in_axes."""
    args = [np.stack(c, axis) if m else c[0] for c, m in zip(columns, mask, strict=True)]
    return args, tuple(axis if m else None for m in mask)


def examples(columns, mask):
    return list(zip(*[c if m else [c[0]] * len(c) for c, m in zip(columns, mask, strict=True)], strict=True))


def parts(out):
    return out if isinstance(out, tuple) else (out,)


def stacked(outs, axis=0):
    return tuple(np.stack([np.asarray(x) for x in column], axis) for column in zip(*map(parts, outs), strict=True))


def near(found, expected):
    """Equal, up to what the order of a sum does; and of the same dtype and shape."""
    for x, y in zip(parts(found), expected, strict=True):
        x = np.asarray(x)
        assert x.dtype == y.dtype and x.shape == y.shape
        if x.dtype.kind in "fc" and x.size:
            eps = np.finfo(x.dtype).eps
            bound = 1000 * eps * (1 + np.max(np.abs(y), where=np.isfinite(y), initial=0))
            np.testing.assert_allclose(x, y, rtol=1000 * eps, atol=bound)
        else:
            np.testing.assert_array_equal(x, y)


@pytest.mark.parametrize("primitive", registry.values(), ids=lambda p: p.name)
def test_batching_rule_or_exemption(primitive):
    assert (primitive.batch is None) == (primitive.name in WITHOUT_BATCHING_RULE)


@pytest.mark.parametrize("primitive, code", CASES)
def test_vmap_is_a_loop(primitive, code):
    for f, columns, _ in in_batches(primitive, code):
        for mask in subsets(len(columns)):
            expected = stacked([f(*xs) for xs in examples(columns, mask)])
            for axis in (0, -1):
                args, axes = mixed(columns, mask, axis)
                near(fg.vmap(f, axes)(*args), expected)
            none = [a[:0] if m else a for a, m in zip(mixed(columns, mask)[0], mask, strict=True)]
            for out, y in zip(parts(fg.vmap(f, tuple(0 if m else None for m in mask))(*none)), expected, strict=True):
                assert out.shape == (0, *y.shape[1:]) and out.dtype == y.dtype


@pytest.mark.no_cover
@pytest.mark.parametrize("primitive", REAL)
def test_vmap_of_vmap(primitive):
    for f, columns, _ in in_batches(primitive, "d", 4):
        mask = (True,) * len(columns)
        expected = [e.reshape((2, 2, *e.shape[1:])) for e in stacked([f(*xs) for xs in zip(*columns, strict=True)])]
        args = [a.reshape((2, 2, *a.shape[1:])) for a in mixed(columns, mask)[0]]
        near(fg.vmap(fg.vmap(f))(*args), expected)
        near(fg.vmap(fg.vmap(f), in_axes=1, out_axes=1)(*args), expected)
        for k in range(1, len(args)):  # the operands of two batches that cross
            crossed = [columns[i][:2] if i < k else columns[i][2:] for i in range(len(args))]
            outer, inner = (tuple(0 if (i < k) == b else None for i in range(len(args))) for b in (True, False))
            table = [[f(*[c[i] if j < k else c[n] for j, c in enumerate(crossed)]) for n in range(2)] for i in range(2)]
            near(
                fg.vmap(fg.vmap(f, inner), outer)(*[np.stack(c) for c in crossed]),
                stacked([stacked(row) for row in table]),
            )


@pytest.mark.no_cover
@pytest.mark.parametrize("primitive", REAL)
def test_derivatives_of_batches(primitive):
    """vmap of vjp, vjp of vmap, vmap of jvp, jvp of vmap: each is a loop over examples."""
    if not differentiates(primitive):
        pytest.skip("no derivative, by statement")
    for k, (f, columns, inexact) in enumerate(in_batches(primitive, "d")):
        if not any(inexact):
            continue
        draw = Draw("d", seed=k)
        whole = [i for i, x in enumerate(inexact) if not x]

        def split(xs):
            return [x for x, e in zip(xs, inexact, strict=True) if e]

        def pulled(xs, g, f=f, inexact=inexact):
            return fg.vjp(closed(f, xs, inexact), *split(xs))[1](g)

        def pushed(xs, ts, f=f, inexact=inexact):
            return fg.jvp(closed(f, xs, inexact), tuple(split(xs)), tuple(ts))[1]

        for mask in subsets(len(columns)):
            if whole and not any(split(mask)):
                continue
            loop = examples(columns, mask)
            args, axes = mixed(columns, mask)
            outs = [parts(f(*xs)) for xs in loop]
            gs = [tuple(random_like(draw, o) for o in out) for out in outs]
            g_all = tuple(np.stack(column) for column in zip(*gs, strict=True))
            if not primitive.multiple:
                gs, g_all = [g[0] for g in gs], g_all[0]
            ts = [[draw(*x.shape) for x in split(xs)] for xs in loop]
            t_all = [np.stack(c) if m else c[0] for c, m in zip(zip(*ts, strict=True), split(mask), strict=True)]
            ts = [[t if m else t_all[i] for i, (t, m) in enumerate(zip(row, split(mask), strict=True))] for row in ts]
            back = stacked([pulled(xs, g) for xs, g in zip(loop, gs, strict=True)])
            forth = stacked([pushed(xs, t) for xs, t in zip(loop, ts, strict=True)])

            near(fg.vmap(pulled, (axes, 0))(tuple(args), g_all), back)
            batched = fg.vmap(f, axes)
            total = [b if m else b.sum(0) for b, m in zip(back, split(mask), strict=True)]
            near(fg.vjp(closed(batched, args, inexact), *split(args))[1](g_all), total)
            near(fg.vmap(pushed, (axes, [0 if m else None for m in split(mask)]))(tuple(args), t_all), forth)
            near(fg.jvp(closed(batched, args, inexact), tuple(split(args)), tuple(t_all))[1], forth)


def closed(f, xs, inexact):
    """f as a function of its inexact operands."""

    def g(*ys):
        ys = iter(ys)
        return f(*[next(ys) if e else x for x, e in zip(xs, inexact, strict=True)])

    return g


def random_like(draw, x):
    """A cotangent for a result; that of an integer is of no dtype."""
    if x.dtype.kind not in "fc":
        return np.zeros(x.shape, fg.float0)
    return draw(*x.shape).astype(x.dtype)


@pytest.mark.parametrize("primitive", REAL)
def test_cost_of_a_batch_in_calls(primitive):
    """A batching rule carries out as many operations for five examples as for two."""
    if primitive.batch is None:
        pytest.skip("example by example")
    for f, columns, _ in in_batches(primitive, "d", 5):
        for mask in subsets(len(columns)):
            args, axes = mixed(columns, mask)
            large = fg.make_tape(fg.vmap(f, axes))(*args)
            near(large(*args), stacked([f(*xs) for xs in examples(columns, mask)]))
            few = [a[:2] if m else a for a, m in zip(args, mask, strict=True)]
            assert len(large.equations) == len(fg.make_tape(fg.vmap(f, axes))(*few).equations)
