"""The site: what its extension makes of docstrings, links and drawings, and, as a slow test, all pages in a browser.

That the site builds, without warnings and with every link leading somewhere, is a step of the test command.
"""

import importlib
import importlib.util
import re
import subprocess
import sys
from pathlib import Path

import pytest

import funcgrad as fg

ROOT = Path(__file__).parents[2]
HERE = Path(__file__).parent


@pytest.fixture(autouse=True)
def paths(monkeypatch):
    """As conf.py sets them."""
    monkeypatch.syspath_prepend(str(HERE))
    monkeypatch.syspath_prepend(str(ROOT / "docs"))


def part(name):
    return importlib.import_module(f"extension.{name}")


# Docstrings


DOCSTRING = """The sum of a_i * b_i; see `dot` and `x`.

Arguments:
    a, b: arrays "n", which
        may be long.
    axis: which one.

Returns:
    A number.

Raises:
    ShapeError, ArgumentError: they do not fit.

Example:
    >>> dot(1, 2)
    2

    >>> dot(3, 4)
    12

Source: the book of books (https://example.org/a).
"""

MARKDOWN = r"""The sum of a\_i \* b\_i; see {py:obj}`dot <m.dot>` and `x`.

:Arguments:
    - **`a`**, **`b`**: arrays "n", which
      may be long.
    - **`axis`**: which one.

:Returns:
    A number.

:Raises:
    - **`ShapeError`**, **`ArgumentError`**: they do not fit.

```pycon
>>> dot(1, 2)
2

>>> dot(3, 4)
12
```

:Source:
    the book of books (<https://example.org/a>)."""


def test_docstrings_become_field_lists():
    assert part("docstring").markdown(DOCSTRING, {"dot": "m.dot"}.get) == MARKDOWN


def test_signatures_stand_as_they_are_written():
    def f(x: "Float[Array, 'n m']", /, *rest: "int", k: "str" = "a", **more) -> "Float[Array, 'n']":  # noqa: F821
        pass

    signature = part("reference").signature_of(f)
    assert signature == '(x: Float[Array, "n m"], /, *rest: int, k: str = \'a\', **more) -> Float[Array, "n"]'


def test_every_described_name_has_one_entry():
    pages = part("reference").Reference().pages()
    texts = {p.file: p.text for p in pages} | {name: text for p in pages for name, text in p.below.items()}
    entries = [e for t in texts.values() for e in re.findall(r"^:::::\{py:\w+\} ([\w.]+)\(", t, re.M)]
    assert len(entries) == len(set(entries)) > 2000
    assert {"funcgrad.grad", "funcgrad.numpy.sin", "funcgrad.torch.nn.Linear", "funcgrad.scipy.special.kv"} < set(
        entries
    )


# Links and navigation


@pytest.mark.parametrize(
    ("text", "place", "page", "expected"),
    [
        ("[a](../CONTRIBUTING.md#tests)", "docs/x.md", "x.md", "[a](project/contributing.md#tests)"),
        ("[a](../../funcgrad/errors.py)", "docs/torch/x.md", "torch/x.md", "[a](../source/funcgrad/errors.py.md)"),
        ("[a](docs/jit.md)", "README.md", "project/benchmarks.md", "[a](../jit.md)"),
        ("[a](../../examples/digits.py)", "docs/torch/x.md", "torch/x.md", "[a](../gallery/digits.md)"),
        ("`[a](../LICENSE)` [b](https://e.org)", "docs/x.md", "x.md", "`[a](../LICENSE)` [b](https://e.org)"),
    ],
)
def test_links_that_leave_the_docs_are_bent(text, place, page, expected):
    assert part("pages").linked(text, place, page) == expected


def test_pictures_of_html_are_those_of_markdown():
    text = 'a\n\n<p>\n<img src="b.svg" alt="c" width="9">\n<img src="d.svg" alt="e">\n</p>\n\n`<img src="f" alt="">`\n'
    assert part("pages").with_images(text) == 'a\n\n![c](b.svg)\n![e](d.svg)\n\n`<img src="f" alt="">`\n'


def test_lists_of_links_are_the_navigation():
    text = part("pages").with_toctrees("# T\n\n## Start\n\n- [One](a.md): b.\n- [Two](c.md#d): e, [f](g.md).\n")
    assert text.endswith("```{toctree}\n:hidden:\n:caption: Start\n\nOne <a>\n```\n\n")
    assert ("Why is my gradient None?", "torch/none-gradients.md") in part("pages").questions()


def test_all_examples_are_in_the_gallery():
    cards, pages = part("gallery").cards(), part("gallery").pages()
    for path in (ROOT / "examples").glob("[!c]*.py"):
        assert f"gallery/{path.stem}.md" in cards
        assert "## The code" in pages[f"gallery/{path.stem}.md"]


def test_coverage_knows_what_is_here():
    text = part("coverage").tables()
    assert "| `numpy.linalg` | 32 | 32 | 100 % |" in text
    missing = text.split("<summary>")[1]
    assert "`datetime64`" in missing and "`sin`" not in missing


# Drawings


def test_mermaid_of_tapes_becomes_a_picture():
    pytest.importorskip("sphinx")
    drawings = part("drawings")
    drawing = fg.draw(lambda x: fg.numpy.sum(fg.numpy.sin(x) * fg.stop_gradient(x)))(fg.numpy.ones(3))
    graph = drawings.graph(drawing.mermaid().splitlines())
    assert [n.heading for n in graph.nodes] == [n.heading for n in drawing.graph.nodes]
    assert sorted((e.source, e.target, e.cut) for e in graph.edges) == sorted(
        (e.source, e.target, e.cut) for e in drawing.graph.edges
    )
    with pytest.raises(ValueError, match="no line such as 'sequenceDiagram'"):
        drawings.graph(["sequenceDiagram"])


def test_cuts_of_mermaid_are_cuts():
    pytest.importorskip("sphinx")
    (edge,) = (
        part("drawings")
        .graph(['y["y"]:::value', 'x(["x: float32[2]"])', 'x -. "cut: detach()<br/>a.py:3: y = x.detach()" .-> y'])
        .edges
    )
    assert (edge.cut, str(edge.place)) == ("detach()", "a.py:3: y = x.detach()")


def test_dark_drawings_are_on_dark_pages():
    pytest.importorskip("sphinx")
    text = part("drawings").style_sheet()
    assert 'body[data-theme="dark"] .funcgrad' in text
    assert text.count("{") == text.count("}")


# The pages that were written


def test_dead_links_are_found(tmp_path):
    (tmp_path / "a.html").write_text(
        '<p id="x"></p><a class="l" href="b.html#y">b</a><img src="c.png"/><a href="#x">x</a>'
    )
    (tmp_path / "b.html").write_text('<script src="https://cdn.org/s.js"></script><a href="https://e.org">e</a>')
    assert list(part("check").problems(tmp_path)) == [
        "a.html links to b.html#y, an anchor that is not there",
        "a.html refers to c.png, which is not there",
        "b.html loads https://cdn.org/s.js from another site",
    ]


@pytest.mark.slow
def test_pages_in_a_browser(tmp_path):
    pytest.importorskip("sphinx")
    pytest.importorskip("playwright", reason="the pages are opened by playwright")
    spec = importlib.util.spec_from_file_location("browse", HERE / "site" / "browse.py")
    browse = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(browse)
    if browse.browser() is None:
        pytest.skip(f"no browser is installed: none of {', '.join(browse.BROWSERS)}")
    subprocess.run([sys.executable, "-m", "sphinx", "-q", "-W", str(ROOT / "docs"), str(tmp_path)], check=True)
    assert not list(browse.problems(tmp_path))
