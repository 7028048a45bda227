# Packed sequences: what they hold, how they are packed and padded, and what is refused.
import torch
from torch import nn
from torch.nn.utils.rnn import (
    PackedSequence,
    invert_permutation,
    pack_padded_sequence,
    pack_sequence,
    pad_packed_sequence,
    pad_sequence,
    unpack_sequence,
    unpad_sequence,
)


def show(f):
    try:
        print(f())
    except Exception as e:
        print(type(e).__name__, e)


z = torch.zeros
abc = [torch.tensor([1, 2, 3]), torch.tensor([4, 5]), torch.tensor([6])]
packed = pack_sequence(abc)
print(packed, packed.data.dtype, type(packed).__module__)
print(
    packed.to(torch.float64),
    packed.half().data.dtype,
    packed.to(torch.int64) is packed,
    packed.is_cuda,
    packed.cpu() is packed,
)
for kind in ("double", "float", "long", "int", "short", "char", "byte"):
    print(getattr(packed, kind)().data.dtype)
mixed = pack_sequence(abc[::-1], enforce_sorted=False)
print(mixed, unpack_sequence(mixed))
print(pad_packed_sequence(mixed, batch_first=True, padding_value=-1, total_length=4))
print(pad_packed_sequence(packed), invert_permutation(torch.tensor([2, 0, 1])), invert_permutation(None))
print(PackedSequence((packed.data, packed.batch_sizes)) == packed or "another")
print(
    pad_sequence(abc),
    pad_sequence(abc, True, 9),
    pad_sequence(abc, padding_side="left"),
    pad_sequence(torch.arange(4).view(2, 2)),
)
print(unpad_sequence(pad_sequence(abc), torch.tensor([3, 2, 1])))
x = torch.arange(12.0).view(3, 2, 2).requires_grad_()
packed = pack_padded_sequence(x, [3, 2])
print(
    packed.data, packed.batch_sizes, packed.data.grad_fn._saved_batch_first, packed.data.grad_fn._saved_input_sym_sizes
)
padded, lengths = pad_packed_sequence(packed, batch_first=True, total_length=4)
print(padded.shape, padded.stride(), padded.grad_fn.name(), lengths)
(g,) = torch.autograd.grad((padded * padded).sum(), x, create_graph=True)
print(g.detach(), torch.autograd.grad(g.sum(), x))
a = torch.ones(2, requires_grad=True)
pad_sequence([a, torch.ones(3)]).sum().backward()
print(a.grad, pad_sequence([a, torch.ones(3)]))
torch.manual_seed(0)
for kind in (nn.RNN, nn.LSTM, nn.GRU):
    model = kind(2, 3, bidirectional=True).double()
    out, state = model(pack_sequence([torch.ones(1, 2), torch.ones(3, 2)], enforce_sorted=False).double())
    state = state[0] if isinstance(state, tuple) else state
    print(out.data.shape, out.batch_sizes, out.data.grad_fn.name(), torch.round(state.detach(), decimals=5)[:, 0])
show(lambda: pack_padded_sequence(z(3, 2), [2, 3]))
show(lambda: pack_padded_sequence(z(3, 2), [2, 0]))
show(lambda: pack_padded_sequence(z(3, 2), [2, 1, 1]))
show(lambda: pack_padded_sequence(z(0, 2), [2, 1]))
show(lambda: pack_padded_sequence(z(3, 2), torch.tensor([[2.0, 1]])))
show(lambda: pack_padded_sequence(z(3), [2, 1]))
show(lambda: pad_packed_sequence(packed, total_length=2))
show(lambda: PackedSequence(z(3)))
show(lambda: pad_sequence([]))
show(lambda: pad_sequence([z(2), z(3, 2)]))
show(lambda: pad_sequence([z(2), z(3)], padding_side="up"))
show(lambda: pad_sequence(1))
