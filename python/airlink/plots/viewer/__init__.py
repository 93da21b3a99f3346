"""Interactive pages: panels over time in one HTML file that needs no network. What is in them is said elsewhere."""

from airlink.plots.viewer.document import Document, Glyph, Layer, Moment, Panel
from airlink.plots.viewer.html import write_document

__all__ = ["Document", "Glyph", "Layer", "Moment", "Panel", "write_document"]
