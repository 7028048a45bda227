import io
import pickle
import zipfile

import torch

good = {"a/data.pkl": b"\x80\x02K\x05.", "a/byteorder": b"little", "a/version": b"3\n"}


def attempt(title, records, cut=None, **options):
    f = io.BytesIO()
    with zipfile.ZipFile(f, "w") as archive:
        for name, data in records.items():
            archive.writestr(name, data)
    try:
        print(title, torch.load(io.BytesIO(f.getvalue()[:cut]), **options))
    except Exception as e:
        print(title, type(e).__name__, e)


attempt("good", good)
attempt("cut", good, 150)
attempt("no pickle", {k: v for k, v in good.items() if k != "a/data.pkl"})
attempt("no version", {k: v for k, v in good.items() if k != "a/version"})
attempt("no folder", {k.removeprefix("a/"): v for k, v in good.items()})
attempt("two folders", {**good, "b/more": b""})
for version in (b"1", b"10", b"11", b"0", b"x", b""):
    attempt(version, {**good, "a/version": version})
attempt("byte order", {**good, "a/byteorder": b"middle"})
attempt("script", {**good, "a/constants.pkl": b""})
attempt("protocol", {**good, "a/data.pkl": b"\x80\x04K\x05."})
attempt("options", good, pickle_module=pickle, weights_only=True)
attempt("options", good, pickle_module=pickle)
attempt("options", good, mmap=True)
attempt("options", good, encoding="ascii")
attempt("trusted", good, weights_only=False)
for data in (pickle.dumps({"x": 1}), pickle.dumps({"x": 1}, 2), b"PK\x03\x04" + b"x" * 100):
    try:
        print(torch.load(io.BytesIO(data)))
    except Exception as e:
        print(type(e).__name__, e)
