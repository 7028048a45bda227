"""What Sphinx calls: the pages that are made, those that are bent, drawings and quotation marks."""

from pathlib import Path

from docutils import nodes
from sphinx import addnodes
from sphinx.application import Sphinx
from sphinx.util.logging import getLogger

from extension import check, coverage, drawings, gallery, pages, reference, sidebar

LOG = getLogger(__name__)


def setup(app: Sphinx) -> dict[str, bool]:
    """Registers all of it."""
    app.connect("builder-inited", write_pages)
    app.connect("source-read", bend)
    app.connect("doctree-read", double_quotes)
    app.connect("doctree-read", link_types)
    app.connect("doctree-read", drawings.inline_pictures, priority=400)  # before Sphinx collects what to copy
    app.connect("doctree-read", drawings.side_by_side)
    app.connect("html-page-context", sidebar.without_tree, priority=400)
    app.connect("html-page-context", sidebar.fill, priority=600)
    app.connect("build-finished", write_style)
    app.connect("build-finished", check_links)
    app.add_directive("mermaid", drawings.Mermaid)
    return {"parallel_read_safe": True, "parallel_write_safe": True}


def write_pages(app: Sphinx) -> None:
    """Write the pages that are made; one that is as it was is not read again."""
    made = {**pages.project_pages(), **gallery.pages()}
    for page in reference.Reference().pages():
        spaces = reference.below(page.file)
        made[f"reference/{page.file}.md"] = page.text + pages.toctree([("", f"{p}.md") for p in (*spaces, *page.below)])
        made.update((f"reference/{name}.md", text) for name, text in page.below.items())
    for directory in pages.MADE:
        for old in (pages.DOCS / directory).rglob("*.md"):
            if old.relative_to(pages.DOCS).as_posix() not in made:
                old.unlink()
    for name, text in made.items():
        path = pages.DOCS / name
        path.parent.mkdir(parents=True, exist_ok=True)
        if not path.exists() or path.read_text() != text:
            path.write_text(text)


def bend(app: Sphinx, docname: str, source: list[str]) -> None:
    """A page of the repository as one of the site."""
    if docname.startswith(tuple(f"{directory}/" for directory in pages.MADE)):
        return
    text = source[0]
    navigation = pages.toctree(pages.of_the_directory(text)) if docname in pages.OVERVIEWS else ""
    if docname == "api":
        text = text.partition("*Written by")[0] + reference.index()
        text += pages.toctree([("", f"reference/{n}.md") for n in reference.below("")])
    elif docname == "gallery":
        text = text.replace("<!-- the gallery: made from the examples when the site is built -->", gallery.cards())
    elif docname == "coverage":
        text = text.replace(coverage.MARK, coverage.tables())
    text = pages.with_images(text)
    text = pages.linked(text, f"docs/{docname}.md", f"{docname}.md")
    if docname == "index":
        text = pages.with_toctrees(text)
    source[0] = text + navigation


def double_quotes(app: Sphinx, doctree: nodes.document) -> None:
    """Shapes stand in double quotes, as in the source: Sphinx writes strings of annotations as Python does."""
    for kind in (addnodes.desc_sig_literal_string, nodes.literal):
        for node in doctree.findall(kind):
            text = node.astext()
            if text[:1] == "'" == text[-1:] and '"' not in text:
                node.children = [nodes.Text(f'"{text[1:-1]}"')]


def write_style(app: Sphinx, error: Exception | None) -> None:
    """The style sheet of drawings, which funcgrad has."""
    if error is None and app.builder.name == "html":
        (Path(app.outdir) / "_static" / "drawings.css").write_text(drawings.style_sheet())


def check_links(app: Sphinx, error: Exception | None) -> None:
    """Links that lead nowhere are warnings of the build."""
    if error is None and app.builder.name == "html":
        for problem in check.problems(Path(app.outdir)):
            LOG.warning(problem)


TYPES = {"Array": "funcgrad.Array", "Tensor": "funcgrad.torch.Tensor", "Tape": "funcgrad.Tape"}


def link_types(app: Sphinx, doctree: nodes.document) -> None:
    """In signatures the types that have a page are links.

    Sphinx would look for each word of an annotation at the end of every name, which is slow.
    """
    for node in list(doctree.findall(addnodes.pending_xref)):
        if node.hasattr("refspecific"):
            if node["reftarget"] in TYPES:
                node["reftarget"] = TYPES[node["reftarget"]]
                del node["refspecific"]
            else:
                node.replace_self(node.children)
