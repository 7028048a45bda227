# Transformers: modules, masks, what is left out where nothing is trained, warnings and errors.
import warnings

import torch
from torch import nn

warnings.filterwarnings("ignore", "The PyTorch API of nested tensors")


def show(f):
    try:
        print(f())
    except Exception as e:
        print(type(e).__name__, e)


torch.manual_seed(0)
layer = nn.TransformerEncoderLayer(4, 2, 8, batch_first=True, activation="gelu")
print(layer)
encoder = nn.TransformerEncoder(layer, 2, norm=nn.LayerNorm(4))
x = torch.randn(2, 3, 4)
later = nn.Transformer.generate_square_subsequent_mask(3)
ended = torch.tensor([[False, False, True], [False, False, False]])
print(later, later.dtype)
for mode in ("train", "eval"):
    getattr(encoder, mode)()
    for options in ({}, {"mask": later}, {"src_key_padding_mask": ended}, {"src_key_padding_mask": ended.flip(1)}):
        with torch.no_grad():
            torch.manual_seed(1)
            out = encoder(x, **options)
        print(mode, list(options), torch.round(out[0, ::2], decimals=3), out.stride())
out = encoder(x, mask=later, src_key_padding_mask=ended)
out.square().sum().backward()
print([(n, round(p.grad.abs().sum().item(), 1)) for n, p in encoder.named_parameters()][:4])
model = nn.Transformer(4, 2, 1, 2, 8, dropout=0.0, batch_first=True, norm_first=True, bias=False)
print([(n, p.shape) for n, p in model.named_parameters()][-6:])
out = model(x, x, tgt_mask=later, memory_key_padding_mask=ended)
print(torch.round(out.detach(), decimals=3), out.grad_fn.name())
again = nn.Transformer(4, 2, 1, 1, 8)
print(again(torch.ones(5, 4), torch.ones(2, 4)).shape, again.decoder.layers[0].activation.__name__)
nn.TransformerEncoder(nn.TransformerEncoderLayer(6, 3, 8, batch_first=True), 1)
nn.TransformerEncoder(nn.TransformerEncoderLayer(6, 2, 8, batch_first=True, norm_first=True), 1)
nn.TransformerEncoder(nn.TransformerEncoderLayer(6, 2, 8, batch_first=True, bias=False), 1)
nn.TransformerEncoder(nn.TransformerEncoderLayer(6, 2, 8, batch_first=True, activation=torch.tanh), 1)
nn.TransformerEncoder(nn.TransformerDecoderLayer(6, 2, 8), 1, enable_nested_tensor=False)
nn.TransformerEncoder(nn.TransformerDecoderLayer(6, 2, 8), 1)
show(lambda: nn.TransformerEncoderLayer(4, 2, activation="sine"))
show(lambda: again(torch.ones(5, 2, 4), torch.ones(5, 3, 4)))
show(lambda: again(torch.ones(5, 2, 4), torch.ones(5, 2, 3)))
show(lambda: model(x, x[:1]))
show(lambda: encoder(x, src_key_padding_mask=ended.long()))
show(lambda: encoder(x, mask=torch.zeros(2, 2)))
encoder.eval()
with torch.no_grad():
    show(lambda: encoder(x, mask=torch.zeros(2, 2)))
    show(lambda: encoder(torch.ones(2, 3, 5)))
