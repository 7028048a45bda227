"""docs/api.md lists every public name, and what the peers call so."""

import importlib
import importlib.util
import json
from pathlib import Path
from types import ModuleType

import pytest

import funcgrad as fg

_spec = importlib.util.spec_from_file_location("api_page", Path(__file__).with_name("api_page.py"))
api = importlib.util.module_from_spec(_spec)
_spec.loader.exec_module(api)


def test_the_page_is_what_the_script_writes():
    assert api.PAGE.read_text() == api.written(), "run python tests/docs/api_page.py"


def test_every_namespace_is_on_the_page():
    found, left = set(), [fg]
    while left:
        module = left.pop()
        if module.__name__ not in found:
            found.add(module.__name__)
            left += [v for v in (getattr(module, n) for n in dir(module)) if isinstance(v, ModuleType)]
    assert found == set(api.NAMESPACES)


def test_the_page_names_known_counterparts():
    lines = api.PAGE.read_text().splitlines()
    assert (
        "| `sin` | The sine of x in radians. | `numpy.ufuncs` | `numpy.sin` | `jax.numpy.sin` | `torch.sin` |" in lines
    )
    (scan,) = [line for line in lines if line.startswith("| `scan` ")]
    assert scan.endswith("| `lax.scan` |  | `jax.lax.scan` |  |")
    (ours,) = [line for line in lines if line.startswith("| `select` ") and "`numpy.selecting`" in line]
    assert ours.endswith("| `numpy.select` | `jax.numpy.select` |  |")  # torch.select is something else


@pytest.mark.parametrize("peer", ["numpy", "scipy", "jax", "torch"])
def test_the_record_is_of_the_installed_peer(peer):
    module, version = pytest.importorskip(peer), json.loads(api.RECORD.read_text())["versions"][peer]
    if module.__version__ != version:
        pytest.skip(f"the record is of {peer} {version}")
    recorded = {path: names for path, names in api.recorded().items() if path.partition(".")[0] == peer}
    has = {path: set(api.names_of(m)) for path, m in api.modules_of(peer).items()}
    for namespace, modules in api.NAMESPACES.items():
        ours = set(dir(importlib.import_module(namespace)))
        for path in " ".join(modules).split():
            if path in recorded:
                assert recorded[path] & ours == has[path] & ours, f"{path}: run python tests/docs/api_page.py --record"
