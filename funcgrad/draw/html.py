"""A picture as a page of its own, in which groups open and close on a click: one file, nothing is loaded.

The layout of the inside of each group is made here, with the groups in it closed; the page's script stretches it where
some of those are open.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from importlib.resources import files
from typing import Any
from xml.sax.saxutils import escape

from funcgrad.draw.graph import safe
from funcgrad.draw.group import Group
from funcgrad.draw.groups import Grouped
from funcgrad.draw.picture import Frame, Item, Link, frames_of_all
from funcgrad.draw.svg import LEGEND, border, closed, drawn_item, drawn_link, heading, number, style

_SLOT = re.compile(r"\{\{(\w+)\}\}")


def html(whole: Grouped, opened: list[Group], title: str) -> str:
    """A page with a picture.

    Arguments:
        whole: the graph and its groups.
        opened: the groups that are open at first.
        title: of the page.
    """
    frames = frames_of_all(whole)
    layout = {
        "root": whole.root.id,
        "opened": [g.id for g in opened],
        "all": {id: _layout(frame) for id, frame in frames.items()},
    }
    root = frames[whole.root.id]
    size = f'width="{number(root.width)}" height="{number(root.height)}"'
    picture = f'<svg xmlns="http://www.w3.org/2000/svg" class="funcgrad" {size}>{"".join(_drawn(root, frames))}</svg>'
    parts = {
        "title": escape(safe(title)),
        "style": style(),
        "legend": LEGEND,
        "picture": picture,
        "layout": json.dumps(layout, separators=(",", ":")).replace("<", "\\u003c"),
    }
    page = files("funcgrad.draw").joinpath("page.html").read_text(encoding="utf-8")
    return _SLOT.sub(lambda found: parts[found[1]], page)


def _layout(frame: Frame) -> dict[str, Any]:
    """What the script has to know of the inside of a group."""
    read = {link.line.target for link in frame.links}
    return {
        "id": frame.group.id,
        "w": _short(frame.width),
        "h": _short(frame.height),
        "items": [_item(item, low=k not in read) for k, item in enumerate(frame.items)],
        "links": [_link(link) for link in frame.links],
    }


def _item(item: Item, low: bool) -> dict[str, Any]:
    box = item.box
    found: dict[str, Any] = {"x": _short(box.x), "y": _short(box.y), "w": _short(box.width), "h": _short(box.height)}
    if low:
        found["low"] = True
    if item.kind == "group" and item.group is not None:
        found["group"] = item.group.id
    if item.port is not None:
        found["port"] = ["top" if box.first else "bottom", "|".join(item.port)]
    return found


def _link(link: Link) -> dict[str, Any]:
    line = link.line
    return {
        "source": line.source if line.reference is None else line.reference,
        "target": line.target,
        "start": _short(line.start or 0.0),
        "end": _short(line.end or 0.0),
        "leave": _short(line.leave),
        "arrive": _short(line.arrive),
        "bends": [[_short(x) for x in bend] for bend in line.bends],
        "leaves": "|".join(link.leaves or ()),
        "enters": "|".join(link.enters or ()),
        "turned": link.turned,
    }


def _short(x: float) -> float:
    return round(x, 1)


def _drawn(root: Frame, frames: dict[str, Frame]) -> Iterator[str]:
    """All groups, each closed and open. Without recursion."""
    waiting: list[Frame | str] = [root]
    while waiting:
        f = waiting.pop()
        if isinstance(f, str):
            yield f
            continue
        back = '<rect class="page" rx="8"/>' if f is root else border(f)
        later: list[Frame | str] = [f'<g data-frame="{f.group.id}">{back}']
        later += [f'<g class="link">{drawn_link(f, link)}</g>' for link in f.links]
        for item in f.items:
            later += _with_inside(item, frames)
        later.append("</g>" if f is root else f"{_handle(f.group.id, heading(f, '▾ '))}</g>")
        waiting += reversed(later)


def _with_inside(item: Item, frames: dict[str, Frame]) -> list[Frame | str]:
    if item.kind != "group" or item.group is None:
        return [f'<g class="item">{drawn_item(item)}</g>']
    id = item.group.id
    shut = f'<g class="closed">{_handle(id, closed(item.group, item))}</g>'
    return [f'<g class="item" data-group="{id}">{shut}<g class="open" style="display:none">', frames[id], "</g></g>"]


def _handle(id: str, drawn: str) -> str:
    return f'<g role="button" tabindex="0" data-toggle="{id}">{drawn}</g>'
