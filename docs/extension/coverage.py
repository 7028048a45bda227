"""The tables of docs/coverage.md: which public names of NumPy, SciPy, JAX and PyTorch are here.

    PYTHONPATH=. python docs/extension/coverage.py

records the names of those peers that are installed, in coverage.json, since most builds have none of them.
"""

import importlib
import inspect
import json
import textwrap
import warnings
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

RECORD = Path(__file__).with_name("coverage.json")
MARK = "<!-- the tables: made from the namespaces when the site is built -->"
PEERS = {
    "NumPy": ("numpy", "funcgrad.numpy", " .fft .linalg"),
    "SciPy": (
        "scipy", "funcgrad.scipy", ".special .stats .linalg .fft .signal .interpolate .integrate .optimize .ndimage "
        ".sparse.linalg .spatial.distance .cluster.vq",
    ),
    "JAX": (
        "jax", "funcgrad", " .numpy .numpy.fft .numpy.linalg .lax .lax.linalg .nn .nn.initializers .random "
        ".scipy.special .scipy.stats .scipy.linalg .scipy.fft .scipy.signal .scipy.interpolate .scipy.integrate "
        ".scipy.optimize .scipy.ndimage .scipy.sparse.linalg .scipy.cluster.vq .tree .tree_util .debug .errors .ops "
        ".custom_derivatives .ad_checkpoint",
    ),
    "PyTorch": (
        "torch", "funcgrad.torch", " .Tensor .autograd .autograd.functional .autograd.forward_ad .autograd.graph .func "
        ".fft .linalg .special .nn .nn.functional .nn.init .nn.utils .nn.utils.rnn .nn.utils.parametrize .nn.attention "
        ".optim .optim.lr_scheduler .optim.swa_utils .distributions .distributions.constraints "
        ".distributions.transforms .utils.data .utils.checkpoint .amp .random .hub .overrides",
    ),
}  # fmt: skip  # in rows
AS_THEY_STAND = Path(__file__).parents[2] / "tests" / "docs" / "scipy_table.json"


def pairs() -> Iterator[tuple[str, str, str]]:
    """The peer, its module, and ours, of every row."""
    for peer, (theirs, ours, spaces) in PEERS.items():
        for space in spaces.split(" "):
            yield peer, theirs + space, ours + space


def found(path: str) -> Any:
    """A module or class by its path."""
    try:
        return importlib.import_module(path)
    except ImportError:
        package, _, name = path.rpartition(".")
        return getattr(found(package), name)


def names_of(path: str) -> list[str]:
    """The functions and classes that a module of a peer declares to be public."""
    module, root = found(path), path.partition(".")[0]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of what the peer is about to remove
        listed = getattr(module, "__all__", None) or dir(module)
        values = {name: getattr(module, name, None) for name in listed if name[0] != "_"}
    insides = vars(found("torch._C")) if root == "torch" else {}  # classes of the compiler of TorchScript, and such
    return sorted(
        name
        for name, value in values.items()
        if is_of(value, root, isinstance(module, type)) and not (isinstance(value, type) and name in insides)
    )


def is_of(value: Any, root: str, method: bool) -> bool:
    """Whether a value is a function or class of a peer, and not what it imports of others."""
    if isinstance(value, ModuleType) or not (callable(value) or (method and inspect.isdatadescriptor(value))):
        return False
    home = getattr(value, "__module__", None) or root
    return method or home.partition(".")[0] in (root, root + "lib", "builtins")


def record() -> None:
    """Write down the names of the peers that are installed; those of the others stay."""
    data = json.loads(RECORD.read_text()) if RECORD.exists() else {"versions": {}, "names": {}}
    for root in {theirs for theirs, _, _ in PEERS.values()}:
        try:
            data["versions"][root] = importlib.import_module(root).__version__.partition("+")[0]
        except ImportError:
            continue
        for _, theirs, _ in pairs():
            if theirs.partition(".")[0] == root:
                data["names"][theirs] = textwrap.wrap(" ".join(names_of(theirs)), 118)
    data = {key: dict(sorted(value.items())) for key, value in data.items()}
    RECORD.write_text(json.dumps(data, indent=0) + "\n")


def tables() -> str:
    """A table for each peer, and the names that are missing."""
    data = json.loads(RECORD.read_text())
    return "\n".join(section(peer, data) for peer in PEERS)


def section(peer: str, data: dict[str, Any]) -> str:
    """The table of a peer."""
    root = PEERS[peer][0]
    plain = json.loads(AS_THEY_STAND.read_text())["functions"] if root == "scipy" else {}
    rows, missing, sums = [], [], [0, 0, 0]
    for _, theirs, ours in (p for p in pairs() if p[0] == peer):
        there = set(" ".join(data["names"][theirs]).split())
        here = there & set(dir(found(ours)))
        statuses = plain.get(theirs.removeprefix("scipy."), {})
        either = here | {n for n in there if statuses.get(n) == "as it stands"}
        counts = [len(here), len(either), len(there)]
        rows.append(row(f"`{theirs}`", counts, bool(plain)))
        sums = [s + n for s, n in zip(sums, counts, strict=True)]
        if left := sorted(there - either, key=str.lower):
            missing.append(f"`{theirs}`: {', '.join(f'`{n}`' for n in left)}\n\n")
    head = ["module", "here", *(["here or as it stands"] if plain else []), "of", "share"]
    lines = [head, ["---", *["--:"] * (len(head) - 1)], *rows, row("together", sums, bool(plain))]
    table = "\n".join(f"| {' | '.join(cells)} |" for cells in lines)
    lists = f"<details><summary>The others</summary>\n\n{''.join(missing)}</details>\n"
    return f"## {peer} {data['versions'][root]}\n\n{table}\n\n{lists}"


def row(title: str, counts: list[int], plain: bool) -> list[str]:
    """Cells: names that are here, those with what SciPy's own functions do, all, and the share."""
    here, either, there = counts
    return [title, str(here), *([str(either)] if plain else []), str(there), f"{100 * either // max(there, 1)} %"]


if __name__ == "__main__":
    record()
