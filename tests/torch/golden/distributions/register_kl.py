from torch.distributions import Distribution, Normal, kl_divergence, register_kl


class BaseP(Normal):
    pass


class BaseQ(Normal):
    pass


class DerivedP(BaseP):
    pass


class DerivedQ(BaseQ):
    pass


@register_kl(BaseP, DerivedQ)
def first(p, q):
    return "first"


@register_kl(DerivedP, BaseQ)
def second(p, q):
    return "second"


print(kl_divergence(BaseP(0.0, 1.0), DerivedQ(0.0, 1.0)), kl_divergence(DerivedP(0.0, 1.0), BaseQ(0.0, 1.0)))
print(kl_divergence(BaseP(0.0, 1.0), BaseQ(1.0, 1.0)))
print(kl_divergence(DerivedP(0.0, 1.0), DerivedQ(0.0, 1.0)))
print(kl_divergence(DerivedP(0.0, 1.0), DerivedQ(0.0, 1.0)))
register_kl(DerivedP, DerivedQ)(second)
print(kl_divergence(DerivedP(0.0, 1.0), DerivedQ(0.0, 1.0)))
try:
    kl_divergence(Normal(0.0, 1.0), Distribution(validate_args=False))
except NotImplementedError as e:
    print(e)
try:
    register_kl(1, Normal)
except TypeError as e:
    print(e)
