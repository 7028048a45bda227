# expect: loss second-loss-became-a-number aux.weight, aux.bias
# check: missing(aux.weight, aux.bias) and not missing(main_head.weight)
import torch
import torch.nn.functional as F

torch.manual_seed(0)
trunk = torch.nn.Linear(10, 8)
main_head = torch.nn.Linear(8, 3)
aux = torch.nn.Linear(8, 10)  # reconstructs the input
params = [*trunk.parameters(), *main_head.parameters(), *aux.parameters()]
optim = torch.optim.Adam(params, 5e-3)

x = torch.randn(48, 10)
y = torch.randint(3, (48,))
ALPHA = 0.3

for step in range(12):
    z = torch.relu(trunk(x))
    ce = F.cross_entropy(main_head(z), y)
    rec = float(F.mse_loss(aux(z), x))  # <- here
    loss = ce + ALPHA * rec
    optim.zero_grad()
    loss.backward()
    optim.step()
    print(f"step {step} ce {ce:.3f} rec {rec:.3f}")
