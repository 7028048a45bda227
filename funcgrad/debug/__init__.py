"""Tools for finding out what goes wrong in a program that is being differentiated."""

from funcgrad.core.faces import publish
from funcgrad.debug.callback import callback as callback
from funcgrad.debug.callback import print as print
from funcgrad.debug.nans import nans as nans

publish(__name__)
