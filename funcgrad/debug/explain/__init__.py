"""`fg.explain`: why a gradient is lost, zero or not finite, what it keeps, and what takes the time."""
