"""Every link of the site leads to a page and an anchor that are there, and nothing comes from another site.

Sphinx checks what it resolves itself; this reads the pages that it wrote. `python docs/extension/check.py build/site`
does it again.
"""

import html
import re
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import unquote, urlsplit

ANCHOR = re.compile(r'\sid="([^"]*)"')
LINK = re.compile(r'<a\s[^>]*?href="([^"]*)"')
LOADED = re.compile(r'<(?:(?:img|script|iframe|source)\s[^>]*?src(?:set)?|(?:link|use)\s[^>]*?href)="([^"]*)"')


@dataclass
class Page:
    """The anchors of a page, and what it refers to."""

    anchors: set[str]
    links: set[str]
    loads: set[str]


def read(path: Path) -> Page:
    """What stands in a page."""
    text = path.read_text()
    anchors, links, loads = ({html.unescape(x) for x in e.findall(text)} for e in (ANCHOR, LINK, LOADED))
    return Page(anchors | {""}, links, loads)


def problems(site: Path) -> Iterator[str]:
    """A line for each link that leads nowhere, and for each thing that a page loads from elsewhere."""
    pages = {p: read(p) for p in site.rglob("*.html")}
    for path, page in sorted(pages.items()):
        name = path.relative_to(site)
        for url in sorted(page.loads | page.links):
            parts = urlsplit(url)
            if parts.scheme or parts.netloc:
                if url in page.loads and parts.scheme != "data":
                    yield f"{name} loads {url} from another site"
                continue
            there = (path.parent / unquote(parts.path)).resolve() if parts.path else path
            if not there.exists():
                yield f"{name} refers to {url}, which is not there"
            elif there in pages and unquote(parts.fragment) not in pages[there].anchors:
                yield f"{name} links to {url}, an anchor that is not there"


def main() -> None:
    """Print what is wrong."""
    found = list(problems(Path(sys.argv[1]).resolve()))
    print("\n".join(found))
    sys.exit(bool(found))


if __name__ == "__main__":
    main()
