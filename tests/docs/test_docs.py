"""The documentation runs: README.md, the pages in docs/, and the docstrings of every module.

A page is executed from top to bottom in one namespace:

    ```python fences     with `>>>` are doctests; without, they are code that must print nothing;
    ```mermaid fences    must be what the code in the comment right above them prints: `<!-- print(tape.mermaid()) -->`;
    tables               headed `Expression | Value` are checked row by row, see `tables`.

A failure names the file and the line, what ran, what was expected and what came.
"""

import ast
import doctest
import importlib
import inspect
import os
import pkgutil
import re
import sys
from pathlib import Path

import numpy as np
import pytest

import funcgrad as fg
import funcgrad.numpy as fnp
from funcgrad import errors, tree
from funcgrad import torch as torch_face
from funcgrad.core.primitive import registry
from funcgrad.numpy import protocols
from funcgrad.testing import check_derivatives, check_precision, check_shape_rule, samples

ROOT = Path(__file__).parents[2]
MADE = {"reference", "gallery", "project", "source"}  # directories of pages that the build of the site writes
PAGES = [ROOT / "README.md"]
PAGES += [p for p in sorted((ROOT / "docs").rglob("*.md")) if p.relative_to(ROOT / "docs").parts[0] not in MADE]
PROSE = [*PAGES, ROOT / "CHANGELOG.md", ROOT / "CONTRIBUTING.md"]
FLAGS = doctest.NORMALIZE_WHITESPACE | doctest.ELLIPSIS
FENCE = re.compile(r"^```(\w*)\n(.*?)^```$", re.M | re.S)

MODULES = sorted(
    {"funcgrad", *(m.name for m in pkgutil.walk_packages(fg.__path__, "funcgrad.") if not m.name.endswith("__main__"))}
)


def relative(path):
    return path.relative_to(ROOT).as_posix()


def fences(text):
    """(language, body, number of its first line, text right above) of each fence."""
    return [(m[1], m[2], text[: m.start(2)].count("\n"), text[: m.start()]) for m in FENCE.finditer(text)]


def statements(code, line):
    """Plain code as examples of one statement each, for that is what doctest executes."""
    nodes = ast.parse(code).body
    starts = [min([n.lineno, *(d.lineno for d in getattr(n, "decorator_list", []))]) for n in nodes]
    for start, node in zip(starts, nodes, strict=True):
        source = "\n".join(code.splitlines()[start - 1 : node.end_lineno]) + "\n"
        yield doctest.Example(source, "", lineno=line + start - 1)


def examples(page):
    """Everything on a page that is executed, as doctest examples with the line numbers of the page."""
    found = []
    for language, body, line, above in fences(page.read_text()):
        if language == "python" and ">>> " in body:
            for e in doctest.DocTestParser().get_examples(body):
                e.lineno += line
                found.append(e)
        elif language == "python":
            found += statements(body, line)
        elif language == "mermaid":
            code = re.search(r"<!-- ((?:(?!<!--).)*?) -->\s*\Z", above, re.S)
            assert code, f"{relative(page)}, line {line}: above a drawing stands the code that prints it, in a comment"
            found.append(doctest.Example(code[1] + "\n", body, lineno=line))
    return found


def run(test):
    """Execute a doctest; fail with doctest's own report of every example that is wrong."""
    report = []
    runner = doctest.DocTestRunner(verbose=False, optionflags=FLAGS)
    with np.errstate():  # a page may call np.seterr
        runner.run(test, out=report.append, clear_globs=False)
    if report:
        pytest.fail("".join(report), pytrace=False)


@pytest.fixture
def scratch_registry():
    """Primitives that a page declares are gone afterwards."""
    before = dict(registry)
    protocols._by_ufunc.clear()
    yield before
    registry.clear()
    registry.update(before)
    protocols._by_ufunc.clear()


@pytest.fixture
def scratch_operations(monkeypatch):
    """Torch is without the operation that docs/torch/adding-an-operation.md declares, and afterwards as before."""
    assert torch_face.logaddexp2  # its family is there
    declared = importlib.import_module("funcgrad.torch.declare.op")
    for names in (declared.ROWS, declared.namespaces[""], vars(torch_face)):
        monkeypatch.delitem(names, "logaddexp2")
    monkeypatch.delattr(torch_face.Tensor, "logaddexp2")
    operations = importlib.import_module("funcgrad.torch.tensor.operation")
    monkeypatch.setattr(operations, "ambiguous", set())


def run_page(page):
    name = relative(page)
    run(doctest.DocTest(examples(page), {"__name__": "__main__"}, name, str(page), 0, None))


@pytest.fixture
def without_torch():
    """As if PyTorch, where it is installed, had not been imported: examples have `import torch` lead to funcgrad.

    PyTorch itself can't be imported a second time, so what others have imported comes back.
    """
    kept = {name: sys.modules.pop(name) for name in list(sys.modules) if name.partition(".")[0] == "torch"}
    yield
    sys.modules.update(kept)


@pytest.mark.usefixtures("without_torch")
@pytest.mark.parametrize("page", [p for p in PAGES if examples(p)], ids=relative)
def test_page(page, scratch_registry, scratch_operations):
    run_page(page)


def test_a_wrong_page_is_reported(tmp_path, monkeypatch):
    page = tmp_path / "wrong.md"
    page.write_text("# Title\n\n```python\n>>> x = 1\n>>> x\n2\n```\n")
    monkeypatch.setitem(globals(), "ROOT", tmp_path)
    with pytest.raises(pytest.fail.Exception) as e:
        run_page(page)
    assert f'"{page}", line 5' in str(e.value)
    assert "Expected:\n    2\nGot:\n    1\n" in str(e.value)


# Docstrings


def docstrings():
    """A doctest for every docstring with an example. It knows np, fg and fnp; what else it uses it has to import."""
    finder = doctest.DocTestFinder(exclude_empty=True)
    known = {"__name__": "__main__", "np": np, "fg": fg, "fnp": fnp}
    for name in MODULES:
        module = importlib.import_module(name)
        yield from (t for t in finder.find(module, name, globs=known) if t.examples)


@pytest.mark.usefixtures("without_torch")
@pytest.mark.parametrize("test", list(docstrings()), ids=lambda t: t.name.removeprefix("funcgrad."))
def test_docstring(test):
    run(test)


# Adding a primitive


def test_primitives_of_the_tutorial_pass_every_check(scratch_registry):
    """docs/adding-a-primitive.md declares primitives; they are held to what tests/test_every_primitive.py demands."""
    run_page(ROOT / "docs" / "adding-a-primitive.md")
    added = [p for name, p in registry.items() if name not in scratch_registry and not name.startswith("wrong")]
    assert len(added) == 5, "for each way to declare a primitive one, and two that are elementwise"
    for p in added:
        assert p.differentiable and set(p.dtypes) >= {"d"}
        for code in p.dtypes:
            for sample in samples(p, code):
                check_shape_rule(p, sample)
                (check_derivatives if code in "dD" else check_precision)(p, sample)


# Tables of conventions


def tables(page):
    """(line, expression, value, value in JAX) of each row of the tables headed `Expression | Value | JAX`.

    Expression and values are Python; JAX is the word "same" or another value.
    """
    inside = False
    for number, line in enumerate(page.read_text().splitlines(), 1):
        cells = [c.strip() for c in re.split(r"(?<!\\)\|", line.strip().strip("|"))]
        if line.startswith("| Expression | Value | JAX"):
            inside = True
        elif not line.startswith("|"):
            inside = False
        elif inside and not cells[0].startswith("-"):
            expression, value, peer = (c.replace(r"\|", "|").strip("`") for c in cells[:3])
            yield number, expression, value, value if peer == "same" else peer


ROWS = [pytest.param(*row, id=f"line {row[0]}: {row[1]}") for row in tables(ROOT / "docs" / "conventions.md")]


def evaluate(expression, value, library, array_library):
    """An expression of the table, and its value, as flat lists of ndarrays."""
    names = {
        name: getattr(library, name) for name in ("grad", "jvp", "vjp", "value_and_grad") if hasattr(library, name)
    }
    names |= {"fnp": array_library, "nan": np.nan, "inf": np.inf, "np": np, "float0": fg.float0}
    with np.errstate(all="ignore"):
        got = eval(expression, names)
        expected = eval(value, names)
    return [np.asarray(x) for x in tree.leaves(got)], [np.asarray(x) for x in _leaves(expected)]


def _leaves(expected):
    """The values of a row: a list is an array, a tuple is several."""
    return [x for e in expected for x in _leaves(e)] if isinstance(expected, tuple) else [expected]


def same(got, expected):
    for g, e in zip(got, expected, strict=True):
        assert g.shape == e.shape
        if g.dtype.kind not in "fc":
            assert g.dtype == e.dtype and (g.dtype == fg.float0 or g == e)
        else:
            np.testing.assert_allclose(g, e, rtol=1e-12, atol=1e-15)


@pytest.mark.parametrize("line, expression, value, peer", ROWS)
def test_convention(line, expression, value, peer):
    same(*evaluate(expression, value, fg, fnp))


@pytest.mark.parametrize("line, expression, value, peer", ROWS)
def test_convention_of_jax(line, expression, value, peer):
    jax = pytest.importorskip("jax")
    jax.config.update("jax_enable_x64", True)
    same(*evaluate(expression, peer, jax, jax.numpy))


# The table of the torch face


def torch_rows():
    """(line, torch's expression, ours, x, gradient in torch, ours) of each row of docs/torch/conventions.md."""
    for number, line in enumerate((ROOT / "docs" / "torch" / "conventions.md").read_text().splitlines(), 1):
        cells = [c.strip().strip("`") for c in line.strip().strip("|").split("|")]
        if line.startswith("| `"):
            yield pytest.param(*cells[:5], id=f"line {number}: {cells[0]}")


def gradient_in_torch(torch, expression, x):
    x = torch.tensor(eval(x), dtype=torch.float64, requires_grad=True)
    y = eval(expression, {"torch": torch, "x": x})
    return torch.autograd.grad(y.sum(), x)[0].detach().numpy()


@pytest.mark.parametrize("torch_expression, expression, x, in_torch, ours", list(torch_rows()))
def test_convention_of_the_torch_face(torch_expression, expression, x, in_torch, ours):
    names = {"nan": np.nan, "inf": np.inf}
    got = gradient_in_torch(torch_face, torch_expression, x)
    np.testing.assert_allclose(got, eval(in_torch, names), rtol=1e-12)
    with np.errstate(all="ignore"):
        got = fg.grad(lambda x: fnp.sum(eval(expression, {"fnp": fnp, "x": x})))(np.array(eval(x)))
    np.testing.assert_allclose(got, eval(ours, names), rtol=1e-12)


@pytest.mark.parametrize("torch_expression, expression, x, in_torch, ours", list(torch_rows()))
def test_convention_of_torch(torch_expression, expression, x, in_torch, ours):
    torch = pytest.importorskip("torch")
    expected = eval(in_torch, {"nan": np.nan, "inf": np.inf})
    np.testing.assert_allclose(gradient_in_torch(torch, torch_expression, x), expected, rtol=1e-12)


# The rest of what a page promises


def test_every_error_class_has_its_entry():
    classes = {c.__name__ for c in vars(errors).values() if inspect.isclass(c) and issubclass(c, errors.FuncgradError)}
    text = (ROOT / "docs" / "errors.md").read_text()
    entries = re.findall(r"^## `(\w+)`$", text, re.M)
    assert sorted(entries) == sorted(classes)


def prose(path):
    """A page without its code."""
    return re.sub(r"`[^`\n]*`", "", FENCE.sub("", path.read_text()))


def anchors(path):
    """The anchors that a code host makes of the headings of a page."""
    headings = re.findall(r"^#+ (.*)$", FENCE.sub("", path.read_text()), re.M)
    return {re.sub(r"[^\w\- ]", "", h.lower()).replace(" ", "-") for h in headings}


@pytest.mark.parametrize("page", PROSE, ids=relative)
def test_links_lead_somewhere(page):
    for target in map("".join, re.findall(r"\]\(([^)\s]+)\)|<img src=\"([^\"]+)\"", prose(page))):
        if target.startswith(("http://", "https://")):
            continue
        path, _, anchor = target.partition("#")
        path = (page.parent / path).resolve() if path else page
        assert path.exists(), f"{relative(page)} links to {target}"
        assert not anchor or anchor in anchors(path), f"{relative(page)} links to {target}, a heading that is not there"


@pytest.mark.parametrize("page", PROSE, ids=relative)
def test_commands_name_files_that_exist(page):
    for language, body, line, _ in fences(page.read_text()):
        for word in re.findall(r"(?<![\w./])(?:examples|benchmarks|tests|docs|funcgrad)/[\w./-]*\w", body):
            if language in ("sh", "bash"):
                assert os.path.exists(ROOT / word), f"{relative(page)}, line {line}: {word}"
