"""Hooks of state dicts."""

import torch
from torch import nn


def show(f):
    try:
        print(f())
    except Exception as e:
        print(type(e).__name__, e)


m = nn.Sequential(nn.Linear(1, 1))
m.register_state_dict_pre_hook(lambda mod, prefix, keep_vars: print("before", repr(prefix), keep_vars))


def post(mod, state, prefix, meta):
    state["more"] = 1
    print("after", list(state), meta)


m.register_state_dict_post_hook(post)
m[0]._register_state_dict_hook(lambda mod, state, prefix, meta: print("private", repr(prefix)))
print(list(m.state_dict()))
show(lambda: m._register_state_dict_hook(post))
bad = m.register_state_dict_post_hook(lambda mod, state, prefix, meta: 3)
show(m.state_dict)
bad.remove()
m._register_state_dict_hook(lambda mod, state, prefix, meta: {"instead": 1})
print(m.state_dict())


def before(mod, state, prefix, meta, strict, missing, unexpected, errors):
    print("load", type(mod).__name__, repr(prefix), strict, missing)
    state[prefix + "weight"] = torch.full((1, 1), 5.0)


m = nn.Sequential(nn.Linear(1, 1))
state = m.state_dict()
m[0].register_load_state_dict_pre_hook(before)
m[0]._register_load_state_dict_pre_hook(lambda *args: print(len(args)))
m[0]._register_load_state_dict_pre_hook(lambda *args: print(len(args)), with_module=True)
m.register_load_state_dict_post_hook(lambda mod, keys: print("done", keys))
m.register_load_state_dict_post_hook(lambda mod, keys: keys.missing_keys.clear())
print(m.load_state_dict(state), m[0].weight)
print(m.load_state_dict({}))
bad = m.register_load_state_dict_post_hook(lambda mod, keys: 3)
show(lambda: m.load_state_dict(state))
bad.remove()
m[0].register_load_state_dict_pre_hook(
    lambda mod, s, p, meta, strict, missing, unexpected, errors: errors.append("mine")
)
show(lambda: m.load_state_dict(state))
