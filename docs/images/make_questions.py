"""The pictures on the question pages of docs/torch, drawn by the code of the pages themselves.

    python docs/images/make_questions.py

A page is run from top to bottom. A comment

    <!-- picture NAME: torch.draw(loss, x=x) -->

stands for an example that draws what the names mean at that point of the page, and saves it as questions/NAME.svg.
"""

from __future__ import annotations

import doctest
import re
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent
PAGES = sorted((HERE.parent / "torch").glob("*.md"))
PIECE = re.compile(r"^```python\n(?P<code>.*?)^```$|^<!-- picture (?P<name>[\w-]+): (?P<drawing>.+?) -->$", re.M | re.S)


def pictures(page: Path) -> Iterator[tuple[str, Any]]:
    """The names and the drawings of a page, in order."""
    runner = doctest.DocTestRunner(verbose=False)
    names: dict[str, Any] = {"__name__": "__main__"}
    found: list[tuple[str, Any]] = []
    names["_keep"] = lambda name, drawing: found.append((name, drawing))
    examples = []
    for piece in PIECE.finditer(page.read_text()):
        if piece["name"]:
            examples.append(doctest.Example(f"_keep({piece['name']!r}, {piece['drawing']})\n", ""))
        else:
            examples += doctest.DocTestParser().get_examples(piece["code"])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        runner.run(doctest.DocTest(examples, names, page.name, None, 0, None), out=lambda _: None, clear_globs=False)
    yield from found


def has_pictures(page: Path) -> bool:
    """Whether a page asks for a picture."""
    return any(piece["name"] for piece in PIECE.finditer(page.read_text()))


def main() -> None:
    """Draw them all."""
    for page in filter(has_pictures, PAGES):
        for name, drawing in pictures(page):
            drawing.save(HERE / "questions" / f"{name}.svg")
            print(f"{page.name}: questions/{name}.svg")


if __name__ == "__main__":
    main()
