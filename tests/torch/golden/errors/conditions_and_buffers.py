import warnings

import torch

with warnings.catch_warnings():  # storages of a type are warned of once in a process, which others may have seen
    warnings.simplefilter("ignore")
    torch.ones(1).storage()


def show(f):
    try:
        print(f())
    except Exception as e:
        print(type(e).__name__, e)


for name in ("_check", "_check_index", "_check_value", "_check_type", "_check_not_implemented"):
    check = getattr(torch, name)
    for arguments in ((True,), (False,), (False, lambda: "text"), (False, "text"), (1,), (torch.tensor(True),)):
        show(lambda check=check, arguments=arguments: check(*arguments))
for condition in (torch.tensor([True]), torch.tensor([True, False]), torch.tensor([1]), 3):
    show(lambda condition=condition: torch._check_tensor_all(condition))

four = bytearray([1, 2, 3, 4])
for order in ("big", "little", "foo"):
    show(lambda order=order: torch.ShortStorage.from_buffer(four, order).tolist())
show(lambda: torch.ShortStorage.from_buffer(four))
show(lambda: torch.ShortStorage.from_buffer([1], "big"))
show(lambda: torch.ShortStorage.from_buffer(bytearray(3), "big"))
show(lambda: torch.ShortStorage.from_buffer(four, "big", count=9))
show(lambda: torch.ShortStorage.from_buffer(four, "big", offset=9))
show(lambda: torch.ByteStorage.from_buffer(four, count=2, offset=1).tolist())
show(lambda: torch.BoolStorage.from_buffer(bytearray([0, 7]), "big").tolist())
show(lambda: torch.UntypedStorage.from_buffer(four))
x = torch.ones(3)
print(x.storage().resizable(), x.numpy().size, x.storage().resizable())

show(lambda: torch.arange(3).apply_(lambda k: "text"))
show(lambda: torch.ones(2).apply_(lambda k: None))
show(lambda: torch.ones(2).apply_(lambda k: 2))
x = torch.empty(2, 2, 1, 2)
for check in (False, True, "text", [torch.contiguous_format], [torch.contiguous_format, torch.channels_last], [3]):
    show(lambda check=check: x.dim_order(ambiguity_check=check))
show(lambda: torch.empty(1, 1, 1, 1).dim_order(ambiguity_check=[torch.contiguous_format, torch.channels_last]))
print(torch.empty(2, 3, 5, 7).dim_order(ambiguity_check=True))
