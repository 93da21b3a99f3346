"""Makes the site: `python docs/build_site.py [OUT]`, by default target/site. `make site` calls it.

`AIRLINK_SITE_NOTEBOOKS` says which tutorials are executed: all (the default), first or none.
"""

import os
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent / "_ext"))

from airlink_site.build import ROOT, site

if __name__ == "__main__":
    out = Path(sys.argv[1]) if len(sys.argv) > 1 else ROOT / "target/site"
    sys.exit(site(out, out.with_name(f"{out.name}-pages"), os.environ.get("AIRLINK_SITE_NOTEBOOKS", "all")))
