import torch

for kind in (torch.optim.SGD, torch.optim.Adam, torch.optim.AdamW, torch.optim.RMSprop, torch.optim.Adagrad):
    x, y = torch.nn.Parameter(torch.zeros(())), torch.nn.Parameter(torch.tensor([0.5]))
    optimizer = kind([x, y], lr=0.25)
    for _ in range(3):
        optimizer.zero_grad()
        ((x - 1) ** 2 + (y * x).sum()).backward()
        optimizer.step()
    print(kind.__name__, f"{x.item():.4f} {y.item():.4f}", x.shape, x.requires_grad)
