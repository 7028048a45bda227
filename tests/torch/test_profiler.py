"""`torch.profiler`: times by function and by named part, for the steps that a schedule says."""

from __future__ import annotations

from funcgrad import torch
from funcgrad.torch.profiler import ProfilerAction, profile, record_function, schedule, supported_activities


def work() -> None:
    with record_function("part"):
        torch.ones(3).sum()


def test_functions_and_named_parts() -> None:
    with profile(activities=[torch.profiler.ProfilerActivity.CPU], record_shapes=True) as seen:
        work()
        work()
        seen.step()
    found = {row.key: row for row in seen.key_averages()}
    (own,) = [row for key, row in found.items() if key.endswith("(work)")]
    assert (found["part"].count, own.count) == (2, 2)
    assert own.cpu_time_total >= found["part"].cpu_time_total > 0 and own.cpu_time == own.cpu_time_total / 2
    text = seen.key_averages().table(sort_by="cpu_time_total", row_limit=3)
    assert text.splitlines()[0].split() == "Name Self CPU CPU total CPU time avg # of Calls".split()
    assert len(text.splitlines()) == 5 and text.splitlines()[-1].startswith("Self CPU time total: ")
    assert len(seen.key_averages().table(row_limit=10**6).splitlines()) == len(seen.key_averages()) + 2
    work()  # when it is off
    assert {row.key: row for row in seen.key_averages()}["part"].count == 2
    assert [activity.name for activity in supported_activities()] == ["CPU"]


def test_a_schedule_says_which_steps() -> None:
    ready = []
    steps = schedule(wait=1, warmup=1, active=2, repeat=1)
    with profile(schedule=steps, on_trace_ready=ready.append) as seen:
        for _ in range(6):
            work()
            seen.step()
    assert ready == [seen]
    assert {row.key: row for row in seen.key_averages()}["part"].count == 2
    actions = [schedule(wait=1, warmup=0, active=2, skip_first=1)(step) for step in range(5)]
    none, record, save = ProfilerAction.NONE, ProfilerAction.RECORD, ProfilerAction.RECORD_AND_SAVE
    assert actions == [none, none, record, save, none]
    assert schedule(wait=1, warmup=1, active=1)(1) is ProfilerAction.WARMUP
    assert schedule(wait=1, warmup=0, active=1, skip_first_wait=1)(0) is save
