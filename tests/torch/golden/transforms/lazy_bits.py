# What leaves a transform as the conjugate, or a strided view, of its argument leaves the argument alone.
import torch

x = torch.tensor([[1 + 1j, 2 + 2j], [3 - 1j, 1 - 4j]])
for f in (torch.conj, lambda a: a.conj().conj(), lambda a: a.conj() * 2):
    r = torch.vmap(f)(x)
    print(r.resolve_conj().resolve_neg(), r.is_conj(), r.is_neg(), x.is_conj(), (x == x.clone()).all())
print(torch.vmap(torch.vmap(torch.conj), in_dims=1)(x[None]).resolve_conj())
out, pull = torch.func.vjp(torch.conj, x)
print(out.resolve_conj(), x.is_conj(), pull(torch.ones_like(out))[0].resolve_conj())
print(torch.func.jvp(torch.conj, (x,), (x,))[1].resolve_conj(), x.is_conj())
w = x.clone().requires_grad_()
r = torch.vmap(torch.conj)(w)
r.real.sum().backward()
print(r.resolve_conj().detach(), w.is_conj(), w.grad)
y = torch.arange(30.0).reshape(3, 10)
print(torch.vmap(lambda t: t.as_strided((2, 3), (1, 1), 2))(y))
print(torch.vmap(lambda t: t.as_strided((2, 3), (1, 1), 0), in_dims=1)(y.t().contiguous()).shape)
print(torch.vmap(lambda t: t.unfold(0, 3, 2))(y).shape, torch.vmap(lambda t: t.unfold(0, 3, 2).sum(1))(y))
