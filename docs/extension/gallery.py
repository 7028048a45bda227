"""The gallery: a card for each example with its picture, and a page with its story and its code.

The story is the docstring of the file. Its picture is docs/images/gallery/NAME.png or .svg, or docs/images/NAME.png.
"""

import ast
import re
from dataclasses import dataclass
from pathlib import Path

from extension.docstring import blocks
from extension.pages import DOCS, ROOT, outside_code, toctree

EXAMPLES = ROOT / "examples"


@dataclass
class Example:
    """A file of examples/."""

    path: Path

    @property
    def name(self) -> str:
        """Its name on the site."""
        return self.path.relative_to(EXAMPLES).with_suffix("").as_posix().replace("/", "-")

    @property
    def group(self) -> str:
        """The directory that it stands in: "" for examples/ itself."""
        return self.path.parent.relative_to(EXAMPLES).as_posix().strip(".")

    @property
    def story(self) -> str:
        """Its docstring."""
        return ast.get_docstring(ast.parse(self.path.read_text())) or ""

    @property
    def title(self) -> str:
        """The first sentence of its docstring, without the full stop."""
        return " ".join(self.story.split("\n\n")[0].split()).rstrip(".")

    @property
    def picture(self) -> Path | None:
        """Its picture, if there is one."""
        stem = self.path.stem
        places = (DOCS / "images" / place for place in (f"gallery/{stem}.svg", f"gallery/{stem}.png", f"{stem}.png"))
        return next((p for p in places if p.exists()), None)


def examples() -> list[Example]:
    """All, those with pictures first."""
    found = [Example(p) for p in EXAMPLES.rglob("*.py") if p.stem != "conftest"]
    return sorted((e for e in found if e.story), key=lambda e: (e.group, e.picture is None, e.name))


def cards() -> str:
    """The gallery."""
    found = examples()
    pictured = [e for e in found if e.picture]
    rest = {g: [e for e in found if not e.picture and e.group == g] for g in dict.fromkeys(e.group for e in found)}
    text = "::::{container} gallery\n" + "".join(card(e) for e in pictured) + "::::\n"
    for group, members in rest.items():
        if members:
            text += f"\n## {HEADS.get(group, group.replace('_', ' ').capitalize())}\n\n"
            text += "".join(f"- [{e.title}](gallery/{e.name}.md)\n" for e in members)
    return text + toctree([("", f"gallery/{e.name}.md") for e in found])


HEADS = {
    "": "Without a picture",
    "pairs": "Pairs: a torch script, and functions that do the same",
    "questions": "The questions of those who learn, on both faces",
    "torch_scripts": "Torch scripts",
}


def card(example: Example) -> str:
    """A picture that leads to the page of its example, and the title under it."""
    assert example.picture
    head = f":::{{figure}} {example.picture.relative_to(DOCS).as_posix()}"
    options = f":alt: {example.title}\n:target: gallery/{example.name}.html"
    return f"{head}\n{options}\n\n[{example.title}](gallery/{example.name}.md)\n:::\n"


def pages() -> dict[str, str]:
    """A page for each example: the picture, the story, the code."""
    found = {}
    for e in examples():
        first, _, story = e.story.partition("\n\n")
        source = e.path.read_text()
        module = ast.parse(source)
        rest = "\n".join(source.splitlines()[module.body[0].end_lineno :]).strip("\n")
        text = f"# {blocks(first, lambda w: None).replace(chr(10), ' ').rstrip('.')}\n\n"
        if e.picture:
            text += f"![{e.title}](../{e.picture.relative_to(DOCS).as_posix()})\n\n"
        text += linked(blocks(story, lambda w: None))
        text += (
            f"\n\n## The code\n\n`examples/{e.path.relative_to(EXAMPLES).as_posix()}`:\n\n````python\n{rest}\n````\n"
        )
        found[f"gallery/{e.name}.md"] = text
    return found


def linked(story: str) -> str:
    """A story, in which docs/x.md is a link."""
    return outside_code(story, lambda text: re.sub(r"\bdocs/([\w/-]+)\.md\b", r"[docs/\1.md](../\1.md)", text))
