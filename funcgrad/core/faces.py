"""What a public namespace shows: its public names, and of each function whose function it is."""

from __future__ import annotations

import sys
from collections.abc import Iterable
from types import FunctionType, ModuleType

_PAGES = {
    "jax": "https://docs.jax.dev/en/latest/_autosummary",
    "numpy": "https://numpy.org/doc/stable/reference/generated",
    "scipy": "https://docs.scipy.org/doc/scipy/reference/generated",
}


def publish(name: str, *modules: ModuleType, source: str = "", later: Iterable[str] = ()) -> None:
    """Have `dir()` and `import *` of a module show its public names only; the last thing that it does.

    These are the names in its `__all__`. A package need not have one: all that it imports is public, but for modules
    and names with an underscore. The name of this function is taken out of the module.

    Arguments:
        name: of the module.
        modules: those imported by it that are public themselves.
        source: the module of NumPy, SciPy or JAX whose functions it has: the docstring of a function ends with a link
            to the one of that name there, unless it says where it comes from itself.
        later: names that it imports when they are first asked for; `import *` leaves them.
    """
    namespace = vars(sys.modules[name])
    del namespace[publish.__name__]
    public = namespace.get("__all__")
    if public is None:
        public = [n for n, v in namespace.items() if n[0] != "_" and type(v) is not ModuleType and v is not annotations]
        public += [module.__name__.rpartition(".")[2] for module in modules]
        namespace["__all__"] = public
    namespace["__dir__"] = lambda: sorted({*public, *later})
    if source:
        page = f"{_PAGES[source.partition('.')[0]]}/{source}"
        for f in map(namespace.__getitem__, public):
            if type(f) is FunctionType and f.__module__.startswith(name):
                doc, its = f.__doc__, f.__name__
                if doc and "Source:" not in doc:
                    indent = "" if doc[-1] == "\n" else "    "  # from Python 3.13 the compiler takes it away
                    f.__doc__ = f"{doc.rstrip()}\n\n{indent}Source: {source}.{its} ({page}.{its}.html).\n{indent}"
