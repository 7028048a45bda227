"""jit: passes over a Tape, and backends that make a function of it. The rules know nothing of it."""
