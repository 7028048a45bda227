import torch

x = torch.tensor(2.0, requires_grad=True)
a = x * 3
b = a * a
c = a + b
for name, t in {"x": x, "a": a, "b": b, "c": c}.items():
    t.register_hook(lambda g, name=name: print("tensor hook", name, g))
    if t.grad_fn:
        t.grad_fn.register_hook(lambda gi, go, name=name: print("post hook", name, gi, go))
        t.grad_fn.register_prehook(lambda go, name=name: print("pre hook", name, go))
x.register_post_accumulate_grad_hook(lambda p: print("accumulated", p.grad))
c.backward()
print(x.grad)
