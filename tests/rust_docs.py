"""Builds the documentation of the Rust crates, private items too, and fails where rustdoc warns.

Keys like [Klein04] look like links to rustdoc. Those that docs/references.toml holds are no mistake; any other broken
link is. Plain `cargo doc` is silent on both (Cargo.toml), so this is where links are checked.
"""

import json
import os
import re
import subprocess
import sys
from pathlib import Path

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

ROOT = Path(__file__).parents[1]
COMMAND = "cargo doc --locked --workspace --no-deps --document-private-items --message-format=json"
BROKEN_LINK = re.compile(r"unresolved link to `(\w+)`")


def mistakes(messages: list[str], keys: set[str]) -> list[str]:
    """What rustdoc says, as it prints it, of cargo's JSON lines; without links that are keys of references."""
    found = []
    for line in messages:
        message = json.loads(line).get("message")
        if message is None or message["level"] not in ("warning", "error") or message["code"] is None:
            continue
        link = BROKEN_LINK.match(message["message"])
        if link is None or link.group(1) not in keys:
            found.append(message["rendered"])
    return found


def main() -> None:
    """Exit code 1 and the warnings, if there are any."""
    keys = set(tomllib.loads((ROOT / "docs/references.toml").read_text()))
    environment = os.environ | {"RUSTDOCFLAGS": "-W rustdoc::broken-intra-doc-links"}
    built = subprocess.run(COMMAND.split(), cwd=ROOT, env=environment, stdout=subprocess.PIPE, text=True, check=False)
    found = mistakes(built.stdout.splitlines(), keys)
    sys.stdout.write("".join(found))
    sys.exit(1 if found else built.returncode)


if __name__ == "__main__":
    main()
