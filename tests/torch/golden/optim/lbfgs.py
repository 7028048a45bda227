import torch

for search in None, "strong_wolfe":
    for start in ([-1.5, 2.0], [0.5, 0.5]):
        w = torch.tensor(start, dtype=torch.float64, requires_grad=True)
        still = torch.ones(2, dtype=torch.float64, requires_grad=True)
        optimizer = torch.optim.LBFGS([w, still], lr=1 if search else 0.01, max_iter=7, line_search_fn=search)
        calls = []

        def closure(w=w, optimizer=optimizer, calls=calls):
            optimizer.zero_grad()
            loss = (1 - w[0]) ** 2 + 100 * (w[1] - w[0] ** 2) ** 2
            loss.backward()
            calls.append(torch.is_grad_enabled())
            return loss

        for _ in range(4):
            loss = optimizer.step(closure)
            print(search, f"{loss.item():.3f}", [f"{x:.3f}" for x in w.tolist()], len(calls), all(calls))
        state = optimizer.state[w]
        print(sorted(state), state["n_iter"], state["func_evals"], len(state["old_dirs"]))
z = torch.tensor([1.0 + 2.0j], requires_grad=True)
optimizer = torch.optim.LBFGS([z], lr=torch.tensor(0.5), history_size=2, tolerance_grad=1e-3)


def closure():
    optimizer.zero_grad()
    loss = (z - 3j).abs().pow(2).sum()
    loss.backward()
    return loss


print(f"{optimizer.step(closure).item():.4f}", [round(abs(x - 3j), 3) for x in z.tolist()])
print(f"{optimizer.step(closure).item():.4f}", optimizer.defaults["max_eval"])
