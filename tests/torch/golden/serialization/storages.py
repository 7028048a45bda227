import io
import struct
import zipfile

import torch


def text(s):
    return b"X" + struct.pack("<I", len(s)) + s.encode()


def number(n):
    return b"\x8a\x08" + struct.pack("<q", n)


def attempt(
    size, stride, offset=0, kind="FloatStorage", key="0", place="cpu", count=4, requires_grad=b"\x89", **options
):
    storage = b"(" + text("storage") + f"ctorch\n{kind}\n".encode() + text(key) + text(place) + number(count) + b"tQ"
    sizes, strides = (b"(" + b"".join(map(number, ns)) + b"t" for ns in (size, stride))
    tensor = b"ctorch._utils\n_rebuild_tensor_v2\n(" + storage + number(offset) + sizes + strides + requires_grad
    f = io.BytesIO()
    with zipfile.ZipFile(f, "w") as archive:
        archive.writestr("a/data.pkl", b"\x80\x02" + tensor + b"ccollections\nOrderedDict\n)RtR.")
        archive.writestr("a/data/0", struct.pack("<4f", 1, 2, 3, 4))
        archive.writestr("a/version", "3")
    f.seek(0)
    try:
        x = torch.load(f, **options)
        print(x.shape, x.stride(), x.storage_offset(), x.dtype, x.requires_grad, x.reshape(-1)[:4].tolist())
    except Exception as e:
        print(type(e).__name__, e)


attempt([2, 2], [1, 2], requires_grad=b"\x88")
attempt([2**40], [0])
attempt([0], [1], 100)
attempt([2], [1], kind="DoubleStorage", count=2)
for size, stride, offset in (
    ([-1], [1], 0),
    ([2], [-1], 0),
    ([2], [1], -1),
    ([5], [1], 0),
    ([2], [1], 3),
    ([2, 2], [1], 0),
):
    attempt(size, stride, offset)
attempt([2**40, 2**40], [0, 0])
attempt([2**40], [1])
for count in (100, 3, 2**59):
    attempt([2], [1], count=count)
attempt([2], [1], key="7")
attempt([2], [1], key="../data.pkl")
for place in ("cuda:0", "elsewhere"):
    attempt([2], [1], place=place)
    attempt([2], [1], place=place, map_location="cpu")
    attempt([2], [1], place=place, map_location={place: "cpu"})
    attempt([2], [1], place=place, map_location=lambda storage, where: print(where))
attempt([1], [1], kind="LongStorage", count=2, requires_grad=b"\x88")
