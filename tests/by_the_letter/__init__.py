"""TCP's rules a second time, as the RFCs write them: sets of bytes, no state that a formula does not need, no haste.

Nothing here is shared with the engine. `tests/test_by_the_letter.py` lets both answer the same random losses.
"""
