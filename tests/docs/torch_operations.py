"""The table of docs/torch/operations.md: every operation of the torch face, as its row declares it.

`python tests/docs/torch_operations.py` writes the page.
"""

import importlib
from pathlib import Path

from funcgrad.torch.declare.op import ROWS
from funcgrad.torch.declare.signatures import HIDDEN
from funcgrad.torch.tensor.later import complete

PAGE = Path(__file__).parents[2] / "docs" / "torch" / "operations.md"
NO_MARKS = str.maketrans("", "", "?+!")
"""Those of our own notation, see declare/signatures.py."""
complete()
importlib.import_module("funcgrad.torch.nn")  # all rows

TITLES = {"": "torch", "_nn": "torch.nn.functional", "Tensor": "Methods of tensors only"}

HEAD = """# The operations of the torch face

Written by tests/docs/torch_operations.py from the rows that declare them ([how](adding-an-operation.md)). *Also* lists
the method (`.f`), the form in place (`.f_`) and further names; *nodes* is what `grad_fn` may show. The signatures are
PyTorch's.
"""


def written() -> str:
    """The page."""
    spaces = sorted({name.rpartition(".")[0] for name in ROWS}, key=lambda s: (s == "Tensor", s))
    return HEAD + "".join(section(s) for s in spaces)


def section(space: str) -> str:
    """The operations of one namespace."""
    title = {"": "torch", "_nn": "torch.nn.functional", "Tensor": "Methods of tensors only"}.get(
        space, f"torch.{space}"
    )
    names = sorted(n for n in ROWS if n.rpartition(".")[0] == space)
    head = "| name | signatures | also | nodes |\n|---|---|---|---|\n"
    return f"\n## {title}\n\n{head}" + "".join(line(n) for n in names)


def line(name: str) -> str:
    """The row of one operation."""
    row = ROWS[name]
    space, _, short = name.rpartition(".")
    shown = [s.translate(NO_MARKS) for s in row.signatures if s[0] not in HIDDEN]
    signatures = "<br>".join(f"`{s}`" for s in shown) or "as Python binds them"
    also = [f"`.{short}`"] if row.has_method and space != "Tensor" else []
    also += [f"`.{short}_`"] if row.inplace else []
    also += [f"`{n}`" for n in row.names]
    nodes = dict.fromkeys(f"`{r.name}`" for r in row.records)
    return f"| `{short}` | {signatures} | {' '.join(also)} | {' '.join(nodes)} |\n"


if __name__ == "__main__":
    PAGE.write_text(written())
