# expect: nonfinite the-data-have-nan regression.weight, regression.bias
# check: nonfinite(regression.weight, regression.bias)
import csv
import io

import torch

TABLE = """age,income,score
31,2.4,0.3
45,,0.8
28,1.9,0.2
60,3.3,0.9
"""


def number(cell):
    return float(cell) if cell else float("nan")


rows = [[number(cell) for cell in row] for row in list(csv.reader(io.StringIO(TABLE)))[1:]]
table = torch.tensor(rows)  # <- here
x, y = table[:, :2] / torch.tensor([50.0, 2.0]), table[:, 2:]

torch.manual_seed(0)
regression = torch.nn.Linear(2, 1)
optimizer = torch.optim.Adam(regression.parameters(), lr=0.1)
for epoch in range(10):
    prediction = regression(x)  # <- here
    loss = torch.nn.functional.mse_loss(prediction, y)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
print(loss)
