"""`fg.compare`: the same computation on the torch face and on the functional one, side by side."""
