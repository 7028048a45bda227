"""Machine code on disk: found again, made anew where it is damaged, never read from where others may write."""

import os
import stat
import subprocess
import sys

import numpy as np
import pytest

import funcgrad as fg
from funcgrad.compile.native import cache
from funcgrad.compile.native.llvm import missing, target

needs_llvm = pytest.mark.skipif(bool(missing()), reason=missing())
needs_owners = pytest.mark.skipif(not hasattr(os, "getuid"), reason="files have no owners here")
X = np.array([1.0, 2.0])


@pytest.fixture
def where(tmp_path, monkeypatch):
    found = tmp_path / "kept"
    monkeypatch.setenv("FUNCGRAD_CACHE_DIR", str(found))
    return found


def run():
    return np.asarray(fg.jit(lambda x: x * 3.0 + 1.0, backend="native")(X)).tolist()


@needs_llvm
def test_an_object_is_made_once(where, monkeypatch):
    assert run() == [4.0, 7.0]
    (file,) = where.iterdir()
    machine = target().machine()
    monkeypatch.setattr(machine, "emit_object", None)  # which cannot be called
    monkeypatch.setattr(target(), "machine", lambda: machine)
    assert run() == [4.0, 7.0]
    assert list(where.iterdir()) == [file]


@needs_llvm
@pytest.mark.parametrize("damage", [lambda d: d[:-1], lambda d: d[:40] + b"x" + d[41:], lambda d: b""])
def test_a_damaged_object_is_made_anew(where, damage):
    run()
    (file,) = where.iterdir()
    whole = file.read_bytes()
    file.write_bytes(damage(whole))
    assert run() == [4.0, 7.0]
    assert file.read_bytes() == whole


def test_what_it_depends_on_is_in_the_name():
    names = {cache.key("a", "b"), cache.key("ab", ""), cache.key("a", "c"), cache.key("a", "b")}
    assert len(names) == 3


@needs_owners
def test_the_directory_is_the_users_own(where):
    assert cache.directory() == where
    assert stat.S_IMODE(where.stat().st_mode) == 0o700
    cache.write("a.o", b"code")
    assert cache.read("a.o") == b"code"
    where.chmod(0o770)
    assert cache.directory() is None
    assert cache.read("a.o") is None
    cache.write("b.o", b"code")
    where.chmod(0o700)
    assert cache.read("b.o") is None


@needs_owners
def test_somebody_elses_directory_is_not_used(where, monkeypatch):
    cache.write("a.o", b"code")
    monkeypatch.setattr(os, "getuid", lambda: where.stat().st_uid + 1)
    assert cache.read("a.o") is None


@needs_owners
def test_a_link_to_a_directory_is_not_used(where, tmp_path):
    (tmp_path / "elsewhere").mkdir()
    where.symlink_to(tmp_path / "elsewhere")
    assert cache.directory() is None


def test_without_a_place_there_is_no_cache(tmp_path, monkeypatch):
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("FUNCGRAD_CACHE_DIR", str(tmp_path / "file" / "below"))
    assert cache.directory() is None
    monkeypatch.setenv("FUNCGRAD_CACHE_DIR", "")
    assert cache.directory() is None
    cache.write("a.o", b"code")
    assert cache.read("a.o") is None


@pytest.mark.parametrize("platform", ["linux", "darwin", "win32"])
def test_where_it_is(monkeypatch, tmp_path, platform):
    monkeypatch.delenv("FUNCGRAD_CACHE_DIR")
    monkeypatch.setattr(sys, "platform", platform)
    for name in ("HOME", "XDG_CACHE_HOME", "LOCALAPPDATA"):
        monkeypatch.setenv(name, str(tmp_path))
    found = cache.directory()
    assert found.name == "funcgrad"
    assert tmp_path in found.parents


def test_what_was_not_used_for_longest_goes(where, monkeypatch):
    monkeypatch.setattr(cache, "MOST_BYTES", 1000)
    for k in range(4):
        cache.write(f"{k}.o", bytes(200))
        os.utime(where / f"{k}.o", (k, k))
    cache.read("0.o")
    cache.write("4.o", bytes(200))
    assert cache.read("1.o") is None
    assert cache.read("0.o") is not None
    assert sum(f.stat().st_size for f in where.iterdir()) <= 500


WRITES = """
from funcgrad.compile.native import cache
for k in range(200):
    cache.write("a.o", bytes([k]) * 1000)
    found = cache.read("a.o")
    assert found is not None and len(set(found)) == 1
"""


def test_two_processes_at_once(where):
    both = [subprocess.Popen([sys.executable, "-c", WRITES], stderr=subprocess.PIPE) for _ in range(2)]
    assert [(p.communicate(timeout=60)[1], p.returncode) for p in both] == [(b"", 0)] * 2
