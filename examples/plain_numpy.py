"""Differentiate plain NumPy programs, unchanged.

    python -m doctest -v examples/plain_numpy.py    # the story
    python examples/plain_numpy.py                  # the full work, with its picture

The four functions below know nothing of funcgrad. They use NumPy alone: its linear algebra, its Fourier transforms,
indexing, and Python's own loops and conditions. `fg.grad` and `fg.jvp` differentiate them as they are.

The period of a pendulum comes from a loop that runs until it has converged. Its gradient goes through that loop: a
longer pendulum swings more slowly, by half the period for each length of its own, and so does one that swings wider.

>>> length_and_amplitude = np.array([1.0, 2.0])
>>> print(f"{swing_period(length_and_amplitude):.4f} s")
2.6659 s
>>> by_length, by_amplitude = fg.grad(swing_period)(length_and_amplitude)
>>> print(f"{by_length:.4f} s/m, {by_amplitude:.4f} s/rad")
1.3329 s/m, 0.8813 s/rad
>>> differences = by_differences(swing_period, length_and_amplitude)
>>> bool(abs(by_amplitude - differences[1]) < 1e-8)
True

The full work compares the derivatives of all four with finite differences, and puts them to use: the parameters of a
pendulum are found from noisy measurements.
"""

import argparse
from pathlib import Path

import numpy as np

import funcgrad as fg

# Plain NumPy from here to the next heading.

GRAVITY = 9.81  # m/s²


def swing_period(length_and_amplitude):
    """The period of a pendulum that swings wide, by the arithmetic-geometric mean: a loop that converges.

    For small swings it is 2π √(length / g).

    >>> print(f"{swing_period((1.0, 1e-3)) / (2 * np.pi * np.sqrt(1 / GRAVITY)):.6f}")
    1.000000
    """
    length, amplitude = length_and_amplitude
    a, b = 1.0, np.cos(amplitude / 2)
    while abs(a - b) > 1e-12:
        a, b = (a + b) / 2, np.sqrt(a * b)
    return 2 * np.pi * np.sqrt(length / GRAVITY) / a


def pendulum(parameters, times, step=0.02):
    """The angle at some times of a damped pendulum that is let go at 1 rad, by the Runge-Kutta method.

    >>> pendulum((1.0, 0.3), np.array([0.0, 1.0, 2.0])).round(3)
    array([ 1.   , -0.832,  0.683])
    """
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
    """How a beam gives way: the work of an even load on one that rests on its two ends, by its profile of thickness.

    It falls with the third power of the thickness.

    >>> thin, thick = np.ones(12), np.full(12, 2.0)
    >>> print(f"{beam_compliance(thin) / beam_compliance(thick):.6f}")
    8.000000
    """
    n = len(thickness)
    second_difference = np.diff(np.eye(n + 2), 2, axis=0)[:, 1:-1] * (n + 1) ** 2
    stiffness = (second_difference.T * thickness**3) @ second_difference
    load = np.full(n, 1 / n)
    deflection = np.linalg.solve(stiffness, load)
    return load @ deflection


def heat_misfit(diffusivity_and_start):
    """How far a ring, hot at the start as given, is from an even temperature of one after a while: heat by FFT.

    One that is even from the start stays so.

    >>> print(f"{heat_misfit(np.array([0.05, 1.0, 1.0, 1.0, 1.0])):.6f}")
    0.000000
    """
    diffusivity, start = diffusivity_and_start[0], diffusivity_and_start[1:]
    n = len(start)
    waves = np.fft.rfft(start) * np.exp(-diffusivity * np.arange(n // 2 + 1) ** 2)
    return np.sum((np.fft.irfft(waves, n) - 1) ** 2)


# From here on funcgrad.


def by_differences(f, x):
    """The gradient by central differences.

    >>> by_differences(lambda x: x @ x, np.array([1.0, 2.0])).round(6)
    array([2., 4.])
    """
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
    """Gauss-Newton: forward mode gives the Jacobian, one column for each parameter.

    >>> times = np.linspace(0, 2, 11)
    >>> fit_pendulum(times, pendulum((0.8, 0.3), times), np.array([0.82, 0.28])).round(9)
    iteration     length, m  damping, 1/s residual, rad
            0      0.820000      0.280000      0.024891
            1      0.799852      0.302371      0.000890
            2      0.800000      0.299998      0.000001
            3      0.800000      0.300000      0.000000
            4      0.800000      0.300000      0.000000
            5      0.800000      0.300000      0.000000
    array([0.8, 0.3])
    """

    def residuals(p):
        return pendulum(p, times) - angles

    print(f"{'iteration':>9}{'length, m':>14}{'damping, 1/s':>14}{'residual, rad':>14}")
    p = guess
    for iteration in range(6):
        columns = [fg.jvp(residuals, (p,), (e,)) for e in np.eye(len(p))]
        r, jacobian = columns[0][0], np.stack([column for _, column in columns], axis=1)
        rms = np.sqrt(np.mean(r**2))
        print(f"{iteration:>9}{p[0]:>14.6f}{p[1]:>14.6f}{rms:>14.6f}")
        p = p - np.linalg.solve(jacobian.T @ jacobian, jacobian.T @ r)
    return np.asarray(p)


def draw(path, times, angles, guess, found):
    """The measurements, and the swing before and after the fit.

    Returns:
        What there is to say of it: where the picture is, or what would be needed for it.
    """
    try:
        import matplotlib

        matplotlib.use("Agg")  # draw into a file, also where there is no screen
        import matplotlib.pyplot as plt
    except ImportError:
        return "none: pip install 'funcgrad[examples]'"
    fine = np.linspace(0, times[-1], 400)
    figure, axes = plt.subplots(figsize=(8, 3.6), layout="constrained")
    axes.plot(times, angles, "o", color="black", markersize=3, label="measured")
    axes.plot(fine, pendulum(guess, fine), color="tab:gray", linestyle="--", label="first guess")
    axes.plot(fine, pendulum(found, fine), color="tab:blue", label="fitted")
    axes.set(xlabel="time, s", ylabel="angle, rad")
    axes.set_title(f"a pendulum of {found[0]:.3f} m, found from its swing")
    axes.legend(loc="upper right", ncols=3)
    figure.savefig(path, dpi=90)
    return path


def main():
    parser = argparse.ArgumentParser(description="Differentiate plain NumPy programs, unchanged.")
    parser.add_argument("--out", type=Path, default=Path("plain_numpy.png"), help="where to save the picture")
    options = parser.parse_args()
    rng = np.random.default_rng(1)
    true = np.array([0.8, 0.3])
    times = np.linspace(0, 5, 41)
    angles = pendulum(true, times) + 0.01 * rng.normal(size=len(times))

    def misfit(p):
        return np.sum((pendulum(p, times) - angles) ** 2)

    print(f"{'':<18}{'inputs':>7}{'value':>12}  {'as NumPy':<8}{'grad - differ.':>16}{'jvp - grad':>16}")
    compare("swing period", swing_period, np.array([1.0, 2.0]), rng)
    compare("pendulum misfit", misfit, np.array([0.9, 0.2]), rng)
    compare("beam compliance", beam_compliance, np.linspace(1.2, 0.8, 12), rng)
    compare("heat on a ring", heat_misfit, np.r_[0.05, 1 + rng.normal(size=64)], rng)

    print("\nA pendulum's length and damping from 41 noisy angles, by Gauss-Newton:")
    guess = np.array([0.9, 0.2])
    found = fit_pendulum(times, angles, guess)
    print(f"{'found':>9}{found[0]:>14.6f}{found[1]:>14.6f}\n{'true':>9}{true[0]:>14.6f}{true[1]:>14.6f}")
    print(f"  picture {draw(options.out, times, angles, guess, found)}")


if __name__ == "__main__":
    main()
