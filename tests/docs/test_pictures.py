"""The pictures of docs/pictures.md are what docs/images/make_pictures.py draws."""

import importlib.util
import re
from pathlib import Path
from xml.etree import ElementTree

import pytest

IMAGES = Path(__file__).parents[2] / "docs" / "images"


def _maker():
    spec = importlib.util.spec_from_file_location("make_pictures", IMAGES / "make_pictures.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


PICTURES = _maker().PICTURES


def words(svg):
    """What is written in the boxes, without values, whose last digits may be others on other machines."""
    texts = ElementTree.fromstring(svg).iter("{http://www.w3.org/2000/svg}text")
    return ["".join(t.itertext()) for t in texts if t.get("class") not in ("value", "grad")]


@pytest.mark.parametrize("name", PICTURES)
def test_a_picture_is_what_the_script_draws(name):
    kept = (IMAGES / "pictures" / f"{name}.svg").read_text()
    assert words(kept) == words(PICTURES[name]().svg()), f"run docs/images/make_pictures.py: {name}.svg is another"


def test_every_picture_is_shown():
    root = IMAGES.parents[1]
    pages = (root / "README.md").read_text() + (root / "docs" / "pictures.md").read_text()
    shown = set(re.findall(r"images/pictures/(\w+)\.svg", pages))
    assert shown == {path.stem for path in (IMAGES / "pictures").glob("*.svg")} == set(PICTURES)
