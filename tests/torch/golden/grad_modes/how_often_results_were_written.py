import warnings

import torch

warnings.simplefilter("ignore")
NUMBERS = [[2, 1], [1, 3]]
with torch.inference_mode():
    inputs = [torch.tensor(NUMBERS).to(d) for d in (torch.float32, torch.bfloat16, torch.int64, torch.int32)]
    inputs += [torch.tensor(NUMBERS).to(d) for d in (torch.bool, torch.complex64)]
CALLS = {
    "conversions": "x.to(torch.float64) x.half() x.bool() x.long() x.cdouble() x.clone() x.to(x.dtype,copy=True)",
    "several times": "x.repeat(2,1) x.repeat(1,1,2) x.tile((2,)) x.tile(2,2)",
    "questions": "x.isreal() x.isinf() x.isnan() x.isfinite() x.isposinf() x.isneginf()",
    "logic": "torch.logical_and(x,x) torch.logical_or(x,x) torch.logical_xor(x,x) x.logical_not() x==x",
    "parts": "x.angle() x.abs() x.conj_physical() torch.complex(x,x)",
    "spread": "x.var(0) x.std(0) torch.var_mean(x) torch.std_mean(x) torch.var_mean(x,0)",
    "means": "x.mean() x.mean(0) x.mean(dtype=torch.float64)",
    "extrema": "x.amin() x.amin(0) x.amax(0) x.min() x.max(0) x.max(0,keepdim=True) x.min(0,keepdim=True) x.max(x)",
    "extrema and places": "x.aminmax() x.aminmax(dim=0) x.argmin(0) x[:1].argmin(0) x[0,0].argmax(0) x[:1].argmax()",
    "powers": "x**0 x**1 x**2 2**x 1**x torch.pow(2,x) x**x x.square()",
    "diagonals and turns": "x.diag() x[0].diag() x[0].diagflat() x.diag_embed() x.rot90() x.rot90(2) x.rot90(4)",
    "products": "x.mv(x[0]) x.matmul(x[0]) x[0].vdot(x[0])",
    "new": "x.new_zeros(2) x.new_ones(2) x.new_full((2,),1) x.new_empty(2) x.sum_to_size(1,2) x.nan_to_num()",
    "replaced": "x.select_scatter(x[0],0,1) x.slice_scatter(x[:1],0,0,1) x.diagonal_scatter(x[0],0)",
    "replaced in memory": "x.as_strided_scatter(x[0],(2,),(1,)) x.mT.select_scatter(x[0],0,1)",
}


def seen(found):
    if isinstance(found, tuple):
        return [seen(t) for t in found]
    return f"{found._version}{' view' * found._is_view()}"


for topic, calls in CALLS.items():
    print(topic)
    for call in calls.split():
        row = []
        for x in inputs:
            try:
                row.append(seen(eval(call)))
            except (RuntimeError, NotImplementedError) as error:
                row.append(type(error).__name__)
        print("   ", call, *row, sep="  ")

with torch.inference_mode():
    x = torch.tensor([1.0, 2.0], requires_grad=True)
for name in ("abs", "deg2rad", "rad2deg", "mean", "absolute"):
    try:
        print(name, getattr(torch, name)(x))
    except RuntimeError as error:
        print(name, error)
try:
    print(2**x)
except RuntimeError as error:
    print(error)
