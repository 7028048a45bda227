import torch

w = torch.ones(2, requires_grad=True)
two = torch.ones(2)
for name, options in [
    ("SGD", {"lr": -1}), ("SGD", {"momentum": -0.5}), ("SGD", {"weight_decay": -1}), ("SGD", {"nesterov": True}),
    ("SGD", {"lr": two}), ("SGD", {"fused": True, "foreach": True}), ("SGD", {"fused": True, "differentiable": True}),
    ("Adam", {"lr": -1e-2}), ("Adam", {"lr": two}), ("Adam", {"eps": -1}), ("Adam", {"betas": (1.0, 0.5)}),
    ("Adam", {"betas": (0.5, -1)}), ("Adam", {"weight_decay": -1}), ("Adam", {"betas": (0, 0.5)}),
    ("Adam", {"betas": (torch.tensor(0.5), 0.5)}), ("Adam", {"lr": torch.tensor(0.1), "foreach": True}),
    ("Adam", {"betas": (torch.tensor(0.5), torch.tensor(0.5)), "foreach": True}),
    ("Adam", {"betas": (torch.tensor([0.5]), torch.tensor([0.25]))}), ("Adam", {"fused": True, "foreach": True}),
    ("AdamW", {"lr": -1}), ("NAdam", {"momentum_decay": -1}), ("NAdam", {"betas": (1.5, 0)}), ("RAdam", {"eps": -1}),
    ("Adamax", {"weight_decay": -1}), ("Adagrad", {"lr_decay": -1}), ("Adagrad", {"initial_accumulator_value": -1}),
    ("Adadelta", {"rho": 2}), ("RMSprop", {"alpha": -1}), ("RMSprop", {"momentum": -1}), ("Rprop", {"etas": (1, 2)}),
    ("ASGD", {"weight_decay": -1}), ("LBFGS", {"lr": -1}), ("SparseAdam", {"lr": 0}), ("SparseAdam", {"eps": 0}),
    ("Adafactor", {"lr": -1}), ("Adafactor", {"beta2_decay": 1}), ("Adafactor", {"eps": (-1, 0)}),
    ("Adafactor", {"eps": (None, -1)}), ("Adafactor", {"d": 0.5}), ("Adafactor", {"weight_decay": -1}),
    ("Muon", {}), ("Muon", {"lr": -1}), ("Muon", {"momentum": -1}), ("Muon", {"weight_decay": -1}),
    ("Muon", {"adjust_lr_fn": "x"}), ("SparseAdam", {"betas": (2, 0)}), ("Adafactor", {"lr": two}),
]:  # fmt: skip
    try:
        print(name, getattr(torch.optim, name)([w], **options).defaults)
    except Exception as e:
        print(name, type(e).__name__, e)
w.grad = torch.ones(2)
z = torch.ones(2, dtype=torch.complex64, requires_grad=True)
z.grad = torch.ones_like(z)
for name, p, options in [
    ("SparseAdam", w, {}), ("SparseAdam", z, {}), ("Adam", w, {"capturable": True}), ("NAdam", w, {"capturable": True}),
    ("RMSprop", w, {"capturable": True, "foreach": True}), ("ASGD", w, {"capturable": True}),
    ("Adadelta", w, {"capturable": True}), ("Adam", z, {"fused": True}), ("SGD", z, {"fused": True}),
    ("Adafactor", z, {}), ("Rprop", w, {"foreach": True, "differentiable": True}),
    ("Adagrad", w, {"foreach": True, "differentiable": True}), ("Muon", torch.ones(2, 2), {"ns_steps": 100}),
    ("Muon", torch.ones(2, 2), {"ns_coefficients": (1, 2)}),
]:  # fmt: skip
    try:
        p.grad = torch.ones_like(p)
        print(name, getattr(torch.optim, name)([p], **options).step())
    except Exception as e:
        print(name, type(e).__name__, e)
try:
    torch.optim.LBFGS([{"params": [w]}, {"params": [z]}])
except ValueError as e:
    print(e)
try:
    torch.optim.LBFGS([w], line_search_fn="other").step(lambda: (w * w).sum())
except RuntimeError as e:
    print(e)
