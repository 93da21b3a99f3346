"""Code of one's own in runs: it gives what the built-in parts give, mistakes are told, its hash has what it reads."""

from __future__ import annotations

import json
import os
import pickle
import signal
import subprocess
import sys
import threading
import time
from abc import ABC, abstractmethod
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import airlink
import own_code
from airlink.campaign import Plan
from airlink.campaign import run as run_plan
from airlink.own import OwnError, With, parts_of
from airlink.scenario import Scenario, ScenarioWarning, ready
from test_cli import Answer

OWN_CODE = Path(own_code.__file__)


def fair(subchannels: int = 1, ties: str = "random", **more: Any) -> Scenario:
    """A cell of [Klein04] under proportional fair."""
    return ready("k3", ["duration_s=5"]).with_(
        **{
            "carrier.subchannels": subchannels,
            "scheduler": {"kind": "proportional_fair", "time_constant_slots": 100.0, "ties": ties, **more},
        }
    )


@pytest.mark.parametrize("ties", ["random", "lowest_index"])
@pytest.mark.parametrize("subchannels", [1, 50])
def test_proportional_fair_in_numpy_is_the_built_in_one(subchannels: int, ties: str) -> None:
    scenario = fair(subchannels, ties)
    built_in = airlink.run(scenario, record=["slots"]).digest()
    assert airlink.run(scenario, record=["slots"], scheduler=own_code.Fair).digest() == built_in
    if subchannels == 1:
        assert airlink.run(scenario, record=["slots"], scheduler=own_code.FlatFair()).digest() == built_in
    if ties == "lowest_index":
        assert airlink.run(scenario, record=["slots"], scheduler=own_code.Granting).digest() == built_in


def test_satisfied_users_leave_the_slot_of_a_scheduler_of_ones_own_too() -> None:
    scenario = fair(50, release_satisfied_users=True)
    built_in = airlink.run(scenario, record=["slots"]).digest()
    assert airlink.run(scenario, record=["slots"], scheduler=own_code.Fair).digest() == built_in
    assert built_in != airlink.run(fair(50), record=["slots"]).digest()


def test_each_run_has_an_object_of_its_own_and_draws_by_seed() -> None:
    scenario, given = fair(), own_code.Weighing()
    together = airlink.run(scenario, replicas=2, scheduler=given)
    assert given.slots == 0
    for seed in (1, 2):
        alone = airlink.run(scenario, seed=seed, scheduler=own_code.Weighing)
        assert alone.digest() == together.digests()[seed - 1]
    won = together.users["slots_won"].reshape(2, -1)[:, 1::2].sum()
    equal = airlink.run(scenario, replicas=2, scheduler=own_code.Weighing([1.0, 1.0])).users["slots_won"]
    assert won > 1.2 * equal.reshape(2, -1)[:, 1::2].sum()


def test_reno_in_python_is_the_built_in_one() -> None:
    scenario = ready("k3", ["duration_s=20"]).with_(**{"flows.0.tcp.congestion_control": "reno"})
    built_in = airlink.run(scenario)
    assert built_in.flows["retransmissions"].sum() > 0
    assert airlink.run(scenario, congestion_control=own_code.Reno).digest() == built_in.digest()
    assert airlink.run(scenario, congestion_control={0: own_code.Reno()}).digest() == built_in.digest()
    slow = airlink.run(scenario, congestion_control=own_code.OneSegment)
    assert slow.cell["goodput_bps"][0] < 0.9 * built_in.cell["goodput_bps"][0]


def test_a_queue_of_ones_own_that_does_nothing_is_drop_tail_and_a_coin_drops_its_share() -> None:
    scenario = ready("k3", ["duration_s=30", "queue.limit_packets=20"])
    assert airlink.run(scenario, queue=own_code.DropNothing).digest() == airlink.run(scenario).digest()
    found = airlink.run(scenario, record=["packets"], queue=own_code.Coin)
    dropped, came = found.cell["drops_aqm"][0], found.series("packets").rows
    # Four standard deviations of a binomial count.
    assert abs(dropped - 0.05 * came) < 4 * (0.05 * 0.95 * came) ** 0.5


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("Failing", "metric raised ZeroDivisionError: a divisor is 0 (slot 7 at "),
        ("WrongShape", "metric returned an array of shape ("),
        (
            "Masked",
            "metric returned a masked array; fill it: np.ma.filled(metric.astype(float), -np.inf)",
        ),
        ("WrongKind", "it must return an array of real numbers (slot 0 at 0 s, seed 1)"),
        ("Writing", "metric raised ValueError: assignment destination is read-only (slot 0"),
    ],
)
def test_bad_code_is_told_with_the_slot_and_the_seed(name: str, words: str) -> None:
    with pytest.raises(OwnError) as caught:
        airlink.run(fair(), scheduler=getattr(own_code, name))
    assert words in str(caught.value)
    assert "seed 1)" in str(caught.value)
    if name == "Failing":
        cause = caught.value.__cause__
        assert isinstance(cause, ZeroDivisionError)
        assert cause.__traceback__ is not None
        assert cause.__traceback__.tb_frame.f_code.co_filename == str(OWN_CODE)


def test_no_number_never_wins() -> None:
    found = airlink.run(fair(), scheduler=own_code.NoNumbers)
    assert found.users["slots_won"][0] == 0
    assert found.users["slots_won"][1:].min() > 0


@pytest.mark.parametrize(
    ("grants", "words"),
    [
        ([(0, 99)], "grant: user is 99; it must be a whole number from 0 to 15"),
        ([(3, 0)], "grant: subchannel is 3; it must be a whole number from 0 to 0"),
        ([(0, -1)], "grant: user is -1; it must be a whole number from 0 to 15"),
        ([(0, 0.5)], "grant: user is 0.5; it must be a whole number from 0 to 15"),
        ([(0, 0), (0, 1)], "grant: subchannel 0 is user 0's already, so not user 1's"),
        ([(0, 15)], "allocate: the user in row 15 is no candidate, for it has nothing to send now"),
    ],
)
def test_a_grant_that_cannot_be_is_told(grants: list[tuple[int, float]], words: str) -> None:
    class Granting:
        def allocate(self, view: Any, allocation: Any) -> None:  # noqa: ARG002 - every scheduler has it
            for grant in grants:
                allocation.grant(*grant)

    scenario = fair().with_(**{"users": 16, "flows.0.users": list(range(15))})
    with pytest.raises(OwnError, match="seed 1") as caught:
        airlink.run(scenario, scheduler=Granting)
    assert words in str(caught.value)


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"scheduler": 3}, "it must be a class with metric or allocate, an object of one"),
        ({"scheduler": "mine"}, "must be FILE.py:NAME"),
        ({"scheduler": "mine.py:Mine"}, "there is no file mine.py"),
        ({"scheduler": f"{OWN_CODE}:Mine"}, "has no Mine; it has"),
        ({"queue": own_code.Fair}, "on_arrival, on_head"),
        ({"congestion_control": {4: own_code.Reno}}, "congestion_control names group 4; there are 0..0"),
        ({"congestion_control": {"0": own_code.Reno}}, "congestion_control names group '0'; it must be a whole number"),
    ],
)
def test_code_that_cannot_be_used_is_refused_before_the_run(given: dict[str, Any], words: str) -> None:
    with pytest.raises(OwnError) as caught:
        airlink.run(fair(), **given)
    assert words in str(caught.value)


def test_a_bottleneck_has_no_place_for_a_scheduler_and_averages_move_with_slots() -> None:
    with pytest.raises(OwnError, match="a wired bottleneck"):
        airlink.run(ready("dumbbell"), scheduler=own_code.Fair)
    with pytest.raises(OwnError, match="average_updates"):
        airlink.run(fair(average_updates="subchannel"), scheduler=own_code.Fair)


def test_a_queue_that_all_users_share_is_none_of_ones_own() -> None:
    shared = ready("first-cell").with_(**{"scheduler": {"kind": "fifo"}, "queue.scope": "cell"})
    with pytest.raises(OwnError, match=r"queue\.scope is 'cell'; it must be 'user'"):
        airlink.run(shared, queue=own_code.Coin)


def test_a_view_may_be_kept_and_tells_that_its_slot_is_over() -> None:
    kept = []

    class Keeping:
        def metric(self, view: Any) -> Any:
            kept.append((view, view.rate_bps))
            return view.rate_bps

    airlink.run(fair(), scheduler=lambda: Keeping())
    view, rate = kept[0]
    assert rate.shape == (view.users, 1)
    assert rate is kept[-1][1]
    assert np.isfinite(rate).all()
    with pytest.raises(RuntimeError, match="slot is over"):
        _ = view.average_bps


ALPHA = 1.0


class ReadsAGlobal:
    def metric(self, view: Any) -> Any:
        return scaled(view.rate_bps)


def scaled(rate: Any) -> Any:
    return ALPHA * rate


def test_the_hash_has_the_globals_that_methods_read(monkeypatch: pytest.MonkeyPatch) -> None:
    first = parts_of(ReadsAGlobal).all[0]
    assert first.is_repeatable
    assert parts_of(ReadsAGlobal()).all[0].sha256 == parts_of(ReadsAGlobal()).all[0].sha256
    monkeypatch.setitem(globals(), "ALPHA", -1.0)
    assert parts_of(ReadsAGlobal).all[0].sha256 != first.sha256
    monkeypatch.setitem(globals(), "ALPHA", np.ones(3))
    assert parts_of(ReadsAGlobal).all[0].sha256 == parts_of(ReadsAGlobal).all[0].sha256 != first.sha256
    monkeypatch.setitem(globals(), "ALPHA", 1.0)
    assert parts_of(ReadsAGlobal).all[0].sha256 == first.sha256
    monkeypatch.setitem(globals(), "ALPHA", threading.Lock())
    unread = parts_of(ReadsAGlobal).all[0]
    assert not unread.is_repeatable
    assert parts_of(ReadsAGlobal).all[0].sha256 != unread.sha256


class Based(ABC):
    @abstractmethod
    def metric(self, view: Any) -> Any: ...


@dataclass
class Held(Based):
    share: float = 1.0
    names: dict[str, int] = field(default_factory=dict)

    def metric(self, view: Any) -> Any:
        return self.share * view.rate_bps


def test_abstract_and_data_classes_have_a_hash_that_stays() -> None:
    assert parts_of(Held(2.0)).all[0].is_repeatable
    assert parts_of(Held).all[0].sha256 == parts_of(Held).all[0].sha256
    assert parts_of(Held(2.0)).all[0].sha256 == parts_of(Held(2.0)).all[0].sha256 != parts_of(Held(3.0)).all[0].sha256


def test_the_hash_has_the_modules_beside_the_file_and_is_that_of_another_process(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.syspath_prepend(tmp_path)
    mine, beside = tmp_path / "mine.py", tmp_path / "own_beside.py"
    (tmp_path / "own_further.py").write_text("SHARE = 1\n")
    beside.write_text("import own_further\nFAST = {'a', 'b', 'c'}\ndef weigh(x):\n    return x * own_further.SHARE\n")
    text = "import numpy as np\nimport own_beside\nclass Mine:\n    def metric(self, view):\n"
    mine.write_text(text + "        return own_beside.weigh(np.abs(view.rate_bps)) * len(own_beside.FAST)\n")
    first = parts_of(f"{mine}:Mine").all[0]
    program = f"from airlink.own import parts_of\nprint(parts_of({f'{mine}:Mine'!r}).all[0].sha256)"
    run = [sys.executable, "-c", program]
    paths = os.pathsep.join([str(tmp_path), *sys.path])
    found = subprocess.run(run, capture_output=True, text=True, check=True, env={**os.environ, "PYTHONPATH": paths})
    assert found.stdout.strip() == first.sha256
    sys.modules["own_beside"].FAST.add("d")
    second = parts_of(f"{mine}:Mine").all[0]
    (tmp_path / "own_further.py").write_text("SHARE = 2\n")
    third = parts_of(f"{mine}:Mine").all[0]
    assert len({first.sha256, second.sha256, third.sha256}) == 3


@pytest.mark.parametrize("line", ["from own_lazy.sub import f", "from own_lazy import sub\n        f = sub.f"])
def test_the_hash_has_modules_of_a_package_that_is_imported_as_the_code_runs(
    line: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.syspath_prepend(tmp_path)
    mine, package = tmp_path / "mine.py", tmp_path / "own_lazy"
    package.mkdir()
    mine.write_text(f"class Mine:\n    def metric(self, view):\n        {line}\n        return f(view.rate_bps)\n")
    found = []
    for first, then in (("", "x"), ("", "-x"), ("SIGN = 1\n", "x")):
        (package / "__init__.py").write_text(first)
        (package / "sub.py").write_text(f"def f(x):\n    return {then}\n")
        found.append(parts_of(f"{mine}:Mine").all[0].sha256)
    assert len(set(found)) == 3
    assert "own_lazy" not in sys.modules


@pytest.mark.parametrize(
    ("before", "inside", "load"),
    [
        ("", "", "np.load(HERE / 'weights.npy')"),
        ("", "FILE = 'weights.npy'", "np.load(HERE / self.FILE)"),
        ("FILE = HERE / 'weights.npy'", "", "np.load(FILE)"),
        ("WEIGHTS = np.load(HERE / 'weights.npy')", "", "WEIGHTS"),
        ("def load():\n    return np.load(HERE / 'weights.npy')", "", "load()"),
    ],
)
def test_the_hash_has_the_weights_in_a_file_beside_the_code(
    before: str, inside: str, load: str, tmp_path: Path
) -> None:
    mine = tmp_path / "mine.py"
    mine.write_text(f"""
from pathlib import Path
import numpy as np
HERE = Path(__file__).parent
{before}
class Mine:
    {inside}
    def start(self, run):
        self.weights = {load}
    def metric(self, view):
        return view.rate_bps ** self.weights[0]
""")
    found = []
    for weight in (1.0, 1.0, 0.0):
        np.save(tmp_path / "weights.npy", [weight])
        part = parts_of(f"{mine}:Mine").all[0]
        assert part.is_repeatable
        found.append((part.sha256, airlink.run(fair(), scheduler=f"{mine}:Mine").digest()))
    assert found[0] == found[1]
    assert found[0][0] != found[2][0]
    assert found[0][1] != found[2][1]


def test_a_file_whose_values_cannot_be_compared_goes_to_a_worker_all_the_same(tmp_path: Path) -> None:
    mine = tmp_path / "mine.py"
    text = "import threading\nLOCK = threading.Lock()\nclass Mine:\n    def metric(self, view):\n        with LOCK:\n"
    mine.write_text(text + "            return view.rate_bps\n")
    sent = parts_of(f"{mine}:Mine").all[0]
    assert not sent.is_repeatable
    assert pickle.loads(pickle.dumps(sent)).sha256 == sent.sha256


def test_a_method_that_airlink_never_calls_is_refused() -> None:
    class Misspelt(own_code.DropNothing):
        def on_heads(self, packet: Any) -> str:  # noqa: ARG002 - as a hook has it
            return "drop"

    class Hearing(own_code.Reno):
        def on_acks(self, event: Any) -> None:
            pass

    for given in (Misspelt, Misspelt(), lambda: Misspelt()):
        with pytest.raises(OwnError, match=r"airlink never calls on_heads; did you mean on_head\?"):
            airlink.run(fair(), queue=given)
    with pytest.raises(OwnError, match=r"airlink never calls on_acks; did you mean on_ack\?"):
        airlink.run(fair(), congestion_control=Hearing)


def test_a_scheduler_that_never_serves_anybody_is_warned_of_wherever_it_runs() -> None:
    said = "scheduler Silent: nobody was ever served; all it answered may be no number (NaN)"
    with pytest.warns(ScenarioWarning) as caught:
        airlink.run(fair(), scheduler=own_code.Silent)
    assert [str(each.message) for each in caught if "served" in str(each.message)] == [said]
    arms = {"pf": With(fair(), scheduler=own_code.Fair), "mine": With(fair(), scheduler=own_code.Silent)}
    found = airlink.compare(arms, seeds=range(1, 3), store=None, threads=1, measure="cell.goodput_bps")
    assert [note for note in found.notes if "served" in note] == [f"mine: {said}."]
    words = ["run", "k3", "-s", "duration_s=1", "--no-save"]
    done = Answer(*words, "--scheduler", f"{OWN_CODE}:Silent")
    assert done.err.count("nobody was ever served") == 1
    assert f"airlink: warning: {said}" in done.err
    assert "served" not in Answer(*words, "--scheduler", f"{OWN_CODE}:Fair").err


def test_state_that_cannot_be_copied_runs_as_a_class_and_is_refused_as_an_object() -> None:
    scenario = fair()
    assert airlink.run(scenario, scheduler=own_code.Uncopyable).digest() == airlink.run(scenario).digest()
    with pytest.raises(OwnError, match="scheduler Uncopyable can't be copied, as each run needs it: TypeError"):
        airlink.run(scenario, scheduler=own_code.Uncopyable())


def test_an_allocation_that_is_kept_tells_that_its_slot_is_over() -> None:
    class Keeping:
        def start(self, run: Any) -> None:  # noqa: ARG002 - every scheduler may have it
            self.kept: list[Any] = []

        def allocate(self, view: Any, allocation: Any) -> None:  # noqa: ARG002 - every scheduler has it
            if self.kept:
                self.kept[0].grant(0, 0)
            self.kept.append(allocation)

    with pytest.raises(OwnError, match=r"the slot of this allocation is over: grant during allocate \(slot 1 at"):
        airlink.run(fair(), scheduler=Keeping)


def test_a_changed_file_is_not_taken_by_a_worker(tmp_path: Path) -> None:
    mine = tmp_path / "mine.py"
    mine.write_text("class Mine:\n    def metric(self, view):\n        return view.rate_bps\n")
    sent = pickle.dumps(parts_of(f"{mine}:Mine"))
    assert pickle.loads(sent).scheduler.make().metric
    mine.write_text("# changed\n" + mine.read_text())
    with pytest.raises(OwnError, match="has changed since the run began"):
        pickle.loads(sent)


def test_campaigns_run_on_processes_and_give_the_digests_of_one_thread() -> None:
    plan = Plan({"mine": fair(), "built in": fair()}, (1, 2), parts={"mine": parts_of(own_code.Weighing())})
    found = run_plan(plan, 2)
    alone = run_plan(plan, 1)
    digests = [[replica.digest for replica in row if replica] for row in found.replicas.values()]
    assert digests == [[replica.digest for replica in row if replica] for row in alone.replicas.values()]
    assert len(digests[0]) == 2
    assert digests[0] != digests[1]


def test_an_exception_in_a_worker_comes_with_its_traceback() -> None:
    plan = Plan({"mine": fair()}, (1, 2), parts={"mine": parts_of(own_code.Failing)})
    with pytest.raises(OwnError, match="metric raised ZeroDivisionError: a divisor is 0") as caught:
        run_plan(plan, 2)
    assert 'raise ZeroDivisionError("a divisor is 0")' in str(caught.value)


def test_what_cannot_be_sent_to_a_worker_is_refused_with_a_sentence() -> None:
    plan = Plan({"mine": fair()}, (1, 2), parts={"mine": parts_of(lambda: own_code.Fair())})
    with pytest.raises(airlink.RequestError, match=r"can't be sent to worker processes .*: define it in a file"):
        run_plan(plan, 2)


@pytest.mark.parametrize("given", ["first-cell", With(ready("first-cell"), scheduler=own_code.Fair)])
def test_code_beside_what_is_no_scenario_is_refused(given: Any) -> None:
    with pytest.raises(OwnError, match="a Scenario is needed"):
        With(given, scheduler=own_code.Fair)


def test_a_class_that_only_the_first_process_of_a_script_has_is_told_by_where_to_put_it(tmp_path: Path) -> None:
    script = tmp_path / "script.py"
    script.write_text(
        """
import airlink
from airlink.own import With
from airlink.scenario import ready

if __name__ == "__main__":
    class Late:
        def metric(self, view):
            return view.rate_bps

    cell = ready("first-cell", ["duration_s=0.1", "warmup_s=0"])
    arms = {"a": cell, "b": With(cell, scheduler=Late)}
    airlink.compare(arms, measure="cell.goodput_bps", seeds=range(1, 3), store=None, threads=2)
"""
    )
    done = subprocess.run([sys.executable, "-W", "ignore", script], capture_output=True, text=True, check=False)
    assert 'define it above if __name__ == "__main__":, or in a file of its own' in done.stderr


def test_a_comparison_has_arms_with_schedulers() -> None:
    arms: dict[str, Scenario | With] = {"built in": fair(), "mine": With(fair(), scheduler=own_code.Fair)}
    found = airlink.compare(arms, seeds=range(1, 4), store=None, threads=1)
    assert found.comparison is not None
    assert found.comparison["mine"].verdict == "equivalent"
    (told,) = arms["mine"].parts.texts if isinstance(arms["mine"], With) else ()
    assert f"Code of one's own, scheduler Fair (sha256 {told.sha256}): in mine." in found.notes
    swept = airlink.sweep(
        fair(), {"users": [2, 3]}, seeds=range(1, 3), store=None, threads=1, scheduler=own_code.NoNumbers
    )
    assert swept.frame().rows > 0


def test_an_answer_keeps_the_text_of_the_code_and_the_command_has_arms_of_all_parts(tmp_path: Path) -> None:
    out, store = tmp_path / "answer", str(tmp_path / "store")
    words = ["compare", "k3", "-s", "duration_s=1", "--seeds", "1-2", "--threads", "1", "-m", "cell.goodput_bps"]
    words += ["--out", str(out), "--store", store]
    code = {"--scheduler": "Fair", "--congestion-control": "OneSegment", "--queue": "Coin"}
    options = [word for option, name in code.items() for word in (option, f"{OWN_CODE}:{name}")]
    done = Answer(*words, *options)
    assert done.code == 0, done.err
    told = json.loads((out / "campaign.json").read_text())
    assert [(each["name"], each["arms"]) for each in told["own_code"]] == [(name, [name]) for name in code.values()]
    assert {each["text"] for each in told["own_code"]} == {OWN_CODE.read_text()}
    assert all(option in told["command"] for option in code)
    twice = Answer(*words, "--queue", f"{OWN_CODE}:Coin", "--queue", f"{OWN_CODE}:Coin")
    assert "two arms have this name" in twice.err


def test_a_script_on_standard_input_is_told_that_processes_cannot_read_it(tmp_path: Path) -> None:
    script = "import airlink, own_code\nfrom airlink.scenario import ready\n"
    script += "airlink.sweep(ready('k3', ['duration_s=1']), {'users': [2, 3]}, seeds=range(1, 3), threads=THREADS, "
    script += "store=None, measures=['cell.goodput_bps'], scheduler=own_code.Fair)\nprint('done')\n"
    paths = os.pathsep.join([str(OWN_CODE.parent), *sys.path])
    for threads, said in ((2, "worker processes can't read the script that runs here (<stdin>)"), (1, "done")):
        done = subprocess.run(
            [sys.executable, "-"],
            input=script.replace("THREADS", str(threads)),
            capture_output=True,
            text=True,
            check=False,
            cwd=tmp_path,
            env={**os.environ, "PYTHONPATH": paths},
        )
        assert said in done.stdout + done.stderr
        assert done.stderr.count("Traceback") == (threads > 1)


def airlink_command(*words: str, **options: Any) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "airlink", *words], capture_output=True, text=True, check=False, **options
    )


def test_the_command_runs_a_file_and_tells_a_mistake_with_its_traceback(tmp_path: Path) -> None:
    words = ["run", "k3", "-s", "duration_s=2", "--no-save"]
    done = airlink_command(*words, "--scheduler", f"{OWN_CODE}:Fair", cwd=tmp_path)
    assert "With code of one's own: scheduler Fair (sha256 " in done.stdout
    failed = airlink_command(*words, "--scheduler", f"{OWN_CODE}:Failing", cwd=tmp_path)
    assert failed.returncode == 2
    assert "metric raised ZeroDivisionError: a divisor is 0 (slot 7" in failed.stderr
    assert 'raise ZeroDivisionError("a divisor is 0")' in failed.stderr
    assert "streaming.py" not in failed.stderr
    assert "this runs the code in that file" in " ".join(
        airlink_command("run", "--help").stdout.replace("│", "").split()
    )


@pytest.mark.parametrize("replicas", [1, 2])
def test_an_interruption_ends_an_endless_loop(tmp_path: Path, replicas: int) -> None:
    words = ["run", "k3", "--no-save", "--replicas", str(replicas), "--scheduler", f"{OWN_CODE}:Endless"]
    running = subprocess.Popen([sys.executable, "-m", "airlink", *words], cwd=tmp_path, stderr=subprocess.PIPE)
    while not (tmp_path / "begun").exists():
        assert running.poll() is None
        time.sleep(0.05)
    os.kill(running.pid, signal.SIGINT)
    _, told = running.communicate(timeout=20)
    assert running.returncode == 130, told.decode()
