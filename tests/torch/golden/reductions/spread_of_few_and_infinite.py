import warnings

import torch

torch.set_warn_always(True)


def show(what, f):
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        try:
            found = f()
        except Exception as error:
            found = f"{type(error).__name__}: {error}"
    print(what, found, [str(w.message).partition("(")[0] for w in told])


for name in ("var", "std", "var_mean", "std_mean"):
    f = getattr(torch, name)
    for values in ([1.0, 2.0], [float("inf"), 1.0], [1.0, float("inf")], [2.0], [1j], []):
        x = torch.tensor(values)
        show((name, values), lambda: f(x))
        show((name, values, "correction"), lambda: f(x, dim=0, correction=2))
inf = float("inf")
show("rows", lambda: torch.var_mean(torch.tensor([[1.0, inf], [inf, 2.0], [3.0, 4.0]]), dim=1))
show("columns", lambda: torch.std_mean(torch.tensor([[1.0, inf], [inf, 2.0], [3.0, 4.0]]), dim=0, keepdim=True))

# Gradients where no degree of freedom is left.
for values in ([-2.0, 1.5], [3.0], [1.0, 1.0]):
    for correction in (0, 1, 2, 3):
        for dim in (None, 0):
            for create_graph in (False, True):
                x = torch.tensor(values, requires_grad=True)
                print(
                    values,
                    correction,
                    dim,
                    [
                        torch.autograd.grad(f(x, dim=dim, correction=correction), x, create_graph=create_graph)[
                            0
                        ].tolist()
                        for f in (torch.var, torch.std)
                    ],
                )
