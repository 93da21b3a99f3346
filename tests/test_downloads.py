"""Times of files and pages: what has not ended counts, against a second plain implementation of the product limit."""

from __future__ import annotations

import dataclasses
import io
import math
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from rich.console import Console

import airlink
from airlink import Result, Scenario, campaign, plots
from airlink.campaign import Plan, over_users
from airlink.cli.user_tables import downloads_table, print_result
from airlink.explain import explain
from airlink.result import Table

# The strongest user has pages by the dozen, the weakest hardly one.
CELL = """
name = "pages"
duration_s = 30
warmup_s = 2
users = 6
slot.duration_ms = 2
channel.placement = {kind = "mean_snr_range", low_db = -8, high_db = 14}
channel.motion.speed_kmh = 3
channel.fading.kind = "rayleigh"
link.rate = {kind = "capacity", bandwidth_hz = 1e6}
scheduler.kind = "proportional_fair"
[[flows]]
traffic = {kind = "sessions", size = {kind = "constant", bytes = 200_000}, think_s = 0.5}
"""


def run(*settings: str, replicas: int = 1) -> Result:
    return airlink.run(Scenario.from_toml(CELL, overrides=settings), replicas=replicas, record=["downloads"])


COUNTS = [("", ""), ("_pending_at_start", "pending_")]


def survival(times: list[float], ages: list[float], at: float) -> float:
    """S(at) as a table of risks is worked by hand: of those who reached each time, the part that went on."""
    left = 1.0
    for time in sorted({time for time in times if time <= at}):
        reached = sum(other >= time for other in times) + sum(age >= time for age in ages)
        left *= (reached - times.count(time)) / reached
    return left


def plain_quantile(times: list[float], ages: list[float], share: float) -> float:
    reaching = [time for time in sorted(times) if survival(times, ages, time) <= 1 - share + 1e-9]
    return reaching[0] if reaching else math.inf if ages else math.nan


def times_and_ages(downloads: Table, user: int, begin_s: float, end_s: float) -> tuple[list[float], list[float]]:
    own = downloads.where((downloads["user"] == user) & ~(downloads["completed_s"] <= begin_s))
    later = own["requested_s"] > begin_s
    if later.any():
        own = own.where(later)
    ended = ~np.isnan(own["completed_s"])
    return (
        (own["completed_s"] - own["requested_s"])[ended].tolist(),
        (end_s - own["requested_s"])[~ended].tolist(),
    )


@pytest.mark.parametrize("drain_s", [0, 1, 300])
def test_quantiles_of_users_are_those_of_a_second_implementation(drain_s: float) -> None:
    result = run(f"drain_s={drain_s}", "duration_s=20")
    censored = 0
    for user in range(6):
        times, ages = times_and_ages(result.series("downloads"), user, 2.0, 20.0 + drain_s)
        row = {name: float(values[user]) for name, values in result.users.items()}
        counts = [(row[f"downloads{name}"], row[f"downloads_{kind}unfinished"]) for name, kind in COUNTS]
        assert (len(times) + len(ages), len(ages)) == counts[0] if counts[0][0] else counts[1]
        for name, share in (("p50", 0.5), ("p95", 0.95)):
            assert row[f"download_{name}_s"] == pytest.approx(plain_quantile(times, ages, share), rel=1e-9, nan_ok=True)
        mean = sum([*times, *ages]) / len([*times, *ages]) if [*times, *ages] else math.nan
        assert row["download_mean_s"] == pytest.approx(mean, rel=1e-9, nan_ok=True)
        assert row["download_longest_age_s"] == pytest.approx(max(ages, default=math.nan), rel=1e-9, nan_ok=True)
        censored += len(ages)
    assert (censored > 0) == (drain_s < 300)


@given(st.lists(st.integers(1, 6), min_size=1, max_size=12), st.sampled_from([0.25, 0.5, 0.95]))
@settings(deadline=None)
def test_without_ages_the_product_limit_is_the_order_statistic(times: list[int], share: float) -> None:
    ranked = sorted(times)[max(1, math.ceil(share * len(times) - 1e-9)) - 1]
    assert plain_quantile([float(time) for time in times], [], share) == ranked


def test_the_user_of_whom_nothing_ends_is_not_the_fastest() -> None:
    """One page that goes on for many seconds beside pages of others of two seconds."""
    result = run()
    (weakest,) = np.flatnonzero(result.users["downloads"] == result.users["downloads_unfinished"])
    assert result.users["download_p50_s"][weakest] == math.inf
    assert np.isfinite(np.delete(result.users["download_p50_s"], weakest)).all()
    rows = [line.split() for line in drawn(result).partition("Over")[0].splitlines()]
    last = [row for row in rows if row and row[0].isdigit()][-1]
    assert [*last[:3], last[4]] == [str(weakest), "1", "1", ">"]
    assert f"{result.users['download_longest_age_s'][weakest]:.3g}" in last


def drawn(result: Result) -> str:
    out = Console(file=io.StringIO(), width=80, highlight=False)
    table = downloads_table(result, out)
    assert table is not None
    out.print(table)
    assert isinstance(out.file, io.StringIO)
    return out.file.getvalue()


@pytest.mark.parametrize("replicas", [1, 3])
def test_the_number_stands_beside_every_time_and_all_fits_80_columns(replicas: int) -> None:
    result = run("channel.shadowing.sd_db=4", replicas=replicas)
    out = Console(file=io.StringIO(), width=80, highlight=False)
    print_result(result, out)
    assert isinstance(out.file, io.StringIO)
    text = out.file.getvalue()
    for word in ("files,", "not", "slowdown", "over", "95 %", "5 % user (cell edge)"):
        assert word in text
    assert ("±" in text) == (replicas > 1)
    users = text[: text.index("Files and pages")].splitlines()
    tops = [line for line in users if line.strip()[:1].isdigit()]
    assert len(tops) == 6
    assert all(len(line) <= 80 for line in text.splitlines() if not line.startswith("Packets"))
    shadowed = result.users["shadowed_snr_db"].reshape(replicas, -1).mean(axis=0)
    assert tops[0].split()[1] == f"{shadowed[0]:.3g}"


# One page of 100 MB for user 0, requested 1 s before the measured time, and pages of 20 kB for users 1 to 5.
STUCK = """
[[flows]]
users = [0]
start_s = 1
traffic = {kind = "file", bytes = 100_000_000}
[[flows]]
users = [1, 2, 3, 4, 5]
traffic = {kind = "sessions", size = {kind = "constant", bytes = 20_000}, think_s = 0.5}
"""


def stuck(replicas: int = 1) -> Result:
    text = CELL.partition("[[flows]]")[0] + STUCK
    return airlink.run(Scenario.from_toml(text), replicas=replicas, record=["downloads"])


@pytest.mark.parametrize("replicas", [1, 3])
def test_who_waits_since_before_the_measured_time_is_ranked_last(replicas: int) -> None:
    result = stuck(replicas)
    assert (result.users["downloads"][::6] == 0).all()
    assert (result.users["downloads_pending_at_start"][::6] == 1).all()
    assert (result.users["downloads_pending_unfinished"][::6] == 1).all()
    text = drawn(result)
    assert "requested none" not in text
    assert all(len(line) <= 80 for line in text.splitlines())
    rows = [line.split() for line in text.partition("Over")[0].splitlines()]
    users = [row for row in rows if row and row[0].isdigit()]
    header = text.partition("user")[0].splitlines()[-2].split()
    assert ("\u00b1" in header) == (replicas > 1)
    assert "\u00b1" not in header or header[header.index("\u00b1") - 1] == "median"
    # Asked for at 1 s, open at 30 s.
    assert len(users) == 6
    assert users[-1][:6] == ["0", "0", "0", "1", ">", "29"]
    assert "Over 6 users" in text
    for replica in result.replicas:
        assert campaign.measured(replica, over_users("download_p95_s", 1.0)) == math.inf
    legend = plots.download_cdf(result).axes[0].get_legend()
    assert legend is not None
    assert [entry.get_text() for entry in legend.get_texts()] == [f"{replicas} of {6 * replicas} users without"]


@pytest.mark.parametrize(("users", "words"), [([0, 1, 2, 3, 4], "1 user requested"), ([0, 1], "4 users requested")])
def test_users_without_a_download_are_counted(users: list[int], words: str) -> None:
    assert words in " ".join(drawn(run(f"flows.0.users={users}")).split())


def test_explain_tells_who_waits_since_before_the_measured_time() -> None:
    told = explain(stuck(), user=0).flows[0].sentences[-1]
    assert told.startswith("Of 1 file or page requested before the measured time 1 has not ended: median above 29 s")


def test_a_result_without_the_pending_downloads_is_drawn_as_before() -> None:
    result = run()
    (replica,) = result.replicas
    kept = {name: values for name, values in replica.users.items() if "pending" not in name}
    older = dataclasses.replace(replica, users=Table(kept))
    assert "before" in drawn(result)
    assert "before" not in drawn(Result(result.scenario, (older,)))


def test_waiting_changes_nothing_that_was_measured() -> None:
    with_, without = run("drain_s=200"), run()
    assert with_.users["downloads_unfinished"].sum() == 0 < without.users["downloads_unfinished"].sum()
    for table in ("users", "flows", "cell"):
        for name, values in without.table(table).items():
            if not name.startswith("download"):
                np.testing.assert_array_equal(values, with_.table(table)[name], err_msg=name)


def test_a_measure_ranks_users_without_an_end_last_and_takes_users_first() -> None:
    outcome = campaign.run(Plan({"cell": Scenario.from_toml(CELL)}, seeds=(1,)))
    (replica,) = outcome.replicas["cell"]
    assert replica is not None
    medians = np.sort(replica.users["download_p50_s"])
    assert outcome.cell("cell", over_users("download_p50_s")).tolist() == [medians[2]]
    assert outcome.cell("cell", over_users("download_p50_s", 1.0)).tolist() == [math.inf]


def test_explain_says_how_many_had_not_ended() -> None:
    result = run()
    weakest = explain(result, user=0).flows[0]
    assert "1 has not ended: median above" in weakest.sentences[-1]
    strongest = explain(result, user=5).flows[0].sentences[-1]
    assert strongest.endswith("times (median) what the same takes alone.")


def test_a_distribution_over_users_ends_below_one_where_somebody_has_no_end() -> None:
    axes = plots.download_cdf(run()).axes[0]
    (line,) = axes.get_lines()
    assert float(np.max(np.asarray(line.get_ydata()))) == pytest.approx(5 / 6)
    legend = axes.get_legend()
    assert legend is not None
    assert [text.get_text() for text in legend.get_texts()] == ["1 of 6 users without"]


def test_a_distribution_of_delays_counts_users_without_a_packet() -> None:
    scenario = Scenario.from_toml(CELL, overrides=["flows.0.users=[1,2]", "duration_s=3"])
    legend = plots.delay_cdf(airlink.run(scenario, record=["packets"])).axes[0].get_legend()
    assert legend is not None
    assert [text.get_text() for text in legend.get_texts()] == ["4 of 6 users without"]


def test_a_stored_result_keeps_times_that_are_not_known(tmp_path: Path) -> None:
    result = run()
    result.save(tmp_path / "result")
    stored = Result.load(tmp_path / "result")
    assert stored.digests() == result.digests()
    assert drawn(stored) == drawn(result)
