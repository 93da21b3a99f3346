"""How Sphinx makes the site of docs/ (`make site`): what it may use, how it looks, and where generated pages come from.

`_ext/airlink_site` gathers and generates the pages. Nothing is fetched: fonts, scripts and pictures are
files of the site. `AIRLINK_SITE_NOTEBOOKS` says which tutorials are executed: all (the default), first, or none.
"""

import os
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent / "_ext"))

import airlink
from airlink_site import notebooks

project = "airlink"
author = "the airlink authors"
version = release = airlink.__version__
language = "en"

extensions = [
    "sphinx.ext.autodoc",
    "sphinx_copybutton",
    "sphinx_design",
    "myst_nb",
    "airlink_site",
]
exclude_patterns = ["**/.ipynb_checkpoints"]
nitpicky = True
# Types of other packages, whose pages are not here, and classes of ours that callers get but never name.
nitpick_ignore_regex = [(r"py:.*", r"(?!airlink\.).*"), ("py:class", r"airlink\..*")]
default_role = "code"
smartquotes = False

myst_enable_extensions = ["attrs_block", "attrs_inline", "colon_fence", "deflist"]
myst_heading_anchors = 4
nb_execution_mode = "cache"
nb_execution_cache_path = notebooks.cache()
nb_execution_excludepatterns = notebooks.left_out(os.environ.get("AIRLINK_SITE_NOTEBOOKS", "all"))
nb_execution_timeout = 300
nb_execution_raise_on_error = True
nb_merge_streams = True

autodoc_member_order = "bysource"
autodoc_typehints_format = "short"
autodoc_type_aliases = {name: name for name in ("ArrayLike", "NDArray", "FloatArray", "BoolArray", "IntArray")}
autodoc_preserve_defaults = True
python_use_unqualified_type_names = True
python_maximum_signature_line_length = 72
toc_object_entries_show_parents = "hide"

html_theme = "furo"
html_title = "airlink"
html_static_path = ["_static"]
html_css_files = ["airlink.css"]
html_js_files = [("airlink.js", {"defer": "defer"})]
html_search_scorer = str(Path(__file__).parent / "_static/scorer.js")
html_favicon = "_static/mark.svg"
html_math_renderer = "mathml"
html_copy_source = False
html_show_sphinx = False
html_show_copyright = False
# A page opened as a file may not read other files, which is how a search would show what is around a word.
html_show_search_summary = False
html_theme_options = {
    "light_logo": "mark.svg",
    "dark_logo": "mark.svg",
    "source_repository": "",
    "footer_icons": [],
    "top_of_page_buttons": [],
}
pygments_style = "airlink_site.colours.Light"
pygments_dark_style = "airlink_site.colours.Dark"
copybutton_prompt_text = r"\$ |>>> |\.\.\. "
copybutton_prompt_is_regexp = True
