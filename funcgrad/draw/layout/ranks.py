"""In which layer each vertex stands: below all that it depends on, and not further from its neighbours than need be."""

from __future__ import annotations

from collections.abc import Sequence


def ranks(n: int, edges: Sequence[tuple[int, int]], first: set[int], last: set[int]) -> list[int]:
    """A layer for each vertex, counted from 0, such that every edge runs down.

    Arguments:
        n: how many vertices there are. Edges run from smaller to greater numbers.
        edges: pairs of vertices.
        first, last: those that stand above, and below, all others.
    """
    into: list[list[int]] = [[] for _ in range(n)]
    out: list[list[int]] = [[] for _ in range(n)]
    for u, v in edges:
        into[v].append(u)
        out[u].append(v)
    start = 1 if first else 0
    rank = [0 if v in first else start for v in range(n)]
    for v in range(n):  # the longest path that leads here
        for u in into[v]:
            rank[v] = max(rank[v], rank[u] + 1)
    alone: list[bool] = []  # whether it and all that it depends on are there for one reader, so that they can follow it
    for v in range(n):
        alone.append(len(out[v]) == 1 and v not in first and all(alone[u] for u in into[v]))
    for v in reversed(range(n)):  # closer to those who read it, where that makes edges shorter in all
        if v not in first and len(out[v]) > len([u for u in into[v] if u not in first and not alone[u]]):
            rank[v] = max(rank[v], min([rank[w] for w in out[v] if w not in last], default=rank[v] + 1) - 1)
    below = max([rank[v] + 1 for v in range(n) if v not in last], default=0)
    for v in last:
        rank[v] = below
    return rank
