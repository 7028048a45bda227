"""Our docstrings as Markdown.

A docstring is paragraphs, then sections headed `Arguments:`, `Returns:`, `Raises:`, `Attributes:`, `Example:` and
`Source:`. Entries of a section are `name, name: text`, and what is indented further continues them.
"""

import ast
import re
from collections.abc import Callable, Iterator

SECTIONS = ("Arguments", "Attributes", "Returns", "Raises", "Example", "Source")
HEAD = re.compile(rf"^({'|'.join(SECTIONS)}):[ \t]*(.*)$")
ENTRY = re.compile(r"^([\w*./()\[\]]+(?:, [\w*./()\[\]]+)*): (.*)$", re.S)
NAMED = ("Arguments", "Attributes", "Raises")
Link = Callable[[str], str | None]


def markdown(text: str, link: Link) -> str:
    """A docstring, without its common indentation.

    Arguments:
        text: the docstring.
        link: gives the full name of what a word in backticks refers to, or None.
    """
    parts = []
    for head, body in sections(text):
        if not head or head == "Example":
            parts.append(blocks(body, link))
        elif head in NAMED:
            entries = [entry(e, link) for e in items(body)]
            parts.append(field(head, "\n".join(f"- {indented(e, '  ')}" for e in entries)))
        else:
            parts.append(field(head, blocks(body, link)))
    return "\n\n".join(p for p in parts if p.strip())


def sections(text: str) -> Iterator[tuple[str, str]]:
    """The parts of a docstring: what stands above the first head under the name ""."""
    head, lines = "", []
    for line in text.splitlines():
        if found := HEAD.match(line):
            yield head, "\n".join(lines)
            head, lines = found[1], [found[2]] if found[2] else []
        elif head and line and not line.startswith(" ") and (head != "Source" or not "".join(lines[-1:]).strip()):
            yield head, "\n".join(lines)  # prose after a section
            head, lines = "", [line]
        else:
            lines.append(line.removeprefix("    ") if head else line)
    yield head, "\n".join(lines)


def items(body: str) -> list[str]:
    """The entries of a section: each begins without indentation."""
    found: list[str] = []
    for line in body.splitlines():
        if (line and not line.startswith(" ")) or not found:
            found.append(line)
        else:
            found[-1] += "\n" + line.removeprefix("    ")
    return found


def entry(text: str, link: Link) -> str:
    """`name: text`, with the names in bold."""
    found = ENTRY.match(text)
    if not found:
        return blocks(text, link)
    names = ", ".join(f"**`{n}`**" for n in found[1].split(", "))
    return f"{names}: {blocks(found[2], link)}"


def field(head: str, body: str) -> str:
    """A field of a field list."""
    return f":{head}:\n    {indented(body, '    ')}"


def indented(text: str, by: str) -> str:
    """Text whose lines after the first are indented."""
    return text.replace("\n", "\n" + by)


def blocks(text: str, link: Link) -> str:
    """Paragraphs, examples and indented code."""
    found = []
    for block in re.split(r"\n\s*\n", text.strip("\n")):
        lines = block.strip("\n").splitlines()
        if not lines:
            continue
        if lines[0].startswith(">>> ") or all(line.startswith("    ") for line in lines):
            found.append(code(lines))
        elif ">>> " in block:
            start = next(i for i, line in enumerate(lines) if line.lstrip().startswith(">>> "))
            found += [prose("\n".join(lines[:start]), link), code(lines[start:])]
        else:
            found.append(prose("\n".join(lines), link))
    return "\n\n".join(joined(found))


def code(lines: list[str]) -> str:
    """A block of code, as it stands."""
    indent = min(len(line) - len(line.lstrip()) for line in lines)
    body = "\n".join(line[indent:] for line in lines)
    return f"```{language(body)}\n{body}\n```"


def language(body: str) -> str:
    """How a block is coloured."""
    if ">>> " in body:
        return "pycon"
    try:
        ast.parse(body)
    except SyntaxError:
        return "text"
    return "python"


def joined(found: list[str]) -> list[str]:
    """Blocks of code that follow each other become one."""
    out: list[str] = []
    for block in found:
        head = block.split("\n", 1)[0]
        if out and head.startswith("```") and out[-1].startswith(head):
            out[-1] = out[-1].removesuffix("\n```") + "\n\n" + block.removeprefix(head + "\n")
        else:
            out.append(block)
    return out


def prose(text: str, link: Link) -> str:
    """Text, in which only backticks are markup."""
    parts = re.split(r"(`[^`]+`|https?://[^\s)]+[\w/])", text)
    for i, part in enumerate(parts):
        if i % 2 == 0:
            parts[i] = re.sub(r"([\\*_<>\[\]|$#~])", r"\\\1", part)
        elif part.startswith("http"):
            parts[i] = f"<{part}>"
        elif target := link(part.strip("`")):
            parts[i] = f"{{py:obj}}`{part.strip('`')} <{target}>`"
    out = "".join(parts)
    return re.sub(r"^(\s*)([+-]|\d+\.)(?= )", lambda m: m[0] if m[2] in "-" else f"{m[1]}\\{m[2]}", out, flags=re.M)
