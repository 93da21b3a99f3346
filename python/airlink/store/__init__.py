"""The store of results: what was computed once is not computed again, and a killed process loses a second at most.

    with Store("airlink-results") as store:
        key = store.key(scenario)
        for seed in store.claim(key, range(1, 21)):
            store.put(key, scenario, (), ...)
        for replica in store.replicas(key, range(1, 21)):
            ...

docs/store.md shows the folder, and how DuckDB, polars and pandas read it.
"""

from airlink.store.check import Checked, check, repair
from airlink.store.collect import Collected, collect
from airlink.store.errors import StoreError
from airlink.store.listing import StoredScenario
from airlink.store.merge import Merged, merge
from airlink.store.store import DEFAULT, VARIABLE, Store, default_folder, is_store

__all__ = [
    "DEFAULT",
    "VARIABLE",
    "Checked",
    "Collected",
    "Merged",
    "Store",
    "StoreError",
    "StoredScenario",
    "check",
    "collect",
    "default_folder",
    "is_store",
    "merge",
    "repair",
]
