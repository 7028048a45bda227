# torch.nn.attention: which kernels are allowed, and causal masks as rules.
import torch
from torch.nn.attention import SDPBackend, sdpa_kernel
from torch.nn.attention.bias import CausalBias, CausalVariant, causal_lower_right, causal_upper_left
from torch.nn.functional import scaled_dot_product_attention as attend


def show(f):
    try:
        print(f())
    except Exception as e:
        print(type(e).__name__, e)


print(
    repr(SDPBackend.MATH),
    SDPBackend.FLASH_ATTENTION.value,
    int(SDPBackend.CUDNN_ATTENTION),
    list(SDPBackend.__members__),
)
x = torch.ones(1, 2, 3, 4, requires_grad=True)
for backends in (
    SDPBackend.MATH,
    [SDPBackend.FLASH_ATTENTION, SDPBackend.MATH],
    [SDPBackend.FLASH_ATTENTION],
    [SDPBackend.EFFICIENT_ATTENTION],
    [],
    3,
):

    def run(p=0.0):
        with sdpa_kernel(backends):
            return attend(x, x, x, dropout_p=p).grad_fn.name()

    show(run)
    show(lambda: run(0.5))
print(attend(x, x, x).grad_fn.name(), torch.backends.cuda.flash_sdp_enabled(), torch.backends.cuda.math_sdp_enabled())
torch.backends.cuda.enable_flash_sdp(False)
print(attend(x, x, x).grad_fn.name(), torch.backends.cuda.flash_sdp_enabled())
torch.backends.cuda.enable_flash_sdp(True)
print(torch.backends.mha.get_fastpath_enabled())
print(causal_upper_left(2, 3), causal_lower_right(2, 3), CausalVariant.LOWER_RIGHT, list(CausalVariant))
q, k = torch.arange(8.0).view(1, 1, 2, 4).sin(), torch.arange(12.0).view(1, 1, 3, 4).cos()
for bias in (causal_upper_left(2, 3), causal_lower_right(2, 3)):
    print(torch.round(attend(q, k, k, bias), decimals=3))
show(lambda: attend(q, k, k, causal_lower_right(2, 3), is_causal=True))
show(lambda: causal_lower_right(3))
show(lambda: causal_lower_right(3, 2))
show(lambda: CausalBias(1, 2, 3))
