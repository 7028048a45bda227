"""The groups of a graph as a tree.

What is in a function or module makes one group for each stretch of time that was spent there, so that groups, like
nodes, stand in the order of time and depend on earlier ones only. A leaf belongs where it is read.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import zip_longest

from funcgrad.draw.folding import CARRIED, REPEATED, Folding
from funcgrad.draw.graph import CONSTANT, LEAF, Edge, Graph, Node
from funcgrad.draw.group import Group


@dataclass(slots=True)
class Grouped:
    """A graph as a tree of groups.

    Attributes:
        root: the whole.
        edges: between the nodes that are shown.
        home: the group of each of these nodes, by id.
    """

    root: Group
    edges: list[Edge]
    home: dict[str, Group]


def grouped(graph: Graph, fold: bool = True) -> Grouped:
    """The tree of the groups of a graph.

    Arguments:
        graph: whose nodes say in which groups they are.
        fold: whether repeated parts stand once.
    """
    edges = [e for e in graph.edges if e.source != e.target]
    targets, sources = {e.target for e in edges}, {e.source for e in edges}
    nodes = [replace(n) for n in graph.nodes]
    leaves = [n for n in nodes if n.kind in (LEAF, CONSTANT) and n.id not in targets and n.id in sources]
    floating = {n.id for n in leaves}
    root = _tree(graph.title, [n for n in nodes if n.id not in floating])
    folding = Folding(root, edges) if fold else None
    _put_leaves(root, leaves, edges, folding)
    _without_single_boxes(root)
    home: dict[str, Group] = {}
    for number, g in enumerate(root.groups()):
        g.id = f"g{number}"
        for c in g.children:
            if isinstance(c, Group):
                c.parent = g
            else:
                home[c.id] = g
    unique: dict[tuple, Edge] = {}
    by_id = {n.id: n for n in root.nodes()}
    for e in edges:
        if folding is not None and folding.carries(e):
            source = by_id[folding.kept(e.source)]
            source.notes = (*[note for note in source.notes if note != CARRIED], CARRIED)
            continue
        ends = (e.source, e.target) if folding is None else (folding.kept(e.source), folding.kept(e.target))
        if (
            ends[0] in home and ends[0] != ends[1]
        ):  # a leaf that is read in parts only that are not shown is not, either
            unique.setdefault((*ends, e.label, e.cut, e.gradient), replace(e, source=ends[0], target=ends[1]))
    return Grouped(root, list(unique.values()), home)


def _tree(title: str, nodes: list[Node]) -> Group:
    """The groups without leaves and folds: a new one whenever time enters a function or module."""
    root = Group(title)
    path = [root]
    running: list[tuple[str, int | None]] = []
    for n in nodes:
        scopes = list(zip_longest(n.group, n.calls))[: len(n.group)]
        depth = 0
        while depth < min(len(running), len(scopes)) and running[depth] == scopes[depth]:
            depth += 1
        del path[depth + 1 :]
        for label in n.group[depth:]:
            inner = Group(label, parent=path[-1])
            path[-1].children.append(inner)
            path.append(inner)
        running = scopes
        path[-1].children.append(n)
    return root


def _put_leaves(root: Group, leaves: list[Node], edges: list[Edge], folding: Folding | None) -> None:
    """Put each leaf into the innermost group that holds all its readers: before its reader, or before all.

    A leaf that is read in parts only that are not shown is not shown either.
    """
    paths: dict[str, list[Group]] = {}  # of each node that is shown the groups around it, the outermost first
    around: dict[int, list[Group]] = {id(root): [root]}
    for g in root.groups():
        for c in g.children:
            if isinstance(c, Group):
                around[id(c)] = [*around[id(g)], c]
            else:
                paths[c.id] = around[id(g)]
    readers: dict[str, list[list[Group | str]]] = {}  # of each leaf its readers, with the groups around them
    shown = set()
    for e in edges:
        target = e.target if folding is None else folding.kept(e.target)
        chain: list[Group | str] = [*paths[target], target]
        outside = () if folding is None else folding.passed(e)
        stop = next((k for k, g in enumerate(chain) if g in outside), len(chain))
        readers.setdefault(e.source, []).append(chain[: stop + 1])
        if target == e.target:
            shown.add(e.source)
    first: dict[int | str, list[Group | Node]] = {}
    before: dict[int | str, list[Group | Node]] = {}
    for n in leaves:
        if n.id not in shown:
            continue
        found = readers[n.id]
        depth = 0
        while depth < min(map(len, found)) - 1 and all(chain[depth] is found[0][depth] for chain in found):
            depth += 1
        items = {_key(chain[depth]) for chain in found}
        if len(items) == 1:
            before.setdefault(items.pop(), []).append(n)
        else:
            first.setdefault(_key(found[0][depth - 1]), []).append(n)
    for g in list(root.groups()):
        children = first.get(_key(g), [])
        for c in g.children:
            children += [*before.get(_key(c), ()), c]
        g.children = children


def _key(x: Group | Node | str) -> int | str:
    return x if isinstance(x, str) else id(x) if isinstance(x, Group) else x.id


def _without_single_boxes(root: Group) -> None:
    """A group with one operation inside is no group: its label becomes a note of the operation."""
    _adopt(root)
    for g in reversed(list(root.groups())):
        within = [c for c in g.children if isinstance(c, Group) or c.kind not in (LEAF, CONSTANT)]
        if g.parent is None or len(within) != 1 or g.count != 1:
            continue
        only = within[0]
        if isinstance(only, Node):
            only.notes = (*only.notes, g.label)
        elif only.label == REPEATED:
            only.label = g.label
        else:
            only.label = " / ".join(dict.fromkeys([*g.label.split(" / "), *only.label.split(" / ")]))
        at = g.parent.children.index(g)
        g.parent.children[at : at + 1] = g.children
        _adopt(g.parent)


def _adopt(root: Group) -> None:
    """Tell each group in which one it is."""
    for g in root.groups():
        for c in g.children:
            if isinstance(c, Group):
                c.parent = g
