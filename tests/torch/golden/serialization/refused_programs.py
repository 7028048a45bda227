import io
import struct
import zipfile

import torch


def text(s):
    return b"X" + struct.pack("<I", len(s)) + s.encode()


def attempt(title, program):
    f = io.BytesIO()
    with zipfile.ZipFile(f, "w") as archive:
        archive.writestr("a/data.pkl", b"\x80\x02" + program + b".")
        archive.writestr("a/version", "3")
    f.seek(0)
    try:
        print(title, torch.load(f))
    except Exception as e:
        print(title, type(e).__name__, e)


state = b"}" + text("backward") + b"Ns"
attempt("state of a class", b"ccollections\nOrderedDict\n" + state + b"b")
attempt("state of a function", b"ctorch._utils\n_rebuild_tensor_v2\n}b")
attempt("state of a dict", b"}}b")
attempt("state of an OrderedDict", b"ccollections\nOrderedDict\n)R}" + text("note") + b"Nsb")
for name in (
    b"os\nsystem",
    b"builtins\neval",
    b"builtins\ntuple",
    b"__builtin__\nfrozenset",
    b"some.where\nThing",
    b"sys\nexit",
):
    attempt(name, b"c" + name + b"\n")
attempt("call of a dict", b"})R")
attempt("item of an int", b"K\x01K\x02a")
attempt("items of an int", b"K\x01(K\x02e")
attempt("key of a list", b"]K\x01K\x02s")
attempt("keys of a list", b"](K\x01K\x02u")
for code in (b"i", b"o", b"2", b"\x93", b"P", b"S", b"\x95", b"\xff"):
    attempt(code, b"N" + code)
attempt("persistent text", text("x") + b"Q")
attempt("persistent module", b"(" + text("module") + b"K\x01tQ")
attempt("fine", b"(K\x01G@\x04\0\0\0\0\0\0" + text("x") + b"N\x88t")
