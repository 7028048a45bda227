import numpy as np
import torch


def tried(f):
    try:
        found = f()
    except Exception as error:
        print(" ", type(error).__name__, error)
        return
    print(" ", found)


print("a leaf is refused before a number that does not fit")
leaf = torch.ones(2, requires_grad=True)
for value in (2j, 1e300, 2**70, torch.tensor(2j)):
    tried(lambda: leaf.fill_(value))
tried(lambda: torch.ones(2).fill_(1e300))

print("no elements are divided by zero")
none = torch.zeros((0, 2), dtype=torch.int64)
for divisor in (0, torch.zeros(2, dtype=torch.int64)):
    tried(lambda: none // divisor)
    tried(lambda: none % divisor)
    tried(lambda: none.fmod(divisor))
    tried(lambda: none.div(divisor, rounding_mode="floor"))
    tried(lambda: none.div(divisor, rounding_mode="trunc"))
    tried(lambda: none.clone().floor_divide_(divisor))
    tried(lambda: torch.ones(2, dtype=torch.int64) // divisor)
tried(lambda: 5 % none)
tried(lambda: 5 // none)

print("dtypes that take nothing")
tried(lambda: torch.ones(3, dtype=torch.bool).cumsum_(0))
tried(lambda: torch.ones(3, dtype=torch.bool).cumprod_(0))
tried(lambda: torch.ones(3, dtype=torch.int32).cumprod_(0))
number = torch.tensor(1.5, requires_grad=True)
whole = torch.ones(3, dtype=torch.int64)
tried(lambda: whole.masked_fill(whole > 0, number))
tried(lambda: whole.masked_fill(whole > 0, number.detach()))
tried(lambda: torch.ones(3).copy_(np.int64(3)))
tried(lambda: torch.ones(3, dtype=torch.int64).copy_(np.uint8(3)))

print("out= that is an inference tensor")
with torch.inference_mode():
    x = torch.tensor([1.5, 2.5], requires_grad=True)
tried(lambda: torch.floor(x, out=x))
print(x)
tried(lambda: torch.add(x, 1, out=x))
tried(lambda: torch.add(x, 1, out=torch.ones(2)))

print("zero to the power of zero")
z = torch.tensor([0j, 1j, 1, 2])
zero = torch.zeros(4)
for power in (lambda: z**zero, lambda: 0 ** (z * 0), lambda: zero ** (z * 0), lambda: z**0, lambda: z[0] ** z[0]):
    tried(lambda: power().isnan())

print("the distribution function is of several steps")
for t in (torch.tensor([0.0, 1.0], requires_grad=True), torch.tensor([0.0, 1.0], requires_grad=True) * 1):
    f = torch.special.ndtr(t)
    print([round(p, 6) for p in f.tolist()])
    node = f.grad_fn
    while node is not None:
        print(" ", type(node).__name__, [type(n).__name__ for n, _ in node.next_functions])
        node = node.next_functions[0][0] if node.next_functions else None
    print([round(p, 5) for p in torch.autograd.grad(f.sum(), t)[0].tolist()])

print("strides without elements")
for a in (np.array([])[::2], np.zeros((0, 3)).T, np.zeros((2, 0, 3))[::2], np.zeros((3, 0))):
    t = torch.from_numpy(a)
    kept = (torch.zeros_like(t), torch.ones_like(t), torch.full_like(t, 2), torch.empty_like(t), t.clone(), t.float())
    print(t.stride(), [k.stride() for k in kept])
