"""docs/torch/operations.md is what the rows of the operations say."""

import importlib.util
from pathlib import Path

_spec = importlib.util.spec_from_file_location("torch_operations", Path(__file__).with_name("torch_operations.py"))
page = importlib.util.module_from_spec(_spec)
_spec.loader.exec_module(page)


def test_the_page_is_what_the_rows_say():
    assert page.PAGE.read_text() == page.written(), "run python tests/docs/torch_operations.py"


def test_signatures_are_shown_as_pytorch_writes_them():
    lines = [line for line in page.PAGE.read_text().splitlines() if line.startswith("| `")]
    assert len(lines) > 600
    assert not [line for line in lines if set("?+!") & set(line)]
