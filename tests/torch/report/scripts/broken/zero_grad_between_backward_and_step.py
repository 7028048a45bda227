# expect: loss|stale|zero gradient-cleared-before-the-step lstm.weight_ih_l0, lstm.weight_hh_l0, readout.weight
# check: missing(lstm.weight_ih_l0, readout.weight)
import torch
import torch.nn as nn

torch.manual_seed(0)
t = torch.arange(0, 8, 0.25)
series = torch.sin(t)
x, y = series[:-1].view(1, -1, 1), series[1:].view(1, -1, 1)

lstm = nn.LSTM(1, 6, batch_first=True)
readout = nn.Linear(6, 1)
optimizer = torch.optim.Adam([*lstm.parameters(), *readout.parameters()], lr=0.01)
criterion = nn.MSELoss()

for epoch in range(8):
    states, _ = lstm(x)
    loss = criterion(readout(states), y)
    loss.backward()
    optimizer.zero_grad()  # <- here
    optimizer.step()
    print("Epoch: %d, loss: %1.5f" % (epoch, loss.item()))
