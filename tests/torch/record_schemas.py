"""Records what PyTorch itself declares of its operations, for tests/torch/test_op.py.

`python tests/torch/record_schemas.py`, with PyTorch installed, writes tests/torch/data/schemas.json: the argument
lists of the overloads of each operation.
"""

import json
from pathlib import Path

RECORD = Path(__file__).parent / "data" / "schemas.json"


def schemas() -> dict[str, list[list[str]]]:
    """The arguments of every operation of the namespace aten, by name: for each overload the argument names."""
    import torch

    found: dict[str, list[list[str]]] = {}
    for s in torch._C._jit_get_all_schemas():
        space, _, name = s.name.partition("::")
        if space == "aten" and not name.startswith("_"):
            arguments = [a.name for a in s.arguments if not a.is_out]
            forms = found.setdefault(name, [])
            if arguments not in forms:
                forms.append(arguments)
    return dict(sorted(found.items()))


if __name__ == "__main__":
    lines = [f"{json.dumps(name)}: {json.dumps(forms)}" for name, forms in schemas().items()]
    RECORD.write_text("{\n" + ",\n".join(lines) + "\n}\n")
