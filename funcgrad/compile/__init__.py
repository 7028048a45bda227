"""jit: passes over a Tape, and backends that make a function of it. The rules know nothing of it."""

from funcgrad.compile.backends import register_backend as register_backend
from funcgrad.compile.disable import disable_jit as disable_jit
from funcgrad.compile.jit import jit as jit
from funcgrad.compile.programs import clear_caches as clear_caches
from funcgrad.core.faces import publish

publish(__name__)
