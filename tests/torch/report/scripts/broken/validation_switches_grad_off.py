# expect: error|loss gradients-were-switched-off-and-stay-off model.0.weight, loss
# check: raised("element 0 of tensors does not require grad") and not loss.requires_grad
import torch
import torch.nn as nn
from torch.utils.data import DataLoader, TensorDataset


def make_loader(n, seed):
    g = torch.Generator().manual_seed(seed)
    x = torch.randn(n, 6, generator=g)
    y = (x[:, :2].sum(1, keepdim=True) > 0).float()
    return DataLoader(TensorDataset(x, y), batch_size=16)


def validate(model, loader, criterion):
    model.eval()
    torch.set_grad_enabled(False)  # <- here
    total = 0.0
    for x, y in loader:
        total += criterion(model(x), y).item()
    return total / len(loader)


def train(model, loader, criterion, optimizer):
    model.train()
    for x, y in loader:
        optimizer.zero_grad()
        loss = criterion(model(x), y)
        loss.backward()
        optimizer.step()


if __name__ == "__main__":
    torch.manual_seed(0)
    model = nn.Sequential(nn.Linear(6, 8), nn.Tanh(), nn.Linear(8, 1))
    criterion = nn.BCEWithLogitsLoss()
    optimizer = torch.optim.Adam(model.parameters())
    train_loader, val_loader = make_loader(64, 0), make_loader(32, 1)
    for epoch in range(3):
        train(model, train_loader, criterion, optimizer)
        print(epoch, validate(model, val_loader, criterion))
