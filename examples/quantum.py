"""Find the ground state of a magnet with a quantum circuit, simulated: a variational eigensolver.

    pip install 'funcgrad[examples]'
    python -m doctest -v examples/quantum.py    # the story
    python examples/quantum.py                  # the full work, with its picture

Spins in a ring want to point as their neighbours do along z, while a field h pulls all of them along x: Ising's chain,
H = -Σ Z[i] Z[i+1] - h Σ X[i]. A circuit starts with all spins along x and applies layers of two kinds of gates in turn,
exp(iγ Σ Z Z) and exp(iβ Σ X). Wanted are the angles with the least energy. The state is a complex vector of length 2ⁿ,
the energy is real, and its gradient with respect to all angles costs as much as a few energies. (A real quantum
computer needs two runs for each gate.)

>>> state = circuit(np.array([[0.3, 0.2], [0.1, 0.4]]), n=4)
>>> state.dtype, state.shape, round(float(np.sum(abs(state) ** 2)), 12)
(dtype('complex128'), (16,), 1.0)
>>> energy = lambda angles: expected_energy(angles, field=1.0, n=4)
>>> angles, one = np.array([[0.3, 0.2], [0.1, 0.4]]), np.array([[1e-6, 0.0], [0.0, 0.0]])
>>> difference = (energy(angles + one) - energy(angles - one)) / 2e-6
>>> bool(abs(fg.grad(energy)(angles)[0, 0] - difference) < 1e-6)
True

With n / 2 layers the circuit reaches the ground state of a ring of n spins exactly, with fewer it can't. The picture
shows that, and how the magnet changes with the field: the circuit's energies and magnetisations lie on those from the
diagonalisation of H, a matrix with 2ⁿ rows.

Sources: W. Ho, T. Hsieh, "Efficient variational simulation of non-trivial quantum states", SciPost Physics 6 (2019);
A. Peruzzo and others, "A variational eigenvalue solver on a photonic quantum processor" (2014).
"""

import argparse
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np
from scipy.optimize import minimize
from tqdm import tqdm

import funcgrad as fg


def bonds(n):
    """Σ Z[i] Z[i+1] for each of the 2ⁿ states in which all spins point along z, up or down.

    >>> bonds(3)
    array([ 3., -1., -1., -1., -1., -1., -1.,  3.])
    """
    up = 1 - 2.0 * (np.arange(2**n)[:, None] >> np.arange(n) & 1)
    return np.sum(up * np.roll(up, 1, axis=1), axis=1)


def turned(state, angle, n):
    """exp(i angle Σ X) of a state: the same 2 x 2 matrix on each spin.

    A quarter of a turn flips all spins, up to a phase.

    >>> turned(np.array([1.0, 0.0, 0.0, 0.0]), np.pi / 2, 2).round(6)
    array([ 0.+0.j,  0.+0.j,  0.+0.j, -1.+0.j])
    """
    gate = np.cos(angle) * np.eye(2) + 1j * np.sin(angle) * np.array([[0, 1], [1, 0]])
    for _ in range(n):
        state = (gate @ state.reshape(2, -1)).T.reshape(-1)  # the next spin comes to the front
    return state


def circuit(angles, n):
    """The state after layers with angles (layers, 2), from all spins along x."""
    state, of_bonds = np.full(2**n, 2 ** (-n / 2)), bonds(n)
    for gamma, beta in angles:
        state = turned(np.exp(1j * gamma * of_bonds) * state, beta, n)
    return state


def magnetisation(state, n):
    """The mean of Σ X: what the state has in common with the one with a spin flipped, summed over spins."""
    flipped = np.arange(2**n)[:, None] ^ (1 << np.arange(n))
    return np.sum((np.conj(state)[:, None] * state[flipped]).real)


def expected_energy(angles, field, n):
    state = circuit(angles, n)
    return -np.sum(bonds(n) * np.abs(state) ** 2) - field * magnetisation(state, n)


def ground_state(field, n):
    """The least eigenvalue of the matrix H, and its magnetisation.

    >>> energy, _ = ground_state(1.0, 6)  # at this field it is known: 2 / sin(π / 2n) below zero
    >>> print(f"{energy:.6f}, {-2 / np.sin(np.pi / 12):.6f}")
    -7.727407, -7.727407
    """
    H, states = np.diag(-bonds(n)), np.arange(2**n)
    for spin in range(n):
        H[states, states ^ (1 << spin)] -= field
    energies, vectors = np.linalg.eigh(H)
    return energies[0], magnetisation(vectors[:, 0], n)


def optimised(field, layers, n):
    """The angles of least energy that L-BFGS finds, with the energies on the way."""
    energy = fg.jit(fg.value_and_grad(lambda angles: expected_energy(angles.reshape(-1, 2), field, n)))
    ramp = (np.arange(layers) + 0.5) / layers  # slowly from one kind of gates to the other
    start = 0.5 * np.stack([ramp, 1 - ramp], axis=1).ravel()
    energies = [float(energy(start)[0])]

    def follow(intermediate_result):
        energies.append(float(intermediate_result.fun))

    options = {"maxiter": 1000, "ftol": 1e-15, "gtol": 1e-9}
    result = minimize(energy, start, jac=True, method="L-BFGS-B", callback=follow, options=options)
    return result.x.reshape(-1, 2), energies


def draw(path, n, runs, fields, found):
    figure, (left, right) = plt.subplots(1, 2, figsize=(10, 4), layout="constrained")
    exact = ground_state(1.0, n)[0]
    for layers, energies in runs.items():
        above = np.maximum(np.array(energies) - exact, 1e-14)  # rounding errors aside
        left.semilogy(above, color=plt.cm.viridis(1.8 * layers / n), label=f"{layers} layer{'s' if layers > 1 else ''}")
    left.set(xlabel="step of L-BFGS", ylabel="energy above the ground state", ylim=(3e-15, 30))
    left.set_title(f"{n} spins in a field of 1")
    left.legend()
    fine = np.linspace(fields[0], fields[-1], 100)
    energies, magnetisations = np.array([ground_state(field, n) for field in fine]).T / n
    right.plot(fine, magnetisations, color="tab:blue", label="along x, exact")
    right.plot(fields, found[:, 1] / n, "o", color="tab:blue", mfc="none", label="along x, circuit")
    right.plot(fine, energies, color="tab:red", label="energy, exact")
    right.plot(fields, found[:, 0] / n, "s", color="tab:red", mfc="none", label="energy, circuit")
    right.set(xlabel="field h", ylabel="for each spin", title=f"Ground states, by circuits of {n // 2} layers")
    right.legend()
    figure.savefig(path, dpi=90)


def main(arguments=None):
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="a smaller magnet")
    parser.add_argument("--out", type=Path, default=Path("quantum.png"), help="where to save the picture")
    options = parser.parse_args(arguments)

    n, fields = (4, np.array([0.5, 1.5])) if options.quick else (8, np.linspace(0.1, 2.0, 14))
    exact = ground_state(1.0, n)[0]
    print(f"{n} spins         ground state of energy {exact:.10f} in a field of 1")
    runs = {}
    for layers in range(1, n // 2 + 1):
        _, runs[layers] = optimised(1.0, layers, n)
        print(f"layers {layers}        {runs[layers][-1]:.10f} after {len(runs[layers]) - 1} steps")
    found = []
    for field in tqdm(fields, desc="fields"):
        angles, energies = optimised(field, n // 2, n)
        found.append([energies[-1], float(magnetisation(circuit(angles, n), n))])
    error = np.array(found) - [ground_state(field, n) for field in fields]
    print(f"all fields      energies wrong by up to {np.abs(error[:, 0]).max():.0e}, ", end="")
    print(f"magnetisations by up to {np.abs(error[:, 1]).max():.0e}")
    draw(options.out, n, runs, fields, np.array(found))
    print(f"picture         {options.out}")


if __name__ == "__main__":
    main()
