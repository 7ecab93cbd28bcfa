"""Configuration of the pages: `make docs` builds them."""

import os
from importlib.metadata import version as installed_version
from importlib.resources import files

project = "stocmv"
author = "the stocmv developers"
copyright = f"2026, {author}"
release = version = installed_version("stocmv")

extensions = [
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
    "sphinx.ext.mathjax",
    "sphinx.ext.viewcode",
    "numpydoc",
    "myst_parser",
    "sphinx_copybutton",
    "sphinx_design",
    "sphinx_gallery.gen_gallery",
]
exclude_patterns = ["_build"]
highlight_language = "none"  # a block says what it is written in
templates_path = ["_templates"]

myst_enable_extensions = ["amsmath", "colon_fence", "deflist", "dollarmath"]
myst_heading_anchors = 3

autodoc_typehints = "none"  # numpydoc already says the types, in words
autosummary_generate = True
numpydoc_show_class_members = False  # the class template lists them
numpydoc_class_members_toctree = False
mathjax_path = "tex-svg-full.js"  # one file with its glyphs: formulas need no network
copybutton_exclude = ".linenos, .gp, .go"

sphinx_gallery_conf = {
    "examples_dirs": "../examples",
    "gallery_dirs": "auto_examples",
    "filename_pattern": r"plot_",
    "abort_on_example_error": True,
    "parallel": os.cpu_count() or 1,
    "download_all_examples": False,
    "remove_config_comments": True,
    "write_computation_times": False,
}

html_theme = "pydata_sphinx_theme"
html_title = "stocmv"
html_logo = "_static/logo.svg"
html_favicon = "_static/favicon.svg"
html_static_path = ["_static", str(files("sphinx-mathjax-offline") / "static" / "mathjax" / "tex-svg-full.js")]
html_css_files = ["pages.css"]
html_show_sourcelink = False
html_sidebars = {"**": ["all-pages"]}
html_theme_options = {
    "logo": {"text": "stocmv", "alt_text": "stocmv"},
    "navbar_center": [],  # the side bar lists all pages
    "navbar_end": ["theme-switcher"],
    "footer_start": ["copyright"],
    "footer_end": ["theme-version"],
    "show_toc_level": 2,
}
