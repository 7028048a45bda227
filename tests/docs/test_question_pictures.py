"""The pictures of the question pages are what the code of the pages draws: docs/images/make_questions.py."""

from __future__ import annotations

import importlib.util
import re
import types
from pathlib import Path
from xml.etree import ElementTree

import pytest

IMAGES = Path(__file__).parents[2] / "docs" / "images"


def _maker() -> types.ModuleType:
    spec = importlib.util.spec_from_file_location("make_questions", IMAGES / "make_questions.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


maker = _maker()
PAGES = [page for page in maker.PAGES if maker.has_pictures(page)]


def words(svg: str) -> list[str]:
    """What is written in the boxes."""
    return ["".join(text.itertext()) for text in ElementTree.fromstring(svg).iter("{http://www.w3.org/2000/svg}text")]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_a_page_shows_what_its_code_draws(page: Path) -> None:
    drawn = dict(maker.pictures(page))
    shown = re.findall(r"!\[[^\]]+\]\(\.\./images/questions/([\w-]+)\.svg\)", page.read_text())
    assert sorted(shown) == sorted(drawn)
    for name, drawing in drawn.items():
        kept = (IMAGES / "questions" / f"{name}.svg").read_text()
        assert words(kept) == words(drawing.svg()), f"run docs/images/make_questions.py: {name}.svg is another"


def test_every_picture_is_on_a_page() -> None:
    named = {piece["name"] for page in PAGES for piece in maker.PIECE.finditer(page.read_text()) if piece["name"]}
    assert named == {path.stem for path in (IMAGES / "questions").glob("*.svg")}
