"""`Drawing`: a graph, and the ways to write it down."""

from __future__ import annotations

import importlib
import os
from collections.abc import Callable
from typing import Any

from funcgrad.draw.dot import dot
from funcgrad.draw.graph import Graph
from funcgrad.draw.group import Group
from funcgrad.draw.groups import grouped
from funcgrad.draw.html import html
from funcgrad.draw.mermaid import mermaid
from funcgrad.draw.outline import Outline
from funcgrad.draw.picture import picture
from funcgrad.draw.svg import svg
from funcgrad.errors import ArgumentError

MANY = 60
"""Boxes that a picture has at most if it is not said how deep groups are open."""
DIRECTIONS = ("TD", "TB", "BT", "LR", "RL")


class Drawing:
    """A graph that can be looked at: in a notebook as it is, elsewhere as SVG, HTML, DOT, Mermaid or PNG.

    Time runs downwards: values go along the edges, gradients come back against them. Leaves are rounded, results have a
    heavy border, and a dashed edge is a cut: values went on there, and no gradient comes back.

    Arguments:
        graph: what is drawn.
        depth: how deep functions and modules are open: 0 shows them as closed boxes, 1 their inside with what is in
            there closed, and so on; None, the default, as deep as about sixty boxes allow.
        fold: whether parts that follow one another and do the same, such as the steps of a loop, are drawn once.

    Example:
        >>> picture = fg.draw(lambda x: fnp.sum(fnp.sin(x) ** 2))(fnp.ones(3))
        >>> picture
        Drawing(4 nodes, 3 edges)
        >>> picture.svg()[:4]
        '<svg'
    """

    def __init__(self, graph: Graph, *, depth: int | None = None, fold: bool = True) -> None:
        self.graph, self.depth, self.fold = graph, depth, fold
        self.whole = grouped(graph, fold)
        self.opened = _opened(self.whole, depth)

    def svg(self) -> str:
        """The picture as SVG, without scripts, fonts or references to other files."""
        return svg(picture(self.whole, self.opened), self.graph.title or "a graph")

    def html(self) -> str:
        """The picture as a page of its own, in which groups open and close on a click."""
        return html(self.whole, self.opened, self.graph.title or "a graph")

    def dot(self, direction: str = "TD") -> str:
        """The graph in the language of Graphviz.

        Arguments:
            direction: in which it runs: "TD" (down), "BT", "LR" or "RL".
        """
        return dot(self.whole, self.opened, _checked(direction))

    def mermaid(self, direction: str = "TD") -> str:
        """The graph as a Mermaid flowchart, which code hosts and notebooks draw.

        Arguments:
            direction: in which it runs: "TD" (down), "BT", "LR" or "RL".
        """
        return mermaid(self.whole, self.opened, _checked(direction))

    def png(self, scale: float = 2.0) -> bytes:
        """The picture as PNG. Needs the extra `png`.

        Arguments:
            scale: pixels for each unit of the SVG.

        Raises:
            ImportError: `resvg_py`, which draws it, is not installed.
        """
        try:
            resvg: Any = importlib.import_module("resvg_py")
        except ImportError:
            raise ImportError(
                "a PNG needs resvg_py: pip install 'funcgrad[png]'. SVG, HTML, DOT and Mermaid need nothing"
            ) from None
        return bytes(resvg.svg_to_bytes(svg_string=self.svg(), zoom=scale))

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the picture to a file; the ending says as what.

        Arguments:
            path: ends in .svg, .html, .dot, .md (Mermaid in a Markdown page), .mmd or .png.

        Raises:
            ArgumentError: another ending.
        """
        ending = os.path.splitext(os.fspath(path))[1].lower()
        writers: dict[str, Callable[[], str | bytes]] = {
            ".svg": self.svg,
            ".html": self.html,
            ".dot": lambda: self.dot() + "\n",
            ".gv": lambda: self.dot() + "\n",
            ".mmd": lambda: self.mermaid() + "\n",
            ".md": lambda: f"```mermaid\n{self.mermaid()}\n```\n",
            ".png": self.png,
        }
        if ending not in writers:
            raise ArgumentError(f"a drawing is saved as one of {', '.join(writers)}, got {os.fspath(path)!r}")
        found = writers[ending]()
        with open(path, "wb") as file:
            file.write(found if isinstance(found, bytes) else found.encode())

    def _repr_svg_(self) -> str:
        return self.svg()

    def _repr_mimebundle_(self, include: object = None, exclude: object = None) -> dict[str, str]:
        return {"text/plain": repr(self), "image/svg+xml": self.svg(), "text/vnd.mermaid": self.mermaid()}

    def __repr__(self) -> str:
        return f"Drawing({len(self.graph.nodes)} nodes, {len(self.graph.edges)} edges)"


def _checked(direction: str) -> str:
    if direction not in DIRECTIONS:
        raise ArgumentError(f"direction must be 'TD', 'BT', 'LR' or 'RL', got {direction!r}")
    return direction


def _opened(whole: Any, depth: int | None) -> list[Group]:
    """The groups that are open down to a depth."""
    level = {id(whole.root): 0}
    for g in whole.root.groups():
        if g.parent is not None:
            level[id(g)] = level[id(g.parent)] + 1
    found = [g for g in whole.root.groups() if g.parent is not None]
    if depth is not None:
        return [g for g in found if level[id(g)] <= depth]
    best: list[Group] = []
    for deep in range(1, max(level.values()) + 1):
        tried = [g for g in found if level[id(g)] <= deep]
        if len([x for _, x, closing in Outline(whole, tried).walk(whole.root) if not closing]) > MANY:
            break
        best = tried
    return best
