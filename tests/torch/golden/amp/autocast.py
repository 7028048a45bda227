import torch

a, v = torch.eye(4) * 2, torch.arange(4.0)
w = torch.nn.Parameter(torch.ones(4, 4))
F = torch.nn.functional
CASES = {
    "mm": lambda: torch.mm(a, a), "@": lambda: a @ v, "mv": lambda: torch.mv(a, v), "bmm": lambda: a[None].bmm(a[None]),
    "addmm": lambda: torch.addmm(a, a, a), "addmm_": lambda: a.clone().addmm_(a, a), "linear": lambda: F.linear(v, w),
    "out=": lambda: torch.mm(a, a, out=torch.empty(4, 4)), "einsum": lambda: torch.einsum("ij,jk", a, a),
    "sum": lambda: (a @ a).sum(), "prod": lambda: (a @ a).prod(), "softmax": lambda: (a @ a).softmax(-1),
    "double": lambda: a.double() @ a.double(), "ints": lambda: torch.arange(4).view(2, 2) @ torch.ones(2, 2).long(),
    "cross_entropy": lambda: F.cross_entropy(a @ a, torch.arange(4)), "mse": lambda: F.mse_loss(a @ a, a),
    "cat": lambda: torch.cat([a, a @ a]), "index_copy": lambda: (a @ a).index_copy(0, torch.tensor([0]), a[:1]),
    "inverse": lambda: (a @ a).inverse(), "fft": lambda: torch.fft.fft(v.bfloat16()), "exp": lambda: a.exp(),
    "svd": lambda: torch.linalg.svd(a @ a)[1], "cdist": lambda: torch.cdist(a @ a, a), "norm": lambda: (a @ a).norm(),
}  # fmt: skip
for dtype in torch.bfloat16, torch.float16:
    with torch.autocast("cpu", dtype=dtype):
        print({name: str(f().dtype)[6:] for name, f in CASES.items()})

x = torch.ones(2, 4)
with torch.autocast("cpu"):
    first, second = x @ w, x @ w
    print(first.grad_fn.next_functions[1][0] is second.grad_fn.next_functions[1][0], first.grad_fn.next_functions)
    with torch.autocast("cpu", enabled=False):
        print((x @ w).dtype, torch.is_autocast_enabled("cpu"))
        with torch.autocast("cpu", dtype=torch.float16):
            print((x @ w).dtype, torch.get_autocast_dtype("cpu"))
    print(torch.is_autocast_enabled("cpu"), torch.is_autocast_enabled(), torch.get_autocast_dtype("cpu"))
(first.sum() + second.sum()).backward()
print(w.grad.dtype, w.grad[0])
with torch.autocast("cpu", cache_enabled=False):
    first, second = x @ w, x @ w
    print(first.grad_fn.next_functions[1][0] is second.grad_fn.next_functions[1][0])


@torch.autocast("cpu")
def product(x):
    return x @ w


print(product(x).dtype, product.__name__, (x @ w).dtype)


class Scaled(torch.autograd.Function):
    @staticmethod
    @torch.amp.custom_fwd(device_type="cpu", cast_inputs=torch.float32)
    def forward(ctx, x):
        print(x.dtype, torch.is_autocast_enabled("cpu"))
        return x * 2

    @staticmethod
    @torch.amp.custom_bwd(device_type="cpu")
    def backward(ctx, g):
        print(g.dtype, torch.is_autocast_enabled("cpu"))
        return g * 2


class Followed(torch.autograd.Function):
    @staticmethod
    @torch.amp.custom_fwd(device_type="cpu")
    def forward(ctx, x):
        return x @ x

    @staticmethod
    @torch.amp.custom_bwd(device_type="cpu")
    def backward(ctx, g):
        print(g.dtype, torch.is_autocast_enabled("cpu"), (g @ g).dtype)
        return g


y = torch.ones(2, 2, requires_grad=True)
with torch.autocast("cpu"):
    z = Scaled.apply(y @ y) + Followed.apply(y)
z.sum().backward()
Followed.apply(y).sum().backward()
print(z.dtype, y.grad)
sequence = torch.ones(1, 3, 2)
with torch.autocast("cpu"):
    for kind in torch.nn.LSTM, torch.nn.RNN, torch.nn.GRU:
        found = kind(2, 2)(sequence)
        print(kind.__name__, found[0].dtype)
    for mode in "reflect", "replicate", "circular":
        print(mode, F.pad(sequence.bfloat16(), (1, 1), mode=mode).dtype)
