"""The navigation at the side, in the elements that furo's style sheet knows.

Sphinx resolves the tree of all pages for each of them, which takes most of the time of a build of many pages. Here it
is the sections of the front page, and of what is below only the branch in which the page stands.
"""

import html
import re
from typing import Any

from docutils import nodes
from sphinx import addnodes
from sphinx.application import Sphinx

ARROW = '<span class="icon"><svg><use href="#svg-arrow-right"></use></svg></span>'


def without_tree(
    app: Sphinx, pagename: str, template: str, context: dict[str, Any], doctree: nodes.document | None
) -> None:
    """Runs before furo, which then has no tree to work on."""
    context["toctree"] = lambda **options: ""


def fill(app: Sphinx, pagename: str, template: str, context: dict[str, Any], doctree: nodes.document | None) -> None:
    """Runs after furo: its template takes the tree from here."""
    env = app.env
    branch = ancestors(pagename, env.toctree_includes)

    def items(pages: list[str], depth: int) -> str:
        return "".join(item(env.titles[page].astext(), page, depth) for page in pages)

    def item(title: str, page: str, depth: int) -> str:
        below = env.toctree_includes.get(page, []) if page in branch else []
        here = {"current": page in branch, "current-page": page == pagename, "has-children": bool(below)}
        classes = " ".join([f"toctree-l{depth}", *(c for c, holds in here.items() if holds)])
        words = html.escape(title)
        text = f'<a class="reference internal" href="{context["pathto"](page)}">{words}</a>'
        if below:
            box = "open-" + re.sub(r"\W", "-", page)
            text += f'<input class="toctree-checkbox" id="{box}" type="checkbox" role="switch" checked '
            text += f'aria-label="Pages below {words}"/><label for="{box}">{ARROW}</label>'
            text += f"<ul>{items(below, depth + 1)}</ul>"
        return f'<li class="{classes}">{text}</li>'

    parts = []
    for tree in env.master_doctree.findall(addnodes.toctree):
        caption = html.escape(tree["caption"])
        parts.append(f'<p class="caption" role="heading"><span class="caption-text">{caption}</span></p>')
        entries = [item(title or env.titles[page].astext(), page, 1) for title, page in tree["entries"]]
        parts.append(f"<ul>{''.join(entries)}</ul>")
    context["furo_navigation_tree"] = "".join(parts)


def ancestors(page: str, includes: dict[str, list[str]]) -> set[str]:
    """A page and those above it."""
    above = {child: parent for parent, children in includes.items() for child in children}
    found = {page}
    while (page := above.get(page, "")) and page not in found:
        found.add(page)
    return found
