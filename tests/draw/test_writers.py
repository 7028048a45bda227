"""What drawings are written as: SVG, HTML, DOT, Mermaid and PNG."""

import importlib
import json
import re
import sys
from html.parser import HTMLParser
from xml.etree import ElementTree

import pytest

from funcgrad.draw.drawing import Drawing
from funcgrad.draw.graph import KINDS, Edge, Graph, Node, Place, clipped, size_text
from funcgrad.draw.groups import grouped
from funcgrad.draw.picture import frames_of_all
from funcgrad.draw.svg import style
from funcgrad.errors import ArgumentError

SVG = "{http://www.w3.org/2000/svg}"


def small():
    """x -> y, of which one copy is cut off; both are multiplied in a function."""
    nodes = [
        Node("x", "x", "leaf", type="float32[2]", value="[1, 2]", grad="[2, 16]"),
        Node("y", "pow", name="y", type="float32[2]", kept=8, place=Place("/a/script.py", 3, "f", "y = x**2")),
        Node("a", "numpy()", "value", "a"),
        Node("p", "mul", group=("loss",)),
        Node("s", "sum", "result", "loss", "float32[]", alarm="1 NaN", group=("loss",)),
    ]
    cut = Edge("y", "a", cut="detach()", place=Place("/a/script.py", 4, "f", "a = y.detach().numpy()"))
    edges = [Edge("x", "y"), cut, Edge("y", "p"), Edge("a", "p", gradient=False), Edge("p", "s", label="output 1")]
    return Graph(nodes, edges, "loss")


def test_mermaid():
    assert Drawing(small()).mermaid() == (
        "flowchart TD\n"
        '  x(["x<br/>float32[2]<br/>[1, 2]<br/>grad [2, 16]"])\n'
        '  y["y = pow<br/>float32[2]<br/>keeps 8 B"]\n'
        '  a["a = numpy()"]:::value\n'
        '  subgraph g1["loss"]\n'
        '    p["mul"]\n'
        '    s{{"loss = sum<br/>float32[]<br/>1 NaN"}}\n'
        "  end\n"
        "  x --> y\n"
        '  y -. "cut: detach()<br/>script.py:4: a = y.detach().numpy()" .-> a\n'
        "  y --> p\n"
        "  a --> p\n"
        '  p -->|"output 1"| s\n'
        "  classDef value stroke: #c04a00, stroke-dasharray: 4 3"
    )
    assert Drawing(small(), depth=0).mermaid("LR").splitlines()[4:] == [
        '  g1[["loss"]]',
        "  x --> y",
        '  y -. "cut: detach()<br/>script.py:4: a = y.detach().numpy()" .-> a',
        "  y --> g1",
        "  a --> g1",
        "  classDef value stroke: #c04a00, stroke-dasharray: 4 3",
    ]


def test_dot():
    text = Drawing(small()).dot()
    assert text.splitlines()[:4] == [
        "digraph {",
        "  rankdir=TB",
        "  node [fontname=monospace]",
        '  "x" [label="x\\nfloat32[2]\\n[1, 2]\\ngrad [2, 16]", shape=box, style="rounded,filled", '
        'fillcolor="#dcecf8", color="#0072b2"]',
    ]
    assert text.splitlines()[6:12] == [
        '  subgraph "cluster_g1" {',
        '    label="loss"',
        '    "p" [label="mul", shape=box]',
        '    "s" [label="loss = sum\\nfloat32[]\\n1 NaN", shape=box, style=filled, fillcolor="#def3ec", '
        'color="#00795a", penwidth=2.5]',
        "  }",
        '  "x" -> "y"',
    ]
    assert 'tooltip="script.py:3: y = x**2"' in text and text.endswith("\n}")
    assert (
        '  "y" -> "a" [label="cut: detach()\\nscript.py:4: a = y.detach().numpy()", style=dashed, color="#c04a00", '
        'fontcolor="#c04a00"]' in text
    )
    assert '"y" -> "g1"' in Drawing(small(), depth=0).dot("LR") and "rankdir=LR" in Drawing(small()).dot("LR")


def test_svg():
    root = ElementTree.fromstring(Drawing(small()).svg())
    assert root.find(f"{SVG}title").text == "loss"
    nodes = {n.find(f"{SVG}title").text.split("\n")[0]: n for n in root.iter(f"{SVG}g") if n.get("class") == "node"}
    assert set(nodes) == {"x", "y = pow", "a = numpy()", "mul", "loss = sum"}
    kinds = [n.find(f"{SVG}rect").get("class") for n in nodes.values()]
    assert sorted(kinds) == ["leaf", "operation", "operation", "result", "value"]
    assert nodes["y = pow"].find(f"{SVG}title").text.endswith("script.py:3: y = x**2\nin f")
    lines = [(t.get("class"), t.text) for t in nodes["loss = sum"].iter(f"{SVG}text")]
    assert lines == [("title", "loss = sum"), ("type", "float32[]"), ("alarm", "1 NaN")]
    cuts = [p for p in root.iter(f"{SVG}path") if p.get("class") == "cut"]
    assert len(cuts) == 2, "to the words and on from there"
    words = [t.text for t in root.iter(f"{SVG}text") if t.get("class") == "warn"]
    assert words == ["cut: detach()", "script.py:4: a = y.detach().numpy()"]


def test_pictures_have_a_light_and_a_dark_side():
    rules = style()
    light, dark = rules.split("@media (prefers-color-scheme:dark)")
    assert "path.cut{fill:none" in light and "stroke-dasharray:6 4" in light
    assert dark.count("{") == dark.count("}") and light.count("{") == light.count("}")
    for kind in KINDS:
        assert f".funcgrad rect.{kind}" in light and f".funcgrad rect.{kind}" in dark
    colours = re.findall(r"(?:fill|stroke):([^;}]+)", light + dark)
    assert all(re.fullmatch(r"#[0-9a-f]{6}|none", c) for c in colours), colours
    assert all(".funcgrad " in s for s in re.findall(r"(?:^|[}])([^{}@]+)\{", light)), "nothing else on a page changes"


HOSTILE = '<script>alert("x")</script>&\'\\ ]]> --> {{title}} \x00\ud800'


def hostile():
    nodes = [
        Node(
            '"]', HOSTILE, name=HOSTILE, type=HOSTILE, place=Place(HOSTILE, 1, HOSTILE, HOSTILE), group=(HOSTILE, "g")
        ),
        Node("end", HOSTILE, "leaf", notes=(HOSTILE,)),
        Node("</script>", HOSTILE, "value", group=(HOSTILE, "g")),
        Node("z", "z", alarm=HOSTILE),
    ]
    edges = [Edge("end", '"]'), Edge('"]', "</script>", HOSTILE, cut=HOSTILE), Edge("</script>", "z", HOSTILE)]
    return Graph(nodes, edges, HOSTILE)


class Tags(HTMLParser):
    def __init__(self):
        super().__init__()
        self.found, self.attributes = [], []

    def handle_starttag(self, tag, attrs):
        self.found.append(tag)
        self.attributes += [(tag, name, value) for name, value in attrs]


@pytest.mark.parametrize("depth", [0, 5])
def test_hostile_names_are_words(depth):
    drawing = Drawing(hostile(), depth=depth)
    root = ElementTree.fromstring(drawing.svg())
    assert {e.tag.removeprefix(SVG) for e in root.iter()} <= {"svg", "title", "style", "rect", "text", "path", "g"}
    tags = Tags()
    page = drawing.html()
    tags.feed(page)
    assert tags.found.count("script") == 2 and page.count("</script") == 2
    for _, name, value in tags.attributes:
        assert not name.startswith("on") and name not in ("src", "href"), (name, value)
    for line in drawing.mermaid().splitlines():
        outside = re.sub(r'"[^"]*"', "", line)
        assert not re.search(r"[<&\\']", outside), line
        assert not re.search("<(?!br/>)", line), line
    for line in drawing.dot().splitlines():
        assert not re.search("script|[<&]", re.sub(r'"(?:[^"\\]|\\.)*"', "", line)), line
    assert "\x00" not in page + drawing.svg() + drawing.dot() + drawing.mermaid()
    (page + drawing.svg()).encode()


def test_html_is_one_file():
    page = Drawing(small()).html()
    tags = Tags()
    tags.feed(page)
    assert not {"link", "img", "iframe"} & set(tags.found)
    assert not [a for a in tags.attributes if a[1] in ("src", "href")]
    assert not re.search(r"@import|url\(|fetch\(|https?://(?!www\.w3\.org/2000/svg)", page)
    assert "{{" not in page.split("<script>")[0].replace("{{}}", "")


def test_the_script_knows_what_is_drawn():
    graph = small()
    page = Drawing(graph, depth=0).html()
    layout = json.loads(re.search(r'id="layout">(.*?)</script>', page, re.S)[1])
    assert layout["opened"] == [] and set(layout["all"]) == {"g0", "g1"}
    svg = ElementTree.fromstring(re.search(r"<svg.*</svg>", page, re.S)[0])
    for id, frame in layout["all"].items():
        [at] = [g for g in svg.iter(f"{SVG}g") if g.get("data-frame") == id]
        children = [g.get("class") for g in at.findall(f"{SVG}g")]
        assert children.count("item") == len(frame["items"]) and children.count("link") == len(frame["links"])
        for link in frame["links"]:
            for end, ports, side in (("source", "leaves", "bottom"), ("target", "enters", "top")):
                inner = frame["items"][link[end]].get("group")
                if link[ports]:
                    assert [side, link[ports]] in [item.get("port") for item in layout["all"][inner]["items"]]
    whole = grouped(graph)
    assert {f.group.id for f in frames_of_all(whole).values()} == set(layout["all"])


def test_saving(tmp_path):
    drawing = Drawing(small())
    written = {
        "x.svg": drawing.svg(),
        "x.html": drawing.html(),
        "x.DOT": drawing.dot() + "\n",
        "x.gv": drawing.dot() + "\n",
        "x.mmd": drawing.mermaid() + "\n",
        "x.md": f"```mermaid\n{drawing.mermaid()}\n```\n",
    }
    for name, text in written.items():
        drawing.save(tmp_path / name)
        assert (tmp_path / name).read_text() == text
    with pytest.raises(ArgumentError, match=r"saved as one of .svg, .html, .*, got 'x.gif'"):
        drawing.save("x.gif")
    with pytest.raises(ArgumentError, match="direction must be"):
        drawing.dot("UP")


def test_notebooks():
    drawing = Drawing(small())
    bundle = drawing._repr_mimebundle_()
    assert bundle["image/svg+xml"] == drawing._repr_svg_() == drawing.svg()
    assert bundle["text/plain"] == repr(drawing) == "Drawing(5 nodes, 5 edges)"
    assert bundle["text/vnd.mermaid"] == drawing.mermaid()


def test_png_needs_its_extra(monkeypatch):
    monkeypatch.setitem(sys.modules, "resvg_py", None)
    with pytest.raises(ImportError, match=r"funcgrad\[png\]"):
        Drawing(small()).png()


def test_png(tmp_path):
    pytest.importorskip("resvg_py")
    drawing = Drawing(small())
    drawing.save(tmp_path / "x.png")
    data = (tmp_path / "x.png").read_bytes()
    width = float(re.search(r'width="([\d.]+)"', drawing.svg())[1])
    assert data[:8] == b"\x89PNG\r\n\x1a\n" and int.from_bytes(data[16:20], "big") in (
        int(2 * width),
        int(2 * width) + 1,
    )
    assert int.from_bytes(drawing.png(scale=1.0)[16:20], "big") in (int(width), int(width) + 1)


def test_graphs_are_checked():
    with pytest.raises(ValueError, match="same id"):
        Graph([Node("a", "a"), Node("a", "b")], [])
    with pytest.raises(ValueError, match="ends at 'b'"):
        Graph([Node("a", "a")], [Edge("a", "b")])


def test_words():
    assert [size_text(n) for n in (0, 48, 999, 1000, 1234, 999_600, 5_000_000, 2 * 10**13)] == [
        "0 B", "48 B", "999 B", "1 kB", "1.23 kB", "1 MB", "5 MB", "20 TB",
    ]  # fmt: skip  # in the order of the numbers
    assert clipped("a\n  b\tc") == "a b c" and len(clipped("x" * 100)) == 56
    assert str(Place("/a/b.py", 3)) == "b.py:3" and str(Place("<stdin>", 1, "", "y = x")) == "y = x"
    assert Edge("a", "b", "output 1", "detach()", Place("b.py", 3)).lines() == ["output 1", "cut: detach()", "b.py:3"]


def test_the_module_is_loaded_late():
    assert importlib.import_module("funcgrad.draw").draw is importlib.import_module("funcgrad").draw
