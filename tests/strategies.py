"""Random valid scenarios for hypothesis: every kind and switch, short and small enough to run in milliseconds.

Leaves out traces in files (`tests/test_scenario.py` writes its own).
"""

from __future__ import annotations

from typing import Any

from hypothesis import strategies as st

from airlink.scenario import Scenario
from airlink.scenario.delay_profiles import DELAY_PROFILES
from airlink.scenario.mcs_sets import MCS_SETS
from airlink.scenario.sections import Rules
from clamp_strategies import clamps, prices
from value_strategies import Values, numbers, or_infinite, some_of, table


def placements(users: int) -> st.SearchStrategy[Values]:
    def per_user(low: float, high: float) -> st.SearchStrategy[list[float]]:
        return st.lists(numbers(low, high), min_size=users, max_size=users)

    return st.one_of(
        table("disc", {"radius_m": numbers(200, 3000)}, inner_radius_m=numbers(0, 100), order=orders()),
        table("distances", {"distances_m": per_user(10, 3000)}),
        table("mean_snr", {"mean_snr_db": per_user_or_one(users, -15, 30)}),
        table("mean_snr_range", {"low_db": numbers(-15, 0), "high_db": numbers(0, 20)}, spacing=spacings()),
    )


def per_user_or_one(users: int, low: float, high: float) -> st.SearchStrategy[Any]:
    return numbers(low, high) | st.lists(numbers(low, high), min_size=users, max_size=users)


def orders() -> st.SearchStrategy[str]:
    return st.sampled_from(["random", "by_distance"])


def spacings() -> st.SearchStrategy[str]:
    return st.sampled_from(["equal", "random"])


def channels(users: int) -> st.SearchStrategy[Values]:
    doppler_hz = numbers(0, 300) | st.just("from_motion")
    amplitudes = st.sampled_from(["equal", "gaussian"])
    rayleigh = table("rayleigh", {}, terms=st.integers(4, 64), doppler_hz=doppler_hz, amplitudes=amplitudes)
    jakes = table("jakes", {}, terms=st.integers(4, 32), doppler_hz=doppler_hz)
    still = table("none", {})
    opportunistic = table(
        "opportunistic", {}, antennas=st.integers(1, 4), turn_hz=numbers(0, 100), terms=st.integers(4, 64)
    )
    one_antenna = varying(users, fading=still | rayleigh | jakes | tapped_delay_lines(doppler_hz), beamforming=still)
    several = st.fixed_dictionaries({"fading": rayleigh | jakes, "beamforming": opportunistic})
    return one_antenna | st.builds(lambda channel, antennas: {**channel, **antennas}, varying(users), several)


def varying(users: int, **others: st.SearchStrategy[Any]) -> st.SearchStrategy[Values]:
    return some_of(
        placement=placements(users),
        path_loss=some_of(exponent=numbers(2, 5), reference_snr_db=numbers(-10, 10)),
        link_budget=st.fixed_dictionaries(
            {"bandwidth_hz": numbers(1e5, 1e8)},
            optional={"interference_margin_db": numbers(0, 60), "frequency_exponent": numbers(0, 3)},
        ),
        ceiling=some_of(sinr_db=or_infinite(numbers(5, 30)), applies_to=st.sampled_from(["mean", "instantaneous"])),
        shadowing=some_of(sd_db=numbers(0, 10), decorrelation_m=numbers(1, 100)),
        motion=some_of(speed_kmh=per_user_or_one(users, 0, 120), carrier_hz=numbers(5e8, 6e9)),
        **others,
    )


@st.composite
def tapped_delay_lines(draw: st.DrawFn, doppler_hz: st.SearchStrategy[Any]) -> Values:
    fading = {"kind": "tapped_delay_line", "terms": draw(st.integers(4, 64)), "doppler_hz": draw(doppler_hz)}
    fading["amplitudes"] = draw(st.sampled_from(["equal", "gaussian"]))
    if draw(st.booleans()):
        spread_ns = draw(numbers(0, 2000))
        return {**fading, "profile": draw(st.sampled_from(sorted(DELAY_PROFILES))), "delay_spread_ns": spread_ns}
    paths = draw(st.lists(st.tuples(numbers(0, 20_000), numbers(-30, 0)), min_size=1, max_size=8))
    delays_ns, powers_db = zip(*paths, strict=True)
    return {**fading, "profile": "custom", "delays_ns": list(delays_ns), "powers_db": list(powers_db)}


@st.composite
def rate_tables(draw: st.DrawFn) -> Values:
    if draw(st.booleans()):
        return {"kind": "table", "name": draw(st.sampled_from(["1xev-do", "klein-2004", "imt-advanced"]))}
    rows = draw(st.integers(1, 6))
    thresholds = draw(st.lists(st.integers(-15, 15), min_size=rows, max_size=rows, unique=True).map(sorted))
    rates = draw(st.lists(st.integers(10, 4000), min_size=rows, max_size=rows, unique=True).map(sorted))
    return {"kind": "table", "thresholds_db": thresholds, "rates_bps": [1000.0 * rate for rate in rates]}


@st.composite
def mcs_rates(draw: st.DrawFn) -> Values:
    chosen = some_of(
        overhead=numbers(0, 0.5),
        gap_db=numbers(-1, 4),
        input=st.sampled_from(["modulation", "gaussian"]),
        reference_bits=numbers(8, 1e5),
        target_bler=numbers(1e-6, 0.5),
    )
    rate = {"kind": "mcs", "bandwidth_hz": draw(numbers(1e4, 1e6)), **draw(chosen)}
    if draw(st.booleans()):
        return {**rate, "set": draw(st.sampled_from(sorted(MCS_SETS)))}
    schemes = draw(st.lists(st.tuples(st.sampled_from([2, 4, 6, 8]), numbers(0.01, 0.999)), min_size=1, max_size=8))
    bits, rates = zip(*schemes, strict=True)
    return {**rate, "set": "custom", "bits_per_symbol": list(bits), "code_rates": list(rates)}


@st.composite
def links(draw: st.DrawFn) -> Values:
    """Any link; curves, and what rests on them, only where the rates allow them."""
    link: Values = draw(uncoded_links())
    kind, harq = link.get("rate", {}).get("kind", "table"), link.get("harq", {})
    curves = {"table": ["none", "logistic"], "mcs": ["none", "logistic", "coded"]}
    curve = draw(st.sampled_from(curves.get(kind, ["none"])))
    if curve != "none":
        link["errors"] = {"curve": {"kind": curve}}
    elif harq and kind == "capacity":
        # Code blocks ask a table for its thresholds.
        link["errors"] = {**link.get("errors", {}), "threshold_rule": False}
    if curve == "coded":
        link["errors"]["curve"]["effective"] = draw(st.sampled_from(["mean_db", "eesm", "miesm"]))
        if harq.get("kind") == "chase" and draw(st.booleans()):
            harq["kind"] = "incremental_redundancy"
    if curve == "none" and not harq and draw(st.booleans()):
        link["arq"] = {**link.get("arq", {}), "feedback_delay_slots": 0, "unit": "slot"}
    return link


def uncoded_links() -> st.SearchStrategy[Values]:
    capacity = table(
        "capacity",
        {"bandwidth_hz": numbers(1e5, 5e6)},
        gap_db=numbers(0, 6),
        max_rate_bps=or_infinite(numbers(1e5, 1e7)),
    )
    return some_of(
        report=some_of(
            error_sd_db=numbers(0, 3),
            delay_slots=st.integers(0, 20),
            period_slots=st.integers(1, 20),
            quantisation_db=numbers(0, 2),
            backoff_db=numbers(-1, 3),
            group_subchannels=or_infinite(st.integers(1, 60)),
            effective=st.sampled_from(["mean_db", "mean_capacity"]),
        ),
        outer_loop=st.just({"kind": "none"}) | outer_loops(),
        rate=rate_tables() | capacity | mcs_rates(),
        errors=some_of(probability=numbers(0, 0.3), threshold_rule=st.booleans()),
        arq=some_of(max_retransmissions=or_infinite(st.integers(0, 5)), feedback_delay_slots=st.integers(0, 5)),
        harq=harqs(),
    )


def outer_loops() -> st.SearchStrategy[Values]:
    steps: st.SearchStrategy[Values] = table(
        "steps",
        {},
        target_bler=numbers(0.01, 0.6),
        step_down_db=numbers(0.01, 2),
        lowest_db=numbers(-20, 0),
        highest_db=numbers(0, 20),
        initial_db=st.just(0.0),
        feedback_delay_slots=st.integers(0, 10),
    )
    margin: st.SearchStrategy[Values] = table(
        "margin",
        {},
        gain=numbers(0.001, 1),
        target_per=numbers(0.001, 0.5),
        lowest=numbers(-20, 0),
        highest=numbers(0, 0.95),
        initial=st.just(0.0),
    )
    return steps | margin


def harqs() -> st.SearchStrategy[Values]:
    return some_of(
        kind=st.sampled_from(["none", "chase"]),
        unit=st.sampled_from(["pdu", "block"]),
        processes=or_infinite(st.integers(1, 10)),
        round_trip_slots=st.integers(1, 10),
        max_retransmissions=or_infinite(st.integers(0, 5)),
    )


def carriers() -> st.SearchStrategy[Values]:
    return some_of(subchannels=st.sampled_from([1, 2, 7, 50]), subchannel_hz=numbers(1e3, 1e6))


def rlcs() -> st.SearchStrategy[Values]:
    return some_of(
        segment_bytes=st.sampled_from([1, 8, 40, 333]),
        segment_header_bytes=st.integers(0, 4),
        block_header_bytes=st.integers(0, 4),
        carry_fraction=st.booleans(),
        in_order=st.booleans(),
    )


SMOOTHED = {"time_constant_slots": numbers(1, 1e4), "initial_average_bps": numbers(1, 1e6)}
AVERAGED = {
    "average_counts": st.sampled_from(["sent", "granted"]),
    "average_window": st.sampled_from(["fixed", "growing"]),
    "average_updates": st.sampled_from(["slot", "subchannel"]),
    **SMOOTHED,
}
GAPS = {
    "gap_mean_weight": numbers(0.01, 1),
    "gap_square_weight": numbers(0.01, 1),
    "initial_gap_mean_slots": numbers(1, 100) | st.just("from_users"),
    "initial_gap_square_slots2": numbers(1, 1e4) | st.just("from_users"),
    "vacation_unit": st.sampled_from(["slots", "seconds", "seconds_beside_slots"]),
    "terms": st.sampled_from(["both", "vacation", "queue"]),
    **AVERAGED,
}


def experimental() -> st.SearchStrategy[Values]:
    """Controls that no network could run."""
    return some_of(
        hold_timeouts=st.sampled_from(["off", "spurious", "initial"]),
        scheduler=st.one_of(
            st.just({"kind": "none"}),
            table("ideal_tcp_pf", {}, **SMOOTHED),
            table("unapproximated_tcp_pf", {}, **GAPS),
        ),
    )


FORMULAS = [
    "rate / average",
    "weight * rate / average * exp(-head_of_line_delay_s / delay_budget_s)",
    "where(backlog_bytes > 1e4, 2, 1) * (reported_db - mean_snr_db) + gap_slots",
    "log(rate) - 0.3 * log(average) + retransmit_bytes / 1e3",
]
DIVISORS = st.sampled_from(["average", "none"])


def schedulers() -> st.SearchStrategy[Values]:
    every = {"serve_empty_queues": st.booleans(), "ties": st.sampled_from(["random", "lowest_index"])}
    every["release_satisfied_users"] = st.booleans()
    every["weight"], every["delay_budget_ms"] = numbers(0.1, 10), st.just("inf") | numbers(1, 1000)
    averaged, gaps = {**AVERAGED, **every}, {**GAPS, **every}
    return st.one_of(
        *(table(kind, {}, skip_unservable=st.booleans(), **every) for kind in ("round_robin", "fifo")),
        table("max_rate", {}, **every),
        table("relative_snr", {}, **every),
        table("proportional_fair", {}, **averaged),
        table("lambda", {}, exponent=numbers(0, 10), **averaged),
        table("log_snr", {}, argument=st.sampled_from(["snr", "one_plus_snr"]), **averaged),
        *(table(kind, {}, **gaps) for kind in ("tcp_pf", "tcp_max")),
        table("formula", {"metric": st.sampled_from(FORMULAS)}, **averaged),
        *(table(kind, {}, **averaged) for kind in ("weighted_pf", "earliest_deadline")),
        table("m_lwdf", {}, divisor=DIVISORS, violation_probability=numbers(0.001, 0.5), **averaged),
        table("exp_pf", {}, violation_probability=numbers(0.001, 0.5), **averaged),
        table("log_rule", {}, divisor=DIVISORS, offset=numbers(1.01, 3), slope=numbers(0.1, 10), **averaged),
        table("guaranteed_rate", {}, guaranteed_rate_bps=numbers(0, 1e6), bucket_ms=numbers(10, 5000), **averaged),
    )


def tcps() -> st.SearchStrategy[Values]:
    """A profile with a few changes, or any rules at all."""
    changed = some_of(
        mss_bytes=st.sampled_from([536, 1460]),
        initial_window_segments=st.integers(1, 10),
        rto=some_of(min_ms=numbers(10, 1000)),
        delayed_ack=some_of(every=st.integers(1, 4)),
    )
    profiles = st.sampled_from(["classic", "ns2", "rfc", "linux"])
    return ruled_tcps() | st.tuples(profiles, changed).map(lambda both: {"profile": both[0], **both[1]})


@st.composite
def ruled_tcps(draw: st.DrawFn) -> Values:
    """Any TCP; rules that rest on others only where those are on."""
    tcp: Values = draw(some_of(**windows(), **rules(), rto=retransmission_timers(), **receivers()))
    sack, timestamps = tcp.get("sack", False), tcp.get("timestamps", False)
    if (tcp.get("handshake", False) or tcp.get("close", False)) and "header_bytes" in tcp:
        tcp["header_bytes"] = max(1, tcp["header_bytes"])  # in a cell a SYN and a FIN need some
    tcp["limited_transmit_resends"] = tcp.get("limited_transmit", False) and draw(st.booleans())
    tcp["rack"] = sack and draw(st.booleans())
    tcp["tail_loss_probe"] = tcp["rack"] and draw(st.booleans())
    tcp["dsack_detection"] = sack and tcp.get("dsack", False) and draw(st.booleans())
    tcp["eifel_detection"] = timestamps and draw(st.booleans())
    tcp["sack_blocks"] = draw(st.integers(1, 3 if timestamps else 4))
    return {
        **{name: value for name, value in tcp.items() if name not in Rules.model_fields},
        "rules": {name: value for name, value in tcp.items() if name in Rules.model_fields},
    }


def windows() -> dict[str, st.SearchStrategy[Any]]:
    return {
        "congestion_control": st.sampled_from(["tahoe", "reno", "new_reno", "cubic", "westwood", "vegas"]),
        "mss_bytes": st.sampled_from([100, 472, 536, 1460]),
        "header_bytes": st.integers(0, 60),
        "ack_bytes": st.integers(1, 60),
        "count_option_bytes": st.booleans(),
        "handshake": st.booleans(),
        "initial_window": st.sampled_from(["segments", "rfc3390", "rfc6928"]),
        "initial_window_segments": st.integers(1, 10),
        "initial_ssthresh_segments": or_infinite(numbers(1, 100)),
        "growth": st.sampled_from(["per_ack", "byte_counting", "whole_segments"]),
        "byte_counting_limit_segments": st.integers(1, 4),
        "slow_start_exit": st.sampled_from(["loss", "hystart_plus_plus", "hystart"]),
        "reduction_of": st.sampled_from(["flight", "window", "congestion_window"]),
        "cubic": some_of(beta=numbers(0.5, 0.9), c=numbers(0.1, 1), fast_convergence=st.booleans()),
        "westwood": some_of(
            filter_memory=numbers(0, 0.99),
            filter_stages=st.integers(1, 2),
            least_window_ms=numbers(0, 500),
            sets=st.sampled_from(["at_loss", "after_recovery"]),
            forgets_least_rtt=st.booleans(),
        ),
        "vegas": some_of(
            alpha_segments=numbers(0, 2),
            beta_segments=numbers(2, 6),
            gamma_segments=numbers(0, 3),
            slow_start=st.sampled_from(["every_other_round", "every_round"]),
            slow_start_end=st.sampled_from(["at_actual_rate", "eighth_less"]),
            difference=st.sampled_from(["over_rtt", "over_base_rtt"]),
            round_trip=st.sampled_from(["least", "mean"]),
            least_samples=st.integers(1, 5),
            forgets_base_rtt=st.booleans(),
        ),
        "initial_window_after_lost_syn": st.sampled_from(["one_segment", "forgives_first", "falls_back"]),
        "restart_after_idle": st.sampled_from(["off", "initial_window", "decay"]),
        "window_validation": st.sampled_from(["off", "rfc7661", "linux"]),
        "pacing": table("off", {}) | table("window", {}, slow_start_gain=numbers(1, 3), avoidance_gain=numbers(1, 2)),
    }


def rules() -> dict[str, st.SearchStrategy[Any]]:
    flags = (
        "careful_fast_retransmit",
        "guard_after_recovery",
        "less_careful",
        "forgets_recovery_point",
        "first_loss_unguarded",
        "impatient",
        "restart_timer_on_retransmission",
        "growth_at_recovery_end",
        "partial_window_deflation",
        "reduction_in_whole_segments",
        "limited_transmit",
        "sack",
        "dsack",
        "sack_of_old_acks",
        "forget_sack_on_timeout",
        "sack_rescue",
        "timestamps",
        "frto",
        "frto_at_once",
        "timeout_in_recovery_reduces",
        "timeout_raises_threshold",
    )
    return {
        **{name: st.booleans() for name in flags},
        "recovery_end": st.sampled_from(["flight", "threshold", "deflated"]),
        "recovery_burst_segments": st.integers(0, 3),
        "max_burst_segments": st.integers(0, 3),
        "sack_pipe": st.sampled_from(["scoreboard", "ns2_sack1"]),
        "duplicate_ack_threshold": st.integers(1, 5),
        "prr": st.sampled_from(["off", "proportional", "linux"]),
        "tlp_max_ack_delay_ms": numbers(0, 300),
        "timer_slack_ms": numbers(0, 10),
        "spurious_response": st.sampled_from(["off", "eifel", "undo"]),
    }


def retransmission_timers() -> st.SearchStrategy[Values]:
    timers = {
        "min_ms": numbers(10, 1000),
        "min_bounds_variance": st.booleans(),
        "initial_ms": numbers(10, 3000),
        "max_ms": numbers(3000, 60_000),
        "tick_offset_ms": numbers(0, 100),
        "timer_tick_ms": st.just(0.0) | numbers(0.1, 10),
        "backoff_factor": numbers(1, 3),
        "karn": st.booleans(),
        "variance_floor": st.booleans(),
        "sample_every_ack": st.booleans(),
    }
    exact = some_of(**timers, tick_ms=st.just(0.0) | numbers(0.1, 500), estimator=st.sampled_from(["rfc6298", "linux"]))
    in_ticks = st.fixed_dictionaries({"estimator": st.just("ns2"), "tick_ms": numbers(0.1, 500)}, optional=timers)
    return exact | in_ticks


def receivers() -> dict[str, st.SearchStrategy[Any]]:
    stalling = table(
        "stalling",
        {},
        rate_bps=or_infinite(numbers(1e4, 1e7)),
        stall_after_s=or_infinite(numbers(0, 1)),
        stall_for_s=numbers(0, 1),
    )
    return {
        "receiver_window_bytes": st.integers(1460, 200_000),
        "window_scaling": st.booleans(),
        "receive_autotuning": st.booleans(),
        "reader": table("immediate", {}) | stalling,
        "delayed_ack": some_of(
            every=st.integers(1, 4),
            timer_ms=numbers(1, 300),
            least_timer_ms=or_infinite(numbers(1, 300)),
            quick_segments=st.integers(0, 20),
            immediate_on_gap=st.booleans(),
            repetition_waits=st.booleans(),
            timer_first=st.booleans(),
            merge_bytes=st.sampled_from([0, 1500, 65_535]),
        ),
    }


def sizes() -> st.SearchStrategy[Values]:
    pareto = {"shape": numbers(0.1, 5), "min_bytes": numbers(1, 1000), "max_bytes": numbers(2000, 200_000)}
    bounds = {"min_bytes": numbers(0, 1000), "mode_bytes": numbers(1000, 5000), "max_bytes": numbers(5000, 200_000)}
    return st.one_of(
        table("constant", {"bytes": st.integers(1, 200_000)}),
        table("exponential", {"mean_bytes": numbers(1, 50_000)}),
        table("lognormal", {"median_bytes": numbers(1, 20_000), "sigma": numbers(0, 2)}),
        table("pareto", pareto),
        table("triangular", bounds),
    )


def downloads() -> st.SearchStrategy[Values]:
    return st.one_of(
        table("greedy", {}),
        table("file", {"bytes": st.integers(1, 200_000)}),
        table("stream", {}, rate_bps=numbers(1, 5e6), message_bytes=st.integers(1, 20_000)),
        table("poisson", {}, arrivals_per_s=numbers(0.01, 20), size=sizes()),
        table("sessions", {}, size=sizes(), **thinking()),
        table("backlogged", {}, packet_bytes=st.integers(1, 1500)),
    )


def thinking() -> dict[str, st.SearchStrategy[Any]]:
    return {"think_s": numbers(0, 2), "think": st.sampled_from(["exponential", "constant"])}


def dialogues() -> st.SearchStrategy[Values]:
    """Requests up and answers down."""
    objects = table("constant", {"objects": st.integers(0, 5)}) | table("pareto", {}, shape=numbers(0.5, 5))
    asked = {"request_bytes": st.integers(1, 5000), **thinking()}
    pages = table(
        "pages",
        {},
        main_size=sizes(),
        objects=objects,
        object_size=sizes(),
        connections=st.integers(1, 4),
        parsing_s=numbers(0, 0.5),
        **asked,
    )
    return st.one_of(table("requests", {}, size=sizes(), **asked), pages)


def datagrams() -> st.SearchStrategy[Values]:
    """Data over UDP."""
    due = {"deadline_ms": or_infinite(numbers(0.1, 500))}
    return st.one_of(
        table(
            "constant_rate",
            {},
            rate_bps=numbers(1, 2e6),
            packet_bytes=st.integers(200, 1500),
            spacing=st.sampled_from(["constant", "exponential"]),
            **due,
        ),
        table("voice", {}, talk_s=numbers(0.01, 2), silence_s=numbers(0.01, 2), packet_ms=numbers(5, 50), **due),
        table(
            "frames",
            {},
            frames_per_s=numbers(0.1, 30),
            size=sizes(),
            mtu_bytes=st.integers(256, 1500),
            jitter_sd_ms=numbers(0, 10),
            **due,
        ),
    )


def flows(users: int, duration_s: float) -> st.SearchStrategy[Values]:
    listed = st.lists(st.integers(0, users - 1), min_size=1, max_size=users, unique=True)
    return some_of(
        users=st.just("all") | listed,
        start_s=numbers(0, 0.5 * duration_s),
        start_spread_s=numbers(0, duration_s),
        stop_s=or_infinite(numbers(1.6 * duration_s, 2 * duration_s)),
        traffic=downloads() | dialogues() | datagrams(),
        path=some_of(
            downlink_delay_ms=numbers(0, 100),
            downlink_rate_bps=or_infinite(numbers(1e5, 1e8)),
            uplink_delay_ms=numbers(0, 100),
            uplink_rate_bps=or_infinite(numbers(1e4, 1e7)),
        ),
        tcp=tcps(),
    )


def upstreams() -> st.SearchStrategy[Values]:
    return some_of(
        rate_bps=numbers(1e5, 1e8),
        delay_ms=numbers(0, 50),
        limit_packets=or_infinite(st.integers(1, 100)),
        limit_bytes=or_infinite(st.integers(1600, 200_000)),
        price=table("none", {}) | prices(),
    )


@st.composite
def scenarios(draw: st.DrawFn, longest_s: float = 1.0, most_users: int = 6) -> Scenario:
    """Any valid scenario of at most so many seconds and users."""
    users = draw(st.integers(1, most_users))
    duration_s = draw(numbers(0.1, longest_s))
    optional = {
        # Letters, marks, numbers, signs and spaces: what a terminal shows and does not obey.
        "name": st.text(st.characters(categories=["L", "M", "N", "P", "S", "Zs"]), max_size=20),
        "warmup_s": numbers(0, 0.8 * duration_s),
        "carrier": carriers(),
        "channel": channels(users),
        "link": links(),
        "rlc": rlcs(),
        "queue": some_of(
            kind=st.sampled_from(["drop_tail", "codel", "pie", "adaptive"]),
            limit_packets=or_infinite(st.integers(1, 100)),
            limit_bytes=or_infinite(st.integers(1600, 200_000)),
            limit_counts=st.sampled_from(["held", "unsent"]),
            price=prices(),
            codel=some_of(target_ms=numbers(0.001, 50), interval_ms=numbers(0.001, 500)),
            pie=some_of(
                target_ms=numbers(0.001, 50),
                update_ms=numbers(0.1, 50),
                burst_ms=numbers(0, 300),
                alpha_hz=numbers(0, 10),
                beta_hz=numbers(0, 10),
                mean_packet_bytes=st.integers(1, 1500),
                derandomise=st.booleans(),
                cap_steps=st.booleans(),
            ),
            adaptive=some_of(
                target_ms=numbers(0.001, 200),
                memory_ms=numbers(0.001, 2000),
                floor_bytes=st.integers(1600, 10_000),
            ),
        ),
        "scheduler": schedulers(),
        "experimental": experimental(),
    }
    required = {
        "duration_s": st.just(duration_s),
        "users": st.just(users),
        "slot": st.fixed_dictionaries({"duration_ms": numbers(0.5, 10) | st.sampled_from(["5/3", "1/2", 5, 1])}),
        "flows": st.lists(flows(users, duration_s), min_size=1, max_size=3),
    }
    values: Values = draw(st.fixed_dictionaries(required, optional=optional))
    arq = values.get("link", {}).get("arq", {})
    if arq.get("unit") == "slot" and values.get("carrier", {}).get("subchannels", 1) == 1 and draw(st.booleans()):
        arq["repeats"] = "at_once"
        values["rlc"] = {**values.get("rlc", {}), "carry_fraction": False}
    if draw(st.booleans()):
        values["upstream"] = draw(upstreams())
        for flow in values["flows"]:
            paced = flow.get("traffic", {}).get("kind") != "backlogged"
            flow["path"] = {**flow.get("path", {}), "upstream": paced and draw(st.booleans())}
    if values.get("link", {}).get("harq", {}).get("unit") == "pdu":
        # Of a byte each, the highest rates make more in a slot than are allowed.
        values["rlc"] = {**values.get("rlc", {}), "segment_bytes": 40}
    link = values.get("link", {})
    plain = link.get("errors", {}).get("curve", {}).get("kind", "none") == "none" and not link.get("harq")
    if plain and values.get("carrier", {}).get("subchannels", 1) == 1 and draw(st.integers(0, 9)) == 0:
        values["queue"] = {**values.get("queue", {}), "kind": "drop_tail", "scope": "cell"}
        values["scheduler"] = {"kind": "fifo"}
        values.pop("experimental", None)
    if any(flow.get("traffic", {}).get("kind") in ("requests", "pages") for flow in values["flows"]):
        values.get("experimental", {}).pop("hold_timeouts", None)
    if values.get("queue", {}).get("price", {}).get("kind", "none") != "none":
        for flow in values["flows"]:
            flow["tcp"] = {**flow.get("tcp", {}), "clamp": draw(clamps())}
    return Scenario(**values)
