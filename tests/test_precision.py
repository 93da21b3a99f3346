"""Going on until an interval is narrow: what is asked, looks, caps, differences, control variates."""

from __future__ import annotations

from pathlib import Path

import pytest

import airlink
from airlink import RequestError
from airlink.campaign.precision import until
from airlink.measures import measure
from airlink.statistics import Looks, Precision
from small_cells import CELL, GOODPUT

KINDS = {"scheduler.kind": ["round_robin", "max_rate"]}


@pytest.mark.parametrize(
    ("text", "precision"),
    [
        ("cell.goodput_bps: 1 %", Precision(0.01)),
        ("cell.goodput_bps:0.5%", Precision(0.005)),
        ("cell.goodput_bps: 10 kb/s", Precision(1e4, relative=False)),
        ("cell.goodput_bps: 2.5e3", Precision(2500.0, relative=False)),
        ("downloads.p95(time_s): 50 ms", Precision(0.05, relative=False)),
        ("users.mean(goodput_bytes): 2 kB", Precision(2000.0, relative=False)),
        ("cell.jain_index: 0.01", Precision(0.01, relative=False)),
    ],
)
def test_a_width_is_in_percent_or_in_the_measures_unit(text: str, precision: Precision) -> None:
    assert until(text).precision == precision


def test_a_width_alone_is_of_the_measure_that_is_known() -> None:
    found = until("1 %", measure(GOODPUT))
    assert (found.text, found.measure.text) == (f"{GOODPUT}: 1 %", GOODPUT)
    with pytest.raises(RequestError, match="it must be MEASURE: WIDTH"):
        until("1 %")


def test_scenarios_stop_at_the_first_look_that_is_narrow_enough() -> None:
    found = airlink.sweep(CELL, KINDS, measures=[GOODPUT], until="8.5 %", store=None)
    sizes = list(Looks(1000))
    for label in found.labels:
        count = len(found.seeds[label])
        assert found.seeds[label] == tuple(range(1, count + 1))
        samples = found.samples[label, GOODPUT]
        for size in sizes[: sizes.index(count) + 1]:
            estimate = airlink.statistics.mean_interval(samples[:size])  # type: ignore[arg-type]
            assert (estimate.half_width <= 0.085 * estimate.mean) == (size == count)
    counts = {len(seeds) for seeds in found.seeds.values()}
    assert len(counts) == 2
    assert f"Went on until {GOODPUT}: 8.5 %: all are as narrow." in repr(found)


def test_the_cap_ends_it_and_is_told() -> None:
    found = airlink.sweep(CELL, KINDS, measures=[GOODPUT], until=f"{GOODPUT}: 0.1 %", most=25, store=None)
    assert {len(seeds) for seeds in found.seeds.values()} == {25}
    assert f"Went on until {GOODPUT}: 0.1 %; stopped at 25 runs, still wider: RR ± " in found.notes[0]


def test_a_comparison_stops_when_all_differences_are_narrow() -> None:
    arms = {"rr": CELL, "max": CELL.with_(**{"scheduler.kind": "max_rate"}), "b": CELL.with_(users=4)}
    found = airlink.compare(arms, measure=GOODPUT, others=[], until="10 %", most=60, store=None)
    counts = {len(seeds) for seeds in found.seeds.values()}
    assert len(counts) == 1
    (count,) = counts
    widths = [judged.difference.relative.half_width for judged in (found.comparison or {}).values()]
    assert max(widths) <= 0.1 or count == 60
    assert count > 20
    smaller = airlink.compare(arms, measure=GOODPUT, others=[], seeds=range(1, 21), store=None)
    assert max(judged.difference.relative.half_width for judged in (smaller.comparison or {}).values()) > 0.1


def test_until_begins_at_the_first_seed_and_with_as_many_as_are_given() -> None:
    found = airlink.sweep(CELL, {}, seeds=range(7, 37), measures=[GOODPUT], until="90 %", store=None)
    assert found.seeds["tiny"] == tuple(range(7, 37))


def test_progress_counts_all_looks_and_is_told_the_widest_interval() -> None:
    class Bar:
        note = ""
        at: tuple[int, int] = (0, 0)

        def __call__(self, finished: int, total: int) -> None:
            assert finished >= self.at[0]
            self.at = (finished, total)

    bar = Bar()
    airlink.sweep(CELL, KINDS, measures=[GOODPUT], until="0.1 %", most=30, store=None, progress=bar)
    assert bar.at == (60, 60)
    assert bar.note.startswith("widest ± ")


def test_controls_narrow_the_interval_and_say_what_they_save(tmp_path: Path) -> None:
    plain = airlink.sweep(CELL, {}, measures=[GOODPUT], seeds=range(1, 41), store=None)
    found = airlink.sweep(CELL, {}, measures=[GOODPUT], seeds=range(1, 41), controls=True, store=None)
    key = ("tiny", GOODPUT)
    assert found.controlled[key].plain == plain.estimates[key]
    assert found.estimates[key].half_width < 0.8 * plain.estimates[key].half_width
    assert found.methods[key] == "control variates: mean SNR"
    text = repr(found)
    assert "Control variates: quantities with a known mean narrow the intervals" in text
    saved = found.controlled[key].worth - 40
    assert f"{saved:.0f}" in text
    assert repr(airlink.Answer.load(found.save(tmp_path / "o"))) == text
