"""Which lines a value reaches that Python or NumPy carries on."""

import pytest

from funcgrad.draw.flow import reaches

PROGRAM = """\
def f(y, xs, self):
    v = y.item()
    w, u = v * 2, 3
    kept = []
    kept.append(w)
    for k in range(3):
        z = xs[k] * kept[0]
    v = 5.0
    a = xs * v
    self.scale = y.numpy()
    b = (
        xs
        * self.scale
    )
    table = {}
    table["a"] = self.scale
    c = g(table)
    if c:
        d = u
    def inner():
        return v
    return c


def g(table):
    return v
"""


@pytest.mark.parametrize(
    ("first", "last", "found"),
    [
        (2, 2, True),
        (2, 3, True),
        (2, 5, True),
        (2, 7, True),
        (2, 9, False),  # assigned anew
        (10, 11, True),
        (10, 13, True),  # any line of the statement
        (10, 17, True),
        (10, 18, False),
        (3, 19, True),
        (2, 26, False),  # another function
        (21, 22, False),
        (7, 2, False),  # back in time
        (99, 100, False),
    ],
)
def test_lines(tmp_path, first, last, found):
    path = tmp_path / "program.py"
    path.write_text(PROGRAM)
    assert reaches(str(path), first, last) is found


def test_no_source():
    assert not reaches("<nowhere>", 1, 2) and reaches("<nowhere>", 1, 1)


def test_no_program(tmp_path):
    path = tmp_path / "broken.py"
    path.write_text("def (\n")
    assert not reaches(str(path), 1, 2)


def test_a_function_of_a_module_keeps_nothing(tmp_path):
    file = tmp_path / "program.py"
    file.write_text("import np.linalg\nv = x.numpy()\nnp.save('v', v)\ny = np.ones(3)\nz = v\n")
    assert not reaches(str(file), 2, 4)
    assert reaches(str(file), 2, 5)
