"""Programs as users of JAX write them: they give what they give with JAX, compiled and uncompiled.

Each takes `jit` and returns a pytree, which is compared by two sums over all its numbers. RECORDED was computed by the
same functions with JAX 0.10 in double precision: `jax` in the place of `funcgrad` in the imports.
"""

import itertools
from functools import partial

import numpy as np
import pytest

import funcgrad as fg
import funcgrad.numpy as fnp
import funcgrad.scipy as fsp
import funcgrad.scipy.linalg
import funcgrad.scipy.optimize
import funcgrad.scipy.sparse.linalg
import funcgrad.scipy.special
import funcgrad.scipy.stats
from funcgrad import lax, random
from funcgrad.scipy.integrate import odeint

pytestmark = pytest.mark.no_cover

expit, logsumexp = fsp.special.expit, fsp.special.logsumexp
SCRIPTS = {}


def script(f):
    SCRIPTS[f.__name__] = f
    return f


def normal(seed, *shape):
    return random.normal(random.key(seed), shape)


def layers(sizes):
    return [{"w": normal(n, *s) / np.sqrt(s[0]), "b": fnp.zeros(s[1])} for n, s in enumerate(itertools.pairwise(sizes))]


def predict(params, x):
    for layer in params[:-1]:
        x = fnp.tanh(x @ layer["w"] + layer["b"])
    return x @ params[-1]["w"] + params[-1]["b"]


@script
def momentum_in_a_scan(jit):
    x = normal(10, 64, 5)
    y = fnp.sin(x[:, 0])

    def loss(params, x, y):
        return fnp.mean((predict(params, x)[:, 0] - y) ** 2)

    def step(carry, key):
        params, m = carry
        idx = random.choice(key, 64, (16,), replace=False)
        value, g = fg.value_and_grad(loss)(params, x[idx], y[idx])
        m = fg.tree.map(lambda m, g: 0.9 * m + g, m, g)
        return (fg.tree.map(lambda p, m: p - 0.05 * m, params, m), m), value

    start = layers([5, 8, 8, 1])
    zeros = fg.tree.map(fnp.zeros_like, start)
    return jit(lambda s, z: lax.scan(step, (s, z), random.split(random.key(1), 20)))(start, zeros)


@script
def adam_on_softmax_regression(jit):
    x = normal(0, 50, 6)
    labels = fnp.argmax(x @ normal(1, 6, 3), axis=1)

    def loss(p):
        logits = x @ p["w"] + p["b"]
        logp = logits - logsumexp(logits, axis=1, keepdims=True)
        decay = sum([fnp.vdot(v, v) for v in fg.tree.leaves(p)])
        return -fnp.mean(fnp.take_along_axis(logp, labels[:, None], axis=1)) + 1e-3 * decay

    @jit
    def step(p, state):
        t, m, v = state
        value, g = fg.value_and_grad(loss)(p)
        t = t + 1
        m = fg.tree.map(lambda m, g: 0.9 * m + 0.1 * g, m, g)
        v = fg.tree.map(lambda v, g: 0.999 * v + 0.001 * g * g, v, g)
        update = fg.tree.map(lambda m, v: m / (1 - 0.9**t) / (fnp.sqrt(v / (1 - 0.999**t)) + 1e-8), m, v)
        return fg.tree.map(lambda p, u: p - 0.05 * u, p, update), (t, m, v), value

    p = {"w": fnp.zeros((6, 3)), "b": fnp.zeros(3)}
    zeros = fg.tree.map(fnp.zeros_like, p)
    state, values = (0, zeros, zeros), []
    for _ in range(15):
        p, state, value = step(p, state)
        values.append(value)
    return p, state, fnp.stack(values)


@script
def hamiltonian_monte_carlo(jit):
    def logp(q):
        return -0.5 * fnp.sum(q**2 / fnp.array([1.0, 4.0, 0.25])) - 0.1 * fnp.sum(q**4)

    def leapfrog(_, state):
        q, p = state
        p = p + 0.1 * fg.grad(logp)(q)
        q = q + 0.2 * p
        return q, p + 0.1 * fg.grad(logp)(q)

    def step(carry, key):
        q, accepted = carry
        first, second = random.split(key)
        p = random.normal(first, q.shape)
        q_new, p_new = lax.fori_loop(0, 5, leapfrog, (q, p))
        change = logp(q_new) - 0.5 * p_new @ p_new - logp(q) + 0.5 * p @ p
        accept = fnp.log(random.uniform(second)) < change
        q = fnp.where(accept, q_new, q)
        return (q, accepted + accept), q

    def chain(key, start):
        return lax.scan(step, (start, 0), random.split(key, 15))

    return jit(fg.vmap(chain))(random.split(random.key(8), 3), fnp.zeros((3, 3)))


@script
def kalman_filter(jit):
    transition, observe = fnp.array([[1.0, 0.1], [0.0, 1.0]]), fnp.array([[1.0, 0.0]])
    zs = fnp.cumsum(normal(1, 12, 1) * 0.3, axis=0)

    def negative_log_likelihood(theta):
        q, r = fnp.exp(theta)

        def step(carry, z):
            m, cov = carry
            m, cov = transition @ m, transition @ cov @ transition.T + q * fnp.eye(2)
            s = observe @ cov @ observe.T + r * fnp.eye(1)
            gain, e = fnp.linalg.solve(s, observe @ cov).T, z - observe @ m
            value = 0.5 * (e @ fnp.linalg.solve(s, e) + fnp.linalg.slogdet(2 * fnp.pi * s)[1])
            return (m + gain @ e, (fnp.eye(2) - gain @ observe) @ cov), (m, value)

        ms, values = lax.scan(step, (fnp.zeros(2), fnp.eye(2)), zs)[1]
        return values.sum(), ms

    theta = fnp.array([-1.0, -2.0])
    value = jit(fg.value_and_grad(negative_log_likelihood, has_aux=True))(theta)
    return value, jit(fg.hessian(lambda t: negative_log_likelihood(t)[0]))(theta)


@script
def lstm(jit):
    def cell(p, carry, x):
        h, s = carry
        i, f, g, o = fnp.split(x @ p["wx"] + h @ p["wh"] + p["b"], 4, axis=-1)
        s = expit(f + 1) * s + expit(i) * fnp.tanh(g)
        h = expit(o) * fnp.tanh(s)
        return (h, s), h

    def loss(p, xs, ys):
        start = (fnp.zeros((xs.shape[0], 4)), fnp.zeros((xs.shape[0], 4)))
        hs = lax.scan(partial(cell, p), start, fnp.swapaxes(xs, 0, 1))[1]
        return fnp.mean(((hs @ p["out"])[..., 0].T - ys) ** 2)

    p = {"wx": normal(0, 3, 16), "wh": normal(1, 4, 16), "b": fnp.zeros(16), "out": normal(2, 4, 1)}
    xs = normal(3, 5, 7, 3)
    return jit(fg.value_and_grad(loss))(p, xs, fnp.cumsum(xs[..., 0], axis=1))


@script
def gru_in_both_directions(jit):
    w, u = normal(0, 3, 4, 5) * 0.3, normal(1, 3, 5, 5) * 0.3

    def states(w, u, xs, reverse):
        def cell(h, x):
            z, r = expit(x @ w[0] + h @ u[0]), expit(x @ w[1] + h @ u[1])
            h = (1 - z) * fnp.tanh(x @ w[2] + (r * h) @ u[2]) + z * h
            return h, h

        return lax.scan(cell, fnp.zeros(5), xs, reverse=reverse)[1]

    def loss(w, u, xs):
        both = [states(w, u, xs, reverse) for reverse in (False, True)]
        return fnp.sum(fnp.concatenate(both, axis=-1) ** 2)

    return jit(fg.grad(loss, (0, 1)))(w, u, normal(2, 6, 4))


@script
def transformer_block(jit):
    width, heads, length, words = 8, 2, 5, 7
    shapes = {"emb": (words, 8), "pos": (length, 8), "qkv": (8, 24), "o": (8, 8), "w1": (8, 16), "w2": (16, 8)}
    p = {name: normal(n, *shape) * 0.3 for n, (name, shape) in enumerate(shapes.items())} | {"g": fnp.ones(width)}
    tokens = random.randint(random.key(9), (3, length), 0, words)

    def norm(x, g):
        return (x - x.mean(-1, keepdims=True)) * lax.rsqrt(fnp.var(x, axis=-1, keepdims=True) + 1e-5) * g

    def gelu(x):
        return 0.5 * x * (1 + fnp.tanh(np.sqrt(2 / np.pi) * (x + 0.044715 * x**3)))

    def loss(p):
        x = p["emb"][tokens] + p["pos"]
        q, k, v = fnp.split(norm(x, p["g"]) @ p["qkv"], 3, axis=-1)
        q, k, v = (a.reshape(3, length, heads, -1).transpose(0, 2, 1, 3) for a in (q, k, v))
        scores = fnp.einsum("bhqd,bhkd->bhqk", q, k) / np.sqrt(width // heads)
        scores = fnp.where(fnp.tril(fnp.ones((length, length), dtype=bool)), scores, -1e30)
        weights = fnp.exp(scores - logsumexp(scores, axis=-1, keepdims=True))
        x = x + fnp.einsum("bhqk,bhkd->bhqd", weights, v).transpose(0, 2, 1, 3).reshape(3, length, -1) @ p["o"]
        x = x + gelu(norm(x, p["g"]) @ p["w1"]) @ p["w2"]
        logits = x[:, :-1] @ p["emb"].T
        picked = fnp.take_along_axis(logits, tokens[:, 1:, None], axis=-1)[..., 0]
        return fnp.mean(logsumexp(logits, axis=-1) - picked)

    return jit(fg.value_and_grad(loss))(p), jit(fg.grad(fg.checkpoint(loss)))(p)


@script
def variational_autoencoder(jit):
    x = (random.uniform(random.key(0), (10, 6)) < 0.3) * 1.0

    def bound(p, key, x):
        mu, logvar = fnp.split(x @ p["enc"], 2)
        z = mu + fnp.exp(0.5 * logvar) * random.normal(key, mu.shape)
        likelihood = -fnp.sum(fnp.logaddexp(0.0, fnp.where(x == 1, -1.0, 1.0) * (z @ p["dec"])))
        return likelihood + 0.5 * fnp.sum(1 + logvar - mu**2 - fnp.exp(logvar))

    def loss(p, key):
        return -fnp.mean(fg.vmap(bound, (None, 0, 0))(p, random.split(key, 10), x))

    p = {"enc": normal(1, 6, 4) * 0.1, "dec": normal(2, 2, 6) * 0.1}
    step = jit(lambda p, key: fg.tree.map(lambda a, g: a - 0.1 * g, p, fg.grad(loss)(p, key)))
    for n in range(4):
        p = step(p, random.fold_in(random.key(5), n))
    return p


@script
def gaussian_process(jit):
    x = fnp.linspace(-3, 3, 12)
    y = fnp.sin(x) + 0.1 * normal(0, 12)

    def kernel(t, a, b):
        return t["s"] ** 2 * fnp.exp(-0.5 * (a[:, None] - b[None, :]) ** 2 / t["l"] ** 2)

    def negative_log_likelihood(t):
        chol = fnp.linalg.cholesky(kernel(t, x, x) + t["n"] ** 2 * fnp.eye(len(x)))
        a = fsp.linalg.solve_triangular(chol, y, lower=True)
        return 0.5 * a @ a + fnp.sum(fnp.log(fnp.diag(chol)))

    def predicted(t, xs):
        factor = fsp.linalg.cho_factor(kernel(t, x, x) + t["n"] ** 2 * fnp.eye(len(x)), lower=True)
        across = kernel(t, xs, x)
        covariance = kernel(t, xs, xs) - across @ fsp.linalg.cho_solve(factor, across.T)
        return across @ fsp.linalg.cho_solve(factor, y), fnp.diag(covariance)

    t, xs = {"s": 1.0, "l": 0.8, "n": 0.2}, fnp.linspace(-4, 4, 5)
    tests = jit(fg.jacfwd(lambda t: predicted(t, xs)))(t)
    return jit(fg.value_and_grad(negative_log_likelihood))(t), jit(fg.hessian(negative_log_likelihood))(t), tests


@script
def newton_with_an_implicit_derivative(jit):
    def solve(f, x):
        def unfinished(s):
            return (fnp.abs(f(s[0])) > 1e-12) & (s[1] < 50)

        return lax.while_loop(unfinished, lambda s: (s[0] - f(s[0]) / fg.grad(f)(s[0]), s[1] + 1), (x, 0))[0]

    def root(a):
        return lax.custom_root(lambda x: x**3 - a * x - 2.0, 1.5, solve, lambda g, y: y / g(1.0))

    a = fnp.array([0.5, 1.0, 2.0])
    return jit(fg.vmap(root))(a), jit(fg.vmap(fg.grad(root)))(a), jit(fg.grad(fg.grad(root)))(1.0)


@script
def minimised_by_bfgs(jit):
    x = normal(0, 20, 3)
    y = x @ fnp.array([1.0, -1.0, 0.5]) + 0.3 * normal(1, 20)

    def f(w):
        return fnp.mean(fnp.log(fnp.cosh(x @ w - y))) + 0.01 * w @ w

    w = jit(lambda w: fsp.optimize.minimize(f, w, method="BFGS").x)(fnp.zeros(3))
    return fnp.round(w, 3), fnp.round(fnp.linalg.inv(jit(fg.hessian(f))(w)), 1)


@script
def ordinary_differential_equation(jit):
    def rate(y, t, a, b):
        return fnp.stack([a * y[0] - b * y[0] * y[1], b * y[0] * y[1] - y[1]])

    def last(a, b):
        return fnp.sum(odeint(rate, fnp.array([1.0, 0.5]), fnp.linspace(0.0, 2.0, 5), a, b, rtol=1e-9, atol=1e-9)[-1])

    return jit(last)(1.1, 0.4), fg.tree.map(lambda g: fnp.round(g, 5), jit(fg.grad(last, (0, 1)))(1.1, 0.4))


@script
def heat_on_a_grid(jit):
    def step(i, u):
        inside = u[2:, 1:-1] + u[:-2, 1:-1] + u[1:-1, 2:] + u[1:-1, :-2] - 4 * u[1:-1, 1:-1]
        u = u + 0.2 * fnp.zeros_like(u).at[1:-1, 1:-1].set(inside)
        return u.at[0, :].set(u[1, :]).at[:, 0].set(0.0).at[-1].add(0.01 * i)

    def run(u):
        return lax.fori_loop(0, 10, step, u)

    u = fnp.zeros((8, 8)).at[3:5, 3:5].set(1.0)
    tangent = jit(lambda u: fg.jvp(run, (u,), (u + 1,)))(u)
    return tangent, jit(fg.grad(lambda u: fnp.sum(run(u)[2:5] ** 2)))(u)


@script
def spectral_burgers(jit):
    k = fnp.fft.fftfreq(16, 1 / 16)

    def step(u, _):
        slope = fnp.fft.ifft(1j * k * fnp.fft.fft(u)).real
        return fnp.fft.ifft(fnp.exp(-0.01 * k**2) * fnp.fft.fft(u - 0.01 * u * slope)).real, None

    def run(u):
        return lax.scan(step, u, None, length=8)[0]

    u = fnp.sin(2 * fnp.pi * fnp.arange(16) / 16)
    return jit(run)(u), jit(fg.grad(lambda u: fnp.sum(run(u) ** 3)))(u)


@script
def lagrangian_of_a_double_pendulum(jit):
    def lagrangian(q, v):
        kinetic = v[0] ** 2 + 0.5 * v[1] ** 2 + v[0] * v[1] * fnp.cos(q[0] - q[1])
        return kinetic + 2 * 9.8 * fnp.cos(q[0]) + 9.8 * fnp.cos(q[1])

    def acceleration(q, v):
        mass = fg.hessian(lagrangian, 1)(q, v)
        force = fg.grad(lagrangian)(q, v) - fg.jacrev(fg.grad(lagrangian, 1))(q, v) @ v
        return fnp.linalg.inv(mass) @ force

    def step(state, _):
        q, v = state
        return (q + 0.01 * v, v + 0.01 * acceleration(q, v)), q

    start = (fnp.array([1.3, 2.3]), fnp.zeros(2))
    return jit(lambda: lax.scan(step, start, None, length=10))()


@script
def bodies_in_gravity(jit):
    mass = fnp.arange(1.0, 5.0)
    i, j = np.triu_indices(4, 1)

    def potential(x):
        square = fnp.sum((x[:, None] - x[None]) ** 2, -1) + 0.01
        return -fnp.sum(mass[i] * mass[j] / fnp.sqrt(square[i, j]))

    def step(state, _):
        x, v = state
        v = v - 0.001 * fg.grad(potential)(x) / mass[:, None]
        return (x + 0.001 * v, v), potential(x)

    def run(x):
        return lax.scan(step, (x, fnp.zeros_like(x)), None, length=8)

    x = normal(0, 4, 3)
    return jit(run)(x), jit(fg.grad(lambda x: run(x)[1][-1]))(x)


@script
def learning_to_learn(jit):
    def error(p, x, y):
        return fnp.mean((predict(p, x[:, None])[:, 0] - y) ** 2)

    def adapted(p, x1, y1, x2, y2):
        return error(fg.tree.map(lambda a, g: a - 0.1 * g, p, fg.grad(error)(p, x1, y1)), x2, y2)

    x = random.uniform(random.key(3), (4, 10), minval=-3, maxval=3)
    y = fnp.arange(1.0, 5.0)[:, None] * fnp.sin(x)

    def loss(p):
        return fnp.mean(fg.vmap(partial(adapted, p))(x[:, :5], y[:, :5], x[:, 5:], y[:, 5:]))

    return jit(fg.value_and_grad(loss))(layers([1, 6, 1]))


@script
def influence_functions(jit):
    x = normal(0, 20, 4)
    y = (x @ fnp.array([1.0, -2.0, 0.5, 0.0]) > 0).astype(float)

    def loss(w, x, y):
        return fnp.logaddexp(0.0, x @ w) - y * (x @ w) + 0.05 * w @ w

    def total(w):
        return fnp.mean(fg.vmap(loss, (None, 0, 0))(w, x, y))

    newton = jit(lambda w: w - fnp.linalg.solve(fg.hessian(total)(w), fg.grad(total)(w)))
    w = newton(newton(newton(fnp.zeros(4))))
    each = jit(fg.vmap(fg.grad(loss), (None, 0, 0)))(w, x, y)
    influence = jit(lambda v: fsp.sparse.linalg.cg(lambda u: fg.jvp(fg.grad(total), (w,), (u,))[1], v, tol=1e-12)[0])
    return w, each, each @ influence(each[0])


@script
def clipped_gradients_of_each_example(jit):
    x, labels = normal(0, 8, 5), fnp.arange(8) % 3

    def loss(p, x, label):
        logits = x @ p["w"] + p["b"]
        return logsumexp(logits) - logits[label]

    def clipped(p, x, label):
        leaves, structure = fg.tree.flatten(fg.grad(loss)(p, x, label))
        size = fnp.linalg.norm(fnp.concatenate([g.ravel() for g in leaves]))
        return structure.unflatten([g / fnp.maximum(size, 1.0) for g in leaves]), size

    return jit(fg.vmap(clipped, (None, 0, 0)))({"w": normal(1, 5, 3), "b": fnp.zeros(3)}, x, labels)


@script
def arm_kinematics(jit):
    def rotation(a):
        return fnp.array([[fnp.cos(a), -fnp.sin(a), 0.0], [fnp.sin(a), fnp.cos(a), 0.0], [0.0, 0.0, 1.0]])

    def hand(q):
        pose = fnp.eye(3)
        for k, length in enumerate([1.0, 0.8, 0.5]):
            pose = pose @ rotation(q[k]) @ fnp.eye(3).at[0, 2].set(length)
        return pose[:2, 2]

    def reach(q, target):
        return lax.fori_loop(0, 5, lambda _, q: q + fnp.linalg.pinv(fg.jacfwd(hand)(q)) @ (target - hand(q)), q)

    q = fnp.array([0.3, -0.4, 0.9])
    return jit(fg.jacrev(hand))(q), jit(fg.jacfwd(fg.jacrev(hand)))(q), jit(reach)(q, fnp.array([1.0, 1.2]))


@script
def laplace_approximation(jit):
    x = normal(0, 30, 3)
    y = (random.uniform(random.key(1), (30,)) < expit(x @ fnp.array([1.0, -1.0, 0.5]))) * 1

    def energy(w):
        likelihood = fsp.stats.bernoulli.logpmf(y, expit(x @ w)).sum()
        return -likelihood - fsp.stats.norm.logpdf(w, 0.0, 2.0).sum()

    @jit
    def newton(w):
        return w - fnp.linalg.solve(fg.hessian(energy)(w), fg.grad(energy)(w))

    w = fnp.zeros(3)
    for _ in range(6):
        w = newton(w)
    h = jit(fg.hessian(energy))(w)
    return w, fnp.linalg.inv(h), -energy(w) - 0.5 * fnp.linalg.slogdet(h)[1]


@script
def bootstrap(jit):
    x = random.gamma(random.key(0), 2.0, (40,))

    def statistics(key):
        sample = x[random.randint(key, (40,), 0, 40)]
        spread = [fnp.std(sample, ddof=1), fnp.percentile(sample, 90)]
        return fnp.array([fnp.mean(sample), fnp.median(sample), *spread])

    found = jit(fg.vmap(statistics))(random.split(random.key(1), 10))
    return found, fnp.quantile(found, fnp.array([0.05, 0.95]), axis=0)


@script
def best_paths(jit):
    score, seen = normal(0, 4, 4), normal(1, 9, 4)

    def forward(d, o):
        s = d[:, None] + score
        return fnp.max(s, 0) + o, fnp.argmax(s, 0)

    def edits(a, b):
        def row(above, x):
            def cell(left, given):
                diagonal, up, y = given
                least = fnp.minimum(fnp.minimum(left, up) + 1, diagonal + (x != y))
                return least, least

            first = above[0] + 1
            return fnp.concatenate([first[None], lax.scan(cell, first, (above[:-1], above[1:], b))[1]]), None

        return lax.scan(row, fnp.arange(len(b) + 1), a)[0][-1]

    def viterbi(seen):
        last, back = lax.scan(forward, seen[0], seen[1:])
        return last, lax.scan(lambda s, b: (b[s], s), fnp.argmax(last), back, reverse=True)

    gradient = jit(fg.grad(lambda seen: fnp.max(viterbi(seen)[0])))
    return jit(viterbi)(seen), gradient(seen), jit(edits)(fnp.array([1, 2, 3, 4, 2]), fnp.array([2, 3, 1, 4]))


@script
def conditional_random_field(jit):
    score, seen = normal(0, 3, 3), normal(1, 8, 3)
    y = random.randint(random.key(2), (8,), 0, 3)

    def partition(score, seen):
        def step(a, e):
            return logsumexp(a[:, None] + score, axis=0) + e, None

        return logsumexp(lax.scan(step, seen[0], seen[1:])[0])

    def in_parallel(score, seen):
        product = fg.vmap(lambda p, q: logsumexp(p[:, :, None] + q[None], axis=1))
        return logsumexp(seen[0][:, None] + lax.associative_scan(product, score[None] + seen[1:, None, :])[-1])

    def loss(score, seen):
        return partition(score, seen) - seen[fnp.arange(8), y].sum() - score[y[:-1], y[1:]].sum()

    return jit(fg.value_and_grad(loss, (0, 1)))(score, seen), jit(fg.value_and_grad(in_parallel))(score, seen)


@script
def normalising_flow(jit):
    def forward(p, x):
        x = x @ (fnp.eye(4) + fnp.tril(p["w"], -1)).T * fnp.exp(p["s"])
        return fnp.concatenate([x[:2], x[2:] * fnp.exp(fnp.tanh(x[:2] @ p["c"])) + x[:2] ** 2])

    def logp(p, x):
        return fsp.stats.norm.logpdf(forward(p, x)).sum() + fnp.linalg.slogdet(fg.jacfwd(forward, 1)(p, x))[1]

    p = {"w": normal(0, 4, 4) * 0.5, "s": fnp.ones(4) * 0.1, "c": normal(1, 2, 2)}
    return jit(fg.value_and_grad(lambda p: -fnp.mean(fg.vmap(partial(logp, p))(normal(2, 6, 4)))))(p)


@script
def contrastive_loss(jit):
    def loss(a, b):
        a, b = (v / fnp.linalg.norm(v, axis=1, keepdims=True) for v in (a, b))
        s, n = a @ b.T / 0.2, fnp.arange(6)
        across = fnp.mean(logsumexp(s, axis=0) - fnp.diagonal(s))
        return 0.5 * (fnp.mean(logsumexp(s, axis=1) - s[n, n]) + across)

    return jit(fg.value_and_grad(loss, (0, 1)))(normal(0, 6, 4), normal(1, 6, 4))


@script
def quantile_regression(jit):
    x = normal(0, 40, 3)
    y = x @ fnp.array([1.0, 2.0, 3.0]) + random.laplace(random.key(1), (40,))

    def pinball(w, tau):
        e = y - x @ w
        return fnp.mean(fnp.maximum(tau * e, (tau - 1) * e))

    def fit(tau):
        def step(i, w):
            return w - 0.5 / fnp.sqrt(i + 1.0) * fg.grad(pinball)(w, tau)

        return lax.fori_loop(0, 20, step, fnp.zeros(3))

    taus = fnp.array([0.1, 0.5, 0.9])
    return jit(fg.vmap(fit))(taus), jit(lambda taus: lax.map(fit, taus))(taus)


@script
def expectation_maximisation(jit):
    x = fnp.concatenate([normal(0, 15, 2) - 2, normal(1, 15, 2) + 2])

    def step(carry, _):
        mu, logpi = carry
        joint = -0.5 * fnp.sum((x[:, None] - mu) ** 2, -1) + logpi
        total = logsumexp(joint, axis=1, keepdims=True)
        r = fnp.exp(joint - total)
        return (r.T @ x / r.sum(0)[:, None], fnp.log(r.sum(0) / 30)), total.sum()

    def run(mu):
        return lax.scan(step, (mu, fnp.log(fnp.ones(2) / 2)), None, length=6)

    mu = fnp.array([[-1.0, 0.0], [1.0, 0.5]])
    return jit(run)(mu), jit(fg.jacrev(lambda mu: run(mu)[0][0]))(mu)


@script
def rules_of_ones_own(jit):
    @partial(fg.custom_vjp, nondiff_argnums=(0,))
    def clip_gradient(most, x):
        return x

    clip_gradient.defvjp(lambda most, x: (x, None), lambda most, _, g: (fnp.clip(g, -most, most),))

    @fg.custom_jvp
    def softplus(x):
        return fnp.log(1.0 + fnp.exp(x))

    softplus.defjvps(lambda t, out, x: expit(x) * t)

    def f(x):
        return fnp.sum(fnp.sin(clip_gradient(0.5, x) * 3)) + fnp.sum(softplus(x))

    x = fnp.linspace(-2, 2, 7)
    descent = jit(lambda x: lax.scan(lambda x, _: (x - 0.1 * fg.grad(f)(x), f(x)), x, None, length=5))
    return descent(x), jit(fg.vmap(fg.grad(fg.grad(softplus))))(x)


@script
def deep_and_checkpointed(jit):
    @fg.checkpoint
    def layer(x, w):
        return fnp.tanh(x @ w) + x

    def in_a_scan(ws, x):
        return fnp.mean(lax.scan(lambda x, w: (layer(x, w), None), x, ws)[0] ** 2)

    def unrolled(ws, x):
        for n in range(5):
            x = fg.checkpoint(layer, policy=fg.checkpoint_policies.dots_saveable)(x, ws[n])
        return fnp.mean(x**2)

    ws, x = normal(0, 5, 4, 4) * 0.4, normal(1, 3, 4)
    return jit(fg.value_and_grad(in_a_scan))(ws, x), jit(fg.grad(unrolled))(ws, x)


@script
def sinkhorn(jit):
    a, b = fnp.ones(4) / 4, fnp.array([0.2, 0.5, 0.3])

    def cost(x, y):
        c = fnp.sum((x[:, None] - y[None]) ** 2, -1)

        def step(carry, _):
            f, g = carry
            f = 0.5 * (fnp.log(a) - logsumexp((g[None] - c) / 0.5, axis=1))
            return (f, 0.5 * (fnp.log(b) - logsumexp((f[:, None] - c) / 0.5, axis=0))), None

        f, g = lax.scan(step, (fnp.zeros(4), fnp.zeros(3)), None, length=20)[0]
        return fnp.sum(fnp.exp((f[:, None] + g[None] - c) / 0.5) * c)

    return jit(fg.value_and_grad(cost, (0, 1)))(normal(0, 4, 2), normal(1, 3, 2))


@script
def american_option(jit):
    def price(s0):
        up, down, q, rate, n = 1.05, 1 / 1.05, 0.52, 0.999, 20
        j = fnp.arange(n + 1)

        def step(i, v):
            left = n - 1 - i
            kept = rate * (q * fnp.roll(v, -1) + (1 - q) * v)
            return fnp.where(j <= left, fnp.maximum(kept, 100.0 - s0 * up**j * down ** (left - j)), v)

        return lax.fori_loop(0, n, step, fnp.maximum(100.0 - s0 * up**j * down ** (n - j), 0.0))[0]

    return jit(fg.value_and_grad(price))(97.0), jit(fg.vmap(price))(fnp.array([90.0, 110.0]))


@script
def single_precision(jit):
    x = random.normal(random.key(0), (16, 4), fnp.float32)
    y = x[:, :1] * 2 - x[:, 1:2]

    def loss(p):
        return fnp.mean(fnp.square(fnp.maximum(x @ p[0], 0) @ p[1] - y)) + 1e-4 * sum([fnp.sum(w**2) for w in p])

    @jit
    def step(p, rate=0.01):
        value, g = fg.value_and_grad(loss)(p)
        return [w - rate * gw for w, gw in zip(p, g, strict=True)], value

    p = [fnp.zeros((4, 8), fnp.float32) + 0.1, fnp.ones((8, 1), fnp.float32)]
    for _ in range(5):
        p, value = step(p)
    assert all(w.dtype == fnp.float32 for w in (*p, value))
    return p, value


RECORDED = {
    "momentum_in_a_scan": [3.587329010853933, -0.9282319079535939],
    "adam_on_softmax_regression": [25.468270584853574, -7.146290881440675],
    "hamiltonian_monte_carlo": [47.73633328433965, -30.033913147101238],
    "kalman_filter": [10.565717918429794, 15.620933488426589],
    "lstm": [3.5830640953877775, 2.775826942108196],
    "gru_in_both_directions": [-2.5635009277032164, -2.3678401093873176],
    "transformer_block": [4.409825474531022, 2.876768805000731],
    "variational_autoencoder": [-0.11684727853943913, -0.193914262156948],
    "gaussian_process": [69.60264001491838, -6.702300259810633],
    "newton_with_an_implicit_derivative": [5.425341460595676, 1.1047418699530518],
    "minimised_by_bfgs": [3.5480000000000005, 0.4652979709517934],
    "ordinary_differential_equation": [13.631929375565358, 16.876507545227412],
    "heat_on_a_grid": [62.9797127894135, 0.6458636681434962],
    "spectral_burgers": [20.456728958206398, -2.0036674149262708],
    "lagrangian_of_a_double_pendulum": [38.259040240948316, 2.201428964995379],
    "bodies_in_gravity": [-135.18673437733082, -14.213692841782535],
    "learning_to_learn": [0.9018104567321255, 1.4490862032913192],
    "influence_functions": [-0.19225394094907378, -2.7396665155230764],
    "clipped_gradients_of_each_example": [16.088800768029415, 2.0372900010453368],
    "arm_kinematics": [-5.551769829812782, -2.6449323873183728],
    "laplace_approximation": [-19.690501653128816, -18.447627301780027],
    "bootstrap": [108.3044444355213, -1.903774445372461],
    "best_paths": [94.32641037853217, 0.5233396626436085],
    "conditional_random_field": [30.05894716300605, -5.5491453569511595],
    "normalising_flow": [28.454371866040507, 36.76141085487924],
    "contrastive_loss": [2.446211836090498, -0.2693590468181734],
    "quantile_regression": [10.41750469311593, -0.5636983304899148],
    "expectation_maximisation": [-339.31286860145156, -54.808955991217786],
    "rules_of_ones_own": [22.52858440532945, -4.013310126313171],
    "deep_and_checkpointed": [23.681513791140755, 12.119624492849892],
    "sinkhorn": [2.1640154170424593, 2.5028473462419143],
    "american_option": [22.62111973472551, -0.5845382465797928],
    "single_precision": [14.196342796087265, -1.5222828032646754],
}


def digest(out):
    """Two sums over all numbers of a pytree: as they are, and with weights that tell their places."""
    numbers = [np.asarray(o, np.float64).ravel() for o in fg.tree.leaves(out)]
    flat = np.concatenate(numbers)
    return [float(flat.sum()), float(flat @ np.cos(np.arange(flat.size)))]


@pytest.mark.parametrize("jit", [fg.jit, lambda f: f], ids=["jit", "eager"])
@pytest.mark.parametrize("name", SCRIPTS)
def test_script(name, jit):
    rtol = 1e-4 if name == "single_precision" else 1e-8
    np.testing.assert_allclose(digest(SCRIPTS[name](jit)), RECORDED[name], rtol=rtol)
