"""The store against a plain dictionary: any order of putting, finding, claiming, merging, collecting and closing."""

from __future__ import annotations

import shutil
import tempfile
from pathlib import Path

from hypothesis import HealthCheck, Phase, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule

from airlink import engine
from airlink.store import Store, check, collect, merge, repair
from stored import made, wire

SCENARIOS = (wire(1), wire(2))
RECORDS = ((), ("acks",), ("acks", "cwnd"))
SEEDS = range(5)
FOLDERS = ("a", "b")
HANDLES = ("a", "a", "b")
"""The folder of each open store: two have the same."""

handles = st.integers(0, len(HANDLES) - 1)
scenarios = st.integers(0, 1)
records = st.integers(0, len(RECORDS) - 1)
some_seeds = st.lists(st.sampled_from(SEEDS), min_size=1, max_size=4)


class StoreMachine(RuleBasedStateMachine):
    """`stored` and `claims` are what the store should be: (folder, scenario, record, seed) -> digest, handle."""

    def __init__(self) -> None:
        super().__init__()
        self.root = Path(tempfile.mkdtemp())
        self.stores = [Store(self.root / name) for name in HANDLES]
        self.stored: dict[tuple[str, int, int, int], str] = {}
        self.claims: dict[tuple[str, int, int, int], int] = {}

    def teardown(self) -> None:
        for store in self.stores:
            store.close()
        for name in FOLDERS:
            assert check(self.root / name).problems == []
        shutil.rmtree(self.root)

    def key(self, handle: int, scenario: int, record: int) -> str:
        return self.stores[handle].key(SCENARIOS[scenario], RECORDS[record])

    def is_stored(self, folder: str, scenario: int, record: int, seed: int) -> bool:
        """Results with more series answer as well."""
        return any((folder, scenario, more, seed) in self.stored for more in range(record, len(RECORDS)))

    def is_claimed(self, folder: str, scenario: int, record: int, seed: int) -> bool:
        return any((folder, scenario, more, seed) in self.claims for more in range(record, len(RECORDS)))

    @rule(handle=handles, scenario=scenarios, record=records, seeds=some_seeds)
    def put(self, handle: int, scenario: int, record: int, seeds: list[int]) -> None:
        key = self.key(handle, scenario, record)
        for seed in seeds:
            replica = made(seed, RECORDS[record])
            self.stores[handle].put(key, SCENARIOS[scenario], RECORDS[record], replica)
            place = (HANDLES[handle], scenario, record, seed)
            if place not in self.stored:
                self.stored[place] = replica.digest
            if self.claims.get(place) == handle:
                del self.claims[place]
        # What another handle sees at once is only what is on disk.
        self.stores[handle].flush()

    @rule(handle=handles, scenario=scenarios, record=records)
    def find(self, handle: int, scenario: int, record: int) -> None:
        found = self.stores[handle].find(self.key(handle, scenario, record), SEEDS)
        assert found == {seed for seed in SEEDS if self.is_stored(HANDLES[handle], scenario, record, seed)}

    @rule(handle=handles, scenario=scenarios, record=records, seeds=some_seeds)
    def read(self, handle: int, scenario: int, record: int, seeds: list[int]) -> None:
        found = list(self.stores[handle].replicas(self.key(handle, scenario, record), seeds))
        wanted = [seed for seed in seeds if self.is_stored(HANDLES[handle], scenario, record, seed)]
        assert [each.seed for each in found] == wanted
        for each in found:
            if (HANDLES[handle], scenario, record, each.seed) in self.stored:
                assert each.digest == engine.digest(each) == made(each.seed, RECORDS[record]).digest
            assert each.users["goodput_bps"][0] == each.seed

    @rule(handle=handles, scenario=scenarios, record=records, seeds=some_seeds)
    def claim(self, handle: int, scenario: int, record: int, seeds: list[int]) -> None:
        folder = HANDLES[handle]
        free = [
            seed
            for seed in dict.fromkeys(seeds)
            if not self.is_stored(folder, scenario, record, seed)
            and not self.is_claimed(folder, scenario, record, seed)
        ]
        assert self.stores[handle].claim(self.key(handle, scenario, record), seeds) == free
        self.claims.update({(folder, scenario, record, seed): handle for seed in free})

    @rule(handle=handles)
    def release(self, handle: int) -> None:
        self.stores[handle].release()
        self.forget(handle)

    @rule(handle=handles)
    def close_and_open(self, handle: int) -> None:
        self.stores[handle].close()
        self.forget(handle)
        self.stores[handle] = Store(self.root / HANDLES[handle])

    @rule()
    def merge(self) -> None:
        before = len(self.stored)
        for place, digest in list(self.stored.items()):
            self.stored.setdefault(("b", *place[1:]), digest)
        assert merge([self.root / "a"], self.root / "b").results == len(self.stored) - before

    @rule(folder=st.sampled_from(FOLDERS))
    def collect(self, folder: str) -> None:
        assert collect(self.root / folder).kept == 0

    @precondition(lambda self: len(self.stored) > 1)
    @rule(folder=st.sampled_from(FOLDERS))
    def lose_the_manifest(self, folder: str) -> None:
        for handle, name in enumerate(HANDLES):
            if name == folder:
                self.stores[handle].close()
                self.forget(handle)
        (self.root / folder / "store.sqlite").unlink()
        if (self.root / folder / "tables").is_dir():
            assert repair(self.root / folder).results == sum(place[0] == folder for place in self.stored)
        for handle, name in enumerate(HANDLES):
            if name == folder:
                self.stores[handle] = Store(self.root / folder)

    @invariant()
    def what_is_listed_is_what_is_stored(self) -> None:
        for handle in (0, 2):
            listed = {each.key: set(each.seeds) for each in self.stores[handle].scenarios()}
            wanted: dict[str, set[int]] = {}
            for folder, scenario, record, seed in self.stored:
                if folder == HANDLES[handle]:
                    wanted.setdefault(self.key(handle, scenario, record), set()).add(seed)
            assert listed == wanted

    def forget(self, handle: int) -> None:
        """Its claims are free."""
        self.claims = {place: owner for place, owner in self.claims.items() if owner != handle}


StoreMachine.TestCase.settings = settings(
    max_examples=8,
    stateful_step_count=15,
    deadline=None,
    suppress_health_check=list(HealthCheck),
    phases=(Phase.explicit, Phase.reuse, Phase.generate),  # shrinking takes minutes
)
TestStore = StoreMachine.TestCase
