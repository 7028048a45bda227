"""Differentiate plain NumPy programs, unchanged.

    python examples/plain_numpy.py

The four functions below know nothing of funcgrad. They use NumPy alone: its linear algebra, its Fourier transforms,
indexing, and Python's own loops and conditions. `fg.grad` and `fg.jvp` differentiate them as they are. Their
derivatives are compared with finite differences, and then put to use: the parameters of a pendulum are found from
noisy measurements.
"""

import numpy as np

import funcgrad as fg

# Plain NumPy from here to the next heading.

GRAVITY = 9.81  # m/s²


def swing_period(length_and_amplitude):
    """The period of a pendulum that swings wide, by the arithmetic-geometric mean: a loop that converges."""
    length, amplitude = length_and_amplitude
    a, b = 1.0, np.cos(amplitude / 2)
    while abs(a - b) > 1e-12:
        a, b = (a + b) / 2, np.sqrt(a * b)
    return 2 * np.pi * np.sqrt(length / GRAVITY) / a


def pendulum(parameters, times, step=0.02):
    """The angle at some times of a damped pendulum that is let go at 1 rad, by the Runge-Kutta method."""
    length, damping = parameters

    def rate(state):
        angle, speed = state
        return np.stack([speed, -GRAVITY / length * np.sin(angle) - damping * speed])

    state = np.array([1.0, 0.0])
    angles = [state[0]]
    grid = np.arange(0, times[-1] + step, step)
    for _ in grid[1:]:
        k1 = rate(state)
        k2 = rate(state + step / 2 * k1)
        k3 = rate(state + step / 2 * k2)
        k4 = rate(state + step * k3)
        state = state + step / 6 * (k1 + 2 * k2 + 2 * k3 + k4)
        angles.append(state[0])
    return np.interp(times, grid, np.stack(angles))


def beam_compliance(thickness):
    """How a beam gives way: the work of an even load on one that rests on its two ends, by its profile of thickness."""
    n = len(thickness)
    second_difference = np.diff(np.eye(n + 2), 2, axis=0)[:, 1:-1] * (n + 1) ** 2
    stiffness = (second_difference.T * thickness**3) @ second_difference
    load = np.full(n, 1 / n)
    deflection = np.linalg.solve(stiffness, load)
    return load @ deflection


def heat_misfit(diffusivity_and_start):
    """How far a ring, hot at the start as given, is from an even temperature of one after a while: heat by FFT."""
    diffusivity, start = diffusivity_and_start[0], diffusivity_and_start[1:]
    n = len(start)
    waves = np.fft.rfft(start) * np.exp(-diffusivity * np.arange(n // 2 + 1) ** 2)
    return np.sum((np.fft.irfft(waves, n) - 1) ** 2)


# From here on funcgrad.


def by_differences(f, x):
    """The gradient by central differences."""
    columns = []
    for i in range(len(x)):
        h = 6e-6 * max(abs(x[i]), 1)
        e = h * (np.arange(len(x)) == i)
        columns.append((f(x + e) - f(x - e)) / (2 * h))
    return np.array(columns)


def relative(error, scale):
    return np.linalg.norm(error) / np.linalg.norm(scale)


def compare(name, f, x, rng):
    value, gradient = fg.value_and_grad(f)(x)
    differences = by_differences(f, x)
    direction = rng.normal(size=x.shape)
    _, slope = fg.jvp(f, (x,), (direction,))
    backward = relative(gradient - differences, differences)
    forward = relative(slope - gradient @ direction, slope)
    same = "same" if float(value) == f(x) else "differs"
    print(f"{name:<18}{len(x):>7}{float(value):>12.6f}  {same:<8}{backward:>16.1e}{forward:>16.1e}")


def fit_pendulum(times, angles, guess):
    """Gauss-Newton: forward mode gives the Jacobian, one column for each parameter."""

    def residuals(p):
        return pendulum(p, times) - angles

    p = guess
    for iteration in range(6):
        columns = [fg.jvp(residuals, (p,), (e,)) for e in np.eye(len(p))]
        r, jacobian = columns[0][0], np.stack([column for _, column in columns], axis=1)
        rms = np.sqrt(np.mean(r**2))
        print(f"{iteration:>9}{p[0]:>14.6f}{p[1]:>14.6f}{rms:>14.6f}")
        p = p - np.linalg.solve(jacobian.T @ jacobian, jacobian.T @ r)
    return np.asarray(p)


def main():
    rng = np.random.default_rng(1)
    true = np.array([0.8, 0.3])
    times = np.linspace(0, 5, 41)
    angles = pendulum(true, times) + 0.01 * rng.normal(size=len(times))
    misfit = lambda p: np.sum((pendulum(p, times) - angles) ** 2)  # noqa: E731

    print(f"{'':<18}{'inputs':>7}{'value':>12}  {'as NumPy':<8}{'grad - differ.':>16}{'jvp - grad':>16}")
    compare("swing period", swing_period, np.array([1.0, 2.0]), rng)
    compare("pendulum misfit", misfit, np.array([0.9, 0.2]), rng)
    compare("beam compliance", beam_compliance, np.linspace(1.2, 0.8, 12), rng)
    compare("heat on a ring", heat_misfit, np.r_[0.05, 1 + rng.normal(size=64)], rng)

    print("\nA pendulum's length and damping from 41 noisy angles, by Gauss-Newton:")
    print(f"{'iteration':>9}{'length, m':>14}{'damping, 1/s':>14}{'residual, rad':>14}")
    found = fit_pendulum(times, angles, np.array([0.9, 0.2]))
    print(f"{'found':>9}{found[0]:>14.6f}{found[1]:>14.6f}\n{'true':>9}{true[0]:>14.6f}{true[1]:>14.6f}")


if __name__ == "__main__":
    main()
