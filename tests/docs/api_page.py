"""The page docs/api.md: every public name, where it is declared, what it is, and what NumPy, JAX and PyTorch call so.

    python tests/docs/api_page.py              writes the page
    python tests/docs/api_page.py --record     first records the public names of those peers that are installed

The names of the peers are data, `peers.json`, since most runs have no peers.
"""

import importlib.util
import inspect
import json
import math
import sys
import textwrap
import warnings
from pathlib import Path
from types import ModuleType

import numpy as np

import funcgrad as fg

RECORD = Path(__file__).with_name("peers.json")
PAGE = Path(__file__).parents[2] / "docs" / "api.md"

# For each namespace the modules in which NumPy and SciPy, JAX and PyTorch have functions of the same names.
NAMESPACES = {
    "funcgrad": ("", "jax jax.flatten_util jax.experimental jax.ad_checkpoint jax.custom_derivatives jax.lax "
                 "jax.tree_util", "torch.func torch.autograd.functional torch.utils.checkpoint"),
    "funcgrad.numpy": ("numpy numpy.lib.stride_tricks scipy.special", "jax.numpy jax.nn", "torch"),
    "funcgrad.numpy.fft": ("numpy.fft", "jax.numpy.fft", "torch.fft"),
    "funcgrad.numpy.linalg": ("numpy.linalg", "jax.numpy.linalg", "torch.linalg"),
    "funcgrad.lax": ("numpy scipy.special", "jax.lax", "torch torch.special"),
    "funcgrad.lax.linalg": ("numpy.linalg scipy.linalg", "jax.lax.linalg", "torch.linalg"),
    "funcgrad.random": ("numpy.random", "jax.random", "torch"),
    "funcgrad.nn": ("scipy.special", "jax.nn", "torch.nn.functional torch.special torch"),
    "funcgrad.nn.initializers": ("", "jax.nn.initializers", "torch.nn.init"),
    "funcgrad.scipy": ("scipy", "jax.scipy", "torch"),
    "funcgrad.scipy.cluster": ("scipy.cluster", "jax.scipy.cluster", ""),
    "funcgrad.scipy.cluster.vq": ("scipy.cluster.vq", "jax.scipy.cluster.vq", ""),
    "funcgrad.scipy.fft": ("scipy.fft", "jax.scipy.fft jax.numpy.fft", "torch.fft"),
    "funcgrad.scipy.integrate": ("scipy.integrate", "jax.scipy.integrate jax.experimental.ode", "torch"),
    "funcgrad.scipy.interpolate": ("scipy.interpolate", "jax.scipy.interpolate", ""),
    "funcgrad.scipy.linalg": ("scipy.linalg", "jax.scipy.linalg", "torch.linalg"),
    "funcgrad.scipy.ndimage": ("scipy.ndimage", "jax.scipy.ndimage", ""),
    "funcgrad.scipy.optimize": ("scipy.optimize", "jax.scipy.optimize", ""),
    "funcgrad.scipy.signal": ("scipy.signal", "jax.scipy.signal", "torch"),
    "funcgrad.scipy.sparse": ("scipy.sparse", "jax.scipy.sparse", ""),
    "funcgrad.scipy.sparse.linalg": ("scipy.sparse.linalg", "jax.scipy.sparse.linalg", ""),
    "funcgrad.scipy.spatial": ("scipy.spatial", "", ""),
    "funcgrad.scipy.spatial.distance": ("scipy.spatial.distance", "", "torch torch.nn.functional"),
    "funcgrad.scipy.special": ("scipy.special", "jax.scipy.special", "torch.special"),
    "funcgrad.scipy.stats": ("scipy.stats", "jax.scipy.stats", ""),
    "funcgrad.scipy.stats.dirichlet": ("", "jax.scipy.stats.dirichlet", ""),
    "funcgrad.scipy.stats.multinomial": ("", "jax.scipy.stats.multinomial", ""),
    "funcgrad.scipy.stats.multivariate_normal": ("", "jax.scipy.stats.multivariate_normal", ""),
    "funcgrad.tree": ("", "jax.tree jax.tree_util", ""),
    "funcgrad.tree_util": ("", "jax.tree_util", ""),
    "funcgrad.ops": ("", "jax.ops", ""),
    "funcgrad.ad_checkpoint": ("", "jax.ad_checkpoint jax", "torch.utils.checkpoint"),
    "funcgrad.transforms.checkpoint_policies": ("", "jax.checkpoint_policies", ""),
    "funcgrad.custom_derivatives": ("", "jax.custom_derivatives jax", ""),
    "funcgrad.debug": ("", "jax.debug", ""),
    "funcgrad.testing": ("", "jax.test_util", ""),
    "funcgrad.errors": ("", "jax.errors", ""),
    "funcgrad.torch": ("numpy", "jax.numpy jax.nn jax.lax", "torch"),
    "funcgrad.torch.autograd": ("", "jax", "torch.autograd"),
    "funcgrad.torch.autograd.forward_ad": ("", "", "torch.autograd.forward_ad"),
    "funcgrad.torch.autograd.function": ("", "", "torch.autograd.function"),
    "funcgrad.torch.autograd.functional": ("", "jax", "torch.autograd.functional"),
    "funcgrad.torch.autograd.grad_mode": ("", "", "torch.autograd.grad_mode"),
    "funcgrad.torch.autograd.graph": ("", "", "torch.autograd.graph"),
    "funcgrad.torch.autograd.profiler": ("", "", "torch.autograd.profiler"),
    "funcgrad.torch.autograd.variable": ("", "", "torch.autograd.variable"),
    "funcgrad.torch.fft": ("numpy.fft", "jax.numpy.fft", "torch.fft"),
    "funcgrad.torch.func": ("", "jax", "torch.func"),
    "funcgrad.torch.linalg": ("numpy.linalg scipy.linalg", "jax.numpy.linalg jax.scipy.linalg", "torch.linalg"),
    "funcgrad.torch.amp": ("", "", "torch.amp"),
    "funcgrad.torch.amp.autocast_mode": ("", "", "torch.amp.autocast_mode"),
    "funcgrad.torch.amp.grad_scaler": ("", "", "torch.amp.grad_scaler"),
    "funcgrad.torch.compiler": ("", "", "torch.compiler"),
    "funcgrad.torch.hub": ("", "", "torch.hub"),
    "funcgrad.torch.jit": ("", "", "torch.jit"),
    "funcgrad.torch.nn.parallel": ("", "", "torch.nn.parallel"),
    "funcgrad.torch.profiler": ("", "", "torch.profiler"),
    "funcgrad.torch.overrides": ("", "", "torch.overrides"),
    "funcgrad.torch.multiprocessing": ("", "", "torch.multiprocessing"),
    "funcgrad.torch.distributions": ("", "", "torch.distributions"),
    "funcgrad.torch.distributions.constraints": ("", "", "torch.distributions.constraints"),
    "funcgrad.torch.distributions.kl": ("", "", "torch.distributions.kl"),
    "funcgrad.torch.distributions.transforms": ("", "", "torch.distributions.transforms"),
    "funcgrad.torch.distributions.utils": ("", "", "torch.distributions.utils"),
    "funcgrad.torch.nn": ("", "", "torch.nn"),
    "funcgrad.torch.nn.attention": ("", "", "torch.nn.attention"),
    "funcgrad.torch.nn.attention.bias": ("", "", "torch.nn.attention.bias"),
    "funcgrad.torch.nn.functional": ("", "jax.nn", "torch.nn.functional"),
    "funcgrad.torch.nn.grad": ("", "", "torch.nn.grad"),
    "funcgrad.torch.nn.init": ("", "jax.nn.initializers", "torch.nn.init"),
    "funcgrad.torch.nn.modules": ("", "", "torch.nn.modules"),
    "funcgrad.torch.nn.utils": ("", "", "torch.nn.utils"),
    "funcgrad.torch.nn.utils.rnn": ("", "", "torch.nn.utils.rnn"),
    "funcgrad.torch.nn.utils.parametrizations": ("", "", "torch.nn.utils.parametrizations"),
    "funcgrad.torch.nn.utils.parametrize": ("", "", "torch.nn.utils.parametrize"),
    "funcgrad.torch.nn.utils.stateless": ("", "", "torch.nn.utils.stateless"),
    "funcgrad.torch.optim": ("", "", "torch.optim"),
    "funcgrad.torch.optim.lr_scheduler": ("", "", "torch.optim.lr_scheduler"),
    "funcgrad.torch.optim.swa_utils": ("", "", "torch.optim.swa_utils"),
    "funcgrad.torch.nn.parameter": ("", "", "torch.nn.parameter"),
    "funcgrad.torch.quasirandom": ("", "", "torch.quasirandom"),
    "funcgrad.torch.random": ("", "", "torch.random"),
    "funcgrad.torch.base.return_types": ("", "", "torch.return_types"),
    "funcgrad.torch.serialization": ("", "", "torch.serialization"),
    "funcgrad.torch.special": ("scipy.special", "jax.scipy.special", "torch.special"),
    "funcgrad.torch.storage": ("", "", "torch.storage"),
    "funcgrad.torch.types": ("", "", "torch.types"),
    "funcgrad.torch.utils": ("", "", "torch.utils"),
    "funcgrad.torch.utils.checkpoint": ("", "jax", "torch.utils.checkpoint"),
    "funcgrad.torch.utils.data": ("", "", "torch.utils.data"),
    "funcgrad.torch.utils.dlpack": ("", "", "torch.utils.dlpack"),
    "funcgrad.torch.utils.hooks": ("", "", "torch.utils.hooks"),
    "funcgrad.torch.version": ("", "", "torch.version"),
}  # fmt: skip
HOMONYMS = {  # what has the same name and is something else
    "funcgrad.lax": "numpy.broadcast numpy.select torch.select",
    "funcgrad.numpy": "torch.select",
    "funcgrad.random": "torch.clone torch.multinomial torch.split torch.t",
    "funcgrad.torch": "numpy.select numpy.typename jax.numpy.select jax.lax.gather jax.lax.scatter jax.lax.scatter_add "
    "jax.lax.select",
}
PEERS = ("NumPy and SciPy", "JAX", "PyTorch")
TITLES = {  # where a namespace is declared under another name than it is reached by
    "funcgrad.transforms.checkpoint_policies": "funcgrad.checkpoint_policies",
    "funcgrad.torch.base.return_types": "funcgrad.torch.return_types",
}
INTRODUCTION = """# All public names

Each name with what it is, the module that declares it, and what NumPy or SciPy, JAX and PyTorch have under that name.
These may differ in details, of which the docstring tells. Modules are those of the package `funcgrad`.

*Written by `python tests/docs/api_page.py`.*
"""


def recorded():
    """The public names of each module of the peers."""
    return {module: set(" ".join(lines).split()) for module, lines in json.loads(RECORD.read_text())["names"].items()}


def names_of(module):
    """The public names of a module of a peer."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of what the peer is about to remove
        for name in sorted({*dir(module), *getattr(module, "__all__", ())}):
            value = getattr(module, name, None)
            if name[0] != "_" and getattr(value, "__module__", "") not in ("typing", "collections.abc", "functools"):
                yield name


def modules_of(peer):
    """The modules of a peer that have names of ours: all imported, since a package shows what was imported of it."""
    paths = " ".join(path for modules in NAMESPACES.values() for path in modules).split()
    return {path: module_of(path) for path in paths if path.partition(".")[0] == peer}


def module_of(path):
    """A module by its path; some are attributes of a package only."""
    try:
        return importlib.import_module(path)
    except ImportError:
        package, _, name = path.rpartition(".")
        return getattr(importlib.import_module(package), name)


def record():
    """Write down the names of the peers that are installed; those of the others stay."""
    found = json.loads(RECORD.read_text())
    for peer in ("numpy", "scipy", "jax", "torch"):
        if importlib.util.find_spec(peer):
            found["versions"][peer] = importlib.import_module(peer).__version__
            for path, module in modules_of(peer).items():
                found["names"][path] = textwrap.wrap(" ".join(names_of(module)), 118)
    found = {key: dict(sorted(value.items())) for key, value in found.items()}
    RECORD.write_text(json.dumps(found, indent=0) + "\n")


def text_of(value):
    """What a public value is, in one line: the first paragraph of its docstring."""
    module = value.__name__ if isinstance(value, ModuleType) else getattr(value, "__module__", None) or ""
    if module.startswith("numpy") or isinstance(value, np.dtype):
        return "NumPy's own."
    if value is None or isinstance(value, bool | int | float | str) or value is Ellipsis:
        return f"`{value!r}`" if type(value) is not float or not math.isnan(value) else "`nan`"
    doc = vars(value).get("__doc__") if isinstance(value, type) else getattr(value, "__doc__", None)
    if not doc or module.split(".")[0] not in ("funcgrad", "torch"):
        return ""
    return " ".join(inspect.cleandoc(doc).split("\n\n")[0].split()).replace("|", "\\|")


def homes_in(namespace):
    """For each name the modules in a namespace that list it; a package declares nothing."""
    found = {}
    for path, module in sorted(sys.modules.items()):
        if path.startswith(f"{namespace}.") and path not in NAMESPACES and not hasattr(module, "__path__"):
            for name in getattr(module, "__all__", ()):
                found.setdefault(name, []).append(path)
    return found


def declared_in(value):
    """The module of funcgrad that a value names as its own."""
    module = value.__name__ if isinstance(value, ModuleType) else getattr(value, "__module__", None)
    module = getattr(getattr(value, "__wrapped__", None), "declared_in", module)
    return module if str(module).startswith("funcgrad.") else None


def table(namespace, peers):
    """The rows of one namespace."""
    module, homes = importlib.import_module(namespace), homes_in(namespace)
    others = HOMONYMS.get(namespace, "").split()
    rows = []
    for name in dir(module):
        value = getattr(module, name)
        home = next((p for p in homes.get(name, ()) if getattr(sys.modules[p], name) is value), None)
        home = home or declared_in(value) or namespace
        same = []
        for modules in NAMESPACES[namespace]:
            paths = [f"{m}.{name}" for m in modules.split() if name in peers[m] and f"{m}.{name}" not in others]
            same.append(f"`{paths[0]}`" if paths else "")
        rows.append([f"`{name}`", text_of(value), f"`{home.removeprefix('funcgrad.')}`", *same])
    head = ["name", "what it is", "module", *PEERS]
    used = [i for i in range(len(head)) if i < 3 or any(row[i] for row in rows)]
    lines = [head, ["---"] * len(head), *rows]
    return "".join("| " + " | ".join(line[i] for i in used) + " |\n" for line in lines)


def written():
    """The page."""
    peers = recorded()
    parts = [INTRODUCTION]
    for namespace in NAMESPACES:  # what is imported on demand is, so that the page does not depend on what ran before
        for name in dir(importlib.import_module(namespace)):
            getattr(sys.modules[namespace], name)
    for namespace in NAMESPACES:
        title = TITLES.get(namespace, namespace)
        parts.append(f"## {title}\n\n{text_of(importlib.import_module(namespace))}\n\n{table(namespace, peers)}")
    return "\n".join(parts)


if __name__ == "__main__":
    assert fg.__file__
    if "--record" in sys.argv:
        record()
    PAGE.write_text(written())
