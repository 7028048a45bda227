import functools
import pickle

import numpy as np
import pytest

import funcgrad as fg
from funcgrad.errors import ArgumentError
from funcgrad.tree import Partial

tree = fg.tree


def seen(*args, **kwargs):
    return args, kwargs


@pytest.mark.parametrize("p", [Partial(seen), Partial(seen, 1, [2]), Partial(seen, x="a"), Partial(seen, 1, x=4, y=5)])
def test_round_trip(p):
    leaves, structure = tree.flatten(p)
    again = structure.unflatten(leaves)
    assert type(again) is Partial and isinstance(p, functools.partial)
    assert (again.func, again.args, again.keywords) == (p.func, p.args, p.keywords)


def test_a_call_and_its_arguments():
    p = Partial(seen, 1, k=2)
    assert p(3, m=4) == ((1, 3), {"k": 2, "m": 4}) and p(k=5) == ((1,), {"k": 5})
    assert tree.map(lambda x: 10 * x, p)(3) == ((10, 3), {"k": 20})
    assert tree.leaves(p) == [1, 2]
    assert Partial(seen, func=1)() == ((), {"func": 1})


def test_the_function_belongs_to_the_structure():
    assert tree.structure(Partial(seen, 1)) == tree.structure(Partial(seen, 2)) != tree.structure(Partial(print, 1))
    assert hash(tree.structure(Partial(seen, 1))) == hash(tree.structure(Partial(seen, 2)))


@pytest.mark.parametrize("wrap", [functools.partial, Partial])
def test_arguments_of_a_partial_within_do_not_become_children(wrap):
    within = wrap(seen, 1, k=2)
    p = Partial(within, 3, m=4)
    assert p.func is within and p.args == (3,) and p.keywords == {"m": 4}
    assert tree.leaves(p) == [3, 4]
    assert p(5) == ((1, 3, 5), {"k": 2, "m": 4})
    assert tree.map(lambda x: 10 * x, p)(5) == ((1, 30, 5), {"k": 2, "m": 40})
    assert within() == ((1,), {"k": 2})
    assert tree.structure(p) == tree.structure(Partial(within, 0, m=0))


def test_pickle():
    p = pickle.loads(pickle.dumps(Partial(functools.partial(max, 1), 2)))
    assert type(p) is Partial and p.args == (2,) and p.func.args == (1,) and p(3) == 3


def test_paths():
    p = Partial(seen, 1, k=2)
    assert [tree.keystr(path) for path, _ in tree.leaves_with_path(p)] == [
        "[<flat index 0>][0]",
        "[<flat index 1>]['k']",
    ]


def test_it_expects_a_function():
    with pytest.raises(ArgumentError, match="expects a function first, got 3 of type int"):
        Partial(3)


def test_transforms_take_and_give_it():
    def line(slope, x, *, offset):
        return slope * x + offset

    assert fg.Partial is Partial
    p = Partial(line, 2.0, offset=np.array([1.0, 5.0]))
    gradient = fg.grad(lambda f, x: f(x).sum(), argnums=(0, 1))(p, np.array([3.0, 4.0]))
    assert gradient[0].func is line and float(gradient[0].args[0]) == 7.0
    assert gradient[0].keywords["offset"].tolist() == [1.0, 1.0] and gradient[1].tolist() == [2.0, 2.0]
    batch = fg.vmap(lambda s: Partial(line, s, offset=1.0))(np.array([1.0, 2.0]))
    assert batch(10.0).tolist() == [11.0, 21.0]
