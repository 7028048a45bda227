import torch

v = torch.tensor([1.0, 2.0, 3.0])
row, column = v.unsqueeze(0), v.unsqueeze(1)
print(row.shape, column.shape, row @ column, column @ row, v @ column, row @ v)
print(
    (v @ torch.eye(3)).shape, (torch.eye(3) @ v).shape, (torch.ones(2, 3, 3) @ v).shape, (v @ torch.ones(2, 3, 3)).shape
)
print(v * column, v + column, (row.T @ row).stride(), torch.matmul(v, v).shape)
print(torch.matmul(torch.ones(2, 1, 3), v.view(3, 1)).shape, torch.matmul(row.expand(4, 1, 3), column).shape)
for bad in (lambda: column @ v, lambda: row @ row, lambda: torch.eye(2) @ v):
    try:
        print(bad())
    except RuntimeError as e:
        print(e)
