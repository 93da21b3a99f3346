"""Why a trace's file can't be used.

Leaves out which file: who reads several says so.
"""


class TraceProblem(Exception):
    """What is wrong in one file; a sentence without its subject."""
