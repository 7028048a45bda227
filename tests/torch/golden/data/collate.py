from collections import OrderedDict, UserList, defaultdict, namedtuple
from types import MappingProxyType

import numpy as np
import torch
from torch.utils.data import default_collate, default_convert
from torch.utils.data._utils.collate import collate, default_collate_fn_map


def attempt(f):
    try:
        print(f())
    except RecursionError:
        print("RecursionError")  # its words say where it happened
    except Exception as e:
        print(type(e).__name__, e)


Point = namedtuple("Point", ["x", "y"])
for batch in (
    [0, 1],
    [0.5, 1],
    [True, False],
    ["a", "b"],
    [b"a"],
    [torch.ones(2), torch.zeros(2)],
    [np.ones(2, np.float32), np.zeros(2, np.float32)],
    [np.float32(1), np.float32(2)],
    [(0, "a", 1.5), (1, "b", 2.5)],
    [[0, 1], [2, 3], [4, 5]],
    [Point(0, 1), Point(2, 3)],
    [{"a": 0, "b": [1]}, {"a": 2, "b": [3]}],
    [OrderedDict(z=1), OrderedDict(z=2)],
    [MappingProxyType({"a": 1}), MappingProxyType({"a": 2})],
    [UserList([1, 2]), UserList([3, 4])],
    [range(2), range(2)],
):
    attempt(lambda: default_collate(batch))
print(default_collate([0.5]).dtype, default_collate([np.float16(1)]).dtype, default_collate([1]).dtype)
found = default_collate([defaultdict(list, a=1), defaultdict(list, a=2)])
print(type(found), found)
for batch in (
    [np.array(["a"])],
    [None, None],
    [object],
    [{1}, {2}],
    [[1, 2], [3]],
    [torch.ones(1), torch.ones(2)],
    [{"a": 1}, {"b": 1}],
    [(1, None), (2, None)],
):
    attempt(lambda: default_collate(batch))
for data in (
    0,
    "a",
    np.arange(2),
    np.array(["a"]),
    np.float64(2),
    {"a": np.ones(1), "b": "c"},
    (np.ones(1), 2),
    [np.ones(1)],
    Point(np.ones(1), 0),
    range(2),
    MappingProxyType({"a": np.ones(1)}),
    {3},
):
    attempt(lambda: default_convert(data))
print(collate(["ab", "cd"], collate_fn_map={str: lambda batch, *, collate_fn_map: "".join(batch)}))
attempt(lambda: collate(["ab"]))
attempt(lambda: collate([1.5], collate_fn_map={str: None}))
print(len(default_collate_fn_map), torch.Tensor in default_collate_fn_map)
