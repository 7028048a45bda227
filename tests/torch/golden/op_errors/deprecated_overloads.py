import torch

M, B, v = torch.ones(2, 2), torch.ones(3, 2, 2), torch.ones(2)
print(torch.addmm(2, M, M, M))
print(torch.addmm(2, M, 3, M, M, out=torch.empty(0)))
print(M.addmm(2, 3, M, M), M.addmm(2, M, M))
print(M.clone().addmm_(2, 3, M, M))
print(torch.addbmm(2, M, 3, B, B))
print(torch.baddbmm(2, B, 3, B, B).sum(), B.clone().baddbmm_(2, B, B).sum())
print(torch.addmv(2, v, 3, M, v), v.clone().addmv_(2, 3, M, v), v.clone().addmv_(2, M, v))
print(torch.addr(2, M, 3, v, v))
print(torch.add(v, 2, v), v.sub(2, v), v.clone().add_(2, v))
print(v.addcmul(2, v, v), torch.addcdiv(v, 2, v, v), v.clone().addcdiv_(2, v, v))
try:
    torch.addmm("2", M, M, M)
except TypeError as e:
    print(e)
