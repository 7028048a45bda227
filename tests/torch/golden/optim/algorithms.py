import torch

CASES = [
    ("SGD", {}), ("SGD", {"momentum": 0.9}), ("SGD", {"momentum": 0.9, "nesterov": True, "weight_decay": 0.1}),
    ("SGD", {"momentum": 0.5, "dampening": 0.25, "maximize": True}), ("Adam", {}),
    ("Adam", {"amsgrad": True, "weight_decay": 0.1}), ("Adam", {"foreach": True, "maximize": True}),
    ("Adam", {"fused": True}), ("AdamW", {"amsgrad": True}), ("NAdam", {"weight_decay": 0.1}),
    ("NAdam", {"weight_decay": 0.1, "decoupled_weight_decay": True}), ("RAdam", {"betas": (0.9, 0.99)}),
    ("RAdam", {"weight_decay": 0.1, "decoupled_weight_decay": True}), ("RAdam", {"weight_decay": 0.1}),
    ("Adamax", {"weight_decay": 0.1}), ("Adagrad", {"lr_decay": 0.1, "initial_accumulator_value": 0.1}),
    ("Adagrad", {"weight_decay": 0.1, "fused": True}), ("Adadelta", {"weight_decay": 0.1}), ("RMSprop", {}),
    ("RMSprop", {"centered": True, "momentum": 0.5, "weight_decay": 0.1}), ("Rprop", {}),
    ("ASGD", {"t0": 3, "lambd": 0.1, "weight_decay": 0.1}), ("Adafactor", {"weight_decay": 0.1}),
]  # fmt: skip
for name, options in CASES:
    for kind in torch.float32, torch.complex64, torch.float64:
        if kind is torch.complex64 and (name == "Adafactor" or options.get("fused")):
            continue
        m = torch.tensor([[1.0, -2.0], [0.5, 3.0]], dtype=kind).requires_grad_()
        v = torch.tensor([0.25, -1.5, 2.0], dtype=kind).requires_grad_()
        optimizer = getattr(torch.optim, name)([m, v], lr=0.125, **options)
        for _ in range(7):
            optimizer.zero_grad()
            (((m.abs() - 0.5) ** 2).sum() + (v.abs() ** 2).sum()).backward()
            optimizer.step()
        print(name, options, kind)
        print([f"{x.real:.3f}" for x in [*m.flatten().tolist(), *v.tolist()]])
        for key, value in optimizer.state[v].items():
            shown = [f"{torch.as_tensor(x).real.item():.3f}" for x in value.flatten()]
            print("   ", key, value.dtype, tuple(value.shape), shown, value.requires_grad)
    print(optimizer)
    print(m._version if not options.get("fused") else "")
