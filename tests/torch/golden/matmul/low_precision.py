# Products of bfloat16 stay bfloat16; products over one element keep the sign of zero; versions of fresh results.
import copy

import torch

x = torch.tensor([[1.5, -2.0], [0.5, 3.0]], dtype=torch.bfloat16)
v = x[0]
for t in (
    x @ x,
    torch.mm(x, x),
    torch.mv(x, v),
    torch.dot(v, v),
    torch.bmm(x[None], x[None]),
    torch.inner(x, x),
    torch.tensordot(x, x, dims=1),
    torch.einsum("ij,kj->ik", x, x),
    torch.addmm(x, x, x, beta=0.5, alpha=2),
    torch.addmv(v, x, v),
    torch.linalg.multi_dot([x, x, x]),
    torch.vdot(v, v),
):
    print(t.dtype, t.tolist())
a = torch.tensor([[-1.0], [0.0], [2.0]])
print(a @ torch.tensor([[0.0, -1.0, -0.0]]), torch.tensordot(a[:, 0], torch.tensor([0.0, 1.0]), dims=0))
print(torch.tensordot(torch.tensor(2.0), torch.tensor(3.0), dims=0))
one = torch.ones(1, 2, requires_grad=True)
print(torch.inner(one, one).grad_fn.next_functions[0][0].name())
print(torch.linalg.matrix_rank(torch.eye(2))._version, torch.linalg.cond(torch.zeros(0, 3))._version)
print(copy.copy(torch.ones(2))._version, copy.deepcopy(torch.ones(2))._version)
print(torch.zeros(2, out=torch.zeros(3))._version, torch.zeros(2, out=torch.zeros(2))._version)
print(torch.linalg.matrix_norm(torch.zeros(0, 3), 2), torch.linalg.matrix_norm(torch.zeros(2, 3, 0), 1))
print([tuple(t.shape) for t in torch.linalg.lstsq(torch.eye(3)[None], torch.ones(3, 1))])
print(torch.from_dlpack(x), torch.Tensor(torch.tensor(3)))
i = torch.tensor([[[-2], [-4], [3]]], dtype=torch.int32)
print(torch.inner(i, i).dtype, torch.tensordot(i[0], i[0], dims=([1], [1])).dtype)
h = torch.tensor([0.0, -1.0], dtype=torch.float16)
print(torch.tensordot(h, h, dims=0))
with torch.no_grad():
    view = torch.ones(2, 2, requires_grad=True).mul(2)[0]
print(copy.deepcopy(view).requires_grad)
