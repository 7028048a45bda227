"""Batch normalizations that become part of the layer before; weights in another memory format."""

import torch
from torch import nn
from torch.nn import utils


def show(f):
    try:
        print(f())
    except Exception as e:
        print(type(e).__name__, e)


def trained(bn):
    for t in (*bn.parameters(), *bn.buffers()):
        if t.dtype.is_floating_point:
            t.data = torch.linspace(0.5, 2, t.numel())
    return bn.eval()


torch.manual_seed(0)
x = torch.randn(2, 3, 5, 5)
for conv, bias, affine in ((nn.Conv2d, True, True), (nn.Conv2d, False, False), (nn.ConvTranspose2d, True, True)):
    c = conv(3, 4, 3, bias=bias).eval()
    bn = trained(nn.BatchNorm2d(4, affine=affine))
    fused = utils.fuse_conv_bn_eval(c, bn, transpose=conv is nn.ConvTranspose2d)
    print(fused, torch.allclose(fused(x), bn(c(x)), atol=1e-5), type(fused.weight).__name__, fused.bias.requires_grad)
for bias in (True, False):
    linear = nn.Linear(3, 4, bias=bias).eval()
    bn = trained(nn.BatchNorm1d(4))
    fused = utils.fuse_linear_bn_eval(linear, bn)
    print(fused, torch.allclose(fused(x[0, :, 0, :3]), bn(linear(x[0, :, 0, :3])), atol=1e-5))
show(lambda: utils.fuse_linear_bn_eval(linear, trained(nn.BatchNorm1d(3))))
show(lambda: utils.fuse_linear_bn_eval(linear.train(), bn))
show(lambda: utils.fuse_conv_bn_eval(c, nn.BatchNorm2d(4, track_running_stats=False).eval()))
net = nn.Sequential(
    nn.Conv2d(2, 3, 2), nn.Sequential(nn.ConvTranspose2d(2, 3, 2)), nn.Conv1d(2, 3, 2), nn.Conv3d(2, 3, 2)
)
utils.convert_conv2d_weight_memory_format(net, torch.channels_last)
utils.convert_conv3d_weight_memory_format(net, torch.channels_last_3d)
print([tuple(p.stride()) for n, p in net.named_parameters() if "weight" in n])
