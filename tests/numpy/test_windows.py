import numpy as np
import pytest

import funcgrad as fg
import funcgrad.numpy as fnp
from funcgrad.testing import check_grads


@pytest.mark.parametrize("name", ["bartlett", "blackman", "hamming", "hanning"])
@pytest.mark.parametrize("m", [0, 1, 2, 7])
def test_like_numpy(name, m):
    np.testing.assert_array_equal(np.asarray(getattr(fnp, name)(m)), getattr(np, name)(m), strict=True)


@pytest.mark.parametrize("m", [1, 2, 6])
def test_kaiser(m):
    np.testing.assert_array_equal(np.asarray(fnp.kaiser(m, 14.0)), np.kaiser(m, 14.0))
    np.testing.assert_allclose(np.asarray(fg.vjp(lambda b: fnp.kaiser(m, b), 3.0)[0]), np.kaiser(m, 3.0))
    check_grads(lambda b: fnp.kaiser(m, b), (3.0,))
