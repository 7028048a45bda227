"""In which order the vertices of each layer stand, so that few edges cross: sweeps by barycentres, then exchanges.

Source: K. Sugiyama, S. Tagawa and M. Toda, "Methods for visual understanding of hierarchical system structures", IEEE
Transactions on Systems, Man, and Cybernetics 11 (1981).
"""

from __future__ import annotations

from bisect import bisect_right, insort
from collections.abc import Sequence

Layers = list[list[int]]
Neighbours = Sequence[Sequence[int]]

SWEEPS = 12
SMALL = 400
"""Up to this many vertices neighbours are exchanged as well, which takes longer."""


def ordered(layers: Layers, up: Neighbours, down: Neighbours) -> Layers:
    """The same layers, each in an order with few crossings.

    Arguments:
        layers: the vertices of each layer.
        up, down: for each vertex its neighbours in the layer above, and below.
    """
    position = [0] * len(up)
    for layer in layers:
        _number(layer, position)
    best, fewest, stale = layers, crossings(layers, down, position), 0
    small = len(up) <= SMALL
    for k in range(SWEEPS):
        if not fewest or stale == 4:
            break
        layers = [list(layer) for layer in layers]
        near = down if k % 2 else up
        for layer in reversed(layers[:-1]) if k % 2 else layers[1:]:
            _sort(layer, near, position)
        if small:
            _exchange(layers, up, down, position)
        found, stale = crossings(layers, down, position), stale + 1
        if found < fewest:
            best, fewest, stale = layers, found, 0
    return best


def _number(layer: list[int], position: list[int]) -> None:
    for i, v in enumerate(layer):
        position[v] = i


def _sort(layer: list[int], near: Neighbours, position: list[int]) -> None:
    """Sort a layer by the mean position of neighbours; a vertex without them stays where it is."""
    centre = {v: sum([position[u] for u in near[v]]) / len(near[v]) for v in layer if near[v]}
    moved = iter(sorted(centre, key=lambda v: (centre[v], position[v])))
    layer[:] = [next(moved) if v in centre else v for v in layer]
    _number(layer, position)


def _exchange(layers: Layers, up: Neighbours, down: Neighbours, position: list[int]) -> None:
    """Exchange vertices that stand side by side while that takes crossings away."""
    for _ in range(4):
        better = False
        for layer in layers:
            for i in range(len(layer) - 1):
                v, w = layer[i], layer[i + 1]
                if _between(v, w, up, down, position) > _between(w, v, up, down, position):
                    layer[i], layer[i + 1] = w, v
                    position[v], position[w] = i + 1, i
                    better = True
        if not better:
            return


def _between(v: int, w: int, up: Neighbours, down: Neighbours, position: list[int]) -> int:
    """How many edges of two vertices cross if v stands left of w."""
    return sum([position[a] > position[b] for near in (up, down) for a in near[v] for b in near[w]])


def crossings(layers: Layers, down: Neighbours, position: Sequence[int]) -> int:
    """How many pairs of edges cross."""
    found = 0
    for layer in layers[:-1]:
        ends: list[int] = []
        for v in layer:
            mine = sorted([position[w] for w in down[v]])
            found += sum([len(ends) - bisect_right(ends, end) for end in mine])
            for end in mine:
                insort(ends, end)
    return found
