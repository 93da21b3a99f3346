"""TCP's rules a second time, as the RFCs write them: sets of bytes, no state that a formula does not need, no haste.

No code is shared with the engine; the departures that docs/models/loss-recovery.md lists were taken over from it.
`tests/test_rfc_models.py` lets both answer the same random losses.
"""
