"""At which x each vertex of ordered layers stands: long edges straight, others short, in linear time.

Four placements are made, each of which aligns vertices with the median of their neighbours above or below and pushes
everything to the left or to the right; each vertex ends at the mean of the middle two.

Source: U. Brandes and B. Köpf, "Fast and simple horizontal coordinate assignment", Graph Drawing 2001.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence

from funcgrad.draw.layout.orders import Layers, Neighbours


def placed(
    layers: Layers, up: Neighbours, down: Neighbours, reach: Sequence[float], bend: Sequence[bool]
) -> list[float]:
    """The x of the centre of each vertex.

    Arguments:
        layers: the vertices of each layer, in their order.
        up, down: for each vertex its neighbours in the layer above, and below.
        reach: how far from its centre each vertex keeps others away: two that stand side by side are at least as far
            from each other as their reaches together.
        bend: which vertices are bends of long edges.
    """
    if not layers:
        return []
    kept_out = _conflicts(layers, up, bend)
    up, down = _without_leaves(up, down)
    found = []
    for near, rows in ((up, layers), (down, layers[::-1])):
        for mirrored in (False, True):
            turned = [row[::-1] for row in rows] if mirrored else rows
            x = _compact(turned, _aligned(turned, near, kept_out), reach)
            found.append([-value for value in x] if mirrored else x)
    return _balanced(found, reach)


def _without_leaves(up: Neighbours, down: Neighbours) -> tuple[Neighbours, Neighbours]:
    """The neighbours to align with: what goes on from above is straight, and leaves that join it stand beside."""
    light = [not up[v] and len(down[v]) == 1 for v in range(len(up))]
    main = [[u for u in found if not light[u]] or found for found in up]
    return main, [[w for w in found if v in main[w]] for v, found in enumerate(down)]


def _conflicts(layers: Layers, up: Neighbours, bend: Sequence[bool]) -> set[tuple[int, int]]:
    """The edges that cross a straight part of a long one, which gives way to none."""
    found = set()
    for above, layer in itertools.pairwise(layers):
        position = {u: i for i, u in enumerate(above)}
        left = scanned = 0
        for i, v in enumerate(layer):
            straight = next((u for u in up[v] if bend[u]), None) if bend[v] else None
            if straight is None and i < len(layer) - 1:
                continue
            right = len(above) if straight is None else position[straight]
            for w in layer[scanned : i + 1]:
                for u in up[w]:
                    if not left <= position[u] <= right and not (bend[u] and bend[w]):
                        found.add((u, w))
                        found.add((w, u))
            left, scanned = right, i + 1
    return found


def _aligned(layers: Layers, near: Neighbours, kept_out: set[tuple[int, int]]) -> list[int]:
    """For each vertex the first one of the block of those that stand above each other with it."""
    root, taken = list(range(len(near))), [False] * len(near)
    position = [0] * len(near)
    for layer in layers:
        for i, v in enumerate(layer):
            position[v] = i
    for layer in layers:
        furthest = -1
        for v in layer:
            others = sorted(near[v], key=position.__getitem__)
            for u in others[(len(others) - 1) // 2 : len(others) // 2 + 1]:
                if furthest < position[u] and not taken[u] and (u, v) not in kept_out:
                    taken[u], root[v], furthest = True, root[u], position[u]
                    break
    return root


def _compact(layers: Layers, root: list[int], reach: Sequence[float]) -> list[float]:
    """The blocks as far to the left as they go, then to the right where nothing is in the way."""
    before: dict[int, dict[int, float]] = {v: {} for layer in layers for v in layer if root[v] == v}
    after: dict[int, dict[int, float]] = {v: {} for v in before}
    for layer in layers:
        for u, v in itertools.pairwise(layer):
            a, b = root[u], root[v]
            after[a][b] = before[b][a] = max(before[b].get(a, 0.0), reach[u] + reach[v])
    waiting = {v: len(found) for v, found in before.items()}
    order = [v for v, count in waiting.items() if not count]
    x = dict.fromkeys(before, 0.0)
    for v in order:  # the list grows while it is read
        x[v] = max([x[u] + distance for u, distance in before[v].items()], default=0.0)
        for w in after[v]:
            waiting[w] -= 1
            if not waiting[w]:
                order.append(w)
    for v in reversed(order):
        if after[v]:
            x[v] = max(x[v], min([x[w] - distance for w, distance in after[v].items()]))
    return [x[root[v]] for v in range(len(root))]


def _balanced(found: list[list[float]], reach: Sequence[float]) -> list[float]:
    """The mean of the middle two of four placements, shifted to where the narrowest stands."""
    edges = [
        (min([a - r for a, r in zip(x, reach, strict=True)]), max([a + r for a, r in zip(x, reach, strict=True)]))
        for x in found
    ]
    left, right = min(edges, key=lambda e: e[1] - e[0])
    shifted = []
    for k, (x, (start, end)) in enumerate(zip(found, edges, strict=True)):
        shift = right - end if k % 2 else left - start
        shifted.append([value + shift - left for value in x])
    return [sum(sorted(four)[1:3]) / 2 for four in zip(*shifted, strict=True)]
