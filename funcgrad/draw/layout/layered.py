"""A layered picture of boxes: those that depend on others stand below them, edges bend around what is in between.

An edge that passes layers gets a bend in each of them, which has its own place among the boxes, so no edge runs over a
box. Edges from the same end share their bends. An edge over very many layers is not drawn: its reader gets a small
reference to the source instead.
"""

from __future__ import annotations

import itertools
from collections.abc import Hashable, Sequence
from dataclasses import dataclass, field

from funcgrad.draw.layout.orders import ordered
from funcgrad.draw.layout.places import placed
from funcgrad.draw.layout.ranks import ranks

MARGIN = 11.0
"""How far boxes stand from each other at least: twice this."""
BEND = 6.0
"""How far bends keep others away."""
LONGEST = 24
"""Over how many layers an edge is drawn."""
GAP, BORDER_GAP = 30.0, 8.0
"""Between two layers at least, and between a layer and the borders above and below all others."""


@dataclass(slots=True)
class Box:
    """A box to be placed: its size, and where it was put."""

    width: float
    height: float
    name: float = 60.0
    """The width of a reference to it."""
    first: bool = False
    last: bool = False
    x: float = 0.0
    y: float = 0.0


@dataclass(slots=True)
class Line:
    """An edge between two boxes.

    Attributes:
        source, target: numbers of the boxes.
        start, end: how far from the centres of the boxes the edge leaves and arrives; None for the layout to choose.
        chain: edges from one box with the same value share their bends.
        bends: for each layer on the way x, top and bottom of the straight part.
        leave, arrive: where the layers of source and target end and begin: within them the edge is straight.
        reference: the number of the box that stands for the source, if the edge is too long to be drawn.
        style: how it is drawn, which is not the layout's business.
    """

    source: int
    target: int
    start: float | None = None
    end: float | None = None
    chain: Hashable = None
    style: str = ""
    bends: list[tuple[float, float, float]] = field(default_factory=list)
    leave: float = 0.0
    arrive: float = 0.0
    reference: int | None = None


def layered(boxes: list[Box], lines: Sequence[Line]) -> tuple[float, float]:
    """Place boxes and lines, from (0, 0) on. References are added to the boxes.

    Arguments:
        boxes: in such an order that lines run from earlier to later ones.
        lines: between them.

    Returns:
        The size of the whole.
    """
    if not boxes:
        return 0.0, 0.0
    n = len(boxes)
    first, last = {v for v in range(n) if boxes[v].first}, {v for v in range(n) if boxes[v].last}
    rank = ranks(n, [(e.source, e.target) for e in lines], first, last)
    for e in lines:
        if rank[e.target] - rank[e.source] > LONGEST:
            e.reference = len(boxes)
            boxes.append(Box(boxes[e.source].name, 18.0))
            rank.append(rank[e.target] - 1)
    rank, up, down, through = _with_bends(rank, lines)
    layers: list[list[int]] = [[] for _ in range(max(rank) + 1)]
    for v in sorted(range(len(rank)), key=lambda v: v if v < n else n):  # bends after boxes
        layers[rank[v]].append(v)
    layers = ordered([layer for layer in layers if layer], up, down)
    reach = [b.width / 2 + MARGIN for b in boxes] + [BEND] * (len(rank) - len(boxes))
    x = placed(layers, up, down, reach, [v >= len(boxes) for v in range(len(rank))])
    return _drawn(boxes, lines, layers, x, through)


def _with_bends(
    rank: list[int], lines: Sequence[Line]
) -> tuple[list[int], list[list[int]], list[list[int]], list[list[int]]]:
    """Ranks with those of the bends, the neighbours above and below, and for each line its bends."""
    up: list[list[int]] = [[] for _ in rank]
    down: list[list[int]] = [[] for _ in rank]
    bends: dict[tuple, int] = {}
    through = []
    for e in lines:
        last, path = e.source if e.reference is None else e.reference, []
        for layer in range(rank[last] + 1, rank[e.target]):
            key = (e.source, e.start, e.chain, layer)
            if key not in bends:
                bends[key] = len(rank)
                rank.append(layer)
                up.append([last])
                down.append([])
                down[last].append(bends[key])
            last = bends[key]
            path.append(last)
        up[e.target].append(last)
        down[last].append(e.target)
        through.append(path)
    return rank, up, down, through


def _drawn(
    boxes: list[Box], lines: Sequence[Line], layers: list[list[int]], x: list[float], through: list[list[int]]
) -> tuple[float, float]:
    """Give boxes and lines their coordinates."""
    place = {v: k for k, layer in enumerate(layers) for v in layer}
    widest = [0.0] * len(layers)  # how far to the side edges go below each layer
    for e, path in zip(lines, through, strict=True):
        stops = [e.source if e.reference is None else e.reference, *path, e.target]
        for a, b in itertools.pairwise(stops):
            for k in range(place[a], place[b]):
                widest[k] = max(widest[k], abs(x[a] - x[b]))
    top, bottom, y = [], [], 0.0
    for k, layer in enumerate(layers):
        height = max([boxes[v].height for v in layer if v < len(boxes)], default=0.0)
        top.append(y)
        bottom.append(y + height)
        around = layer + layers[min(k + 1, len(layers) - 1)]
        narrow = any(v < len(boxes) and (boxes[v].first or boxes[v].last) for v in around)
        y += height + (BORDER_GAP if narrow else GAP) + min(90.0, widest[k] * 0.09)
    read = {e.target for e in lines}
    for v, box in enumerate(boxes):
        box.x, box.y = x[v], (top[place[v]] + bottom[place[v]]) / 2
        if v not in read:  # what comes from nowhere stands close to who reads it
            box.y = bottom[place[v]] - box.height / 2
    arrivals: dict[int, list[Line]] = {}
    for e, path in zip(lines, through, strict=True):
        source = e.source if e.reference is None else e.reference
        e.bends = [(x[v], top[place[v]], bottom[place[v]]) for v in path]
        e.leave, e.arrive = bottom[place[source]], top[place[e.target]]
        e.start = 0.0 if e.start is None or e.reference is not None else e.start
        arrivals.setdefault(e.target, []).append(e)
    for v, found in arrivals.items():
        _spread(boxes[v], [e for e in found if e.end is None], boxes)
    left = min([b.x - b.width / 2 for b in boxes] + [bend[0] - BEND for e in lines for bend in e.bends])
    right = max([b.x + b.width / 2 for b in boxes] + [bend[0] + BEND for e in lines for bend in e.bends])
    for box in boxes:
        box.x -= left
    for e in lines:
        e.bends = [(bend - left, above, below) for bend, above, below in e.bends]
    return right - left, bottom[-1]


def _spread(box: Box, lines: list[Line], boxes: list[Box]) -> None:
    """Let lines arrive side by side at the top of a box, in the order in which they come."""

    def coming(e: Line) -> float:
        if e.bends:
            return e.bends[-1][0]
        source = boxes[e.source if e.reference is None else e.reference]
        return source.x + (e.start or 0.0)

    lines = sorted(lines, key=coming)
    step = max(0.0, min(18.0, (box.width - 16.0) / 2 / max(1, len(lines))))
    straight = [i for i, e in enumerate(lines) if abs(coming(e) - box.x) < 1.0]
    middle = straight[0] if straight else (len(lines) - 1) / 2
    for i, e in enumerate(lines):
        e.end = (i - middle) * step
