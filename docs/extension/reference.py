"""The pages of the reference: one for each namespace, or for each family of functions where a namespace is large.

They are made from the docstrings, and say what NumPy or SciPy, JAX and PyTorch call a thing. What several namespaces
show is described in the first of them, and the others link to it.
"""

import functools
import importlib
import inspect
import itertools
import re
import sys
from collections.abc import Iterator
from dataclasses import dataclass, field
from types import ModuleType
from typing import Any

import api_page  # tests/docs/api_page.py: the namespaces, and the names of the peers

from extension.docstring import Link, markdown, prose
from extension.docstring import field as field_of

LARGE, SMALL = 64, 4
"""A namespace of more entries has a page for each family; a family of fewer entries shares one with others."""
TENSOR = "funcgrad.torch.Tensor"


@dataclass
class Thing:
    """A public name."""

    name: str
    namespace: str
    value: Any
    home: str
    """The module that declares it."""
    peers: list[str]

    @property
    def path(self) -> str:
        """Its full name for a user."""
        return f"{shown(self.namespace)}.{self.name}"

    @property
    def described(self) -> bool:
        """Whether it has an entry, and not only a row of a table."""
        return callable(self.value) and api_page.text_of(self.value) not in ("", "NumPy's own.")

    @property
    def kind(self) -> str:
        """What Sphinx calls it."""
        if not isinstance(self.value, type):
            return "function"
        return "exception" if issubclass(self.value, BaseException) else "class"


@dataclass
class Page:
    """The page of a namespace, and the texts of the pages below it."""

    file: str
    text: str
    below: dict[str, str] = field(default_factory=dict)


def shown(namespace: str) -> str:
    """A namespace as users write it."""
    return api_page.TITLES.get(namespace, namespace)


class Reference:
    """All public names, and the pages that tell of them."""

    def __init__(self) -> None:
        self.things: dict[str, list[Thing]] = {}
        self.canonical: dict[int, Thing] = {}
        peers = api_page.recorded()
        for namespace in api_page.NAMESPACES:  # imports all that is imported on demand
            for name in dir(importlib.import_module(namespace)):
                getattr(sys.modules[namespace], name)
        for namespace in api_page.NAMESPACES:
            self.things[namespace] = list(things(namespace, peers))
            for thing in self.things[namespace]:
                if thing.described:
                    self.canonical.setdefault(id(thing.value), thing)
        self.all_paths = {t.path for t in self.canonical.values()}
        self.docs = {inspect.getdoc(t.value): t for t in self.canonical.values()}

    def pages(self) -> list[Page]:
        """The pages, those of the namespaces with those of their families below."""
        found = [self.page(namespace) for namespace in api_page.NAMESPACES]
        next(p for p in found if p.file == "funcgrad.torch").below[TENSOR] = self.tensor_page()
        return found

    def page(self, namespace: str) -> Page:
        """The page of a namespace."""
        things = self.things[namespace]
        own = [t for t in things if self.is_described_here(t)]
        others = [t for t in things if not self.is_described_here(t)]
        title = shown(namespace)
        head = f"# {title}\n\n{self.introduction(namespace)}\n\n"
        links = self.links(namespace)
        if len(own) <= LARGE:
            body = self.table(own) + self.others(others) + "".join(self.entry(t, links) for t in own)
            return Page(title, head + body)
        families = self.families(own, namespace)
        below = {}
        for family, (words, members) in families.items():
            text = f"# {title}: {family}\n\n{words}\n\n{self.table(members)}"
            below[f"{title}-{family.replace(' ', '-')}"] = text + "".join(self.entry(t, links) for t in members)
            head += f"## {family.capitalize()}\n\n{self.table(members)}\n"
        return Page(title, head + self.others(others), below)

    def is_described_here(self, thing: Thing) -> bool:
        """Whether the entry of a thing stands in this namespace."""
        return thing.described and self.canonical[id(thing.value)] is thing

    def introduction(self, module: str) -> str:
        """What the docstring of a module says."""
        return markdown(inspect.getdoc(importlib.import_module(module)) or "", self.links(module))

    def families(self, things: list[Thing], namespace: str) -> dict[str, tuple[str, list[Thing]]]:
        """The families of a namespace: name, words, members."""
        found: dict[str, list[Thing]] = {}
        for thing in things:
            found.setdefault(thing.home, []).append(thing)
        named: dict[str, tuple[str, list[Thing]]] = {}
        rest = []
        for home, members in sorted(found.items(), key=lambda item: item[0].rpartition(".")[2]):
            if len(members) < SMALL or home == namespace:
                rest += members
                continue
            family = home.rpartition(".")[2].replace("_", " ")
            words = self.introduction(home)
            before = named.get(family, ("", []))
            named[family] = (before[0] or words, sorted(before[1] + members, key=lambda t: t.name.lower()))
        if rest:
            named["further names"] = ("", sorted(rest, key=lambda t: t.name.lower()))
        return named

    def table(self, things: list[Thing]) -> str:
        """Names and what they are, with links to the entries."""
        rows = [f"| {{py:obj}}`{t.name} <{self.canonical[id(t.value)].path}>` | {self.summary(t)} |" for t in things]
        return "| name | what it is |\n|---|---|\n" + "\n".join(rows) + "\n\n" if rows else ""

    def summary(self, thing: Thing) -> str:
        """The first paragraph of a docstring, in one cell of a table."""
        if isinstance(thing.value, ModuleType) and thing.value.__name__ in api_page.NAMESPACES:
            target = f"[its page]({shown(thing.value.__name__)}.md)"
            return f"{cell(api_page.text_of(thing.value))} {target}"
        return cell(api_page.text_of(thing.value))

    def others(self, things: list[Thing]) -> str:
        """Modules, constants, and what is described elsewhere."""
        rows = []
        for t in things:
            there = self.canonical.get(id(t.value))
            name = f"{{py:obj}}`{t.name} <{there.path}>`" if there else f"`{t.name}`"
            rows.append(f"| {name} | {self.summary(t)} |")
        head = "Modules, constants, and what is described with another namespace:\n\n| name | what it is |\n|---|---|\n"
        return head + "\n".join(rows) + "\n\n" if rows else ""

    def entry(self, thing: Thing, links: Link) -> str:
        """A function or class with its signatures, words and members."""
        body = markdown(inspect.getdoc(thing.value) or "", links)
        if thing.peers:
            body += f"\n\n{field_of('Elsewhere', ', '.join(f'`{p}`' for p in thing.peers))}\n\n"
        if thing.kind != "function":
            body += "".join(self.member(m, v, links) for m, v in members_of(thing.value))
        return directive(f"py:{thing.kind}", thing.path + signature_of(thing.value), body, 5)

    def member(self, name: str, value: Any, links: Link) -> str:
        """A method or property of a class."""
        doc = inspect.getdoc(value) or ""
        same = self.docs.get(doc)
        body = f"As {{py:obj}}`{same.path}`." if same else markdown(doc, links)
        if isinstance(value, property | functools.cached_property):
            return directive("py:property", name, body, 4)
        options = ":classmethod:\n\n" if isinstance(value, classmethod) else ""
        options = ":staticmethod:\n\n" if isinstance(value, staticmethod) else options
        f = value.__func__ if isinstance(value, classmethod | staticmethod) else value
        bound = not isinstance(value, staticmethod)
        return directive("py:method", name + signature_of(f, bound), options + body, 4)

    def tensor_page(self) -> str:
        """The methods of tensors: those that are functions as well, and the others with their entries."""
        cls = importlib.import_module("funcgrad.torch").Tensor
        links = self.links("funcgrad.torch")
        short, own, attributes = [], [], []
        for name in sorted(n for n in dir(cls) if n[0] != "_"):
            value = inspect.getattr_static(cls, name)
            doc = inspect.getdoc(value) or ""
            if doc == inspect.getdoc(type(value)):
                attributes.append(f"`{name}`")
            elif same := self.docs.get(doc):
                short.append(f"| {{py:obj}}`{name} <{same.path}>` | {cell(doc, links)} |")
            elif "\n\n" not in doc:
                short.append(f"| `{name}` | {cell(doc, links)} |")
            elif callable(value) or isinstance(value, property):
                own.append(directive("py:currentmodule", "funcgrad.torch", "", 4) if not own else "")
                own.append(self.member(f"Tensor.{name}", value, links))
        table = "| method | what it is |\n|---|---|\n" + "\n".join(short)
        words = "# Methods of tensors\n\nMost are functions too, and described there.\n\n"
        return f"{words}{table}\n\nAttributes: {', '.join(attributes)}.\n\n## With words of their own\n\n{''.join(own)}"

    def links(self, namespace: str) -> Link:
        """Finds the entry of a name in a docstring of a namespace, such as `sin`, `functional.conv1d`, `fg.grad`."""
        own = {t.name: self.canonical[id(t.value)].path for t in self.things.get(namespace, ()) if t.described}

        def link(word: str) -> str | None:
            word = word.replace("fg.", "funcgrad.", 1) if word.startswith("fg.") else word
            full = (f"{shown(namespace)}.{word}", f"funcgrad.{word}", word)
            return own.get(word) or next((path for path in full if path in self.all_paths), None)

        return link


def things(namespace: str, peers: dict[str, set[str]]) -> Iterator[Thing]:
    """The public names of a namespace."""
    module, homes = sys.modules[namespace], api_page.homes_in(namespace)
    homonyms = api_page.HOMONYMS.get(namespace, "").split()
    for name in sorted(dir(module), key=lambda n: (n.lower(), n)):
        value = getattr(module, name)
        home = next((p for p in homes.get(name, ()) if getattr(sys.modules[p], name) is value), None)
        same = [
            f"{m}.{name}"
            for modules in api_page.NAMESPACES[namespace]
            for m in modules.split()[:99]
            if name in peers[m] and f"{m}.{name}" not in homonyms
        ]
        first = [next(group) for _, group in itertools.groupby(same, key=lambda p: p.partition(".")[0])]
        yield Thing(name, namespace, value, home or api_page.declared_in(value) or namespace, first)


def signature_of(f: Any, bound: bool = False) -> str:
    """How a function may be called, as it is declared; without `self` if it is a method."""
    try:
        signature = inspect.signature(f)
    except (TypeError, ValueError):
        return "(...)"
    parameters = list(signature.parameters.values())
    if bound and parameters and parameters[0].name in ("self", "cls", "a") and parameters[0].kind < 2:
        signature = signature.replace(parameters=parameters[1:])
    return written(signature)


def written(signature: inspect.Signature) -> str:
    """A signature with annotations as they stand in the source, not as strings."""
    parts, slash, star = [], False, False
    for p in signature.parameters.values():
        if slash and p.kind is not p.POSITIONAL_ONLY:
            parts.append("/")
            slash = False
        slash = slash or p.kind is p.POSITIONAL_ONLY
        if p.kind is p.KEYWORD_ONLY and not star:
            parts.append("*")
        star = star or p.kind in (p.KEYWORD_ONLY, p.VAR_POSITIONAL)
        text = {p.VAR_POSITIONAL: "*", p.VAR_KEYWORD: "**"}.get(p.kind, "") + p.name
        if p.annotation is not p.empty:
            text += f": {annotation(p.annotation)}"
        if p.default is not p.empty:
            text += f" = {default(p.default)}"
        parts.append(text)
    parts += ["/"] if slash else []
    result = "" if signature.return_annotation is signature.empty else f" -> {annotation(signature.return_annotation)}"
    return f"({', '.join(parts)}){result}"


def annotation(value: Any) -> str:
    """A type as it is written."""
    text = value if isinstance(value, str) else getattr(value, "__name__", str(value))
    return re.sub(r"'([^']*)'", r'"\1"', text) if text[:1] != '"' else text.strip('"')


def default(value: Any) -> str:
    """A default, without addresses."""
    if isinstance(value, type) or inspect.isroutine(value):
        return value.__name__
    text = repr(value)
    return "..." if " at 0x" in text or "<" in text else text


def members_of(cls: type) -> Iterator[tuple[str, Any]]:
    """The public methods and properties that a class declares itself, and describes."""
    if cls.__name__ == "Tensor":
        return
    for name, value in sorted(vars(cls).items()):
        f = value.__func__ if isinstance(value, classmethod | staticmethod) else value
        known = isinstance(f, property | functools.cached_property) or inspect.isroutine(f)
        if name[0] != "_" and known and inspect.getdoc(f):
            yield name, value


def directive(name: str, argument: str, body: str, colons: int) -> str:
    """A directive of MyST."""
    return f"{':' * colons}{{{name}}} {argument}\n{body}\n{':' * colons}\n\n"


def cell(text: str, links: Link = lambda word: None) -> str:
    """The first paragraph of a text for a cell of a table."""
    line = " ".join(text.split("\n\n")[0].split()).replace("\\|", "|")
    return prose(line, links).replace("|", "\\|") if line else ""


def index() -> str:
    """The rows of the table of namespaces."""
    rows = []
    for namespace in api_page.NAMESPACES:
        doc = api_page.text_of(importlib.import_module(namespace))
        rows.append(f"| [`{shown(namespace)}`](reference/{shown(namespace)}.md) | {cell(doc)} |")
    return "| namespace | what it has |\n|---|---|\n" + "\n".join(rows) + "\n"


def below(page: str) -> list[str]:
    """The namespaces that stand right below one in the navigation; those that stand below none for ""."""
    spaces = [shown(n) for n in api_page.NAMESPACES]

    def above(space: str) -> str:
        outer = space.rpartition(".")[0]
        return outer if outer in spaces and outer != "funcgrad" else above(outer) if "." in outer else ""

    return [s for s in spaces if above(s) == page]
