"""`torch.hub`: files of weights from the network, kept in a folder; models from a folder of the user."""

from __future__ import annotations

import hashlib
import os
import re
import shutil
import sys
import tempfile
from collections.abc import Callable
from importlib.util import module_from_spec, spec_from_file_location
from typing import Any
from urllib.parse import urlparse
from urllib.request import Request, urlopen

from funcgrad.core.faces import publish
from funcgrad.torch.serialization import load as _load_file
from funcgrad.torch.texts import programs as texts

__all__ = ["download_url_to_file", "get_dir", "list", "load", "load_state_dict_from_url", "set_dir"]

_HASH = re.compile(r"-([a-f0-9]*)\.")
_folder: str | None = None


def _get_torch_home() -> str:
    cache = os.getenv("XDG_CACHE_HOME", "~/.cache")
    return os.path.expanduser(os.getenv("TORCH_HOME", os.path.join(cache, "torch")))


def get_dir() -> str:
    """The folder: what `set_dir` said, or hub in $TORCH_HOME, by default ~/.cache/torch."""
    return _folder or os.path.join(_get_torch_home(), "hub")


def set_dir(d: str | os.PathLike) -> None:
    """Say which folder it is."""
    global _folder
    _folder = os.path.expanduser(d)


def download_url_to_file(url: str, dst: str, hash_prefix: str | None = None, progress: bool = True) -> None:
    """Fetch a file.

    Arguments:
        url: where it is.
        dst: where it goes.
        hash_prefix: what its SHA-256 begins with.
        progress: makes no difference here.

    Raises:
        RuntimeError: its hash begins with something else.
    """
    request = Request(url, headers={"User-Agent": "torch.hub"})  # noqa: S310  # as the user says
    with urlopen(request) as source, tempfile.NamedTemporaryFile(delete=False) as file:  # noqa: S310  # likewise
        shutil.copyfileobj(source, file)
    try:
        with open(file.name, "rb") as fetched:
            digest = hashlib.sha256(fetched.read()).hexdigest()
        if hash_prefix is not None and not digest.startswith(hash_prefix):
            raise RuntimeError(f'invalid hash value (expected "{hash_prefix}", got "{digest}")')
        shutil.move(file.name, dst)
    finally:
        if os.path.exists(file.name):
            os.remove(file.name)


def load_state_dict_from_url(
    url: str,
    model_dir: str | None = None,
    map_location: Any = None,
    progress: bool = True,
    check_hash: bool = False,
    file_name: str | None = None,
    weights_only: bool = False,
) -> Any:
    """What `torch.load` reads from a file in the network, which is fetched once.

    Arguments:
        url: where it is.
        model_dir: where it is kept; by default checkpoints in `get_dir()`.
        check_hash: whether the name of the file says what its SHA-256 begins with, as in "resnet18-f37072fd.pth".
        file_name: what it is called there.
    """
    model_dir = model_dir or os.path.join(get_dir(), "checkpoints")
    os.makedirs(model_dir, exist_ok=True)
    name = file_name or os.path.basename(urlparse(url).path)
    kept = os.path.join(model_dir, name)
    if not os.path.exists(kept):
        sys.stderr.write(f'Downloading: "{url}" to {kept}\n')
        found = _HASH.search(name) if check_hash else None
        download_url_to_file(url, kept, found.group(1) if found else None, progress)
    return _load_file(kept, map_location=map_location, weights_only=weights_only)


def _hubconf(repo_or_dir: str, source: str) -> Any:
    if source != "local":
        raise ValueError(texts.NO_REPOSITORIES.format(source=source))
    sys.path.insert(0, repo_or_dir)
    try:
        spec = spec_from_file_location("hubconf", os.path.join(repo_or_dir, "hubconf.py"))
        module = module_from_spec(spec)  # type: ignore[arg-type]  # of a file that ends in .py there is one
        spec.loader.exec_module(module)  # type: ignore[union-attr]  # likewise
    finally:
        sys.path.remove(repo_or_dir)
    return module


def list(github: str, force_reload: bool = False, source: str = "github", **options: Any) -> Any:
    """The names of the models in the hubconf.py of a folder, with source="local"."""
    found = vars(_hubconf(github, source))
    return [name for name, value in found.items() if callable(value) and name[0] != "_"]


def load(repo_or_dir: str, model: str, *args: Any, source: str = "github", **kwargs: Any) -> Any:
    """What a function in the hubconf.py of a folder gives, with source="local".

    Raises:
        ValueError: another source: no repositories are fetched.
        RuntimeError: there is no such function.
    """
    for option in ("trust_repo", "force_reload", "verbose", "skip_validation"):
        kwargs.pop(option, None)
    function: Callable | None = getattr(_hubconf(repo_or_dir, source), model, None)
    if not callable(function):
        raise RuntimeError(f"Cannot find callable {model} in hubconf")
    return function(*args, **kwargs)


publish(__name__)
