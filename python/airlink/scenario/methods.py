"""What tables of a scenario can do beside holding fields: bases of the classes of `sections.py` with the same names.

Leaves out fields, which the engine declares, and checks between them (`checks.py`).
"""
