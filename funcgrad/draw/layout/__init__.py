"""Where boxes stand and edges run: a layered layout of our own, in plain Python.

`ranks` says in which layer each box stands, `orders` in which order, `places` at which x; `layered` puts them together.
"""
