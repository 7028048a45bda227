"""torch.save and torch.load: both formats, files mapped into memory, places of storages, and settings."""

from __future__ import annotations

import io
import mmap
import pickle
import sys
import types
import warnings
import zipfile
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from funcgrad import torch
from funcgrad.torch import serialization


@pytest.fixture(params=[True, False], ids=["archive", "old"])
def format(request: pytest.FixtureRequest) -> dict[str, bool]:
    return {"_use_new_zipfile_serialization": request.param}


def reloaded(x: Any, **options: Any) -> Any:
    f = io.BytesIO()
    torch.save(x, f, **options)
    f.seek(0)
    return torch.load(f)


@pytest.mark.parametrize("dtype", [torch.float32, torch.bool, torch.complex128, torch.bfloat16, torch.uint16])
def test_both_formats_keep_values_strides_and_sharing(format: dict, dtype: Any) -> None:
    x = torch.arange(12).reshape(3, 4).to(dtype)
    a, b, empty = reloaded([x.T, x[1:, ::2], torch.empty(0, 3, dtype=dtype)], **format)
    assert torch.equal(a, x.T) and a.stride() == (1, 4)
    assert torch.equal(b, x[1:, ::2]) and b.stride() == (4, 2) and b.storage_offset() == 4
    a.zero_()
    assert not b.any() and tuple(empty.shape) == (0, 3)


def test_one_memory_cannot_be_saved_as_numbers_of_two_types(format: dict) -> None:
    z = torch.ones(3, dtype=torch.complex64)
    with pytest.raises(RuntimeError, match=r"^Cannot save multiple tensors or storages that view the same data as"):
        torch.save([z, z.imag], io.BytesIO(), **format)
    x = torch.arange(3, dtype=torch.uint8)  # whose bytes are numbers of one type with it
    same, storage = reloaded([x, x.untyped_storage()], **format)
    assert same.untyped_storage().data_ptr() == storage.data_ptr() and storage.tolist() == [0, 1, 2]


def test_storages_begin_at_multiples_of_64(tmp_path: Path) -> None:
    path = tmp_path / "weights.pt"
    torch.save([torch.ones(3), torch.ones(5)], path)
    with zipfile.ZipFile(path) as archive:
        assert archive.testzip() is None
        names = archive.namelist()
        raw = path.read_bytes()
        for record in archive.infolist():
            name_size, extra_size = np.frombuffer(raw, "<u2", 2, record.header_offset + 26)
            assert (record.header_offset + 30 + int(name_size) + int(extra_size)) % 64 == 0
    assert names[:4] == [f"weights/{n}" for n in ("data.pkl", ".format_version", ".storage_alignment", "byteorder")]


@pytest.mark.parametrize("weights_only", [True, False])
def test_a_mapped_file_is_read_where_it_lies(tmp_path: Path, weights_only: bool) -> None:
    path = tmp_path / "x.pt"
    torch.save({"x": torch.arange(4.0)}, path)
    x = torch.load(path, mmap=True, weights_only=weights_only)["x"]
    assert torch.equal(x, torch.arange(4.0))
    x.add_(1)  # stays in memory
    assert torch.equal(torch.load(path)["x"], torch.arange(4.0))
    with serialization.set_default_mmap_options(mmap.MAP_SHARED):
        assert serialization.get_default_mmap_options() == mmap.MAP_SHARED
        torch.load(path, mmap=True)["x"].add_(1)  # goes to the file
    assert serialization.get_default_mmap_options() == mmap.MAP_PRIVATE
    assert torch.equal(torch.load(path)["x"], torch.arange(1.0, 5.0))


def test_what_cannot_be_mapped(tmp_path: Path) -> None:
    path = tmp_path / "old.pt"
    torch.save(torch.ones(2), path, _use_new_zipfile_serialization=False)
    with pytest.raises(RuntimeError, match=r"mmap can only be used with files saved with `torch.save"):
        torch.load(path, mmap=True)
    with path.open("rb") as f, pytest.raises(ValueError, match="f must be a file path in order to use the mmap"):
        torch.load(f, mmap=True)
    with pytest.raises(ValueError, match=r"expected mmap.MAP_PRIVATE or mmap.MAP_SHARED, but got 5"):
        serialization.set_default_mmap_options(5)


def test_the_order_of_bytes_in_files_that_do_not_say(tmp_path: Path) -> None:
    path = tmp_path / "x.pt"
    torch.save(torch.tensor([1, 256], dtype=torch.int16), path, _disable_byteorder_record=True)
    Order = serialization.LoadEndianness
    try:
        for order, expected in ((None, [1, 256]), (Order.LITTLE, [1, 256]), (Order.BIG, [256, 1])):
            serialization.set_default_load_endianness(order)
            assert serialization.get_default_load_endianness() is order
            assert torch.load(path).tolist() == expected
        serialization.set_default_load_endianness(Order.NATIVE)
        assert torch.load(path).tolist() == ([1, 256] if sys.byteorder == "little" else [256, 1])
    finally:
        serialization.set_default_load_endianness(None)
    with pytest.raises(TypeError, match="Invalid argument type in function set_default_load_endianness"):
        serialization.set_default_load_endianness("little")


def test_data_that_is_skipped(tmp_path: Path) -> None:
    path = tmp_path / "x.pt"
    with serialization.skip_data():
        torch.save(torch.ones(3), path)
        with pytest.raises(RuntimeError, match="Cannot use skip_data=True with _use_new_zipfile_serialization=False"):
            torch.save(torch.ones(3), path.with_name("y"), _use_new_zipfile_serialization=False)
    assert torch.load(path).tolist() == [0, 0, 0]


def test_places_of_storages(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "x.pt"
    torch.save(torch.ones(2), path)
    with pytest.raises(RuntimeError, match=r"don't know how to restore data location .* \(tagged with attic\)"):
        torch.load(path, map_location={"cpu": "attic"})
    with pytest.raises(RuntimeError, match="Attempting to deserialize object on a CUDA device"):
        torch.load(path, map_location="cuda:0")
    monkeypatch.setattr(serialization.locations, "_PACKAGES", [*serialization.locations._PACKAGES])
    serialization.register_package(
        5, lambda s: "attic" if s.nbytes() == 8 else None, lambda s, place: s if place == "attic" else None
    )
    storage = torch.ones(2).untyped_storage()
    assert serialization.location_tag(storage) == "attic"
    assert serialization.default_restore_location(storage, "attic") is storage
    torch.save(torch.ones(2), path)
    assert torch.load(path).tolist() == [1, 1]


class Note:
    """Something of the user's."""


class Other:
    """Something else, of the same module."""


def test_names_that_a_file_of_weights_may_not_have(tmp_path: Path) -> None:
    for protocol in (2, 4):
        path = tmp_path / f"{protocol}.pt"
        torch.save([torch.ones(1), Note(), Other(), Note], path, pickle_protocol=protocol)
        with serialization.safe_globals([]):
            names = [f"{__name__}.Note", f"{__name__}.Other"]  # the module's name is written once
            assert serialization.get_unsafe_globals_in_checkpoint(path) == names
        with serialization.safe_globals([Note, Other]), path.open("rb") as f:
            assert serialization.get_unsafe_globals_in_checkpoint(f) == []
    with pytest.raises(ValueError, match=r"Expected input to be a checkpoint returned by torch.save"):
        serialization.get_unsafe_globals_in_checkpoint(io.BytesIO(b"nothing"))


def test_other_pickle_modules() -> None:
    seen = []

    class Pickler(pickle.Pickler):
        def dump(self, x: Any) -> None:
            seen.append(x)
            super().dump(x)

    class Unpickler(pickle.Unpickler):
        def load(self) -> Any:
            seen.append("loaded")
            return super().load()

    module = types.SimpleNamespace(Pickler=Pickler, Unpickler=Unpickler)
    f = io.BytesIO()
    torch.save([1, torch.ones(2)], f, pickle_module=module)
    f.seek(0)
    one, ones = torch.load(f, pickle_module=module)
    assert one == 1 and ones.tolist() == [1, 1] and seen[0][0] == 1 and seen[1:] == ["loaded"]


def test_a_stream_is_written_to_and_nothing_else() -> None:
    class Stream:
        data = b""

        def write(self, part: bytes) -> int:
            self.data += bytes(part)
            return len(part)

        def flush(self) -> None:
            """Nothing is kept back."""

    stream = Stream()
    torch.save(torch.arange(3), stream)
    assert torch.load(io.BytesIO(stream.data)).tolist() == [0, 1, 2]
    with pytest.raises(RuntimeError, match="Parent directory /nowhere does not exist"):
        torch.save(1, "/nowhere/x.pt")


def test_each_reads_the_other_in_both_formats(format: dict, tmp_path: Path) -> None:
    real = pytest.importorskip("torch")
    ours, theirs = tmp_path / "ours.pt", tmp_path / "theirs.pt"

    def objects(t: Any) -> dict:
        x = t.arange(6.0).reshape(2, 3)
        return {"x": x, "row": x[1], "dtype": t.float16, "size": t.Size([2]), "p": t.nn.Parameter(x)}

    torch.save({**objects(torch), "f": torch.tanh}, ours, **format)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of PyTorch's own
        real.save(objects(real), theirs, **format)
        found = real.load(ours, weights_only=False)
    assert found["f"] is real.tanh and found["dtype"] is real.float16 and isinstance(found["p"], real.nn.Parameter)
    assert found["x"].tolist() == [[0, 1, 2], [3, 4, 5]]
    assert found["row"].data_ptr() == found["x"].data_ptr() + 12
    if format["_use_new_zipfile_serialization"]:
        assert real.load(ours, mmap=True, weights_only=False)["row"].tolist() == [3, 4, 5]
    assert torch.load(ours, weights_only=False)["f"] is torch.tanh
    for weights_only in (True, False):
        found = torch.load(theirs, weights_only=weights_only)
        assert found["size"] == torch.Size([2]) and found["dtype"] is torch.float16
        assert found["row"].data_ptr() == found["x"].data_ptr() + 12 and found["row"].tolist() == [3, 4, 5]
