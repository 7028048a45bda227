"""Tensors as text: recorded from PyTorch 2.13, and against PyTorch itself where it is installed."""

from __future__ import annotations

import math

import numpy as np
import pytest

from funcgrad.torch.base.printing import (
    PrintOptions,
    format_scalar,
    get_printoptions,
    has_default_dtype,
    printoptions,
    set_printoptions,
    summarized,
    tensor_text,
)

nan, inf = math.nan, math.inf


def array(values, dtype):
    """Values in that dtype, which bfloat16 is where its package is installed."""
    if dtype == "bfloat16":
        pytest.importorskip("ml_dtypes")
    with np.errstate(over="ignore", invalid="ignore"):
        return np.asarray(values, np.dtype(dtype))


def text_of(value, dtype, default="float32", **facts):
    return tensor_text(value, dtype_name=dtype, is_default_dtype=has_default_dtype(dtype, default), **facts)


def torch_text(
    value, dtype, default="float32", requires_grad=False, grad_fn_name=None, tangent_text=None, class_name=""
):
    """What PyTorch prints for a tensor of these values and facts."""
    torch = pytest.importorskip("torch")
    value = value.copy()  # it takes no negative strides
    # bfloat16 goes over as the bits that it is
    tensor = torch.tensor(value.view(np.uint16)).view(torch.bfloat16) if dtype == "bfloat16" else torch.tensor(value)
    if requires_grad:
        tensor.requires_grad_()
    if grad_fn_name is not None:
        tensor = tensor.clone()
        assert type(tensor.grad_fn).__name__ == grad_fn_name
    if class_name:
        tensor = tensor.as_subclass(type(class_name, (torch.Tensor,), {}))
    before = torch.get_default_dtype()
    options = torch._tensor_str.get_printoptions()
    torch.set_default_dtype(getattr(torch, default))
    torch.set_printoptions(**get_printoptions())
    try:
        if tangent_text is None:
            return repr(tensor)
        with torch.autograd.forward_ad.dual_level():
            tangent = torch.as_tensor(eval(tangent_text, {"tensor": torch.tensor}), dtype=tensor.dtype)
            return repr(torch.autograd.forward_ad.make_dual(tensor, tangent))
    finally:
        torch.set_printoptions(**options)
        torch.set_default_dtype(before)


# Values, dtype, text; then what differs from the defaults: options of printing, facts of the tensor.
# fmt: off
CASES = {
    "real numbers": [
        ([1.5, -0.0, 2], "float32", "tensor([1.5000, -0.0000, 2.0000])"),
        ([1, 2, -30], "float32", "tensor([  1.,   2., -30.])"),
        ([-0.0, 0], "float32", "tensor([-0., 0.])"),
        ([inf, 1], "float32", "tensor([inf, 1.])"),
        ([nan, -inf, 0.5], "float32", "tensor([   nan,   -inf, 0.5000])"),
        ([nan, inf, -inf, 0], "float32", "tensor([nan, inf, -inf, 0.])"),
        (0.1, "float32", "tensor(0.1000)"),
        (-3, "float32", "tensor(-3.)"),
        (nan, "float32", "tensor(nan)"),
        ([1000, 1], "float32", "tensor([1000.,    1.])"),
        ([1001, 1], "float32", "tensor([1.0010e+03, 1.0000e+00])"),
        ([1e8, 2e6], "float32", "tensor([100000000.,   2000000.])"),
        ([1.01e8, 2e6], "float32", "tensor([1.0100e+08, 2.0000e+06])"),
        ([1e-4], "float64", "tensor([0.0001], dtype=torch.float64)"),
        ([9.99e-5], "float64", "tensor([9.9900e-05], dtype=torch.float64)"),
        ([0, 1e-5, nan, -inf], "float32", "tensor([0.0000e+00, 1.0000e-05,        nan,       -inf])"),
        ([1e-45, 1], "float32", "tensor([1.4013e-45, 1.0000e+00])"),
        ([1e300, 1e-300], "float64", "tensor([1.0000e+300, 1.0000e-300], dtype=torch.float64)"),
        ([5e-324, 1e308], "float64", "tensor([4.9407e-324, 1.0000e+308], dtype=torch.float64)"),
        ([0.99995, 0.00005, 9.99996], "float64",
         "tensor([ 1.0000,  0.0001, 10.0000], dtype=torch.float64)", {"sci_mode": False}),
        ([123456, 0.5], "float64", "tensor([123456.0000,      0.5000], dtype=torch.float64)", {"sci_mode": False}),
        ([2, 300], "float32", "tensor([2.0000e+00, 3.0000e+02])", {"sci_mode": True}),
        ([0, inf], "float32", "tensor([0., inf])", {"sci_mode": True}),
        ([1.5, nan, 0], "float32", "tensor([1.5e+00,     nan, 0.0e+00])", {"sci_mode": True, "precision": 1}),
        ([1e16, 0], "float64",
         "tensor([10000000000000000.,                 0.], dtype=torch.float64)", {"sci_mode": False}),
    ],
    "every dtype": [
        ([0.1, 100], "float16", "tensor([9.9976e-02, 1.0000e+02], dtype=torch.float16)"),
        ([65504, 1], "float16", "tensor([6.5504e+04, 1.0000e+00], dtype=torch.float16)"),
        ([6e-8], "float16", "tensor([5.9605e-08], dtype=torch.float16)"),
        ([0.1, 100], "bfloat16", "tensor([  0.1001, 100.0000], dtype=torch.bfloat16)"),
        (1.5, "bfloat16", "tensor(1.5000, dtype=torch.bfloat16)"),
        ([3e38, -0.0, nan], "bfloat16", "tensor([3.0041e+38, -0.0000e+00,        nan], dtype=torch.bfloat16)"),
        ([0.1, 100], "float64", "tensor([  0.1000, 100.0000], dtype=torch.float64)"),
        ([0.1], "float64", "tensor([0.1000])", {"default": "float64"}),
        ([0.1], "float32", "tensor([0.1000], dtype=torch.float32)", {"default": "float64"}),
        ([[-128, 7], [0, 127]], "int8", """tensor([[-128,    7],
        [   0,  127]], dtype=torch.int8)"""),
        ([-300, 7], "int16", "tensor([-300,    7], dtype=torch.int16)"),
        (-7, "int32", "tensor(-7, dtype=torch.int32)"),
        ([10, -200], "int64", "tensor([  10, -200])"),
        ([255], "uint8", "tensor([255], dtype=torch.uint8)"),
        ([65535, 1], "uint16", "tensor([65535,     1], dtype=torch.uint16)"),
        ([1, 2], "uint32", "tensor([1, 2], dtype=torch.uint32)"),
        ([2**64 - 1, 0], "uint64", "tensor([18446744073709551615,                    0], dtype=torch.uint64)"),
        ([True, False], "bool", "tensor([ True, False])"),
        (True, "bool", "tensor(True)"),
        ([[True], [True]], "bool", """tensor([[True],
        [True]])"""),
    ],
    "complex numbers": [
        ([1 + 2j, -3], "complex64", "tensor([ 1.+2.j, -3.+0.j])"),
        ([1.5 - 2j, -30 + 100j], "complex64", "tensor([  1.5000-2.j, -30.0000+100.j])"),
        ([complex(-0.0, -0.0), complex(nan, nan), complex(inf, -inf)], "complex64",
         "tensor([-0.-0.j, nan+nanj, inf-infj])"),
        ([1e9 + 1j, 2.5e-3 - 3j], "complex128", "tensor([1.0000e+09+1.j, 2.5000e-03-3.j], dtype=torch.complex128)"),
        (0.5 + 1e-7j, "complex64", "tensor(0.5000+1.0000e-07j)"),
        ([1 + 2j], "complex128", "tensor([1.+2.j])", {"default": "float64"}),
        ([1 + 2j], "complex64", "tensor([1.+2.j], dtype=torch.complex64)", {"default": "float64"}),
        ([1 + 2j], "complex64", "tensor([1.+2.j])", {"default": "float16"}),
        (np.arange(6) * (1 + 0.5j), "complex64", """tensor([0.+0.0000j, 1.+0.5000j, 2.+1.0000j,
        3.+1.5000j, 4.+2.0000j, 5.+2.5000j])""", {"linewidth": 40}),
        (np.full(3, 1 + 1j), "complex64", """tensor([1.+1.j,
        1.+1.j,
        1.+1.j])""", {"linewidth": 19}),
        (np.full(3, 1 + 1j), "complex64", """tensor([1.+1.j, 1.+1.j,
        1.+1.j])""", {"linewidth": 21}),
        (np.conj(np.arange(20).reshape(5, 4) * 1j + 0.5), "complex64", """tensor([[0.5000-0.j,  ..., 0.5000-3.j],
        ...,
        [0.5000-16.j,  ..., 0.5000-19.j]])""", {"threshold": 3, "edgeitems": 1}),
    ],
    "lines and brackets": [
        (np.arange(30), "int64", """tensor([ 0,  1,  2,  3,  4,  5,  6,  7,  8,  9, 10, 11, 12, 13, 14, 15, 16, 17,
        18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29])"""),
        (np.arange(20) / 8, "float32",
         """tensor([0.0000, 0.1250, 0.2500, 0.3750, 0.5000, 0.6250, 0.7500, 0.8750, 1.0000,
        1.1250, 1.2500, 1.3750, 1.5000, 1.6250, 1.7500, 1.8750, 2.0000, 2.1250,
        2.2500, 2.3750])"""),
        (np.arange(3), "int64", """tensor([0,
        1,
        2])""", {"linewidth": 0}),
        (np.zeros(5), "float32", """tensor([0., 0., 0., 0.,
        0.])""", {"linewidth": 19}),
        (np.arange(40).reshape(2, 20) * 100, "int64",
         """tensor([[   0,  100,  200,  300,  400,  500,  600,  700,  800,  900, 1000, 1100,
         1200, 1300, 1400, 1500, 1600, 1700, 1800, 1900],
        [2000, 2100, 2200, 2300, 2400, 2500, 2600, 2700, 2800, 2900, 3000, 3100,
         3200, 3300, 3400, 3500, 3600, 3700, 3800, 3900]])"""),
        (np.arange(8).reshape(2, 2, 2), "float32", """tensor([[[0., 1.],
         [2., 3.]],

        [[4., 5.],
         [6., 7.]]])"""),
        (np.arange(8).reshape(2, 1, 2, 2), "int64", """tensor([[[[0, 1],
          [2, 3]]],


        [[[4, 5],
          [6, 7]]]])"""),
        (np.arange(4).reshape(2, 2).T, "float32", """tensor([[0., 2.],
        [1., 3.]])"""),
        (np.arange(9)[::-2], "int64", "tensor([8, 6, 4, 2, 0])"),
        (np.broadcast_to(1.5, (2, 3)), "float32", """tensor([[1.5000, 1.5000, 1.5000],
        [1.5000, 1.5000, 1.5000]])"""),
        (np.full((1, 1, 1), nan), "float32", "tensor([[[nan]]])"),
    ],
    "long tensors": [
        (np.arange(1001), "float32", "tensor([   0.,    1.,    2.,  ...,  998.,  999., 1000.])"),
        (np.arange(1000) % 2 == 5, "bool",
         "tensor([False, False, False,  ..., False, False, False])", {"linewidth": 500, "threshold": 999}),
        (np.arange(1600).reshape(40, 40), "int64", """tensor([[   0,    1,    2,  ...,   37,   38,   39],
        [  40,   41,   42,  ...,   77,   78,   79],
        [  80,   81,   82,  ...,  117,  118,  119],
        ...,
        [1480, 1481, 1482,  ..., 1517, 1518, 1519],
        [1520, 1521, 1522,  ..., 1557, 1558, 1559],
        [1560, 1561, 1562,  ..., 1597, 1598, 1599]])"""),
        (np.arange(1200).reshape(2, 100, 6), "int64", """tensor([[[   0,  ...,    5],
         ...,
         [ 594,  ...,  599]],

        [[ 600,  ...,  605],
         ...,
         [1194,  ..., 1199]]])""", {"edgeitems": 1}),
        (np.where(np.arange(1500) == 700, 1e-9, 0.5), "float32",
         "tensor([0.5000, 0.5000, 0.5000,  ..., 0.5000, 0.5000, 0.5000])"),
        (np.arange(30) / 4, "float32", """tensor([0.0000, 0.2500,
        0.5000, 0.7500,
         ..., 6.5000,
        6.7500, 7.0000,
        7.2500])""", {"threshold": 10, "linewidth": 30, "edgeitems": 4}),
        (np.arange(8), "int64", "tensor([0, 1, 2, 3, 4, 5, 6, 7])", {"threshold": 5, "edgeitems": 4}),
        (np.arange(5), "int64", "tensor([0, 1, 2, 3, 4])", {"threshold": 5, "edgeitems": 1}),
        (np.arange(5), "int64", "tensor([0,  ..., 4])", {"threshold": 4.5, "edgeitems": 1}),
        (np.arange(20).reshape(10, 2), "float64", """tensor([[ 0.,
          1.],
        ...,
        [18.,
         19.]],
       dtype=torch.float64)""", {"threshold": 5, "edgeitems": 1, "linewidth": 12}),
        (np.arange(2000)[::-1], "int16", "tensor([1999, 1998, 1997,  ...,    2,    1,    0], dtype=torch.int16)"),
        (np.arange(1002).reshape(501, 2).T, "bfloat16", """tensor([[   0.,    2.,    4.,  ...,  996., 1000., 1000.],
        [   1.,    3.,    5.,  ...,  996., 1000., 1000.]],
       dtype=torch.bfloat16)"""),
        (1.5, "float32", "tensor(1.5000)", {"threshold": 0}),
        (np.arange(2000), "int64", "tensor([...], size=(2000,))", {"edgeitems": 0}),
        (np.ones((40, 50)), "float64", "tensor([...], size=(40, 50), dtype=torch.float64)", {"edgeitems": 0}),
        (np.ones((2, 2)), "float32", """tensor([[1., 1.],
        [1., 1.]], size=(2, 2))""", {"edgeitems": 0}),
        (3, "int64", "tensor(3, size=())", {"edgeitems": 0, "threshold": 0}),
    ],
    "no elements": [
        ([], "float32", "tensor([])"),
        ([], "int64", "tensor([], dtype=torch.int64)"),
        ([], "bool", "tensor([], dtype=torch.bool)"),
        ([], "complex64", "tensor([], dtype=torch.complex64)"),
        ([], "float64", "tensor([], dtype=torch.float64)"),
        ([], "float64", "tensor([])", {"default": "float64"}),
        (np.zeros((0, 3)), "float32", "tensor([], size=(0, 3))"),
        (np.zeros((2, 0, 1)), "int32", "tensor([], size=(2, 0, 1), dtype=torch.int32)"),
        (np.zeros((1001, 0)), "float32",
         "tensor([], size=(1001, 0), requires_grad=True)", {"edgeitems": 0, "requires_grad": True}),
        ([], "bfloat16", "tensor([], dtype=torch.bfloat16)"),
    ],
    "profiles and precision": [
        ([0.125, 2], "float32", "tensor([0.12, 2.00])", {"precision": 2}),
        ([0.5, 1.5], "float32", "tensor([0, 2])", {"precision": 0}),
        ([0.1, 0.2], "float64",
         "tensor([0.10000000000000001, 0.20000000000000001], dtype=torch.float64)", {"precision": 17}),
        (np.arange(1200) / 2, "float32",
         "tensor([0.00e+00, 5.00e-01,  ..., 5.99e+02, 6.00e+02])", {"profile": "short"}),
        ([1 / 3], "float32", "tensor([0.333333])", {"profile": "short", "precision": 6}),
        ([1.5], "float32", "tensor([1.5000])", {"profile": "unheard of"}),
    ],
    "suffixes": [
        ([1, 2], "float32", "tensor([1., 2.], requires_grad=True)", {"requires_grad": True}),
        ([1, 2], "float32",
         "tensor([1., 2.], grad_fn=<CloneBackward0>)", {"requires_grad": True, "grad_fn_name": "CloneBackward0"}),
        ([1, 2], "float16", "tensor([1., 2.], dtype=torch.float16, requires_grad=True)", {"requires_grad": True}),
        ([[0.5, 2], [3, 4]], "complex128", """tensor([[0.5000+0.j, 2.0000+0.j],
        [3.0000+0.j, 4.0000+0.j]], dtype=torch.complex128,
       grad_fn=<CloneBackward0>)""", {"requires_grad": True, "grad_fn_name": "CloneBackward0"}),
        (np.arange(9), "float64", """tensor([0., 1., 2., 3., 4., 5., 6., 7., 8.], dtype=torch.float64,
       requires_grad=True)""", {"linewidth": 70, "requires_grad": True}),
        ([1, 2], "float32", """tensor([1., 2.],
       requires_grad=True)""", {"linewidth": 36, "requires_grad": True}),
        ([1, 2], "float32", "tensor([1., 2.], requires_grad=True)", {"linewidth": 37, "requires_grad": True}),
        ([1, 2], "float64", """tensor([1., 2.], dtype=torch.float64,
       requires_grad=True)""", {"linewidth": 57, "requires_grad": True}),
        ([1, 2], "float64",
         "tensor([1., 2.], dtype=torch.float64, requires_grad=True)", {"linewidth": 58, "requires_grad": True}),
        (np.zeros((2, 2)), "float32", """tensor([[0., 0.],
        [0., 0.]],
       requires_grad=True)""", {"linewidth": 38, "requires_grad": True}),
        (np.zeros((2, 2)), "float32", """tensor([[0., 0.],
        [0., 0.]], requires_grad=True)""", {"linewidth": 39, "requires_grad": True}),
        (np.zeros((2, 2)), "float64", """tensor([[0., 0.],
        [0., 0.]],
       dtype=torch.float64,
       grad_fn=<CloneBackward0>)""", {"linewidth": 30, "requires_grad": True, "grad_fn_name": "CloneBackward0"}),
        (np.ones(100), "float64", """tensor([...], size=(100,),
       dtype=torch.float64,
       requires_grad=True)""", {"edgeitems": 0, "threshold": 5, "linewidth": 40, "requires_grad": True}),
        ([1.5, 2], "float32",
         "tensor([1.5000, 2.0000], tangent=tensor([1., 0.]))", {"tangent_text": "tensor([1., 0.])"}),
        (2, "float64", "tensor(2., dtype=torch.float64, tangent=32.0)", {"tangent_text": "32.0"}),
        (np.eye(2), "float32", """tensor([[1., 0.],
        [0., 1.]],
       tangent=tensor([[1., 2.],
        [3., 4.]]))""", {"linewidth": 50, "tangent_text": "tensor([[1., 2.],\n        [3., 4.]])"}),
        (np.arange(8), "float32",
         """tensor([0., 1., 2., 3., 4., 5., 6., 7.],
       tangent=tensor([1.5000, 1.5000, 1.5000, 1.5000, 1.5000, 1.5000, 1.5000, 1.5000]))""",
         {"tangent_text": "tensor([1.5000, 1.5000, 1.5000, 1.5000, 1.5000, 1.5000, 1.5000, 1.5000])"}),
        (np.arange(30), "int64", """Weights([ 0,  1,  2,  3,  4,  5,  6,  7,  8,  9, 10, 11, 12, 13, 14, 15, 16, 17,
         18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29])""", {"class_name": "Weights"}),
        (1.5, "float32", "W(1.5000)", {"class_name": "W"}),
    ],
}
# fmt: on


OPTIONS = {"profile", *get_printoptions()}


def recorded():
    """The cases as parameters of a test."""
    found = []
    for name, rows in CASES.items():
        for i, (values, dtype, text, *settings) in enumerate(rows):
            settings = dict(*settings)
            options = {key: settings.pop(key) for key in OPTIONS & settings.keys()}
            found.append(pytest.param(values, dtype, options, settings, text, id=f"{name}-{dtype}-{i}"))
    return found


@pytest.mark.parametrize("values, dtype, options, facts, text", recorded())
def test_text_is_the_recorded_one(values, dtype, options, facts, text):
    value = array(values, dtype)
    before = value.copy()
    with printoptions(**options):
        assert text_of(value, dtype, **facts) == text
    assert value.tobytes() == before.tobytes()


@pytest.mark.filterwarnings("ignore::DeprecationWarning")  # PyTorch's own, on loading its forward mode
@pytest.mark.parametrize("values, dtype, options, facts, text", recorded())
def test_record_is_what_torch_prints(values, dtype, options, facts, text):
    with printoptions(**options):
        assert torch_text(array(values, dtype), dtype, **facts) == text


def some_numbers(rng, shape):
    """Real numbers of one of the kinds that printing tells apart."""
    magnitude = 10.0 ** rng.integers(-9, 12)
    kinds = [
        rng.normal(size=shape) * magnitude,
        np.round(rng.normal(size=shape) * magnitude),
        np.exp(rng.normal(size=shape) * rng.choice([1, 10, 100])),
        rng.choice([0.0, -0.0, nan, inf, -inf], shape),
        rng.choice([0.0, nan, -inf, 1, 2.5, 1e8, 1.0001e8, 1e-4, 9.99e-5, 1000, 1001, 0.1, -100.1], shape),
        rng.choice([0.00005, 0.99995, 0.99996, 9.99996, -99.99999], shape),
        np.full(shape, rng.choice([0.0, 1, 1.5, 12345, 65504, 1e16, 5e-324])),
    ]
    return kinds[rng.integers(len(kinds))]


def some_tensor(rng):
    """A value with its dtype: of any dtype, rank and memory layout, long ones and empty ones among them."""
    rank = rng.choice(5, p=[0.1, 0.4, 0.3, 0.1, 0.1])
    shape = tuple(rng.choice([0, 1, 2, 3, 7, 12], rank, p=[0.04, 0.1, 0.26, 0.3, 0.2, 0.1]))
    if rank == 1 and rng.random() < 0.3:
        shape = (int(rng.choice([30, 1000, 1001])),)
    dtype = str(rng.choice(DTYPES))
    if dtype.startswith(("int", "uint")):
        top = min(10 ** int(rng.integers(1, 20)), np.iinfo(dtype).max)
        value = rng.integers(max(-top, np.iinfo(dtype).min), top, shape, dtype=dtype, endpoint=True)
    elif dtype.startswith("complex"):
        value = np.empty(shape, complex)
        value.real, value.imag = some_numbers(rng, shape), some_numbers(rng, shape)
    else:
        value = some_numbers(rng, shape) if dtype != "bool" else rng.integers(0, 2, shape)
    value = array(value, dtype)
    return (value.T if rng.random() < 0.3 else value), dtype


DTYPES = ["float16", "float32", "float64", "bfloat16", "complex64", "complex128", "bool"]
DTYPES += [sign + str(bits) for sign in ("int", "uint") for bits in (8, 16, 32, 64)]


@pytest.mark.parametrize("seed", range(8))
def test_random_tensors_are_printed_as_torch_prints_them(seed):
    pytest.importorskip("torch")
    rng = np.random.default_rng(seed)
    choices = {
        "profile": ["default", "short", "full"],
        "precision": [0, 1, 2, 6, 12],
        "threshold": [0, 1, 5, 50, inf],
        "edgeitems": [0, 1, 2, 4],
        "linewidth": [0, 20, 40, 60, 81, 120],
        "sci_mode": [True, False],
    }
    for _ in range(150):
        value, dtype = some_tensor(rng)
        facts = {"default": str(rng.choice(["float32", "float64", "float16"]))}
        if dtype.startswith(("float", "bfloat", "complex")) and rng.random() < 0.4:
            facts["requires_grad"] = True
            if rng.random() < 0.5:
                facts["grad_fn_name"] = "CloneBackward0"
        options = {name: of[rng.integers(len(of))] for name, of in choices.items() if rng.random() < 0.3}
        with printoptions(**options):
            assert text_of(value, dtype, **facts) == torch_text(value, dtype, **facts), (options, facts)


@pytest.mark.parametrize(
    "value, spec, text",
    [
        (np.float32(0.1), "", "0.10000000149011612"),
        (np.array(1.5), ".3f", "1.500"),
        (np.array(True), "", "True"),
        (np.int8(-7), "4d", "  -7"),
        (np.array(0.5 - 2j), ".1f", "0.5-2.0j"),
    ],
)
def test_format_of_a_scalar_is_that_of_its_python_number(value, spec, text):
    assert format_scalar(value, spec) == text


def test_format_of_a_bfloat16_scalar():
    assert format_scalar(array(0.1, "bfloat16"), "") == "0.10009765625"


def test_options_stay_until_they_are_set_again_and_sci_mode_does_not(restore_options):
    assert get_printoptions() == {"precision": 4, "threshold": 1000, "edgeitems": 3, "linewidth": 80, "sci_mode": None}
    set_printoptions(precision=2, sci_mode=True)
    set_printoptions(linewidth=100)
    assert PrintOptions(**get_printoptions()) == PrintOptions(precision=2, linewidth=100)
    set_printoptions(profile="short", linewidth=70)
    assert PrintOptions(**get_printoptions()) == PrintOptions(precision=2, edgeitems=2, linewidth=70)
    set_printoptions(profile="full")
    assert PrintOptions(**get_printoptions()) == PrintOptions(threshold=inf)
    set_printoptions(profile="default")
    assert PrintOptions(**get_printoptions()) == PrintOptions()


def test_options_of_a_block_end_with_it_after_an_error_too(restore_options):
    set_printoptions(precision=3, sci_mode=False)
    with pytest.raises(ZeroDivisionError), printoptions(precision=1):
        assert PrintOptions(**get_printoptions()) == PrintOptions(precision=1)
        1 / 0
    assert PrintOptions(**get_printoptions()) == PrintOptions(precision=3, sci_mode=False)


@pytest.fixture
def restore_options():
    yield
    set_printoptions(profile="default")


def test_summarized_is_the_part_that_is_shown():
    value = np.arange(1 * 20 * 5 * 30).reshape(1, 20, 5, 30)
    ends = [0, 1, 2, -3, -2, -1]
    np.testing.assert_array_equal(summarized(value), value[:, ends][..., ends])
    np.testing.assert_array_equal(summarized(np.array(7)), 7)
    with printoptions(edgeitems=0):
        assert summarized(value).shape == (0, 0, 0, 0)


def test_a_long_tensor_is_not_copied_to_print_its_ends():
    value = np.broadcast_to(np.float32(1.5), (10**9, 10**6))
    assert text_of(value, "float32").count("1.5000") == 36


def test_a_signalling_nan_warns_of_nothing():
    bits = np.array([0x7F81, 0x3FC0], np.uint16)
    value = bits.view(array(0, "bfloat16").dtype)
    with np.errstate(all="raise"):
        assert text_of(value, "bfloat16") == "tensor([   nan, 1.5000], dtype=torch.bfloat16)"
