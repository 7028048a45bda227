"""The pages of the repository as pages of the site.

They are written for a code host: links lead to files, and a list of links is a list. Here links that leave docs/ lead
to pages made of those files, and the lists of links in index.md, torch/README.md and transforms/README.md are the
navigation.
"""

import re
from collections.abc import Callable, Sequence
from pathlib import Path, PurePosixPath

ROOT = Path(__file__).resolve().parents[2]
DOCS = ROOT / "docs"
MADE = ("reference", "gallery", "project", "source")
"""The directories of docs/ with pages that the build writes."""
OVERVIEWS = ("transforms/README", "design/README")
"""Below these in the navigation stand the pages of their directories that they link to."""
LINK = re.compile(r"(?<=\]\()(?!https?:|#)([^)#\s]+)(#[^)\s]*)?(?=\))")
ELSEWHERE = {
    "README.md": "index.md",
    "CONTRIBUTING.md": "project/contributing.md",
    "CHANGELOG.md": "project/changelog.md",
    "benchmarks/README.md": "project/benchmarks.md",
    "examples/data/README.md": "project/data.md",
    "examples": "gallery.md",
    "examples/README.md": "gallery.md",
    "examples/questions": "gallery.md",
    "examples/torch_scripts": "gallery.md",
}


ORPHAN = "---\norphan: true\n---\n\n"


def outside_code(text: str, change: Callable[[str], str]) -> str:
    """Text of which all but the code is changed."""
    parts = re.split(r"(^`{3,}.*?^`{3,}$|`[^`\n]*`)", text, flags=re.M | re.S)
    return "".join(part if i % 2 else change(part) for i, part in enumerate(parts))


def target(path: str) -> str:
    """The page of a file of the repository, from docs/."""
    if path.startswith("docs/"):
        return path.removeprefix("docs/")
    if path in ELSEWHERE:
        return ELSEWHERE[path]
    if path.startswith("examples/") and path.endswith(".py"):
        return f"gallery/{path.removeprefix('examples/').removesuffix('.py').replace('/', '-')}.md"
    return f"source/{path}.md"


def linked(text: str, place: str, page: str) -> str:
    """A page with its links bent.

    Arguments:
        text: the page.
        place: its file in the repository.
        page: its file on the site, from docs/.
    """

    def bent(found: re.Match) -> str:
        path = normal(PurePosixPath(place).parent / found[1])
        if not (ROOT / path).exists():
            return found[0]  # which the build complains of
        return relative(target(path), page) + (found[2] or "")

    return outside_code(text, lambda part: LINK.sub(bent, part))


def with_images(text: str) -> str:
    """A page whose pictures are Markdown's, where they are HTML for the sake of their width."""
    picture = re.compile(r'<img src="([^"]+)" alt="([^"]*)"[^>]*>')
    return outside_code(text, lambda part: picture.sub(r"![\2](\1)", re.sub(r"^</?p>\n", "", part, flags=re.M)))


def normal(path: PurePosixPath) -> str:
    """A path without `..`."""
    parts: list[str] = []
    for part in path.parts:
        parts = parts[:-1] if part == ".." else [*parts, part]
    return "/".join(parts)


def relative(path: str, page: str) -> str:
    """A path from the directory of a page."""
    return "../" * page.count("/") + path


def sources() -> list[str]:
    """The files of the repository that pages link to and that have no other page."""
    found = set()
    for file in [*written_pages(), *(ROOT / p for p in ELSEWHERE if p.endswith(".md"))]:
        place = file.relative_to(ROOT).as_posix()

        def note(part: str, place: str = place) -> str:
            for link in LINK.finditer(part):
                path = normal(PurePosixPath(place).parent / link[1])
                if target(path).startswith("source/") and (ROOT / path).is_file():
                    found.add(path)
            return part

        outside_code(file.read_text(), note)
    return sorted(found)


def written_pages() -> list[Path]:
    """The pages in docs/ that people write."""
    return [p for p in sorted(DOCS.rglob("*.md")) if p.relative_to(DOCS).parts[0] not in MADE]


def project_pages() -> dict[str, str]:
    """The pages that stand elsewhere in the repository."""
    found = {}
    for place, page in ELSEWHERE.items():
        if page.startswith("project/"):
            found[page] = linked(with_images((ROOT / place).read_text()), place, page)
    fast = re.search(r"^## How fast\n(.*?)(?=^## )", (ROOT / "README.md").read_text(), re.M | re.S)
    head, _, rest = found["project/benchmarks.md"].partition("\n")
    tables = linked(with_images(fast[1]), "README.md", "project/benchmarks.md")
    found["project/benchmarks.md"] = f"{head}\n\n{tables}\n## To repeat them\n{rest}"
    found["project/data.md"] = ORPHAN + found["project/data.md"]
    for path in sources():
        language = "python" if path.endswith(".py") else "text"
        body = (ROOT / path).read_text()
        found[f"source/{path}.md"] = f"{ORPHAN}# `{path}`\n\n``````{language}\n{body}``````\n"
    return found


# Navigation


def with_toctrees(text: str) -> str:
    """The front page, with a toctree for each section that lists pages."""
    parts = re.split(r"^(?=## )", text, flags=re.M)
    found = parts[0]
    for part in parts[1:]:
        title = part[3:].split("\n")[0]
        found += part + toctree(questions() if title == "Why?" else rows(part), title)
    return found


def rows(text: str) -> list[tuple[str, str]]:
    """The links that the rows of a list or table begin with: words and page."""
    return re.findall(r"^(?:- |\| )\[([^\n\]]*)\]\(([^)#\s]+\.md)\)", text, re.M)


def questions() -> list[tuple[str, str]]:
    """The links to the questions in the tables of torch/README.md."""
    return [(words, f"torch/{page}") for words, page in rows((DOCS / "torch" / "README.md").read_text())]


def toctree(links: Sequence[tuple[str, str]], caption: str = "") -> str:
    """A hidden toctree of links: words, or "" for the title of the page, and page."""
    if not links:
        return ""
    options = ":hidden:\n" + (f":caption: {caption}\n" if caption else "")
    entries = [f"{words} <{page.removesuffix('.md')}>" if words else page.removesuffix(".md") for words, page in links]
    return f"\n```{{toctree}}\n{options}\n" + "\n".join(entries) + "\n```\n\n"


def of_the_directory(text: str) -> list[tuple[str, str]]:
    """The pages of its own directory that a README links to, in order."""
    found = [link[1] for link in LINK.finditer(text) if re.fullmatch(r"[\w-]+\.md", link[1])]
    return [("", page) for page in dict.fromkeys(found)]
