"""Files of torch.save: what they hold comes back, and a file from elsewhere can do no more than hold it."""

from __future__ import annotations

import gc
import io
import pickle
import pickletools
import random
import runpy
import struct
import sys
import tracemalloc
import zipfile
from collections import Counter, OrderedDict
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from funcgrad import torch
from funcgrad.torch.serialization import file_names, weights_unpickler
from funcgrad.torch.tensor.later import complete

PROGRAMS = runpy.run_path(str(Path(__file__).parent / "pickle_programs.py"))
HOOKS, PROTOCOL, REBUILD, STORAGE = (PROGRAMS[n] for n in ("HOOKS", "PROTOCOL", "REBUILD", "STORAGE"))
archive, old_file, mutated = (PROGRAMS[n] for n in ("archive", "old_file", "mutated"))
call, items, name, number, text = (PROGRAMS[n] for n in ("call", "items", "name", "number", "text"))
storage, tensor, tensor_arguments = (PROGRAMS[n] for n in ("storage", "tensor", "tensor_arguments"))

REFUSED = (pickle.UnpicklingError, RuntimeError, EOFError)


def load(data: bytes, **options: Any) -> Any:
    return torch.load(io.BytesIO(data), **options)


def saved(x: Any, **options: Any) -> bytes:
    f = io.BytesIO()
    torch.save(x, f, **options)
    return f.getvalue()


def everything() -> dict[str, Any]:
    """What files of weights hold."""
    x = torch.arange(6.0).reshape(2, 3)
    state = OrderedDict(weight=torch.nn.Parameter(x), bias=x[1])
    state._metadata = {"": {"version": 2}}  # type: ignore[attr-defined]
    tagged = torch.ones(2, dtype=torch.complex64).conj()
    tagged.note = "kept"
    return {
        "state": state, "tagged": tagged, "sizes": torch.Size([2, 3]), "dtype": torch.bfloat16, "short": x.short(),
        "unsigned": torch.ones(2, dtype=torch.int32).to(torch.uint16), "bytes": b"\x00\xff", "array": bytearray(b"abc"),
        "set": {1, (2, "x")}, "complex": 1 - 2j, "count": Counter("aab"), "long": -(2**70), "none": [None, True, 1.5],
        "device": torch.device("cpu"), ("a", 1): (), "text": "é\ud800", 3: {"deep": [({},)]},
    }  # fmt: skip


def same(a: Any, b: Any) -> bool:
    if isinstance(a, torch.Tensor):
        alike = a.dtype is b.dtype and a.stride() == b.stride() and a.is_conj() == b.is_conj()
        return type(a) is type(b) and alike and torch.equal(a, b) and a.requires_grad == b.requires_grad
    if isinstance(a, dict):
        return type(a) is type(b) and list(a) == list(b) and all(same(a[k], b[k]) for k in a)
    if isinstance(a, (list, tuple)):
        return type(a) is type(b) and len(a) == len(b) and all(map(same, a, b))
    return type(a) is type(b) and a == b


@pytest.mark.parametrize("weights_only", [True, False])
def test_what_files_of_weights_hold_comes_back(weights_only: bool) -> None:
    before = everything()
    after = load(saved(before), weights_only=weights_only)
    assert same(before, after)
    assert after["state"]._metadata == {"": {"version": 2}}
    assert after["tagged"].note == "kept"
    assert after["state"]["bias"].untyped_storage() is after["state"]["weight"].untyped_storage()


# What a file may not do.


class Plain:
    """A class that a user trusts."""

    def __init__(self) -> None:
        raise AssertionError("files do not call classes to make objects")


class Slotted:
    __slots__ = ("x",)


def shout(*args: Any) -> tuple:
    return args


DICT, TENSOR = name("collections", "OrderedDict"), name("torch", "Tensor")
OF_TYPE = name("torch._tensor", "_rebuild_from_type_v2")
BACKWARD = b"}" + text("backward") + b"Ns"
DEEP = b"N" + b"\x85" * 100_000
WIDE = b"N" + b"q\x00h\x00\x86" * 60  # a tuple of 2**60 parts, each of them twice the one before

FORBIDDEN = {
    "state of Tensor": TENSOR + BACKWARD + b"b",
    "state of Parameter": name("torch.nn.parameter", "Parameter") + BACKWARD + b"b",
    "state of OrderedDict": DICT + BACKWARD + b"b",
    "state of a function": REBUILD + BACKWARD + b"b",
    "state of a dtype": name("torch", "float32") + BACKWARD + b"b",
    "state of a storage type": name("torch", "FloatStorage") + BACKWARD + b"b",
    "state of a storage": storage() + BACKWARD + b"b",
    "state of a size": call(name("torch", "Size"), items(number(1))) + BACKWARD + b"b",
    "state that hides a method": call(DICT) + b"}" + text("items") + b"Nsb",
    "state with slots that hide a method": call(DICT) + items(b"N", b"}" + text("pop") + b"Ns") + b"b",
    "state that is no dict": call(DICT) + number(3) + b"b",
    "attribute that hides a method": call(OF_TYPE, REBUILD, TENSOR, items(*tensor_arguments()), BACKWARD),
    "attribute of the tensor's own": call(
        OF_TYPE, REBUILD, TENSOR, items(*tensor_arguments()),
        b"}" + text("_store") + b"Ns",
    ),
    "attribute of a parameter": call(
        name("torch._utils", "_rebuild_parameter_with_state"), tensor(), b"\x88", HOOKS, b"}" + text("grad") + b"Ns"
    ),
    "memory by bytearray": call(name("builtins", "bytearray"), number(3 * 10**8)),
    "memory by Tensor": call(TENSOR, number(10**10)),
    "memory by a new Tensor": TENSOR + items(number(10**10)) + b"\x81",
    "memory by a storage type": call(name("torch", "FloatStorage"), number(10**10)),
    "memory by a tuple": call(name("builtins", "tuple"), call(name("builtins", "bytearray"), number(10))),
    "memory by a list": call(name("builtins", "list"), items()),
    "memory by a Size": call(name("torch", "Size"), call(name("builtins", "bytearray"), number(10**8))),
    "memory by a set": call(name("builtins", "set"), text("abc")),
    "memory by an old tensor": TENSOR + b")\x81"
    + items(storage(), number(0), items(number(2**33)), items(number(1))) + b"b",
    "a type from a call that is none": call(
        OF_TYPE, name("builtins", "bytearray"), TENSOR,
        items(number(10)), b"}",
    ),
    "a type that is no tensor": call(
        OF_TYPE, REBUILD, name("builtins", "set"), items(*tensor_arguments()), b"}"
    ),
    "other encodings": call(name("_codecs", "encode"), text("a" * 99), text("idna")),
    "a key that takes for ever": b"}" + WIDE + b"Ns",
    "a key that is too deep": b"}" + DEEP + b"Ns",
    "a member that takes for ever": call(name("builtins", "set"), b"](" + WIDE + b"e"),
    "an ordered key that takes for ever": call(DICT, b"](" + items(WIDE, b"N") + b"e"),
    "a call of what takes for ever to print": WIDE + b"}\x86" + b")R",
    "a new object of what takes for ever to print": WIDE + b"}\x86" + b")\x81",
    "a name that takes for ever to print": items(text("storage"), WIDE, text("0"), text("cpu"), WIDE) + b"Q",
    "a key that has no hash": b"}]Ns",
    "a Counter of text": call(name("collections", "Counter"), text("abc")),
    "a size beyond 64 bits": tensor(size=(2**70,), stride=(0,)),
    "arguments that are no tuple": REBUILD + b"]R",
    "too few arguments": call(REBUILD, storage()),
    "a storage that is none": tensor(held=number(3)),
    "a negative count": tensor(held=storage(count=-1)),
    "more than the record": tensor(held=storage(count=10**12)),
    "requires_grad that is no bool": call(REBUILD, *tensor_arguments()[:4], text("x"), HOOKS),
    "a parameter that is no tensor": call(name("torch._utils", "_rebuild_parameter"), number(1), b"\x88", HOOKS),
    "a storage of no type": items(text("storage"), number(1), text("0"), text("cpu"), number(4)) + b"Q",
    "a storage with no more to say": items(text("storage")) + b"Q",
    "a device that is a number": call(name("torch", "device"), number(1)),
}  # fmt: skip


@pytest.fixture
def unchanged() -> Iterator[None]:
    """The classes and functions that a file can name are afterwards what they were."""
    complete()  # methods that take their places are no change
    known = [*file_names.NAMES.values(), *weights_unpickler.PLAIN.values(), torch]
    before = [(x, dict(vars(x))) for x in known if hasattr(x, "__dict__")]
    yield
    for x, attributes in before:
        assert dict(vars(x)) == attributes, x


@pytest.mark.usefixtures("unchanged")
@pytest.mark.parametrize("what", FORBIDDEN)
def test_a_file_of_weights_cannot(what: str) -> None:
    data = archive(FORBIDDEN[what])
    gc.collect()
    tracemalloc.start()
    try:
        with pytest.raises(REFUSED):
            load(data)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert peak < 300_000 + 100 * len(data)


@pytest.mark.parametrize("code", [op.code for op in pickletools.opcodes], ids=[op.name for op in pickletools.opcodes])
@pytest.mark.parametrize("before", [b"", b"N", b"(", b"(NN", TENSOR + b")", REBUILD + b")", tensor()])
def test_every_instruction_is_carried_out_or_refused(code: str, before: bytes) -> None:
    for after in (b"", b"\0" * 40, b"\xff" * 40, b"os\nsystem\n"):
        data = PROTOCOL + before + code.encode("latin-1") + after
        try:
            load(archive(data + b"0" * 300))  # POP, which these files do not have: the program never ends well
        except REFUSED:
            continue
        except UserWarning as warning:
            assert code == "\x80"  # the instruction that tells the version
            assert "Detected pickle protocol" in str(warning)
        assert code in "\x80."


def test_classes_that_the_user_trusts_are_made_without_being_called() -> None:
    plain = object.__new__(Plain)
    plain.x = [1]  # type: ignore[attr-defined]
    slotted = Slotted()
    slotted.x = 2
    data = saved([plain, slotted])
    with pytest.raises(pickle.UnpicklingError, match="was not an allowed global"):
        load(data)
    with torch.serialization.safe_globals([Plain, Slotted]):
        found, other = load(data)
    assert (type(found), found.x, type(other), other.x) == (Plain, [1], Slotted, 2)


def test_state_is_set_on_what_the_file_has_made_alone() -> None:
    """A trusted object that is named, not made, stays as it is, even if its class is trusted too."""
    held = object.__new__(Plain)
    with torch.serialization.safe_globals([Plain, (held, "here.held"), (shout, "here.shout")]):
        with pytest.raises(pickle.UnpicklingError, match="Can only build"):
            load(archive(name("here", "held") + BACKWARD + b"b"))
        assert load(archive(call(name("here", "shout"), number(3)))) == (3,)
    assert vars(held) == {}


# What a file may take of memory.


def test_compressed_records_are_for_trusted_files() -> None:
    data = archive(tensor(), compression=zipfile.ZIP_DEFLATED)
    with pytest.raises(RuntimeError, match="is compressed"):
        load(data)
    assert load(data, weights_only=False).tolist() == [1, 2, 3, 4]


def test_a_small_compressed_file_takes_no_memory() -> None:
    zeros = {"0": bytes(10**8)}
    data = archive(tensor(held=storage(count=25 * 10**6)), zeros, zipfile.ZIP_DEFLATED)
    assert len(data) < 200_000
    tracemalloc.start()
    try:
        with pytest.raises(RuntimeError, match="is compressed"):
            load(data)
        assert tracemalloc.get_traced_memory()[1] < 10**6
    finally:
        tracemalloc.stop()


def test_records_that_lie_over_each_other_take_no_more_than_the_file() -> None:
    """Many entries of the directory that lead to the same bytes."""
    block, copies = bytes(400_000), 200
    keys = [str(k) for k in range(copies)]
    program = b"](" + b"".join([tensor(held=storage(key=k, count=100_000)) for k in keys]) + b"e"
    f = io.BytesIO()
    with zipfile.ZipFile(f, "w") as opened:
        opened.writestr("a/data.pkl", PROTOCOL + program + b".")
        opened.writestr("a/version", "3")
        opened.writestr("a/data/0", block)
        first = opened.getinfo("a/data/0")
        for k in keys[1:]:
            copy = zipfile.ZipInfo(f"a/data/{k}")
            for field in ("header_offset", "file_size", "compress_size", "CRC"):
                setattr(copy, field, getattr(first, field))
            opened.filelist.append(copy)
            opened.NameToInfo[copy.filename] = copy
        opened._didModify = True  # type: ignore[attr-defined]
    data = f.getvalue()
    tracemalloc.start()
    try:
        with pytest.raises(RuntimeError, match="records overlap, or reach beyond the end"):
            load(data)
        assert tracemalloc.get_traced_memory()[1] < 5 * len(data)
    finally:
        tracemalloc.stop()


def test_a_file_is_read_once_and_not_kept() -> None:
    data = saved(torch.zeros(10**6))
    f = io.BytesIO(data)
    gc.collect()
    tracemalloc.start()
    try:
        x = torch.load(f)
        assert tracemalloc.get_traced_memory()[1] < 1.1 * len(data)
    finally:
        tracemalloc.stop()
    assert x.shape == (10**6,)


# Other forms of files.


def test_the_bytes_of_a_big_endian_machine_are_turned_round() -> None:
    f = io.BytesIO()
    with zipfile.ZipFile(f, "w") as opened:
        halves = tensor(held=storage("ComplexFloatStorage", count=2), size=(2,))
        opened.writestr("a/data.pkl", PROTOCOL + items(tensor(held=storage(key="1")), halves) + b".")
        opened.writestr("a/byteorder", "big")
        opened.writestr("a/data/0", struct.pack(">4f", 1, 2, 3, 4))
        opened.writestr("a/data/1", struct.pack(">4f", 5, 6, 7, 8))
        opened.writestr("a/version", "3")
    x, z = load(f.getvalue())
    assert x.tolist() == [5, 6, 7, 8]
    assert z.tolist() == [1 + 2j, 3 + 4j]


def old_storage(key: str, part: bytes = b"N", count: int = 4) -> bytes:
    return items(text("storage"), name("torch", "FloatStorage"), text(key), text("cpu"), number(count), part) + b"Q"


def keys(*names: str) -> bytes:
    return b"](" + b"".join([text(k) for k in names]) + b"e"


OLD_STORAGE = struct.pack("<q", 4) + STORAGE


@pytest.mark.parametrize("weights_only", [True, False])
def test_files_of_pytorch_before_1_6(weights_only: bool) -> None:
    part = items(text("part"), number(1), number(2))
    program = items(tensor(held=old_storage("k")), tensor(held=old_storage("k", part), size=(2,)))
    x, y = load(old_file(program, keys("k"), OLD_STORAGE), weights_only=weights_only)
    assert x.tolist() == [1, 2, 3, 4]
    assert y.tolist() == [2, 3]
    x[1] = 9
    assert y[0] == 9


@pytest.mark.parametrize(
    ("program", "named", "data", "error"),
    [
        (tensor(held=old_storage("k", count=10**10)), keys("k"), OLD_STORAGE, "larger than the file"),
        (tensor(held=old_storage("k")), keys("j"), OLD_STORAGE, "nothing in it names"),
        (tensor(held=old_storage("k")), number(3), OLD_STORAGE, "nothing in it names"),
        (tensor(held=old_storage("k")), b"](" + WIDE + b"e", OLD_STORAGE, "nothing in it names"),
        (tensor(held=old_storage("k", WIDE)), keys("k"), OLD_STORAGE, "A part of a storage"),
        (tensor(held=old_storage("k")), keys("k"), struct.pack("<q", 3) + STORAGE, "storage has wrong size"),
        (tensor(held=old_storage("k")), keys("k"), OLD_STORAGE[:-1], "unexpected EOF"),
        (tensor(held=old_storage("k", number(3))), keys("k"), OLD_STORAGE, "A part of a storage"),
        (tensor(held=old_storage("k", items(text("p"), number(3), number(2)))), keys("k"), OLD_STORAGE, "A part of a"),
    ],
)
def test_old_files_are_held_to_their_size(program: bytes, named: bytes, data: bytes, error: str) -> None:
    with pytest.raises(REFUSED, match=error):
        load(old_file(program, named, data))


def test_old_files_that_pytorch_writes() -> None:
    real = pytest.importorskip("torch")
    x = real.arange(6.0).reshape(2, 3)
    f = io.BytesIO()
    real.save({"x": x, "row": x[1], "half": x.half()}, f, _use_new_zipfile_serialization=False)
    found = load(f.getvalue())
    assert found["row"].tolist() == [3, 4, 5]
    assert found["half"].dtype is torch.float16
    assert found["x"].untyped_storage() is found["row"].untyped_storage()


def test_each_reads_what_the_other_has_written() -> None:
    real = pytest.importorskip("torch")
    ours = everything()
    theirs = real.load(io.BytesIO(saved(ours)))
    f = io.BytesIO()
    real.save(theirs, f)
    assert same(load(f.getvalue()), ours)


# Damaged files.


def damage(seed: int, originals: list[bytes]) -> bytes:
    draw = random.Random(seed)
    whole = originals[draw.randrange(len(originals))]
    if draw.random() < 0.5:
        return mutated(whole, draw.randrange)
    f = io.BytesIO()  # a sound archive around a damaged pickle
    with zipfile.ZipFile(io.BytesIO(whole)) as read, zipfile.ZipFile(f, "w") as write:
        for record in read.namelist():
            data = read.read(record)
            write.writestr(record, mutated(data, draw.randrange) if record.endswith("data.pkl") else data)
    return f.getvalue()


def check_damaged(seeds: range) -> None:
    programs = [archive(p) for p in FORBIDDEN.values()]
    originals = [saved(everything()), saved({"w": torch.ones(2, 3)}), archive(tensor()), *programs]
    outcomes: Counter = Counter()
    for seed in seeds:
        data = damage(seed, originals)
        tracemalloc.reset_peak()
        held = tracemalloc.get_traced_memory()[0]
        try:
            load(data)
            outcomes["read"] += 1
        except REFUSED as e:
            outcomes[type(e).__name__] += 1
        except ValueError as e:
            assert "Unknown endianness type" in str(e), seed
        except UserWarning:
            outcomes["warning"] += 1
        assert tracemalloc.get_traced_memory()[1] - held < 10**6 + 100 * len(data), seed
    assert set(outcomes) >= {"read", "UnpicklingError", "RuntimeError"}, outcomes


@pytest.fixture
def traced() -> Iterator[None]:
    gc.collect()
    tracemalloc.start()
    yield
    tracemalloc.stop()


@pytest.mark.usefixtures("unchanged", "traced")
def test_damaged_files_are_read_or_refused() -> None:
    check_damaged(range(200))


@pytest.mark.slow
@pytest.mark.usefixtures("unchanged", "traced")
def test_twenty_thousand_damaged_files_are_read_or_refused() -> None:
    check_damaged(range(1000, 21_000))


def test_deeply_nested_containers() -> None:
    x = load(archive(b"]" * 100_000 + b"a" * 99_999))
    for _ in range(99_999):
        (x,) = x
    assert x == []
    assert sys.getrecursionlimit() < 99_999


def test_memory_of_storages_can_be_written() -> None:
    x = load(saved(torch.zeros(3)))
    x += 1
    assert x.tolist() == [1, 1, 1]
    assert isinstance(x.numpy(), np.ndarray)
