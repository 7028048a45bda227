"""Design a bridge: the truss that is stiffest for its weight.

    pip install 'funcgrad[examples]'
    python -m doctest -v examples/truss.py    # the story
    python examples/truss.py                  # the full work, with its picture

Each of several hundred bars between the points of a grid may get a cross section; together they have a given volume.
The deck carries a load at each of its points. Wanted are the sections with the least compliance, which is the work that
the load does as the bridge gives way. The displacements solve a linear system, and the gradient passes through its
solution: to the user the compliance is a function of the sections like any other.

>>> bridge = Truss(columns=4, rows=2)
>>> bridge.bars.shape, bridge.loaded.shape
((31, 2), (3,))
>>> areas = np.full(31, 0.1)
>>> gradient = fg.grad(bridge.compliance)(areas)
>>> work = areas @ gradient  # as the compliance halves if all sections double
>>> bool(np.isclose(-work, bridge.compliance(areas)))
True

Bars shrink or grow by the square root of what they contribute, as the optimality criteria ask. The picture shows the
grid, the bridge, and how the compliance comes down to the optimum. That is known from elsewhere: for one load the
stiffest truss is also the lightest that carries it (Michell), and this is a linear program.

Sources: M. Bendsøe, O. Sigmund, "Topology Optimization" (2003), chapter 4; W. Achtziger, M. Bendsøe, A. Ben-Tal,
J. Zowe, "Equivalent displacement based formulations for maximum strength truss topology design" (1992).
"""

import argparse
import math
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.collections import LineCollection
from scipy.optimize import linprog
from tqdm import tqdm

import funcgrad as fg


class Truss:
    """All bars between the points of a grid that are at most three fields long and have no point within them.

    The deck is the lowest row. It rests on both of its ends, and its other points carry the same load each. The whole
    load is one, as are Young's modulus and the volume of the bars.
    """

    def __init__(self, columns, rows):
        self.points = np.array([(x, y) for x in range(columns + 1) for y in range(rows)], dtype=float)
        pairs = [(i, j) for i in range(len(self.points)) for j in range(i + 1, len(self.points))]
        steps = {(i, j): np.abs(self.points[j] - self.points[i]).astype(int) for i, j in pairs}
        self.bars = np.array([p for p in pairs if steps[p].max() <= 3 and math.gcd(*steps[p].tolist()) == 1])

        along = self.points[self.bars[:, 1]] - self.points[self.bars[:, 0]]
        self.lengths = np.linalg.norm(along, axis=1)
        directions = along / self.lengths[:, None]
        equilibrium = np.zeros((len(self.points), 2, len(self.bars)))  # the forces on points by bars under tension one
        number = np.arange(len(self.bars))
        equilibrium[self.bars[:, 0], :, number] = -directions
        equilibrium[self.bars[:, 1], :, number] = directions

        deck = np.flatnonzero(self.points[:, 1] == 0)
        self.loaded = deck[1:-1]
        force = np.zeros((len(self.points), 2))
        force[self.loaded, 1] = -1 / len(self.loaded)
        free = np.ones((len(self.points), 2), dtype=bool)
        free[deck[[0, -1]]] = False
        self.equilibrium, self.force = equilibrium[free], force[free]

    def displacements(self, areas):
        """Where the load moves the points that are free to move."""
        stiffness = (self.equilibrium * (areas / self.lengths)) @ self.equilibrium.T
        return np.linalg.solve(stiffness, self.force)

    def compliance(self, areas):
        return self.force @ self.displacements(areas)

    def tensions(self, areas):
        """The force in each bar, negative where it is compressed."""
        return areas / self.lengths * (self.displacements(areas) @ self.equilibrium)

    def least_compliance(self):
        """The optimum, by a linear program: the least sum of |tension| times length that carries the load, squared."""
        split = np.hstack([self.equilibrium, -self.equilibrium])  # tension and compression, both positive
        return linprog(np.tile(self.lengths, 2), A_eq=split, b_eq=self.force).fun ** 2


def optimised(truss, steps):
    """The sections after some steps, with the compliances on the way.

    >>> areas, compliances = optimised(Truss(columns=4, rows=2), range(100))
    >>> bool(abs(compliances[-1] / Truss(columns=4, rows=2).least_compliance() - 1) < 0.01)
    True
    """
    value_and_gradient = fg.value_and_grad(truss.compliance)
    areas, compliances = np.full(len(truss.bars), 1 / truss.lengths.sum()), []
    for _ in steps:
        value, gradient = value_and_gradient(areas)
        compliances.append(float(value))
        areas = areas * np.sqrt(np.maximum(-np.asarray(gradient) / truss.lengths, 0))
        areas = np.maximum(areas / (areas @ truss.lengths), 1e-9)  # no bar of none: points have to stay where they are
        if hasattr(steps, "set_postfix"):
            steps.set_postfix(compliance=f"{value:.4f}")
    return areas, compliances


def draw(path, truss, areas, compliances, least):
    figure, axes = plt.subplot_mosaic("AC;BB", figsize=(10, 6.4), layout="constrained", height_ratios=[1, 1.6])
    lines = truss.points[truss.bars]
    axes["A"].add_collection(LineCollection(lines, colors="0.6", linewidths=0.4))
    axes["A"].set_title(f"{len(lines)} bars to choose from")
    tension = truss.tensions(areas)
    seen = areas > 1e-3 * areas.max()
    colours = np.where(tension > 0, "tab:blue", "tab:red")[seen]
    widths = 12 * np.sqrt(areas[seen] / areas.max())
    axes["B"].add_collection(LineCollection(lines[seen], colors=colours, linewidths=widths, capstyle="round"))
    axes["B"].set_title(f"The stiffest bridge: {seen.sum()} bars, blue under tension, red under compression")
    for name in "AB":
        ends = truss.points[truss.points[:, 1] == 0][[0, -1]]
        axes[name].plot(*(ends - [0, 0.22]).T, "k^", ms=9)
        axes[name].set(aspect="equal", xticks=[], yticks=[])
        axes[name].axis("off")
        axes[name].autoscale_view()
    for x, y in truss.points[truss.loaded]:
        axes["B"].annotate("", (x, y - 0.75), (x, y - 0.12), arrowprops={"arrowstyle": "->", "color": "0.3"})
    axes["B"].set_ylim(bottom=-0.9)
    axes["C"].loglog(np.arange(1, len(compliances) + 1), np.array(compliances) / least - 1, color="tab:blue")
    axes["C"].set(xlabel="step", ylabel="compliance, relative", title="Above the optimum of the linear program")
    axes["C"].grid(alpha=0.3)
    figure.savefig(path, dpi=90)


def main(arguments=None):
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="a coarser grid, and few steps")
    parser.add_argument("--out", type=Path, default=Path("truss.png"), help="where to save the picture")
    options = parser.parse_args(arguments)

    truss = Truss(columns=6, rows=3) if options.quick else Truss(columns=16, rows=6)
    steps = tqdm(range(60 if options.quick else 400), desc="design", unit="step")
    areas, compliances = optimised(truss, steps)
    least = truss.least_compliance()
    print(f"bars            {len(truss.bars)}, of which {np.sum(areas > 1e-3 * areas.max())} are left")
    print(f"compliance      {compliances[0]:.4f} -> {compliances[-1]:.4f}")
    print(f"linear program  {least:.4f}")
    draw(options.out, truss, areas, compliances, least)
    print(f"picture         {options.out}")


if __name__ == "__main__":
    main()
