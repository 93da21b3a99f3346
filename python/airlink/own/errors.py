"""What goes wrong in code of the user's own."""

from __future__ import annotations

import traceback


class OwnError(ValueError):
    """Code of one's own can't be used, or has failed in a run.

    Its message says what, and in a run the slot (or the flow) and the seed. Where the code raised an exception of its
    own, that is the cause, with its traceback.
    """


def with_traceback(error: OwnError) -> str:
    """The message, and below it where the code raised its own exception, if it did."""
    cause = error.__cause__
    if cause is None:
        return str(error)
    lines = traceback.format_exception(type(cause), cause, cause.__traceback__)
    return "\n".join([str(error), "".join(lines).rstrip()])
