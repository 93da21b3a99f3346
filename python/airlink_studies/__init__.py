"""The studies that come with airlink: one folder a paper, on airlink's public modules alone.

`airlink reproduce` finds them by the entry points in pyproject.toml, as it finds the studies of any other package.
"""
