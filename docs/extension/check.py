"""Every link of the site leads to a page and an anchor that are there, and nothing comes from another site.

Sphinx checks what it resolves itself; this reads the pages that it wrote. `python docs/extension/check.py build/site`
does it again.
"""

import sys
from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

LOADED = {("img", "src"), ("script", "src"), ("link", "href"), ("source", "srcset"), ("iframe", "src"), ("use", "href")}


class Page(HTMLParser):
    """The anchors of a page, and what it refers to."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.anchors = {"", "top"}
        self.links: set[str] = set()
        self.loads: set[str] = set()
        self.feed(text)

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        """Notes the references of an element."""
        for name, value in attributes:
            if name == "id" or (tag == "a" and name == "name"):
                self.anchors.add(value or "")
            elif (tag, name) in LOADED:
                self.loads.add(value or "")
            elif tag == "a" and name == "href":
                self.links.add(value or "")

    handle_startendtag = handle_starttag


def problems(site: Path) -> Iterator[str]:
    """A line for each link that leads nowhere, and for each thing that a page loads from elsewhere."""
    pages = {p: Page(p.read_text()) for p in site.rglob("*.html")}
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
