"""Formulas as MathML, which browsers draw by themselves: no script, no font, no picture."""

from __future__ import annotations

import re
from html import escape
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from sphinx.application import Sphinx


def setup(app: Sphinx) -> None:
    """Names the way of drawing formulas `mathml`."""
    app.add_html_math_renderer("mathml", inline_renderers=(_inline, None), block_renderers=(_block, None))


def mathml(formula: str, is_block: bool) -> str:
    """A formula of LaTeX as MathML."""
    from docutils.utils.math.latex2mathml import tex2mathml

    known = re.sub(r"\\[bB]igg?[lr]?(?![a-z])", "", re.sub(r"\\dots\b", r"\\ldots", formula))
    return str(tex2mathml(known, as_block=is_block))


def _drawn(node: Any, is_block: bool) -> str:
    """The formula of a node; one that cannot be read is shown as it stands, with a warning."""
    from docutils.utils.math import MathError
    from sphinx.util import logging

    formulas = [part.strip() for part in node.astext().split("\n\n") if part.strip()] if is_block else [node.astext()]
    try:
        return "".join(mathml(formula, is_block) for formula in formulas)
    except MathError as error:
        logging.getLogger(__name__).warning("formula: %s: %s", error, node.astext(), location=node)
        return f"<code>{escape(node.astext())}</code>"


def _inline(writer: Any, node: Any) -> None:
    from docutils.nodes import SkipNode

    writer.body.append(_drawn(node, is_block=False))
    raise SkipNode


def _block(writer: Any, node: Any) -> None:
    from docutils.nodes import SkipNode

    writer.body.append(f'<div class="formula">{_drawn(node, is_block=True)}</div>\n')
    raise SkipNode
