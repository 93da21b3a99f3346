"""Interactive pages: panels over time in one HTML file that needs no network. What is in them is said elsewhere."""

from airlink.plots.viewer.document import Document, Glyph, Layer, Moment, Panel, Size
from airlink.plots.viewer.html import write_document
from airlink.plots.viewer.numbers import counted, grouped

__all__ = ["Document", "Glyph", "Layer", "Moment", "Panel", "Size", "counted", "grouped", "write_document"]
