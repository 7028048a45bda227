"""Arrays in files: what is written is what NumPy reads, and the other way round."""

import io

import numpy as np
import pytest

import funcgrad as fg
import funcgrad.numpy as fnp
from funcgrad.errors import LostTraceError, NoValueError

X, Y = fnp.array([[1.0, 2.5], [3.0, -4.0]]), fnp.arange(3)


@pytest.mark.parametrize("module", [fnp, np])
def test_one_array(module, tmp_path):
    path = tmp_path / "x.npy"
    module.save(path, X)
    np.testing.assert_array_equal(np.load(path), X)
    loaded = fnp.load(path)
    assert isinstance(loaded, fg.Array) and loaded.dtype == X.dtype
    np.testing.assert_array_equal(loaded, X)


@pytest.mark.parametrize("module", [fnp, np])
@pytest.mark.parametrize("name", ["savez", "savez_compressed"])
def test_several_arrays(module, name, tmp_path):
    path = tmp_path / "x.npz"
    getattr(module, name)(path, X, y=Y)
    with np.load(path) as theirs:
        np.testing.assert_array_equal(theirs["arr_0"], X)
    with fnp.load(path) as ours:
        assert set(ours) == {"arr_0", "y"} and len(ours) == 2 and "arr_0" in repr(ours)
        assert isinstance(ours["y"], fg.Array) and ours["y"].tolist() == [0, 1, 2]


def test_numbers_in_a_file(tmp_path):
    np.asarray(Y).tofile(tmp_path / "y")
    assert fnp.fromfile(tmp_path / "y", int).tolist() == [0, 1, 2]


@pytest.mark.parametrize("write", [fnp.save, fnp.savez, fnp.savez_compressed], ids=lambda f: f.__name__)
def test_what_has_no_value_of_its_own_is_not_written(write):
    with pytest.raises(LostTraceError, match=rf"{write.__name__}\(x\)"):
        fg.grad(lambda x: write(io.BytesIO(), x))(1.0)
    with pytest.raises(NoValueError, match=rf"{write.__name__}\(x\)"):
        fg.jit(lambda x: write(io.BytesIO(), x))(1.0)
