"""Arrays, traces, tapes and pytrees: the machinery, which knows no concrete operation."""
