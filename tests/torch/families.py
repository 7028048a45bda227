"""Writes funcgrad/torch/ops/families.py: which family of operations declares what.

`python tests/torch/families.py`, after operations have been added or moved. tests/torch/test_families.py holds it.
"""

import sys
import textwrap
from importlib import import_module
from pathlib import Path
from pkgutil import iter_modules
from types import FrameType

import funcgrad

OPS = Path(funcgrad.__file__).parent / "torch" / "ops"
PAGE = OPS / "families.py"

HEAD = '''"""Which family of operations declares what: its functions, and after the bar its methods.

Written by tests/torch/families.py.
"""

FAMILIES = {
'''


class Declarations:
    """What modules declare while they are imported: an observer of calls, for `sys.setprofile`."""

    def __init__(self) -> None:
        self.functions: dict[str, set[str]] = {}
        self.methods: dict[str, set[str]] = {}

    def __call__(self, frame: FrameType, event: str, argument: object) -> None:
        if event != "call" or frame.f_code.co_name not in ("add_function", "add_member"):
            return
        given = frame.f_locals
        if frame.f_code.co_name == "add_function":
            name = f"{given['space']}.{given['name']}".lstrip(".")
            self.functions.setdefault(_importing(frame), set()).add(name)
        elif given["cls"].__name__ == "Tensor":
            self.methods.setdefault(_importing(frame), set()).add(given["name"])


def _importing(frame: FrameType) -> str:
    """The module that is being imported."""
    while frame.f_code.co_name != "<module>":
        frame = frame.f_back
    return frame.f_globals["__name__"]


def written() -> str:
    """The text of the file; nothing of torch must have been imported."""
    declared = Declarations()
    sys.setprofile(declared)
    families = sorted(m.name for m in iter_modules([str(OPS)]) if m.name not in ("families", "nn"))
    for family in families:
        import_module(f"funcgrad.torch.ops.{family}")
    import_module("funcgrad.torch.ops.nn")
    sys.setprofile(None)
    return HEAD + "".join(_entry(family, declared) for family in [*families, "nn"]) + "}\n"


def _entry(family: str, declared: Declarations) -> str:
    parts = []
    for found in (declared.functions, declared.methods):
        names = {n for module, own in found.items() if _of(module, family) for n in own}
        parts.append(" ".join(sorted(n for n in names if not n.startswith("_nn."))))
    text = " | ".join(parts)
    if len(text) < 90:
        return f'    "{family}": "{text}",\n'
    return f'    "{family}": """\n{textwrap.fill(text, 112, break_on_hyphens=False)}\n""",\n'


def _of(module: str, family: str) -> bool:
    return f"{module}.".startswith(f"funcgrad.torch.ops.{family}.")


if __name__ == "__main__":
    PAGE.write_text(written())
