import torch

a, b = torch.arange(6.0).view(2, 3), torch.arange(12.0).view(3, 4)
for eq, *ops in (
    ("ij,jk->ik", a, b),
    ("ij->ji", a),
    ("ij->", a),
    ("ij->j", a),
    ("ii->i", a[:, :2]),
    ("ii", a[:, :2]),
    ("i,j->ij", a[0], a[1]),
    ("...j,jk->...k", a, b),
    ("ij,jk", a, b),
    ("ij,ij->i", a, a),
    ("i,i", a[0], a[1]),
    ("bij,bjk->bik", a[None], b[None]),
    ("ji", a),
):
    y = torch.einsum(eq, *ops)
    print(eq, tuple(y.shape), y.tolist() if y.numel() < 7 else y.sum().item())
for bad in (
    lambda: torch.einsum("ij,jk->ik", a, a),
    lambda: torch.einsum("ij", a, b),
    lambda: torch.einsum("ij,jk->il", a, b),
    lambda: torch.einsum("ijk->i", a),
    lambda: torch.einsum("i1->i", a),
    lambda: torch.einsum("ij->jj", a),
    lambda: torch.einsum("i->i->i", a),
):
    try:
        print(bad())
    except (RuntimeError, ValueError) as e:
        print(type(e).__name__, e)
r = a.clone().requires_grad_()
torch.einsum("ij,kj,k->", r, r, torch.tensor([1.0, 2.0])).backward()
print(r.grad, torch.einsum("ij,kj->ik", r, r).grad_fn.name(), torch.einsum("ij->ji", r).stride())
