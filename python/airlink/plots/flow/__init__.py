"""One flow of one replica, seen whole: its data cut out of a result, and what is drawn of them."""

from airlink.plots.flow import words
from airlink.plots.flow.figure import flow_figure
from airlink.plots.flow.page import write_page
from airlink.plots.flow.view import KINDS, FlowView, flow_view

__all__ = ["KINDS", "FlowView", "flow_figure", "flow_view", "words", "write_page"]
