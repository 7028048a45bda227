"""What `dir()` and `import *` show of a public namespace: its public names, and not the modules that it is made of."""

from __future__ import annotations

import sys
from collections.abc import Iterable
from types import ModuleType


def publish(name: str, *modules: ModuleType, later: Iterable[str] = ()) -> None:
    """Show the public names of a module only; the last thing that it does.

    These are the names in its `__all__`. A package need not have one: all that it imports is public, but for modules
    and names with an underscore.

    Arguments:
        name: of the module.
        modules: those imported by it that are public themselves.
        later: names that it imports when they are first asked for; `import *` leaves them.
    """
    namespace = vars(sys.modules[name])
    public = set(namespace.get("__all__", ()))
    if not public:
        public = {n for n, v in namespace.items() if n[0] != "_" and v is not publish and type(v) is not ModuleType}
        public |= {module.__name__.rpartition(".")[2] for module in modules}
        namespace["__all__"] = sorted(public)
    names = sorted(public | set(later))
    namespace["__dir__"] = lambda: list(names)
