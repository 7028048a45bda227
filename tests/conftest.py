"""Shared settings: property tests are reproducible, and not timed (machines differ)."""

from hypothesis import settings

settings.register_profile("default", deadline=None, derandomize=True, max_examples=60)
settings.load_profile("default")
