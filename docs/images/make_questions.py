"""The pictures on the question pages of docs/torch, drawn by the code of the pages themselves.

    python docs/images/make_questions.py

A page is run from top to bottom. A comment

    <!-- picture NAME: torch.draw(loss, x=x) -->

stands for an example that draws what the names mean at that point of the page, and saves it as questions/NAME.svg.
"""

from __future__ import annotations

import contextlib
import doctest
import io
import linecache
import re
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent
PAGES = sorted((HERE.parent / "torch").glob("*.md"))
PIECE = re.compile(r"^```python\n(?P<code>.*?)^```$|^<!-- picture (?P<name>[\w-]+): (?P<drawing>.+?) -->$", re.M | re.S)


def pictures(page: Path) -> Iterator[tuple[str, Any]]:
    """The names and the drawings of a page, in order.

    The examples are lines of one file, as they would be in a script, so that a drawing can follow Python's variables
    from one to the next. An example may end in an error: it is there to show that.
    """
    found: list[tuple[str, Any]] = []
    names: dict[str, Any] = {"__name__": "__main__", "_keep": lambda name, drawing: found.append((name, drawing))}
    steps: list[str] = []
    for piece in PIECE.finditer(page.read_text()):
        if piece["name"]:
            steps.append(f"_keep({piece['name']!r}, {piece['drawing']})\n")
        else:
            steps += [example.source for example in doctest.DocTestParser().get_examples(piece["code"])]
    file = f"<{page.stem}>"
    lines = "".join(steps).splitlines(keepends=True)
    linecache.cache[file] = len("".join(lines)), None, lines, file
    before = 0
    with warnings.catch_warnings(), contextlib.redirect_stdout(io.StringIO()):
        warnings.simplefilter("ignore")
        for step in steps:
            with contextlib.suppress(Exception):
                exec(compile("\n" * before + step, file, "exec"), names)  # noqa: S102  (it is our own page)
            before += step.count("\n")
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
