import torch

w = torch.tensor([1.0, 2.0], requires_grad=True)


def step(p):
    print(p is w, p.grad, torch.is_grad_enabled())
    with torch.no_grad():
        p -= 0.5 * p.grad
    p.grad = None


handle = w.register_post_accumulate_grad_hook(step)
(w * w).sum().backward()
print(w, w.grad)
(w + w + w).sum().backward()
print(w)
handle.remove()
(w * 2).sum().backward()
print(w.grad)
for t in (w * 2, torch.ones(2)):
    try:
        t.register_post_accumulate_grad_hook(lambda p: None)
    except RuntimeError as e:
        print(type(e).__name__, e)
