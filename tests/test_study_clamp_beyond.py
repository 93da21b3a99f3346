"""Beyond [Andrew08], over the air: claims on made-up curves, which can hold and fail; what a curve is made of."""

from __future__ import annotations

import io
from collections.abc import Mapping, Sequence

import numpy as np
import pytest
from rich.console import Console

from airlink import campaign
from airlink.report import Claim
from airlink.statistics import jain_index
from airlink.study import Request
from airlink_studies.clamp import beamforming, comparison, cubic, harq, one_queue, other_queues
from airlink_studies.clamp.curves import Curve, Window
from airlink_studies.clamp.fading_cell import CLAMP, FAST, NEW_RENO, SLOW
from airlink_studies.clamp.other_queues import CODEL, PIE

MODULES = (other_queues, cubic, harq, beamforming, one_queue)
FAIR, EQUAL = (2.0, 2.0, 1.0, 1.0), (1.5, 1.5, 1.5, 1.5)
UNFAIR, HALF = (2.4, 1.6, 1.9, 0.1), (1.0, 1.0, 0.5, 0.5)
SEEDS = 4


def curve(rates_mbps: Sequence[float]) -> Curve:
    """Two points, at 10 and 400 ms, with the same rates; seeds differ by a per mille or two."""
    spread = 1 + 1e-3 * np.arange(SEEDS)[:, None] * np.array([1.0, -1.0, 1.0, -1.0])
    rates = np.stack([np.array(rates_mbps) * spread] * 2)
    delays = np.broadcast_to(np.array([10.0, 400.0])[:, None, None], (2, SEEDS, 3))
    ones = np.ones((2, SEEDS, 3))
    window = Window(rates, np.array(delays), ones, ones, np.zeros((2, SEEDS, 4)), ones)
    return Curve(np.array([1.0, 2.0]), [window, window], 400.0)


def made_up(module: object, rates: Mapping[str, Sequence[float]]) -> dict[tuple[str, str], Curve]:
    """A curve for each contender of a part; those not named are fair."""
    contenders = module.CONTENDERS  # type: ignore[attr-defined]
    return {(each.name, each.speed): curve(rates.get(each.name, FAIR)) for each in contenders}


def verdicts(module: object, rates: Mapping[str, Sequence[float]]) -> dict[str, bool | None]:
    rows = module.rows(made_up(module, rates))  # type: ignore[attr-defined]
    claims: list[Claim] = comparison.judged(rows, SEEDS)
    return {claim.id.removeprefix("004-"): claim.holds for claim in claims}


HOLD = {
    other_queues: {CODEL: UNFAIR, PIE: UNFAIR},
    cubic: {NEW_RENO: UNFAIR, cubic.CUBIC: UNFAIR},
    harq: {harq.ALONE: HALF},
    beamforming: {CLAMP: (2.0, 1.4, 1.3, 0.7)},
    one_queue: {one_queue.SHARED: (1.2,) * 4, one_queue.SHARED_ALONE: UNFAIR},
}
FAIL = [
    (other_queues, {CLAMP: UNFAIR}, "abcd"),
    (other_queues, {CLAMP: HALF}, "efgh"),
    (cubic, {cubic.WITH_CUBIC: UNFAIR}, "ac"),
    (cubic, {cubic.WITH_CUBIC: HALF}, "bd"),
    (harq, {harq.CHASED: HALF, harq.REDUNDANT: UNFAIR}, "ad"),
    (harq, {harq.CHASED: UNFAIR, harq.REDUNDANT: HALF}, "bc"),
    (beamforming, {beamforming.CALM: UNFAIR, beamforming.QUICK: HALF}, "ad"),
    (beamforming, {beamforming.CALM: HALF, beamforming.QUICK: UNFAIR}, "bc"),
    (one_queue, {one_queue.SHARED: UNFAIR, one_queue.SHARED_ALONE: EQUAL}, "abde"),
    (one_queue, {one_queue.SHARED: EQUAL}, "cf"),
]


@pytest.mark.parametrize("module", MODULES)
def test_every_claim_can_hold(module: object) -> None:
    found = verdicts(module, HOLD[module])  # type: ignore[index]
    assert set(found.values()) == {True}


@pytest.mark.parametrize(("module", "rates", "letters"), FAIL)
def test_claims_fail_where_it_is_otherwise(module: object, rates: Mapping[str, Sequence[float]], letters: str) -> None:
    found = verdicts(module, rates)
    assert {name[2:] for name, holds in found.items() if holds is False} >= set(letters)


def test_all_claims_are_among_those_that_can_fail() -> None:
    for module in MODULES:
        letters = {letter for other, _, all_of_them in FAIL if other is module for letter in all_of_them}
        assert {name[2:] for name in verdicts(module, {})} == letters


def test_jains_index_of_flows_is_that_of_queues_times_that_within() -> None:
    rates = np.array([[[3.0, 1.0, 1.5, 0.5], [2.0, 2.0, 1.0, 1.0]]])
    np.testing.assert_allclose(comparison.jain(rates), jain_index(rates))
    np.testing.assert_allclose(comparison.jain(rates, "within") * comparison.jain(rates, "across"), jain_index(rates))
    np.testing.assert_allclose(comparison.jain(rates, "across"), jain_index([[[3, 1, 1, 1], [2, 2, 1, 1]]]))


def test_a_curve_holds_the_rates_and_delays_of_its_runs(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(comparison, "QUICK_STRETCHES_S", ((4.0, 8.0), (8.0, 12.0)))
    request, own = Request(quick=True), other_queues.CONTENDERS[:2]
    plan = comparison.plan(own, request)
    assert len(plan.scenarios) == 2 * 2 * 2
    result = campaign.run(plan)
    found = comparison.curves_of(result, own, request)[CODEL, SLOW]
    first, second = (result.flows(own[1].label(own[1].quick[-1], from_s), "goodput_bytes") for from_s in (4.0, 8.0))
    np.testing.assert_allclose(found.rates_mbps[1], 8e-6 * (first + second) / 8)
    assert found.knob_bytes.tolist() == list(own[1].quick)


@pytest.mark.parametrize("module", MODULES)
def test_what_a_part_shows_has_one_figure_one_sentence_and_fits_80_columns(module: object) -> None:
    curves = made_up(module, HOLD[module])  # type: ignore[index]
    question = module.QUESTION  # type: ignore[attr-defined]
    illustration = comparison.drawn(curves, question)
    illustration.figure.draw_without_rendering()
    assert illustration.name.startswith(question.name)
    sentence, claim = question.sentence(curves), next(iter(verdicts(module, {})))
    assert sentence.startswith(f"[004-{claim[:2]}] ")
    assert sentence.count("\n") == 0
    assert "nan" not in sentence
    sheet = comparison.sheet(curves, question)
    console = Console(width=80, file=io.StringIO())
    with console.capture() as shown:
        console.print(sheet.to_rich())
    assert all(row[index] in shown.get() for row in sheet.rows for index in sheet.narrow)


def test_contenders_are_compared_at_delays_that_are_marked_for_each_speed() -> None:
    for module in MODULES:
        speeds = {each.speed for each in module.CONTENDERS}
        assert speeds == set(module.AT_MS) <= {SLOW, FAST}
        for each in module.CONTENDERS:
            assert list(each.knobs) == sorted(each.knobs)
            assert each.knobs[0] <= each.quick[0] < each.quick[1] <= each.knobs[-1]
