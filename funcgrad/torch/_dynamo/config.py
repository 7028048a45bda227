"""`torch._dynamo.config`."""

recompile_limit = 8
"""How many programs a function has at most; for more kinds of arguments it runs eagerly."""
