import torch

FUNCTIONS = {
    "valley": lambda w: (1 - w[0]) ** 2 + 100 * (w[1] - w[0] ** 2) ** 2,
    "waves": lambda w: (w**2).sum() / 20 + torch.sin(3 * w).sum(),
    "two wells": lambda w: (w**4).sum() - (w**2).sum() + w.sum(),
    "walls": lambda w: torch.exp(w).sum() + torch.exp(-2 * w).sum(),
    "kinks": lambda w: w.abs().sum() + (w**2).sum() / 10,
    "far": lambda w: torch.log1p((w * 10) ** 2).sum(),
}
for name, f in FUNCTIONS.items():
    for start in ([0.3, -0.7, 1.1], [3.0, -2.0, 0.5], [-0.1, 0.2, -0.05]):
        for lr in 0.1, 1.0, 5.0:
            w = torch.tensor(start[: 2 if name == "valley" else 3], dtype=torch.float64, requires_grad=True)
            optimizer = torch.optim.LBFGS([w], lr=lr, max_iter=6, history_size=3, line_search_fn="strong_wolfe")

            def closure(f=f, w=w, optimizer=optimizer):
                optimizer.zero_grad()
                loss = f(w)
                loss.backward()
                return loss

            for _ in range(2):
                optimizer.step(closure)
            state = optimizer.state[w]
            counts = state["n_iter"], state["func_evals"]
            print(name, start, lr, [f"{x:.3f}" for x in w.tolist()], *counts)
