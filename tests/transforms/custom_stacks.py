"""Ways to a derivative through several transforms: what the tests of custom rules and checkpoints run functions under.

Each takes an elementwise function of arrays and an array, and gives the elementwise first or second derivative.
"""

import numpy as np

import funcgrad as fg
import funcgrad.numpy as fnp

lax = fg.lax


def summed(f):
    return lambda x: fnp.sum(f(x))


def in_scan(f):
    """The same function as the only step of a loop."""
    return lambda x: lax.scan(lambda c, _: (f(c), None), x, None, length=1)[0]


def in_cond(f):
    return lambda x: lax.cond(fnp.sum(x) > -1e9, f, lambda x: x * 0.0, x)


def taped(f):
    """The same function by way of a tape."""
    return lambda x: fg.make_tape(f)(x)(x)


def along(f):
    """The derivative along a vector of ones, which is the derivative of an elementwise function."""
    return lambda x: fg.jvp(f, (x,), (fnp.ones_like(x),))[1]


def diagonal(jacobian):
    return lambda x: fnp.diagonal(jacobian(x))


REVERSE = {
    "grad": lambda f: fg.grad(summed(f)),
    "vmap of grad": lambda f: fg.vmap(fg.grad(f)),
    "grad of vmap": lambda f: fg.grad(summed(fg.vmap(f))),
    "jacrev": lambda f: diagonal(fg.jacrev(f)),
    "grad in a tape": lambda f: taped(fg.grad(summed(f))),
    "grad of a tape": lambda f: fg.grad(summed(taped(f))),
    "grad of a tape of vmap": lambda f: fg.grad(summed(taped(fg.vmap(f)))),
    "vmap of a tape of grad": lambda f: fg.vmap(taped(fg.grad(f))),
    "grad of checkpoint": lambda f: fg.grad(summed(fg.checkpoint(f))),
    "checkpoint of grad": lambda f: fg.checkpoint(fg.grad(summed(f))),
    "grad of checkpoint of vmap": lambda f: fg.grad(summed(fg.checkpoint(fg.vmap(f)))),
    "grad of vmap of checkpoint": lambda f: fg.grad(summed(fg.vmap(fg.checkpoint(f)))),
    "grad of named_call": lambda f: fg.grad(summed(fg.named_call(f))),
    "grad of jit": lambda f: fg.grad(summed(fg.jit(f))),
    "jit of grad": lambda f: fg.jit(fg.grad(summed(f))),
    "grad of vmap of jit": lambda f: fg.grad(summed(fg.vmap(fg.jit(f)))),
    "vmap of jit of grad": lambda f: fg.vmap(fg.jit(fg.grad(f))),
    "grad of jit of checkpoint": lambda f: fg.grad(summed(fg.jit(fg.checkpoint(f)))),
    "grad of checkpoint of jit": lambda f: fg.grad(summed(fg.checkpoint(fg.jit(f)))),
    "grad of scan": lambda f: fg.grad(summed(in_scan(f))),
    "grad of a tape of scan": lambda f: fg.grad(summed(taped(in_scan(f)))),
    "grad of vmap of scan": lambda f: fg.grad(summed(fg.vmap(in_scan(f)))),
    "grad of cond": lambda f: fg.grad(summed(in_cond(f))),
    "grad of a tape of cond": lambda f: fg.grad(summed(taped(in_cond(f)))),
}

FORWARD = {
    "jvp": along,
    "vmap of jvp": lambda f: fg.vmap(along(f)),
    "jvp of vmap": lambda f: along(fg.vmap(f)),
    "jacfwd": lambda f: diagonal(fg.jacfwd(f)),
    "linearize": lambda f: lambda x: fg.linearize(f, x)[1](fnp.ones_like(x)),
    "linearize of vmap": lambda f: lambda x: fg.linearize(fg.vmap(f), x)[1](fnp.ones_like(x)),
    "jvp in a tape": lambda f: taped(along(f)),
    "jvp of a tape": lambda f: along(taped(f)),
    "jvp of checkpoint": lambda f: along(fg.checkpoint(f)),
    "jvp of jit": lambda f: along(fg.jit(f)),
    "jit of jvp": lambda f: fg.jit(along(f)),
    "jvp of scan": lambda f: along(in_scan(f)),
    "jvp of a tape of scan": lambda f: along(taped(in_scan(f))),
}

SECOND_REVERSE = {
    "grad of grad": lambda f: fg.grad(summed(fg.grad(summed(f)))),
    "grad of vmap of grad": lambda f: fg.grad(summed(fg.vmap(fg.grad(f)))),
    "vmap of grad of grad": lambda f: fg.vmap(fg.grad(fg.grad(f))),
    "jacrev of grad": lambda f: diagonal(fg.jacrev(fg.grad(summed(f)))),
    "grad of a tape of grad": lambda f: fg.grad(summed(taped(fg.grad(summed(f))))),
    "grad of grad of checkpoint": lambda f: fg.grad(summed(fg.grad(summed(fg.checkpoint(f))))),
    "grad of checkpoint of grad": lambda f: fg.grad(summed(fg.checkpoint(fg.grad(summed(f))))),
    "grad of grad of jit": lambda f: fg.grad(summed(fg.grad(summed(fg.jit(f))))),
    "grad of jit of grad": lambda f: fg.grad(summed(fg.jit(fg.grad(summed(f))))),
    "grad of grad of scan": lambda f: fg.grad(summed(fg.grad(summed(in_scan(f))))),
}

SECOND_FORWARD = {
    "jvp of jvp": lambda f: along(along(f)),
    "jvp of grad": lambda f: along(fg.grad(summed(f))),
    "grad of jvp": lambda f: fg.grad(summed(along(f))),
    "hessian": lambda f: diagonal(fg.hessian(summed(f))),
    "vmap of hessian": lambda f: fg.vmap(fg.hessian(f)),
    "jvp of a tape of grad": lambda f: along(taped(fg.grad(summed(f)))),
    "jvp of grad of checkpoint": lambda f: along(fg.grad(summed(fg.checkpoint(f)))),
}


def check(transformed, x, expected):
    np.testing.assert_allclose(np.asarray(transformed(x)), expected, rtol=1e-12, atol=1e-14)
