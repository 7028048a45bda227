"""How the site is made: `sphinx-build -W docs build/site`.

Nothing is read from the internet, neither when the site is built nor when it is read.
"""

import sys
from pathlib import Path

HERE = Path(__file__).parent
sys.path[:0] = [str(HERE), str(HERE.parent / "tests" / "docs"), str(HERE.parent)]

project = "funcgrad"
author = "the authors of funcgrad"
project_copyright = author
extensions = ["myst_parser", "extension.sphinx"]
source_suffix = {".md": "markdown"}
root_doc = "index"
myst_heading_anchors = 6
myst_enable_extensions = ["colon_fence", "fieldlist", "html_image"]
myst_fence_as_directive = ["mermaid"]
highlight_language = "text"
pygments_style = "friendly"
pygments_dark_style = "github-dark"

add_module_names = False
python_maximum_signature_line_length = 90
toc_object_entries = False  # each page begins with a table of its names; the tree of all of them is slow

html_theme = "furo"
html_title = "funcgrad"
html_copy_source = False
html_show_sphinx = False
html_show_search_summary = False  # which is fetched, and browsers fetch nothing for pages of a disk
html_domain_indices = False
smartquotes = False
html_static_path = ["static"]
html_css_files = ["site.css", "drawings.css"]
exclude_patterns = ["extension", "static"]
