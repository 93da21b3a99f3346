"""The last line of a run of tests: which of them did not run, and how to run them."""

from __future__ import annotations

import re
from collections import defaultdict
from pathlib import Path

HOW = {
    "AIRLINK_NR_BLER": "set it to the folder of Sionna's PDSCH_table1.json and PDSCH_table2.json",
    "AIRLINK_TRACES": "set it to the folder of measured traces",
    "chromium": "apt-get install chromium",
    "kernel": "run as root with /dev/net/tun",
    "ns-2": "apt-get install ns2",
    "pdffonts": "apt-get install poppler-utils",
    "stable-baselines3": "pip install it, or name a Python that has it and airlink in AIRLINK_SB3_PYTHON",
    "target/site": "make site",
    "tcptrace": "apt-get install tcptrace",
    "tmpfs": "run as root",
    "tshark": "apt-get install tshark",
}
"""What to do about a reason that has this word."""
IGNORED = re.compile(r"^\s*#\[ignore\b[^\n]*\n(?:\s*#\[[^\n]*\n)*\s*fn (\w+)", re.MULTILINE)


def sentence(skipped: list[tuple[str, str]], thorough: list[str], longer: list[str], ignored: list[str]) -> str:
    """What did not run: skipped tests with their reason, those left to the CI, longer proofs, ignored tests of Rust."""
    by_reason: dict[str, list[str]] = defaultdict(list)
    for name, reason in skipped:
        by_reason[reason].append(name)
    parts = [f"{counted(names)}: {reason}{advice(reason)}" for reason, names in sorted(by_reason.items())]
    if thorough:
        parts.append(f"{counted(thorough)}: left to the CI (AIRLINK_REQUIRE_ALL=1 make test, or by file)")
    if longer:
        parts.append(f"{counted(longer)}: longer proofs (make validate)")
    if ignored:
        parts.append(f"of Rust {', '.join(ignored)}: ignored (make validate)")
    return f"Not run: {'; '.join(parts)}" if parts else ""


def counted(names: list[str]) -> str:
    """How many tests, and of which files."""
    files = sorted({Path(name.split("::")[0]).stem.removeprefix("test_") for name in names})
    return f"{len(names)} test{'s' if len(names) > 1 else ''} of {', '.join(files)}"


def advice(reason: str) -> str:
    """How to get what a reason says is missing."""
    return next((f" ({how})" for word, how in HOW.items() if word in reason and how not in reason), "")


def ignored_in_rust(crates: Path) -> list[str]:
    """The tests of Rust that `cargo test` ignores, each with the file it stands in."""
    return [
        f"{file.stem}::{name}" for file in sorted(crates.rglob("*.rs")) for name in IGNORED.findall(file.read_text())
    ]
